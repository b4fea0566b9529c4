"""The runner of all benchmarks: cases in, rows out; one progress line, one table printer, one JSON.

A benchmark is data: tables of cases, and a function that measures one case. It returns the row, in SI units:

    def measured(run: Run, m: int, n: int) -> Row:
        kernel = ts.transpose(m, n)
        ...
        best = run.turns({"ours": native(kernel, x, y), "numpy": PythonCall(lambda: np.copyto(y, x.T))})
        return {"shape": f"{m} x {n}", **best, "by numpy": best["numpy"] / best["ours"]}

    BENCH = Bench("transpose", __doc__, (Table("shapes", "shape; ns=ours:1n; by numpy:2~", SHAPES, measured),))

One such file in `runtime/bench/cases/` is a benchmark of `tilesmith bench`, one in `tests/bench/` is run by `python -m
tests.bench.NAME`, since it needs the oracles of the tests. Both kinds are found by `tilesmith bench all` (every.py).
The rules of measuring are here, so no file of cases restates them: contenders take turns in one run, on one processor
unless they use threads; the least of many samples counts; a result is checked before it is timed; a figure that was not
measured is a dash, and no goal follows from it.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table as Printed

from ...encoder.records import NamedTuple, dataclass
from ..host import detect as host
from ..threads.policy import set_num_threads
from . import measure
from .peers.products import BaselineMissing, numpy_single_thread
from .table import GOAL_COLUMNS, Column, Goal, Row, columns, finite, means

Made = TypeVar("Made")
WIDTH = 150
"""The characters of a line where no terminal says how many it has."""
_CHILD = "TILESMITH_BENCH_THREADS"


@dataclass
class Run:
    """What a case is measured with: the seconds of each contender, the target, the options, and the remarks so far."""

    seconds: float
    options: argparse.Namespace
    remarks: list[str]
    frequency: float = math.nan  # Hz
    until: float = math.inf  # of time.monotonic

    @property
    def left(self) -> float:
        """The seconds until no case begins any more: for a case that consists of many, which may take fewer."""
        return max(0.0, self.until - time.monotonic())

    @property
    def target(self) -> str | None:
        """The target of the request; None is this processor."""
        return getattr(self.options, "target", None)

    def turns(self, contenders: Mapping[str, measure.Contender], seconds: float | None = None) -> dict[str, float]:
        """Return the seconds per call of contenders that take turns: the least of many samples."""
        budget = self.seconds if seconds is None else seconds
        return {name: timing.best for name, timing in measure.seconds_per_call(contenders, budget).items()}

    def remark(self, text: str) -> None:
        """Say something below the tables, once."""
        if text not in self.remarks:
            self.remarks.append(text)

    def baseline(self, make: Callable[[], Made]) -> Made | None:
        """Return a contender, or None with a remark if its library is missing."""
        try:
            return make()
        except BaselineMissing as missing:
            self.remark(str(missing))
            return None


Measured = Row | Iterable[Row] | None


def _no_goals(rows: Sequence[Row]) -> Iterable[Goal]:
    return ()


class Table(NamedTuple):
    """Cases that share columns. `measure(run, *case)` returns the row of a case, several rows, or None for no row."""

    name: str
    columns: str
    cases: Iterable[object]
    measure: Callable[..., Measured]
    title: str = ""
    goals: Callable[[Sequence[Row]], Iterable[Goal]] = _no_goals


class Bench(NamedTuple):
    """A benchmark: `tables` of a run, and the options that it takes beside `--seconds` and `--json`, as arguments of
    argparse. With `threads`, there is a process for each number of the option `--threads`. `alone`: the contenders use
    one thread and stay on one processor. `foreign`: of targets that this processor cannot run, code is generated.
    `quick` are options with which `tilesmith bench all` runs it; `share` is its part of the time there."""

    name: str
    about: str | None
    tables: Callable[[Run], Iterable[Table]] | Sequence[Table]
    options: Mapping[str, Mapping[str, Any]] = {}
    seconds: float = 0.1
    alone: bool = True
    threads: bool = False
    foreign: bool = False
    quick: Sequence[str] = ()
    share: float = 1.0
    plot: Callable[[Report, Path], None] | None = None


@dataclass
class Report:
    """The results of a run."""

    benchmark: str
    command: str
    machine: str
    frequency: float
    date: str
    versions: dict[str, str]
    tables: dict[str, list[Row]]
    columns: dict[str, tuple[Column, ...]]
    titles: dict[str, str]
    goals: list[Goal]
    remarks: list[str]

    def json(self) -> object:
        """Return what a file stores; figures that were not measured are null."""
        tables = {
            name: {
                "title": self.titles[name],
                "columns": [column._asdict() for column in self.columns[name]],
                "rows": rows,
            }
            for name, rows in self.tables.items()
        }
        head = {
            name: getattr(self, name)
            for name in ("benchmark", "command", "machine", "frequency", "date", "versions", "remarks")
        }
        goals = [{**goal._asdict(), "state": goal.state} for goal in self.goals]
        return finite({**head, "tables": tables, "goals": goals})

    def save(self, path: str | Path) -> None:
        """Write the report as JSON."""
        Path(path).write_text(json.dumps(self.json(), indent=1) + "\n")


def run(
    bench: Bench,
    given: Sequence[str] = (),
    *,
    json_path: str | Path | None = None,
    plot: Path | None = None,
    console: Console | None = None,
    until: float = math.inf,
    options: argparse.Namespace | None = None,
    command: str = "",
) -> Report:
    """Measure, print, and write the JSON. `until` is a time of `time.monotonic` after which no case begins; how many
    were left out is a remark. Tables are printed as they are finished, also those that an interrupt ends early."""
    asked = options if options is not None else parser_of(bench).parse_args(given)
    console = console or Console(width=None if sys.stdout.isatty() else WIDTH)
    if not bench.foreign:
        host.native(getattr(asked, "target", None))
    alone = bench.alone and not bench.threads
    pinned: AbstractContextManager[object] = measure.one_cpu() if alone else nullcontext()
    single: AbstractContextManager[bool] = numpy_single_thread() if alone else nullcontext(True)
    with pinned, single as held:
        this = Run(asked.seconds or bench.seconds, asked, [], measure.frequency(), until)
        if not held:
            this.remark("numpy: its BLAS could not be held to one thread")
        report = Report(
            bench.name,
            command or f"tilesmith bench {' '.join([bench.name, *given])}",
            host.brand(),
            this.frequency,
            datetime.date.today().isoformat(),
            _versions(),
            {},
            {},
            {},
            [],
            this.remarks,
        )
        _print_head(console, report)
        if bench.threads and _CHILD not in os.environ:
            _with_threads(bench, asked, report, console)
        else:
            for table in bench.tables(this) if callable(bench.tables) else bench.tables:
                _measure(table, this, report, console, until)
    _print_goals(console, report)
    if json_path is not None:
        report.save(json_path)
    if plot is not None and bench.plot is not None:
        bench.plot(report, plot)
        console.print(f"{plot}: drawn")
    return report


def parser_of(bench: Bench) -> argparse.ArgumentParser:
    """Return the parser of a benchmark's own options."""
    parser = argparse.ArgumentParser(description=bench.about, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, arguments in bench.options.items():
        parser.add_argument(name, **arguments)
    if "seconds" not in bench.options:
        parser.add_argument("--seconds", type=float, default=bench.seconds, help="for each contender of each case")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    parser.add_argument("--quick", type=float, metavar="SECONDS", help="few cases; none begins after this time")
    return parser


def main(bench: Bench) -> None:
    """Run a benchmark of tests/bench with the options of the command line."""
    given = sys.argv[1:]
    asked = parser_of(bench).parse_args(given)
    command, until = " ".join([f"python -m tests.bench.{bench.name}", *given]), math.inf
    if asked.quick is not None:
        until, given, json = time.monotonic() + asked.quick, [*bench.quick], asked.json
        asked = parser_of(bench).parse_args(given)
        asked.json = json
    run(bench, given, json_path=asked.json, options=asked, command=command, until=until)


def _measure(table: Table, this: Run, report: Report, console: Console, until: float) -> None:
    """Add the rows of a table to the report, and print them."""
    rows = report.tables.setdefault(table.name, [])
    report.columns[table.name], report.titles[table.name] = columns(table.columns), table.title
    left, cases = 0, list(table.cases)
    try:
        for case in measure.steps(cases, f"{report.benchmark} {table.name}"):
            if time.monotonic() > until:
                left += 1
                continue
            found = table.measure(this, *(case if isinstance(case, tuple) else (case,)))
            rows += [found] if isinstance(found, dict) else list(found or ())
    finally:
        _print_table(console, report, table.name)
    if left:
        this.remark(f"{table.name}: {left} of {len(cases)} cases were left out, for want of time")
    report.goals += table.goals(rows) if rows and not left else ()


def _with_threads(bench: Bench, asked: argparse.Namespace, report: Report, console: Console) -> None:
    """Run a process for each number of threads, in which the other libraries use the same number from the start."""
    for threads in asked.threads:
        limits = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", _CHILD), str(threads))
        with tempfile.TemporaryDirectory() as folder:
            path, module = Path(folder, "rows.json"), bench.tables.__module__
            if module == "__main__" and (spec := sys.modules[module].__spec__) is not None:
                module = spec.name
            options = {name: value for name, value in vars(asked).items() if not isinstance(value, Path)}
            program = f"""from tilesmith.runtime.bench import runner
from {module} import BENCH
runner.child(BENCH, {options!r}, {str(path)!r})"""
            subprocess.run([sys.executable, "-c", program], env={**os.environ, **limits}, check=True)
            found = json.loads(path.read_text())
        for name, table in found["tables"].items():
            report.columns[name] = tuple(Column(**each) for each in table["columns"])
            report.titles[name] = table["title"]
            report.tables.setdefault(name, []).extend({"threads": threads, **row} for row in table["rows"])
        report.remarks.extend(each for each in found["remarks"] if each not in report.remarks)
    for name in report.tables:
        _print_table(console, report, name)


def child(bench: Bench, options: Mapping[str, object], path: str) -> None:
    """Measure in the process of one number of threads; the parent prints."""
    set_num_threads(threads_of_child())
    with open(os.devnull, "w") as nowhere:
        run(bench, json_path=path, console=Console(file=nowhere), options=argparse.Namespace(**options))


def threads_of_child() -> int:
    """Return the number of threads of this process of a benchmark with `threads`."""
    return int(os.environ.get(_CHILD, "1"))


# Printing


def _versions() -> dict[str, str]:
    found = {"python": sys.version.split()[0], "numpy": np.__version__}
    return {**found, "torch": sys.modules["torch"].__version__} if "torch" in sys.modules else found


def _print_head(console: Console, report: Report) -> None:
    target, versions = host.host(), ", ".join(f"{name} {each}" for name, each in report.versions.items())
    console.print(
        f"[bold]{report.machine}[/], {target.isa}, {target.fma_pipes} FMA pipes of {target.fma_bits} bits, "
        f"{report.frequency / 1e9:.2f} GHz; {versions}; least of many samples, in turns"
    )


def _print_table(console: Console, report: Report, name: str) -> None:
    rows = report.tables[name]
    shown = [each for each in report.columns[name] if any(each.key in row for row in rows)]
    if rows:
        _print(console, shown, rows, report.titles[name] or name)


def _print_goals(console: Console, report: Report) -> None:
    if report.goals:
        _print(console, GOAL_COLUMNS, [goal.row for goal in report.goals], "Goals")
    for remark in report.remarks:
        console.print(remark, soft_wrap=True)


def _print(console: Console, shown: Sequence[Column], rows: Sequence[Row], title: str) -> None:
    printed = Printed(title=title, title_justify="left")
    for column in shown:
        figures = column.digits is not None or column.key in ("bound", "figure")
        printed.add_column(column.heading, justify="right" if figures else "left", no_wrap=True)
    for row in rows:
        printed.add_row(*(each.cell(row) for each in shown), style="red" if "NOT REACHED" in row.values() else "")
    if last := means(shown, rows):
        printed.add_section()
        printed.add_row(*last)
    wide = Measurement.get(console, console.options.update(max_width=10_000), printed).maximum
    before, console.width = console.width, max(console.width, wide)  # a table is never squeezed: lines may wrap
    console.print(printed, crop=False)
    console.width = before


def ratios(best: Mapping[str, float], of: str = "ours") -> Iterator[tuple[str, float]]:
    """Yield how many times as long each other contender takes as ours, as figures named `by NAME`."""
    return ((f"by {name}", seconds / best[of]) for name, seconds in best.items() if name != of)

"""The runner of all benchmarks: cases in, rows out; one progress line, one table printer, one JSON.

A benchmark is data: tables of cases, and a function that measures one case. It returns the row, in SI units:

    def measured(run: Run, m: int, n: int) -> Row:
        kernel = ts.transpose(m, n)
        ...
        best = run.turns({"ours": native(kernel, [x, y]), "numpy": PythonCall(lambda: np.copyto(y, x.T))})
        return {"shape": f"{m} x {n}", **best, "by numpy": best["numpy"] / best["ours"]}

    GOALS = (Wanted("{shape}: by numpy", 2.0, "by numpy"),)
    BENCH = Bench("transposes", __doc__, (Table("shapes", "shape; ns=ours:1n; by numpy:2~", SHAPES, measured, GOALS),))

A file of `runtime/bench/cases/`, or of `tests/bench/` if it needs the oracles of the tests, declares one or several.
`tilesmith bench transposes` and `tilesmith bench all` find them by their name (options.py). The rules of measuring are
here, so no file of cases restates them: contenders take turns in one run, on one processor unless they use threads; the
least of many samples counts; a result is checked before it is timed; a figure that was not measured is a dash, and no
goal follows from it.
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
from typing import TypeVar

import numpy as np
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table as Printed

from ...encoder.records import NamedTuple, dataclass
from ..host import detect as host
from ..system.progress import FIRST_WORD, steps
from ..threads.policy import set_num_threads
from . import measure, plots
from .charts import Plot, chart
from .options import add_common
from .peers.products import BaselineMissing, numpy_single_thread
from .table import GOAL_COLUMNS, Column, Goal, Named, Row, Wanted, columns, finite, goals, means, measured

Made = TypeVar("Made")
WIDTH = 150
"""The characters of a line where no terminal says how many it has."""
QUICK = 0.05
"""The most seconds of a contender with `--quick`, unless the benchmark says otherwise."""
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


class Table(NamedTuple):
    """Cases that share columns. `measure(run, *case)` returns the row of a case, several rows, or None for no row.
    `goals` are bounds of its figures, or a function of the rows that yields them. `plot` says how the rows are drawn,
    as far as the columns do not say it (charts.py)."""

    name: str
    columns: str
    cases: Iterable[object]
    measure: Callable[..., Measured]
    title: str = ""
    goals: Sequence[Wanted] | Callable[[Sequence[Row]], Iterable[Goal]] = ()
    plot: Plot | None = None


class Bench(NamedTuple):
    """A benchmark: `tables` of a run, and the options that it takes beside those of all benchmarks, as arguments of
    argparse. With `threads`, there is a process for each number of the option `--threads`. `alone`: the
    contenders use one thread and stay on one processor. `foreign`: of targets that this processor cannot run, code is
    generated. `quick` are options with which `tilesmith bench all` runs it; `share` is its part of the time there.
    `command` is how it is run, if not by `tilesmith bench` and its name."""

    name: str
    about: str | None
    tables: Callable[[Run], Iterable[Table]] | Sequence[Table]
    options: Mapping[str, Named] = {}
    seconds: float = 0.1
    alone: bool = True
    threads: bool = False
    foreign: bool = False
    quick: Sequence[str] = ()
    share: float = 1.0
    command: str = ""


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
    plots: dict[str, Plot | None]
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

    def draw(self, path: Path) -> None:
        """Draw the tables that have figures. Raises ValueError if none has, UnsupportedError without matplotlib."""
        made = (
            chart(self.titles[name] or name, self.columns[name], rows, self.plots.get(name))
            for name, rows in self.tables.items()
        )
        plots.draw([each for each in made if each], path, f"{self.machine}; {self.date}; {self.command}")


def run(bench: Bench, given: Sequence[str] = (), *, console: Console | None = None, until: float = math.inf) -> Report:
    """Measure with the options of a command line, print, and write the JSON. `until` is a time of `time.monotonic`
    after which no case begins; how many were left out is a remark. Tables are printed as they are finished, also those
    that an interrupt ends early."""
    asked = parser_of(bench).parse_args([*given])
    if asked.quick is not None:
        until = time.monotonic() + asked.quick
        asked = parser_of(bench).parse_args(["--seconds", str(min(bench.seconds, QUICK)), *bench.quick, *given])
    console = console or Console(width=None if sys.stdout.isatty() else WIDTH)
    if not bench.foreign:
        host.native(getattr(asked, "target", None))
    alone = bench.alone and not bench.threads
    pinned: AbstractContextManager[object] = measure.one_cpu() if alone else nullcontext()
    single: AbstractContextManager[bool] = nullcontext(True) if bench.threads else numpy_single_thread()
    with pinned, single as held:
        this = Run(asked.seconds, asked, [], measure.frequency(), until)
        if not held:
            this.remark("numpy: its BLAS could not be held to one thread")
        command = bench.command or " ".join(["tilesmith bench", bench.name, *given])
        today, machine = datetime.date.today().isoformat(), host.brand()
        report = Report(
            bench.name, command, machine, this.frequency, today, _versions(), {}, {}, {}, {}, [], this.remarks
        )
        _print_head(console, report)
        if bench.threads and _CHILD not in os.environ:
            _with_threads(bench, given, asked.threads, report, console)
        else:
            if bench.threads:
                set_num_threads(threads_of_child())
            every = [*(bench.tables(this) if callable(bench.tables) else bench.tables)]
            chosen = [each for each in every if asked.tables is None or each.name.split()[0] in asked.tables]
            for number, table in enumerate(chosen):  # what a table leaves of its time goes to the others
                this.until = until if until == math.inf else _part(until, len(chosen) - number)
                _measure(table, this, report, console)
                if asked.json is not None:
                    report.save(asked.json)
    if asked.tables is not None and not report.tables:
        raise ValueError(f"--tables: {bench.name} has none whose name begins with {' or '.join(asked.tables)}")
    _print_goals(console, report)
    if asked.json is not None:
        report.save(asked.json)
    if asked.plot is not None:
        report.draw(asked.plot)
        console.print(f"{asked.plot}: drawn")
    return report


def parser_of(bench: Bench) -> argparse.ArgumentParser:
    """Return the parser of a benchmark's options."""
    parser = argparse.ArgumentParser(
        prog=f"tilesmith bench {bench.name}",
        description=bench.about,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for name, arguments in bench.options.items():
        parser.add_argument(name, **arguments)
    add_common(parser, bench.seconds)
    if "--tables" not in bench.options:
        parser.add_argument("--tables", nargs="+", metavar="NAME", help="only those tables whose names begin so")
    return parser


def _measure(table: Table, this: Run, report: Report, console: Console) -> None:
    """Add the rows of a table to the report, and print them, those of slow cases also as they come. If time is limited,
    what is measured first is spread over the cases."""
    report.columns[table.name], report.titles[table.name] = columns(table.columns), table.title
    report.plots[table.name] = table.plot
    cases = list(table.cases)
    found: dict[int, list[Row]] = {}
    order = range(len(cases)) if this.until == math.inf else sorted(range(len(cases)), key=_reversed_bits)
    try:
        for place in steps(order, f"{report.benchmark} {table.name}"):
            if time.monotonic() > this.until:
                break
            case, began = cases[place], time.monotonic()
            rows = table.measure(this, *(case if isinstance(case, tuple) else (case,)))
            found[place] = []  # what an iterator yields before an interrupt counts
            for row in [rows] if isinstance(rows, dict) else rows or ():
                found[place].append(row)
                if time.monotonic() - began > FIRST_WORD:  # the table comes late: say it now
                    cells = ((each.heading, each.cell(row)) for each in report.columns[table.name])
                    console.print(", ".join(f"{heading} {cell}" for heading, cell in cells if cell), soft_wrap=True)
    finally:
        report.tables[table.name] = rows = [row for place in sorted(found) for row in found[place]]
        _print_table(console, report, table.name)
    if len(found) < len(cases):
        this.remark(f"{table.name}: {len(cases) - len(found)} of {len(cases)} cases were left out, for want of time")
    elif rows:
        report.goals += table.goals(rows) if callable(table.goals) else goals(table.goals, rows)


def _part(until: float, tables: int) -> float:
    """Return the time until which a table is measured that has an equal part of what is left."""
    now = time.monotonic()
    return now + max(0.0, until - now) / tables


def _reversed_bits(number: int) -> int:
    return int(f"{number:016b}"[::-1], 2)


def _with_threads(bench: Bench, given: Sequence[str], counts: Sequence[int], report: Report, console: Console) -> None:
    """Run a process for each number of threads, in which the other libraries use the same number from the start."""
    for threads in counts:
        limits = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", _CHILD), str(threads))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "rows.json")
            command = [sys.executable, "-m", "tilesmith", "bench", bench.name, *given, "--json", str(path)]
            limits["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, sys.path))
            subprocess.run(command, env={**os.environ, **limits}, stdout=subprocess.DEVNULL, check=True)
            found = json.loads(path.read_text())
        for name, table in found["tables"].items():
            report.columns[name] = tuple(Column(**each) for each in table["columns"])
            report.titles[name] = table["title"]
            report.tables.setdefault(name, []).extend({"threads": threads, **row} for row in table["rows"])
        report.remarks.extend(each for each in found["remarks"] if each not in report.remarks)
    for name in report.tables:
        _print_table(console, report, name)


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
    if rows:
        _print(console, measured(report.columns[name], rows), rows, report.titles[name] or name)


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

"""`tilesmith bench reduce`: reductions compared with a kernel that only loads, and with numpy, in one run.

The loading kernel reads the same bytes in order into eight registers in turn and does nothing with them. Its rate is
the load bandwidth, of which reductions must reach nine tenths. One such kernel uses the widest registers, like the
reductions, another one registers of half the width, and the faster one counts: a Zen 4 loads the halves of a line
faster than a whole line, 64 bytes a cycle in order against 60. A third one adds what it loads to eight sums, which it
discards: if that is slower than loads alone, no sum can be faster.

Contenders take turns on one processor, in rounds some seconds apart, since others on the machine may disturb for
seconds; each is timed by its best sample. Results lie after their matrix, and both begin at a cache line: other
placements may cost a tenth (docs/reductions.md).
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from dataclasses import asdict, field
from pathlib import Path
from typing import Any, cast

import numpy as np
from rich.console import Console
from rich.table import Table

from ...encoder.code import Code
from ...encoder.features import Target
from ...encoder.records import NamedTuple, dataclass
from ...microkernels.machines.registry import machine_for
from ..api.reduce import reduce
from ..api.typed import ReductionName
from ..arguments.arrays import Array, address_of
from ..host import detect as host
from ..memory.executable import publish
from . import measure
from .goals import Goal

PLACES = {"L1": (16, 384), "L2": (64, 1536)}
"""Rows and columns of f32: 24 KiB and 384 KiB."""
NAMES = (("sum", False), ("sum", True), ("sum", "both"), ("product", False), ("max", False), ("min", False),
         ("absmax", False), ("argmax", False), ("argmin", False))  # fmt: skip
BASELINES: dict[str, Callable[..., Any]] = {
    "sum": np.add.reduce, "product": np.multiply.reduce, "max": np.maximum.reduce, "min": np.minimum.reduce,
    "absmax": np.maximum.reduce, "argmax": np.argmax, "argmin": np.argmin,
}  # fmt: skip
"""numpy's contenders. For absmax it is the maximum, which reads the same bytes."""
AXES = (0, 1, None)
SHARE = 0.9
ROUNDS = 3
OUTPUTS = 2  # the most outputs of a reduction
SHARES = ("share", "share of own loads", "share of additions")
TOGETHER = 8
LINE = 64


class Row(NamedTuple):
    """One reduction in one place. Rates are bytes of the matrix per second."""

    place: str
    name: str
    axis: int | None
    ours: float
    loads: float
    halves: float
    adds: float
    numpy: float

    @property
    def share(self) -> float:
        """Our rate relative to the faster loads."""
        return self.ours / float(np.fmax(self.loads, self.halves))

    @property
    def shares(self) -> tuple[float, float, float]:
        """`share`; our rate relative to loads of our own registers; and relative to such loads with an addition
        each."""
        return self.share, self.ours / self.loads, self.ours / self.adds


@dataclass
class ReduceReport:
    """The results of one run."""

    machine: str
    target: str
    rows: list[Row] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)

    def save(self, path: str | Path) -> None:
        """Write the report as JSON."""
        rows = [{**row._asdict(), **dict(zip(SHARES, row.shares))} for row in self.rows]
        goals = [{**goal._asdict(), "state": goal.state} for goal in self.goals]
        Path(path).write_text(json.dumps({**asdict(self), "rows": rows, "goals": goals}, indent=1) + "\n")


def bench_reduce(target: str | None = None, seconds: float = 0.1, json_path: str | Path | None = None,
                 console: Console | None = None) -> ReduceReport:  # fmt: skip
    """Measure with `seconds` per contender, and print. `target` is a name, or None for this host."""
    console = console or Console(width=None if sys.stdout.isatty() else 120)
    resolved = host.native(target)
    report = ReduceReport(host.brand(), resolved.name)
    matrices = {place: _matrix(m, n) for place, (m, n) in PLACES.items()}
    asked = [(place, name, squared, axis) for place in PLACES for name, squared in NAMES for axis in AXES]
    contenders = [_contenders(name, squared, axis, matrices[place], target) for place, name, squared, axis in asked]
    best = [dict.fromkeys(contender, math.inf) for contender in contenders]
    with measure.one_cpu():
        for _ in measure.steps(range(ROUNDS), "rounds"):
            for times, contender in zip(best, contenders):
                for who, timing in measure.seconds_per_call(contender, seconds / ROUNDS).items():
                    times[who] = min(times[who], timing.best)
    for (place, name, squared, axis), times in zip(asked, best):
        rates = {who: matrices[place].nbytes / time for who, time in times.items()}
        report.rows.append(_row(place, name, squared, axis, rates))
    report.goals = [
        Goal(f"{name} in {place}, the least by loads", SHARE, min(row.share for row in report.rows
                                                                  if (row.place, row.name) == (place, name)))
        for place, name in dict.fromkeys((row.place, row.name) for row in report.rows)
    ]  # fmt: skip
    _print(console, report)
    if json_path is not None:
        report.save(json_path)
    return report


def _matrix(m: int, n: int) -> Array:
    """Return 1 and -1, whose products stay normal, beginning at a cache line; after them is room for results."""
    whole = np.empty((m + OUTPUTS) * n + (OUTPUTS + 1) * LINE // 4, np.float32)
    first = -address_of(whole) % LINE // 4
    x = whole[first : first + m * n].reshape(m, n)
    x[...] = np.random.default_rng(0).choice(np.array([1, -1], np.float32), (m, n))
    return x


def _results(x: Array, count: int) -> list[int]:
    """Return the address of `count` f32 for each output, after the matrix."""
    end = address_of(x) + x.nbytes
    return [end + number * (-(-count * 4 // LINE) * LINE) for number in range(OUTPUTS)]


def _contenders(name: str, squared: bool | str, axis: int | None, x: Array,
                target: str | None) -> dict[str, measure.Contender]:  # fmt: skip
    m, n = x.shape
    named: Any = {"axis": axis, "squared": squared, "target": target}
    made = reduce(cast(ReductionName, name), m, n, **named)
    results = _results(x, {0: n, 1: m, None: 1}[axis])[: 2 if squared == "both" else 1]
    widths = machine_for(made.target).facts.widths[:2]
    blocks = {who: publish(loads(made.target, x.size, bits).data) for who, bits in zip(("loads", "halves"), widths)}
    blocks["adds"] = publish(loads(made.target, x.size, adding=True).data)
    assert made.address is not None
    baseline = BASELINES[name]
    return {
        **{who: measure.NativeCall(block.address, (address_of(x),), block) for who, block in blocks.items()},
        "ours": measure.NativeCall(made.address, (address_of(x), *results), (made, x)),
        "numpy": measure.PythonCall(lambda: baseline(x, axis=axis)),
    }


def _row(place: str, name: str, squared: bool | str, axis: int | None, rates: dict[str, float]) -> Row:
    label = {False: name, True: "sum of squares", "both": "sum and squares"}[squared]
    beside = rates["loads"], rates.get("halves", math.nan), rates["adds"], math.nan if squared else rates["numpy"]
    return Row(place, label, axis, rates["ours"], *beside)


def loads(target: Target, count: int, bits: int = 0, *, adding: bool = False) -> Code:
    """Emit void loads(const float *x): loads of `count` f32, a multiple of eight registers of `bits` (0: the widest).

    With `adding`, each register is added to one of eight sums, which are discarded.
    """
    m = machine_for(target)
    vector = (bits or m.facts.widths[0]) // 32
    (x,) = m.arguments(1)
    m.enter(2 * TOGETHER if adding else TOGETHER)
    with m.predicates(), m.vectors(TOGETHER, "loaded") as registers, m.vectors(TOGETHER * adding, "sums") as sums:
        lanes = m.lanes("f32", vector)
        for register in sums:
            m.zero(register, lanes)
        with m.loop(m.general("count"), count // vector // TOGETHER):
            for i, register in enumerate(registers):
                m.load(register, m.at(x, i * vector * 4), lanes)
                if adding:
                    m.add(sums[i], sums[i], register, lanes)
            m.advance(x, TOGETHER * vector * 4)
    m.leave()
    return m.asm.finish("loads")


def _print(console: Console, report: ReduceReport) -> None:
    console.print(f"[bold]{report.machine}[/], {report.target}, numpy {np.__version__}; f32, best samples")
    table = Table()
    for heading in ("in", "reduction", "axis", "GB/s", "loads GB/s", "by loads", "by own loads", "by additions",
                    "numpy GB/s"):  # fmt: skip
        table.add_column(heading, justify="right" if "/s" in heading or "by" in heading else "left")
    for row in report.rows:
        rates = [f"{figure / 1e9:.0f}" for figure in (row.ours, row.ours / row.share)]
        beside = "-" if math.isnan(row.numpy) else f"{row.numpy / 1e9:.0f}"
        shares = [f"{share:.2f}" for share in row.shares]
        table.add_row(row.place, row.name, str(row.axis), *rates, *shares, beside,
                      style="" if row.share >= SHARE else "red")  # fmt: skip
    console.print(table)
    table = Table("goal", "wanted", "found", "")
    for goal in report.goals:
        table.add_row(goal.what, f">= {goal.wanted:g}", f"{goal.found:.2f}", goal.state,
                      style="red" if goal.state == "NOT REACHED" else "")  # fmt: skip
    console.print(table)

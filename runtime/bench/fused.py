"""`tilesmith bench fused`: softmax, norms, their derivatives, optimizers and attention beside baselines, in one run.

Each size is labelled with the nearest cache that holds all operands. These are the baselines:

    numpy
    torch      PyTorch in eager mode, if it is installed
    compiled   the forward functions as torch.compile makes them, if there is a C++ compiler
    gcc        code with constant extents, if gcc is installed
    copy       the faster of two copies of the bytes of x and y: our kernel's and the C library's

Contenders take turns on one processor and one thread, and each is timed by its best sample. Goals that the machine's
bandwidth bounds are given as a share of that copy.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, field
from pathlib import Path
from typing import Any, cast

import numpy as np
from rich.console import Console
from rich.table import Table

from ...encoder.features import Target
from ...encoder.records import NamedTuple, dataclass
from ...microkernels.fused.spec import FusedSpec
from ..api.eltwise import unary
from ..api.fused import fused
from ..arguments.arrays import Array
from ..host import detect as host
from ..kernel.accuracy import Accuracy
from ..kernel.callable import Kernel
from . import fused_steps, measure
from .goals import Goal, WrongResult, goal_table, saved, write_json
from .peers import layers as baselines
from .peers.elementwise import memcpy
from .peers.products import BaselineMissing
from .places import nearest_cache, placed

SHAPES = (64, 384), (256, 384), (1024, 384), (4096, 1024)
KERNELS: tuple[tuple[str, Accuracy], ...] = (
    ("softmax", "standard"), ("softmax", "fast"), ("layernorm", "standard"), ("rmsnorm", "standard"),
    ("softmax_inv", "standard"), ("layernorm_inv", "standard"), ("rmsnorm_inv", "standard"),
)  # fmt: skip
COPY_FOR_LONG_WAYS = 0.85
"""The share of copy bandwidth that suffices if operands do not lie in L2, whatever the baselines reach."""
AGREEMENT = 2.0**-10
"""Tolerance relative to the largest result: a baseline that differs more computes something else."""
OTHERS = ("torch", "compiled", "gcc", "numpy", "copy")


class Wanted(NamedTuple):
    """The goals of a layer: the speed relative to torch with operands in L2 (`near`) and beyond it (`far`), relative to
    gcc, to a copy in L2, and to torch.compile anywhere."""

    near: float = 0.0
    far: float = 0.0
    gcc: float = 0.0
    copy: float = 0.0
    compiled: float = 0.0


WANTED = {
    ("softmax", "standard"): Wanted(2.2, 2.0, 2.5, compiled=1.3), ("softmax", "fast"): Wanted(copy=0.45),
    ("layernorm", "standard"): Wanted(3.0, 2.0, 2.0), ("rmsnorm", "standard"): Wanted(3.0, 2.0, 2.0),
    ("layernorm_inv", "standard"): Wanted(2.0, 2.0), ("rmsnorm_inv", "standard"): Wanted(2.0, 2.0),
    ("softmax_inv", "standard"): Wanted(2.0, 2.0),
}  # fmt: skip


class Row(NamedTuple):
    """One layer: seconds per call of our kernel and of each contender."""

    name: str
    accuracy: Accuracy
    shape: tuple[int, int]
    place: str
    seconds: Mapping[str, float]

    @property
    def what(self) -> str:
        """A description of the row."""
        fast = "fast " if self.accuracy == "fast" else ""
        return f"{fast}{self.name} {self.shape[0]} x {self.shape[1]} ({self.place})"

    def by(self, who: str) -> float:
        """Return a contender's time divided by ours."""
        return self.seconds.get(who, math.nan) / self.seconds["ours"]

    @property
    def goals(self) -> Iterator[Goal]:
        """The goals of this row. If operands come from L3 or memory, copy bandwidth suffices instead."""
        wanted = WANTED[self.name, self.accuracy]
        near = self.place in ("L1", "L2")
        if wanted.near and near:
            yield Goal(f"{self.what}: torch by ours", wanted.near, self.by("torch"))
        elif wanted.far:
            either = max(self.by("torch") / wanted.far, self.by("copy") / COPY_FOR_LONG_WAYS)
            what = f"{self.what}: of {wanted.far:g} times torch, or {COPY_FOR_LONG_WAYS} of copy"
            yield Goal(what, 1.0, math.nan if math.isnan(self.by("torch")) else either)
        if wanted.compiled:
            either = max(self.by("compiled") / wanted.compiled, self.by("copy") / COPY_FOR_LONG_WAYS)
            what = f"{self.what}: of {wanted.compiled:g} times torch.compile, or {COPY_FOR_LONG_WAYS} of copy"
            yield Goal(what, 1.0, math.nan if math.isnan(self.by("compiled")) else either)
        if wanted.gcc and near:
            yield Goal(f"{self.what}: gcc by ours", wanted.gcc, self.by("gcc"))
        if wanted.copy and near:
            yield Goal(f"{self.what}: by copy", wanted.copy, self.by("copy"))


@dataclass
class FusedReport:
    """The results of one run."""

    machine: str
    target: str
    rows: list[Row] = field(default_factory=list)
    steps: list[fused_steps.Figure] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)

    def save(self, path: str | Path) -> None:
        """Write the report as JSON."""
        rows = [{**row._asdict(), **{f"by {who}": row.by(who) for who in OTHERS}} for row in self.rows]
        steps = [each._asdict() for each in self.steps]
        write_json(path, {**asdict(self), "rows": rows, "steps": steps, "goals": saved(self.goals)})


def bench_fused(target: str | None = None, seconds: float = 0.1, json_path: str | Path | None = None,
                console: Console | None = None) -> FusedReport:  # fmt: skip
    """Measure with `seconds` per contender, and print. `target` is a name, or None for this host."""
    console = console or Console(width=None if sys.stdout.isatty() else 130)
    resolved = host.native(target)
    report = FusedReport(host.brand(), resolved.name)
    console.print(f"[bold]{report.machine}[/], {resolved.name}, numpy {np.__version__}; f32, one thread, best samples")
    with measure.one_cpu():
        asked = [(kernel, shape) for kernel in KERNELS for shape in SHAPES]
        report.rows = [_row(*kernel, shape, resolved, seconds) for kernel, shape in measure.steps(asked, "layers")]
        _print(console, report.rows)
        report.steps = [*fused_steps.optimizers(resolved, seconds), *fused_steps.attention(resolved, seconds),
                        *fused_steps.generation(resolved)]  # fmt: skip
    fused_steps.print_figures(console, report.steps)
    report.goals = [goal for row in report.rows for goal in row.goals]
    report.goals += [goal for figure in report.steps for goal in figure.goals]
    console.print(goal_table(report.goals))
    if json_path is not None:
        report.save(json_path)
    return report


def _row(name: str, accuracy: Accuracy, shape: tuple[int, int], target: Target, seconds: float) -> Row:
    eps: dict[str, Any] = {"eps": baselines.EPS} if "norm" in name else {}
    kernel: Kernel = fused(name, *shape, accuracy=accuracy, target=target, **eps)
    spec = cast(FusedSpec, kernel.spec)
    arrays = _operands(spec)
    x, y = arrays[0], arrays[len(spec.inputs)]
    copied: Any = unary("identity", *shape, target=target)
    turns: dict[str, measure.Contender] = {
        "ours": fused_steps.native(kernel, arrays), "own copy": fused_steps.native(copied, [x, y]),
        "libc": memcpy(x, y),
    }  # fmt: skip
    try:
        turns["gcc"] = baselines.gcc_call(name, shape, arrays)
        _agrees(kernel, arrays, turns["gcc"])
    except BaselineMissing:
        pass
    others = {"torch": baselines.torch_call(name, arrays), "compiled": baselines.compiled_call(name, arrays),
              "numpy": baselines.numpy_call(name, arrays)}  # fmt: skip
    turns |= {who: call for who, call in others.items() if call is not None}
    best = {who: timing.best for who, timing in measure.seconds_per_call(turns, seconds).items()}
    best["copy"] = min(best.pop("own copy"), best.pop("libc"))
    place = nearest_cache(sum(each.nbytes for each in arrays))
    return Row(name, accuracy, shape, place, best)


def _operands(spec: FusedSpec) -> list[Array]:
    """Return normally distributed numbers. The second operand of softmax_inv is no softmax, which does not affect the
    time."""
    rng = np.random.default_rng(0)
    arrays = []
    for number, operand in enumerate(spec.operands):
        array = placed((operand.rows, operand.columns), "f32", len(spec.operands) - number)
        array[...] = rng.standard_normal(array.shape, np.float32)
        arrays.append(array)
    return arrays


def _agrees(kernel: Kernel, arrays: Sequence[Array], baseline: measure.Contender) -> None:
    results = arrays[len(cast(FusedSpec, kernel.spec).inputs) :]
    baseline.run(1)
    theirs = [each.copy() for each in results]
    fused_steps.native(kernel, arrays).run(1)
    for ours, other in zip(results, theirs):
        if not np.abs(ours - other).max() <= AGREEMENT * np.abs(other).max():
            raise WrongResult(f"{kernel.spec}: gcc's loops give other results")


def _print(console: Console, rows: Sequence[Row]) -> None:
    table = Table()
    for heading in ("layer", "rows x columns", "in", "ns/element", *(f"{who}/ours" for who in OTHERS)):
        table.add_column(heading, justify="right" if "/" in heading else "left", no_wrap=True)
    for row in rows:
        m, n = row.shape
        figures = ("-" if math.isnan(row.by(who)) else f"{row.by(who):.2f}" for who in OTHERS)
        name = f"fast {row.name}" if row.accuracy == "fast" else row.name
        table.add_row(name, f"{m} x {n}", row.place, f"{row.seconds['ours'] / (m * n) * 1e9:.3f}", *figures)
    console.print(table)

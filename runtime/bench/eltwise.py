"""`tilesmith bench eltwise`: elementwise kernels compared with numpy and PyTorch in one run.

    functions   cycles per element of 64 Ki f32, and the largest error of each contender in ulp
    bandwidth   bytes read and written per second, relative to the faster copy: ours or the C library's

Contenders take turns on one processor, and each is timed by its best sample. Errors are those of a million arguments:
bit patterns of all magnitudes, and -20 to 20. docs/numerics.md has the errors over all arguments.
"""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from ...encoder.features import Target
from ...encoder.records import NamedTuple, dataclass
from ...microkernels.codegen.selection import arithmetic_of
from ...microkernels.errors import UnsupportedError
from ...microkernels.functions.activations import CATALOGUE
from ...microkernels.machines.registry import facts_of
from ..api.eltwise import request
from ..arguments.arrays import Array, address_of
from ..host import detect as host
from ..kernel.callable import Kernel, kernel
from . import measure
from .goals import Goal, saved, write_json
from .peers import elementwise as eltwise_peers

COUNT = 1 << 16
BAND = {"L1": 2048, "L2": 24 << 10}
"""f32 elements of each operand: three operands fill 24 KiB, and 288 KiB."""
MOVED = {"copy": 8, "relu": 8, "add": 12, "mul": 12}
"""Bytes per element that are read and written."""
PLACES = 4
ACCURACIES = ("standard", "accurate", "fast")
FAST = ("tanh", "sigmoid", "gelu", "exp", "silu")
YARDSTICKS = ("tanh", "exp")
"""numpy functions that those of FAST are compared with; they are timed again together with each of them."""
OURS, NUMPY, TORCH = "ours", "numpy", "torch"


class Point(NamedTuple):
    """One contender of a function: its time and its error."""

    function: str
    who: str  # an accuracy, "numpy" or "torch"
    target: str
    seconds: float  # per element
    ulp: float


class Band(NamedTuple):
    """One contender of a memory-bound kernel."""

    kernel: str
    place: str
    who: str
    rate: float  # bytes per second


@dataclass
class EltwiseReport:
    """The results of one run."""

    machine: str
    frequency: float  # Hz
    points: list[Point] = field(default_factory=list)
    beside: dict[str, float] = field(default_factory=dict)  # "sigmoid exp": numpy's exp beside sigmoid, s/element
    bands: list[Band] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)

    def save(self, path: str | Path) -> None:
        """Write the report as JSON."""
        parts = {"points": self.points, "bands": self.bands}
        rows = {name: [row._asdict() for row in part] for name, part in parts.items()}  # type: ignore[attr-defined]
        write_json(path, {**asdict(self), **rows, "goals": saved(self.goals)})


def bench_eltwise(target: str | None = None, seconds: float = 0.1, json_path: str | Path | None = None,
                  plot: str | Path | None = None, console: Console | None = None) -> EltwiseReport:  # fmt: skip
    """Measure with `seconds` per contender, and print. `target` is one name, or None for this host and what it
    contains."""
    console = console or Console(width=None if sys.stdout.isatty() else 120)
    names = [target] if target else general_targets()
    host.native(target)
    with measure.one_cpu():
        report = EltwiseReport(host.brand(), measure.frequency())
        for function in measure.steps(CATALOGUE, "functions"):
            report.points += _points(function, names, seconds, report.beside)
        for place, count in BAND.items():
            report.bands += _bands(place, count, names[0], seconds)
    report.goals = _goals(report, names[0])
    _print(console, report)
    if json_path is not None:
        report.save(json_path)
    if plot is not None:
        _plot(report, plot)
        console.print(f"{plot}: error against time")
    return report


def general_targets() -> list[str]:
    """Return this host and the general targets of other vector machines that it runs."""
    mine = host.host()
    others = [name for name in ("avx512", "avx2", "neon") if not host.runs(host.resolve(name))]
    return [mine.name, *(name for name in others if host.resolve(name).isa != mine.isa)]


# Functions


def _points(function: str, targets: Sequence[str], seconds: float, beside: dict[str, float]) -> list[Point]:
    """Time every contender of a function in turns. The times of the yardsticks are added to `beside`."""
    rng = np.random.default_rng(1)
    x, y = _aligned(COUNT, 0), _aligned(COUNT, 1)
    x[...] = rng.uniform(0 if function == "log" else -8, 8, x.shape)
    contenders: dict[tuple[str, str], measure.Contender] = {}
    errors: dict[tuple[str, str], float] = {}
    for name in targets:
        for accuracy in ACCURACIES:
            try:
                contenders[accuracy, name] = _native(_kernel(function, name, COUNT, accuracy), x, y)
            except UnsupportedError:
                continue
            errors[accuracy, name] = _our_error(function, name, accuracy)
    contenders |= _baselines(function, x, y, errors)
    turns = {f"{who} {name}": contender for (who, name), contender in contenders.items()}
    if function in FAST:
        turns |= {name: _numpy_call(name, x, y) for name in YARDSTICKS}
    timings = measure.seconds_per_call(turns, seconds)
    beside |= {f"{function} {name}": timings[name].best / COUNT for name in YARDSTICKS if name in timings}
    return [
        Point(function, who, name, timings[f"{who} {name}"].best / COUNT, errors[who, name]) for who, name in contenders
    ]


def _baselines(function: str, x: Array, y: Array, errors: dict[tuple[str, str], float]) -> dict[Any, measure.Contender]:
    """Return numpy's and PyTorch's functions. Their errors are added to `errors`."""
    found: dict[Any, measure.Contender] = {}
    arguments = eltwise_peers.sample(CATALOGUE[function].contract.domain)
    made = np.empty_like(arguments)
    if function in eltwise_peers.NUMPY:
        found[NUMPY, ""] = _numpy_call(function, x, y)
        with np.errstate(all="ignore"):
            eltwise_peers.NUMPY[function](arguments, made)
        errors[NUMPY, ""] = _error(function, arguments, made, 0.0)
    torch = eltwise_peers.torch_module()
    baseline = torch and eltwise_peers.torch_call(torch, function, x, y)
    if baseline:
        found[TORCH, ""] = baseline
        result: Any = eltwise_peers.torch_call(torch, function, arguments, made).function()  # type: ignore[union-attr]
        errors[TORCH, ""] = _error(function, arguments, result.numpy(), 0.0)
    return found


def _numpy_call(function: str, x: Array, y: Array) -> measure.PythonCall:
    call = eltwise_peers.NUMPY[function]
    return measure.PythonCall(lambda: call(x, y))


def _kernel(name: str, target: str, count: int, accuracy: str = "fast", kind: str = "unary") -> Kernel:
    return kernel(request(kind, name, 1, count, accuracy=accuracy), _resolved(target), False)


def _resolved(target: str) -> Target:
    return host.resolve(None if target == host.host().name else target)


def _native(made: Kernel, *arrays: Array) -> measure.NativeCall:
    assert made.address is not None
    return measure.NativeCall(made.address, tuple(map(address_of, arrays)), (made, arrays))


def _our_error(function: str, target: str, accuracy: str) -> float:
    contract = CATALOGUE[function].contract
    x = eltwise_peers.sample(contract.domain)
    made: Any = _kernel(function, target, x.size, accuracy)(x.reshape(1, -1))
    y = made[0]
    return _error(function, x, y, contract.bound(accuracy, _tables(target)).floor)


def _tables(target: str) -> int:
    """Return how many f32 the target's table lookup instruction holds."""
    to = _resolved(target)
    found: int = arithmetic_of(facts_of(to)).tables
    return found


def _error(function: str, x: Array, y: Array, floor: float) -> float:
    with np.errstate(all="ignore"):
        exact = eltwise_peers.REFERENCES[function](x.astype(np.float64))
    return eltwise_peers.ulp_error(y, exact, floor)


# Bandwidth


def _bands(place: str, count: int, target: str, seconds: float) -> list[Band]:
    """Measure every contender by its best of several memory placements: three arrays may by chance conflict in L1."""
    best: dict[str, float] = {}
    held = []  # so that the next arrays lie elsewhere
    for _ in range(PLACES):
        held.append([_aligned(count, place) for place in (2, 1, 0)])
        timings = measure.seconds_per_call(_movers(target, *held[-1]), seconds / PLACES)
        best = {label: min(best.get(label, math.inf), timing.best) for label, timing in timings.items()}
    named = {label: label.split() for label in best}
    return [Band(name, place, who, MOVED[name] * count / best[label]) for label, (name, who) in named.items()]


def _movers(target: str, x: Array, g: Array, y: Array) -> dict[str, measure.Contender]:
    """Return kernels that mostly move memory, keyed by name and owner."""
    count = x.size
    contenders: dict[str, measure.Contender] = {"copy libc": eltwise_peers.memcpy(x, y)}
    for name, of in (("copy", "identity"), ("relu", "relu")):
        contenders[f"{name} ours"] = _native(_kernel(of, target, count), x, y)
        call = eltwise_peers.NUMPY[name]
        contenders[f"{name} numpy"] = measure.PythonCall(lambda call=call: call(x, y))  # type: ignore[misc]
    for name, function in eltwise_peers.NUMPY_BINARY.items():
        contenders[f"{name} ours"] = _native(_kernel(name, target, count, kind="binary"), x, g, y)
        contenders[f"{name} numpy"] = measure.PythonCall(lambda function=function: function(x, g, out=y))  # type: ignore[misc]
    return contenders


def _aligned(count: int, place: int) -> Array:
    """Return ones that begin at a cache line. Arrays of different places begin at different offsets in a page:
    otherwise a load would wait for an unfinished store to the same offset of another page. Results begin before
    operands, so that loads are 54 lines after such offsets, not 10 (copies on a Cascade Lake: 340 GB/s and 240)."""
    line, page = 16, 1024  # f32 elements
    whole = np.ones(count + 2 * page, np.float32)
    start = -(address_of(whole) // 4) % page + 5 * line * place
    return whole[start : start + count].reshape(1, count)


# Goals and printing


def _goals(report: EltwiseReport, target: str) -> list[Goal]:
    seconds = {(point.function, point.who, point.target): point.seconds for point in report.points}
    nothing = math.nan

    def ours(function: str, accuracy: str) -> float:
        return seconds.get((function, accuracy, target), nothing)

    def by_numpy(function: str, accuracy: str, of: str) -> float:
        return report.beside.get(f"{function} {of}", nothing) / ours(function, accuracy)

    goals = []
    for name in FAST:
        goals += [
            Goal(f"fast {name}: numpy's tanh by ours", 2, by_numpy(name, "fast", "tanh")),
            Goal(f"fast {name}: numpy's exp by ours", 4, by_numpy(name, "fast", "exp")),
            Goal(
                f"fast {name}: torch's {name} by ours", 2, seconds.get((name, TORCH, ""), nothing) / ours(name, "fast")
            ),
        ]
    for name in CATALOGUE:  # torch's gelu is off by more than 4 ulp in its tail
        times = [seconds.get((name, who, ""), nothing) for who in (NUMPY, TORCH)]
        known = [each for each in times if not math.isnan(each)]
        if known:
            wanted = 1 / 1.3 if name == "gelu" else 1.0
            goals.append(Goal(f"standard {name}: numpy or torch by ours", wanted, min(known) / ours(name, "standard")))
    goals += [
        Goal("accurate exp: numpy's exp by ours", 3, by_numpy("exp", "accurate", "exp")),
        Goal("accurate tanh: numpy's tanh by ours", 1.2, by_numpy("tanh", "accurate", "tanh")),
    ]
    for place in BAND:
        rates = {(band.kernel, band.who): band.rate for band in report.bands if band.place == place}
        copy = max(rates["copy", OURS], rates["copy", "libc"])
        goals += [Goal(f"{name} in {place}, by copy", 0.9, rates[name, OURS] / copy) for name in ("relu", "add", "mul")]
    return goals


def _print(console: Console, report: EltwiseReport) -> None:
    console.print(f"[bold]{report.machine}[/], {report.frequency / 1e9:.2f} GHz, numpy {np.__version__}")
    rows = []
    for point in report.points:
        ours = point.who in ACCURACIES
        cycles = point.seconds * report.frequency
        rows.append((point.function, point.target if ours else point.who, point.who if ours else "",
                     f"{cycles:.2f}", f"{point.ulp:.3g}"))  # fmt: skip
    console.print(f"{COUNT >> 10} Ki f32, best sample; errors are the largest of a million arguments")
    _table(console, ("function", "by", "form", "cycles/element", "max ulp"), rows)
    _table(console, ("kernel", "in", "by", "GB/s"), (
        (band.kernel, band.place, band.who, f"{band.rate / 1e9:.1f}") for band in report.bands
    ))  # fmt: skip
    _table(console, ("goal", "wanted", "found", ""), (
        (goal.what, f">= {goal.wanted:g}", "-" if math.isnan(goal.found) else f"{goal.found:.2f}", goal.state)
        for goal in report.goals
    ))  # fmt: skip


def _table(console: Console, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = Table()
    for heading in headings:
        right = heading in ("cycles/element", "max ulp", "GB/s", "wanted", "found")
        table.add_column(heading, justify="right" if right else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row, style="red" if "NOT REACHED" in row else "")
    console.print(table)


_PLOTTED = 1e4
"""The largest error that a plot shows. A few peers lose all digits in the tails of sigmoid and gelu, 1e8 ulp, which
would squeeze all others into one decade."""


def _plot(report: EltwiseReport, path: str | Path) -> None:
    """Plot error against cycles, with a panel per function."""
    try:
        pyplot: Any = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise UnsupportedError("--plot: needs matplotlib: pip install 'tilesmith[plot]'") from None
    functions = list(dict.fromkeys(point.function for point in report.points))
    columns = 5
    shape = -(-len(functions) // columns), columns
    figure, panels = pyplot.subplots(*shape, figsize=(16, 3.4 * shape[0] + 1), squeeze=False, sharex=True, sharey=True)
    colours = {label: f"C{i}" for i, label in enumerate(dict.fromkeys(map(_label, report.points)))}
    for panel, function in zip(panels.flat, functions):
        for each in (point for point in report.points if point.function == function and math.isfinite(point.ulp)):
            place = each.seconds * report.frequency, min(max(each.ulp, 0.4), _PLOTTED)
            mark = {"fast": "^", "accurate": "o", "standard": "D"}.get(each.who, "s")
            panel.plot(*place, mark, color=colours[_label(each)], label=_label(each))
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_title(function)
        panel.grid(alpha=0.3)
    for panel in list(panels.flat)[len(functions) :]:
        panel.set_visible(False)
    found = {label: handle for panel in panels.flat for handle, label in zip(*panel.get_legend_handles_labels())}
    figure.legend(found.values(), found.keys(), loc="upper center", ncols=len(found))
    figure.supxlabel(f"cycles per element, {COUNT >> 10} Ki f32, {report.machine}")
    figure.supylabel(f"largest error found, ulp; {_PLOTTED:.0e} and more at the top")
    figure.tight_layout(rect=(0.02, 0.02, 1, 0.94))
    figure.savefig(path)
    pyplot.close(figure)


def _label(point: Point) -> str:
    target = "this processor" if point.target == "host" else point.target
    return f"{target} {point.who}" if point.who in ACCURACIES else point.who

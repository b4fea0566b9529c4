"""`tilesmith bench nest`: a product of 2048 cubed as loop strings of the paper's rules, measured against the model.

Each string of a seeded sample is a nest of machine code around the same two kernels, on blocked operands in f32. All of
them take turns, in a new random order for each round. The fastest ones then run more rounds, so that a lucky sample
does not decide. Strings whose predicted times differ by less than APART form a class. The paper's goal is that the
fastest string is in one of the model's five best classes.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ..api.brgemm import brgemm
from ..loops.kernel_times import kernel_times
from ..loops.machine_facts import Facts, facts
from ..loops.model import predict
from ..loops.nest import Nest, nest
from ..loops.strings import Candidate, product_rules, strings
from ..loops.trace import when
from ..loops.tuner import Trial, blocked, measured
from ..threads.policy import num_threads

EXTENT, BLOCK = 2048, 64
STRINGS, ROUNDS = 120, 4
"""The number of strings of the sample, and the samples of each."""
GROUP = 200
"""The strings that take turns. With more strings, the nests of one group at a time exist."""
_MODEL = 0.011
"""Approximate seconds of a prediction with its nest, for the estimate of the benchmark's own time (Zen 4,
2026-11-24)."""
FINAL, MODELS, FINAL_ROUNDS = 10, 6, 10
"""How many of the fastest strings, and of those that the model ranks best, get more samples; and how many more."""
APART, GOAL = 0.02, 5
"""Predictions closer than the share APART are one class. The fastest string should be in the best GOAL classes."""


_ALL = 1 << 30


class Row(NamedTuple):
    """A string; its class, 1 being the best; the predicted and measured seconds; the speed as a share of the kernels'
    own."""

    string: str
    place: int
    predicted: float
    measured: float
    of_kernel: float


class Found(NamedTuple):
    """The results of one run. Times are multiples of the fastest string's.

    rows           the fastest first
    best_class     the class of the fastest string
    classes        the number of classes
    in_goal        the number of strings in the best GOAL classes
    unmeasured     the time of the model's best string
    best_of_goal   the least time of the strings in those classes
    """

    rows: tuple[Row, ...]
    best_class: int
    classes: int
    in_goal: int
    unmeasured: float
    best_of_goal: float


def bench_nest(threads: int | None = None, json_path: Path | None = None, plot: Path | None = None,
               most: int | None = None) -> Found:  # fmt: skip
    """Measure, print, and write the figures and the plot if paths are given. `most` is the number of strings of the
    sample; None: STRINGS; 0: all that the rules allow, each once."""
    console = Console()
    workers = threads or num_threads()
    count = EXTENT // BLOCK
    found = strings(product_rules(), dict.fromkeys("abc", count), most=STRINGS if most is None else most or _ALL)
    body, shapes = product(EXTENT // BLOCK, BLOCK)
    ranges = dict.fromkeys("abc", (0, count, 1))

    def made(candidate: Candidate) -> Nest:
        return nest(candidate.string, blocked(ranges, candidate), body, **shapes)

    first = made(found[0])
    times, machine = kernel_times(first, facts()), facts()
    least = count**3 * max(each.seconds for each in times.values()) / workers
    rounds = 1 if most == 0 else ROUNDS
    needed = timedelta(seconds=round(len(found) * (_MODEL + rounds * 1.5 * least)))
    console.print(f"{len(found)} strings, about {needed}: {_MODEL * 1e3:.0f} ms of the model and {rounds} calls of "
                  f"{least * 1e3:.0f} ms and more for each")  # fmt: skip
    predictions = {each: predict(made(each), workers, machine, times).seconds for each in _seen(found, console)}
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape, np.float32) for shape, _ in shapes.values()]
    trials = [Trial(each, predictions[each]) for each in found]
    groups = [measured(trials[at : at + GROUP], made, arrays, workers, rounds)
              for at in range(0, len(trials), GROUP)]  # fmt: skip
    trials = sorted((each for group in groups for each in group), key=lambda each: each.measured or 0.0)
    report = judged(_finals(trials, made, arrays, workers), least)
    _show(console, report, workers, machine)
    if json_path is not None:
        rows = [each._asdict() for each in report.rows]
        json_path.write_text(json.dumps({**report._asdict(), "rows": rows}, indent=1) + "\n")
    if plot is not None:
        _plot(report, plot)
    return report


def product(count: int, block: int) -> tuple[Any, dict[str, Any]]:
    """Return the body of C = A B on blocked operands, and their shapes."""
    first, more = (brgemm(block, block, block, beta=beta) for beta in (0, 1))

    def body(i: Any, a: Any, b: Any, c: Any) -> None:
        with when(i.a.first):
            first(a[i.b, i.a], b[i.c, i.a], c[i.b, i.c])
        with when(i.a > 0):
            more(a[i.b, i.a], b[i.c, i.a], c[i.b, i.c])

    return body, dict.fromkeys("ABC", ((count, count, block, block), "f32"))


def judged(trials: Sequence[Trial], least: float) -> Found:
    """Sort the trials into classes and summarize them. `trials` has the fastest first; `least` is the time of the
    kernels."""
    classes = classed([each.predicted for each in trials])
    rows = tuple(Row(each.candidate.string, place, each.predicted, each.measured or 0.0, least / (each.measured or 1.0))
                 for each, place in zip(trials, classes))  # fmt: skip
    model = min(rows, key=lambda each: each.predicted)
    inside = sum(place <= GOAL for place in classes)
    return Found(rows, rows[0].place, max(classes), inside, model.measured / rows[0].measured,
                 min(row.measured for row in rows if row.place <= GOAL) / rows[0].measured)  # fmt: skip


def classed(predictions: Sequence[float]) -> list[int]:
    """Return the class of each prediction. A class ends APART above its smallest prediction."""
    numbers: dict[float, int] = {}
    number, begin = 0, -1.0
    for each in sorted(predictions):
        if each > begin * (1 + APART) or not number:
            number, begin = number + 1, each
        numbers[each] = number
    return [numbers[each] for each in predictions]


def _seen(found: Sequence[Candidate], console: Console) -> Any:
    """Yield the strings, with a progress bar on a terminal."""
    if not console.is_terminal:
        yield from found
        return
    with Progress(console=console, transient=True) as bar:
        yield from bar.track(found, description="model")


_FIRST, _LAST = 15, 5
"""The rows of the table: the quickest strings, and the slowest."""


def _finals(trials: Sequence[Trial], made: Any, arrays: Sequence[Any], workers: int) -> list[Trial]:
    """Return the trials after more samples of the fastest ones and of those that the model ranks best."""
    chosen = {*trials[:FINAL], *sorted(trials, key=lambda each: each.predicted)[:MODELS]}
    again = {each.candidate: each.measured for each in measured(list(chosen), made, arrays, workers, FINAL_ROUNDS)}
    least = [each._replace(measured=min(filter(None, (each.measured, again.get(each.candidate))))) for each in trials]
    return sorted(least, key=lambda each: each.measured or 0.0)


def _show(console: Console, report: Found, workers: int, machine: Facts) -> None:
    table = Table(title=f"{EXTENT} cubed in f32, blocks of {BLOCK}, {_counted(workers, 'worker')}: "
                        f"{_counted(len(report.rows), 'string')}")  # fmt: skip
    for heading in ("string", "class", "predicted ms", "measured ms", "of kernels"):
        table.add_column(heading, justify="left" if heading == "string" else "right")
    for row in (*report.rows[:_FIRST], *report.rows[max(_FIRST, len(report.rows) - _LAST) :]):
        table.add_row(row.string, f"{row.place}", f"{row.predicted * 1e3:.1f}", f"{row.measured * 1e3:.1f}",
                      f"{row.of_kernel:.2f}")  # fmt: skip
    console.print(table)
    levels = ", ".join(f"{each.alone / 1e9:.0f}" for each in machine.levels)
    console.print(f"bandwidth from the first cache to memory, one core: {levels} GB/s")
    console.print(f"the quickest is in class {report.best_class} of {report.classes}; goal: {GOAL}, which have "
                  f"{report.in_goal} strings, the best of them at {report.best_of_goal:.3f} of its time")  # fmt: skip
    console.print(f"the model's best takes {report.unmeasured:.3f} times as long; rank correlation of predicted and "
                  f"measured times {_correlation(report.rows):.2f}")  # fmt: skip


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _correlation(rows: Sequence[Row]) -> float:
    """Return Spearman's rank correlation of predicted and measured times."""
    ranks: Any = [np.argsort(np.argsort([getattr(each, name) for each in rows])) for name in ("predicted", "measured")]
    return float(np.corrcoef(*ranks)[0, 1]) if len(rows) > 1 else 1.0


def _plot(report: Found, path: Path) -> None:
    """Plot the measured speed of every string in the model's order, with the predictions and the best classes
    shaded."""
    try:
        pyplot: Any = importlib.import_module("matplotlib.pyplot")
    except ImportError:
        raise UnsupportedError("--plot: needs matplotlib: pip install 'tilesmith[plot]'") from None
    rows = sorted(report.rows, key=lambda each: each.predicted)
    flops = 2 * EXTENT**3 * 1e-9
    figure, axes = pyplot.subplots(figsize=(12, 5), layout="constrained")
    places = range(len(rows))
    axes.bar(places, [flops / each.measured for each in rows], color="#9db7d5", label="measured")
    axes.plot(places, [flops / each.predicted for each in rows], color="#b3261e", label="model")
    axes.axvspan(-0.5, report.in_goal - 0.5, color="#fff2b2", zorder=0, label=f"the model's {GOAL} best classes")
    axes.set(xlabel="strings, in the order of the model", ylabel="GFLOP/s", title=f"{EXTENT} cubed, f32")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3, frameon=False)  # below the bars
    figure.savefig(path)
    pyplot.close(figure)

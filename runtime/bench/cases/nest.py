"""`tilesmith bench nest`: a product of 2048 cubed as loop strings of the paper's rules, measured against the model.

Each string of a seeded sample is a nest of machine code around the same two kernels, on blocked operands in f32. All of
them take turns, in a new random order for each round. The fastest ones then run more rounds, so that a lucky sample
does not decide. Strings whose predicted times differ by less than APART form a class. The paper's goal is that the
fastest string is in one of the model's five best classes.

*unequal* has the lower triangle of such a product, whose rows of blocks are of unequal work: the schedules that deal
rows out to the workers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

import numpy as np

from ...api.brgemm import brgemm
from ...loops.kernel_times import kernel_times
from ...loops.machine_facts import MachineFacts, facts
from ...loops.model import predict
from ...loops.nest import Nest, nest
from ...loops.strings import Candidate, product_rules, strings
from ...loops.trace import LoopIndices, when
from ...loops.tuner import StringTrial, blocked, measured
from ...system.progress import steps
from ...threads.policy import num_threads
from ..charts import Plot
from ..measure import PythonCall
from ..options import whole
from ..runner import Bench, Run, Table
from ..table import Goal, Row

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
SCHEDULES = "static", "static, 1", "dynamic"


def _tables(run: Run) -> Iterator[Table]:
    yield Table("strings", "string; class=place; predicted ms=predicted:1m; measured ms=measured:1m; of kernels="
                "of kernel:2", ((),), _measured, f"{EXTENT} cubed in f32, blocks of {BLOCK}", goals,
                Plot("measured:1G; model, before measuring=predicted:1G", "GFLOP/s", "model's order=order:0",
                     by=("inside",), rows=_by_the_model))
    yield Table("unequal", "schedule; ms=seconds:1m; relative to one thread=alone:2", ((),), _unequal,
                f"The lower triangle of {EXTENT // 2} x {EXTENT // 2} in f32, {num_threads()} threads")


def _measured(run: Run) -> list[Row]:
    """Return the strings, the fastest first; a remark summarizes them."""
    most = 0 if run.options.all else run.options.strings
    workers, count = num_threads(), EXTENT // BLOCK
    found = strings(product_rules(), dict.fromkeys("abc", count), most=STRINGS if most is None else most or _ALL)
    body, shapes = product(count, BLOCK)
    ranges = dict.fromkeys("abc", (0, count, 1))

    def made(candidate: Candidate) -> Nest:
        return nest(candidate.string, blocked(ranges, candidate), body, **shapes)

    machine = facts()
    times = kernel_times(made(found[0]), machine)
    least = count**3 * max(each.seconds for each in times.values()) / workers
    rounds = 1 if most == 0 else ROUNDS
    per_string = _MODEL + rounds * 1.5 * least
    affordable = run.left / (per_string + 1.5 * FINAL_ROUNDS * least)  # most of a small sample takes part in the finals
    if affordable < len(found):
        run.remark(f"{len(found)} strings were asked for; there was time for fewer")
        found = found[: max(GOAL, int(affordable))]
    needed = timedelta(seconds=round(len(found) * per_string))
    print(f"{len(found)} strings, about {needed}: {_MODEL * 1e3:.0f} ms of the model and {rounds} calls of "
          f"{least * 1e3:.0f} ms and more for each")
    predictions = {each: predict(made(each), workers, machine, times).seconds for each in steps(found, "model")}
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape, np.float32) for shape, _ in shapes.values()]
    trials = [StringTrial(each, predictions[each]) for each in found]
    groups = [measured(trials[at : at + GROUP], made, arrays, workers, rounds) for at in range(0, len(trials), GROUP)]
    trials = sorted((each for group in groups for each in group), key=lambda each: each.measured or 0.0)
    rows = judged(_finals(trials, made, arrays, workers), least)
    _remarks(run, rows, workers, machine)
    return rows


def product(count: int, block: int) -> tuple[Any, dict[str, Any]]:
    """Return the body of C = A B on blocked operands, and their shapes."""
    first, more = (brgemm(block, block, block, beta=beta) for beta in (0, 1))

    def body(i: Any, a: Any, b: Any, c: Any) -> None:
        with when(i.a.first):
            first(a[i.b, i.a], b[i.c, i.a], c[i.b, i.c])
        with when(i.a > 0):
            more(a[i.b, i.a], b[i.c, i.a], c[i.b, i.c])

    return body, dict.fromkeys("ABC", ((count, count, block, block), "f32"))


def _unequal(run: Run) -> list[Row]:
    """Return a row for each schedule of the rows of a triangle: they have 1, 2, 3 and so on blocks."""
    count = EXTENT // BLOCK // 2
    body, shapes = product(count, BLOCK)

    def lower(i: LoopIndices, *operands: object) -> None:
        with when(i.b >= i.c):
            body(i, *operands)

    loops = dict.fromkeys("abc", (0, count, 1))
    nests = {each: nest(f"Bca@schedule({each})", loops, lower, **shapes) for each in SCHEDULES}
    arrays = [np.ones(shape, np.float32) for shape, _ in shapes.values()]
    contenders = {each: PythonCall(partial(made, *arrays)) for each, made in nests.items()}
    contenders["alone"] = PythonCall(partial(nests["static"], *arrays, threads=1))
    found = run.turns(contenders)
    return [{"schedule": each, "seconds": found[each], "alone": found["alone"] / found[each]} for each in SCHEDULES]


def judged(trials: Sequence[StringTrial], least: float) -> list[Row]:
    """Return a row for each trial: its class, 1 being the best, the predicted and measured seconds, and the speed as a
    share of the kernels' own. `trials` has the fastest first; `least` is the time of the kernels."""
    classes = classed([each.predicted for each in trials])
    return [{"string": each.candidate.string, "place": place, "predicted": each.predicted,
             "measured": each.measured or 0.0, "of kernel": least / (each.measured or 1.0)}
            for each, place in zip(trials, classes)]


def classed(predictions: Sequence[float]) -> list[int]:
    """Return the class of each prediction. A class ends APART above its smallest prediction."""
    numbers: dict[float, int] = {}
    number, begin = 0, -1.0
    for each in sorted(predictions):
        if each > begin * (1 + APART) or not number:
            number, begin = number + 1, each
        numbers[each] = number
    return [numbers[each] for each in predictions]


def _finals(trials: Sequence[StringTrial], made: Any, arrays: Sequence[Any], workers: int) -> list[StringTrial]:
    """Return the trials after more samples of the fastest ones and of those that the model ranks best."""
    chosen = {*trials[:FINAL], *sorted(trials, key=lambda each: each.predicted)[:MODELS]}
    again = {each.candidate: each.measured for each in measured(list(chosen), made, arrays, workers, FINAL_ROUNDS)}
    least = [each._replace(measured=min(filter(None, (each.measured, again.get(each.candidate))))) for each in trials]
    return sorted(least, key=lambda each: each.measured or 0.0)


def summary(rows: Sequence[Row]) -> Row:
    """Return the class of the fastest string, the number of classes, of strings in the best GOAL classes, and times as
    multiples of the fastest string's: of the model's best string, and of the best one in those classes."""
    fastest, model = rows[0], min(rows, key=lambda row: row["predicted"])
    inside = [row["measured"] for row in rows if row["place"] <= GOAL]
    return {"class": fastest["place"], "classes": max(row["place"] for row in rows), "inside": len(inside),
            "model": model["measured"] / fastest["measured"], "best inside": min(inside) / fastest["measured"]}


def _remarks(run: Run, rows: Sequence[Row], workers: int, machine: MachineFacts) -> None:
    found = summary(rows)
    levels = ", ".join(f"{each.alone / 1e9:.0f}" for each in machine.levels)
    run.remark(f"{workers} worker{'s' * (workers != 1)}; bandwidth from the first cache to memory, one core: {levels} "
               f"GB/s")
    run.remark(f"the quickest is in class {found['class']} of {found['classes']}; goal: {GOAL}, which have "
               f"{found['inside']} strings, the best of them at {found['best inside']:.3f} of its time")
    run.remark(f"the model's best takes {found['model']:.3f} times as long; rank correlation of predicted and measured "
               f"times {_correlation(rows):.2f}")


def goals(rows: Sequence[Row]) -> Iterator[Goal]:
    """Yield the paper's goal."""
    yield Goal("the class of the quickest string, of the model's best", GOAL, summary(rows)["class"], "classes")


def _correlation(rows: Sequence[Row]) -> float:
    """Return Spearman's rank correlation of predicted and measured times."""
    ranks: Any = [np.argsort(np.argsort([row[name] for row in rows])) for name in ("predicted", "measured")]
    return float(np.corrcoef(*ranks)[0, 1]) if len(rows) > 1 else 1.0


def _by_the_model(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the speeds of all strings in the model's order, for the drawing."""
    flops = 2 * EXTENT**3
    for place, row in enumerate(sorted(rows, key=lambda row: row["predicted"]), 1):
        inside = "strings of the model's best classes" if row["place"] <= GOAL else "other strings"
        yield {"order": place, "inside": inside, **{name: flops / row[name] for name in ("measured", "predicted")}}


BENCH = Bench("nest", __doc__, _tables, {
    "--strings": {"type": whole, "help": "how many loop strings are drawn from those of the rules"},
    "--all": {"action": "store_true", "help": "every string of the rules, 381,786: most of a day"}},
    alone=False, quick=("--strings", "30"), share=2.0)

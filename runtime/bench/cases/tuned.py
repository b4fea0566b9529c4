"""`tilesmith bench tuned`: how close the untuned `ts.gemm` comes to the best of other block sizes.

Each of 20 shapes is computed with the blocks that `blocks` chooses, and with blocks of other heights, widths and depths
around them. All take turns, each for about `--seconds` in all, but for one call at least. Then the fastest and the
untuned one take turns again with more samples, so that a single lucky sample does not count as a gain. The goal is a
geometric mean of 0.95.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from ...ops.gemm import Gemm, gemm
from ...ops.schedules import Blocks, SharedB
from ...threads.policy import num_threads
from ..measure import PythonCall, samples
from ..runner import Bench, Run, Table
from ..table import Goal, Named, Row, WrongResult, geometric_mean

SHAPES = (
    (256, 256, 256), (384, 384, 384), (512, 512, 512), (768, 768, 768), (1024, 1024, 1024), (1536, 1536, 1536),
    (2048, 2048, 2048), (1000, 1111, 999), (333, 333, 333), (4096, 64, 4096), (64, 4096, 4096), (4096, 4096, 64),
    (2048, 512, 512), (512, 2048, 512), (512, 512, 2048), (200, 3000, 300), (3000, 200, 300), (300, 200, 3000),
    (777, 1234, 555), (128, 2048, 1024),
)
GOAL = 0.95
FACTORS = ((0.5, 1, 1), (2, 1, 1), (1, 0.5, 1), (1, 2, 1), (1, 1, 0.5), (1, 1, 2), (0.5, 1, 2), (2, 1, 0.5),
           (0.5, 2, 1), (2, 0.5, 1), (1.5, 1, 1), (0.75, 1, 1))
"""Height, width and depth of blocks as multiples of the untuned ones."""
SECONDS = 0.1
"""The time of each contender before the two that are left take turns again. With less time there are fewer rounds."""
_ROUNDS, _FINAL = 4, 12
_UNIT = {"mb": 4, "nb": 16, "kb": 16}
COLUMNS = "m x n x k=shape; GFLOP/s=speed:0G; tuned=tuned speed:0G; ratio:3~; tried:0; cut"


def others(plan: Blocks) -> list[Blocks]:
    """Return blocks of other sizes for the same product."""
    found: dict[Blocks, None] = {}
    for factors in FACTORS:
        sizes: Named = {name: _scaled(getattr(plan, name), factor, getattr(plan, name[0]), _UNIT[name])
                 for name, factor in zip(_UNIT, factors)}
        width = sizes["nb"]
        changed, schedule = replace(plan, mb=sizes["mb"]), plan.schedule
        if isinstance(schedule, SharedB):
            ng, nc = (_whole(each, width, plan.n) for each in (schedule.ng, schedule.nc))
            changed = replace(plan, **sizes, schedule=replace(schedule, ng=ng, nc=max(ng, nc)))
        elif plan.packs_b:
            changed = replace(plan, **sizes)
        if changed != plan:
            found[changed] = None
    return list(found)


def _scaled(size: int, factor: float, extent: int, unit: int) -> int:
    return min(extent, max(unit, round(size * factor / unit) * unit))


def _whole(size: int, width: int, extent: int) -> int:
    """Return the multiple of a block's width nearest to `size`, or all columns."""
    return min(extent, max(1, round(size / width)) * width)


def measured(run: Run, m: int, n: int, k: int) -> Row:
    """Return the seconds of the untuned product and of the best one; the ratio is 1 if nothing is better."""
    rng, workers = np.random.default_rng(0), num_threads()
    a, b = rng.standard_normal((m, k), np.float32), rng.standard_normal((k, n), np.float32)
    c = np.empty((m, n), np.float32)
    untuned = cast(Gemm, gemm(m, n, k, beta=0.0))
    made = [untuned, *(_with(untuned, plan) for plan in others(untuned.plan))]
    wanted, once = None, math.inf
    for each in made:
        start = time.perf_counter()
        each(a, b, c, threads=workers)
        once = min(once, time.perf_counter() - start)
        wanted = c.copy() if wanted is None else wanted
        if not np.allclose(c, wanted, rtol=1e-3, atol=1e-2):
            raise WrongResult(f"{each}: another result")
    share = min(1.0, run.seconds / SECONDS)
    rounds, final_rounds = (max(1, round(share * each)) for each in (_ROUNDS, _FINAL))
    count = max(1, int(run.seconds / _ROUNDS / once))
    first = times(made, (a, b, c), workers, rounds, count)
    best = min(range(1, len(made)), key=first.__getitem__, default=0)
    ours, other = times([untuned, made[best]], (a, b, c), workers, final_rounds, count)
    gained, flops = other < ours, 2.0 * m * n * k
    return {"shape": f"{m} x {n} x {k}", "untuned": ours, "tuned": min(ours, other), "speed": flops / ours,
            "tuned speed": flops / min(ours, other), "ratio": min(1.0, other / ours), "tried": len(made),
            "cut": str(made[best].plan) if gained else ""}


def _with(untuned: Gemm, plan: Blocks) -> Gemm:
    """Return the same product with other blocks."""
    made = Gemm(untuned.request, untuned.threads)
    made.__dict__["plan"] = plan
    return made


def times(made: Sequence[Gemm], arrays: Any, workers: int, rounds: int, count: int) -> list[float]:
    """Return the least of several times of `count` calls for each product, per call. All take turns."""
    calls = {str(i): PythonCall(lambda each=each: each(*arrays, threads=workers))  # type: ignore[misc]
             for i, each in enumerate(made)}
    return [min(taken) for taken in samples(calls, rounds=rounds, count=count, clock=time.perf_counter_ns).values()]


BENCH = Bench("tuned", __doc__, lambda run: [
    Table("products", COLUMNS, SHAPES, measured, f"f32, {num_threads()} workers: untuned to tuned",
          lambda rows: [Goal("untuned to tuned, geometric mean", GOAL, geometric_mean(row["ratio"] for row in rows))])],
    alone=False, quick=("--seconds", "0.05"))

"""`tilesmith bench tuned`: how close the untuned `ts.gemm` comes to the best of other block sizes.

Each of 20 shapes is computed with the blocks that `blocks` chooses, and with blocks of other heights, widths and depths
around them. All take turns, each for about `--seconds` in all, but for one call at least. Then the fastest and the
untuned one take turns again with more samples, so that a single lucky sample does not count as a gain. The goal is a
geometric mean of 0.95.
"""

from __future__ import annotations

import json
import math
import random
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from rich.console import Console
from rich.table import Table

from ...encoder.records import NamedTuple
from ..ops.gemm import Gemm, gemm
from ..ops.schedules import Blocks, SharedB
from ..threads.policy import num_threads
from . import measure

SHAPES = (
    (256, 256, 256), (384, 384, 384), (512, 512, 512), (768, 768, 768), (1024, 1024, 1024), (1536, 1536, 1536),
    (2048, 2048, 2048), (1000, 1111, 999), (333, 333, 333), (4096, 64, 4096), (64, 4096, 4096), (4096, 4096, 64),
    (2048, 512, 512), (512, 2048, 512), (512, 512, 2048), (200, 3000, 300), (3000, 200, 300), (300, 200, 3000),
    (777, 1234, 555), (128, 2048, 1024),
)  # fmt: skip
GOAL = 0.95
FACTORS = ((0.5, 1, 1), (2, 1, 1), (1, 0.5, 1), (1, 2, 1), (1, 1, 0.5), (1, 1, 2), (0.5, 1, 2), (2, 1, 0.5),
           (0.5, 2, 1),
           (2, 0.5, 1), (1.5, 1, 1), (0.75, 1, 1))  # fmt: skip
"""Height, width and depth of blocks as multiples of the untuned ones."""
SECONDS = 0.1
"""The time of each contender before the two that are left take turns again. With less time there are fewer rounds."""
_ROUNDS, _FINAL = 4, 12
_UNIT = {"mb": 4, "nb": 16, "kb": 16}


class Row(NamedTuple):
    """A shape; the seconds of the untuned product and of the best one; its blocks."""

    shape: tuple[int, int, int]
    untuned: float
    tuned: float
    plan: str
    tried: int

    @property
    def ratio(self) -> float:
        """The speed of the untuned product relative to the best one: 1 if nothing is better."""
        return self.tuned / self.untuned


def bench_tuned(threads: int | None = None, json_path: Path | None = None,
                shapes: Sequence[tuple[int, int, int]] = SHAPES, seconds: float = SECONDS) -> list[Row]:  # fmt: skip
    """Measure, print, and write the figures if a path is given."""
    workers = threads or num_threads()
    console = Console()
    rows = []
    for shape in measure.steps(shapes, "products"):
        rows.append(_row(shape, workers, seconds))
        if console.is_terminal:
            console.print(f"{rows[-1].shape}: {rows[-1].ratio:.3f}")
    console.print(_table(rows, workers))
    if json_path is not None:
        json_path.write_text(json.dumps([{**row._asdict(), "ratio": row.ratio} for row in rows], indent=1) + "\n")
    return rows


def mean(rows: Sequence[Row]) -> float:
    """Return the geometric mean of the ratios."""
    return math.exp(sum(math.log(row.ratio) for row in rows) / len(rows))


def others(plan: Blocks) -> list[Blocks]:
    """Return blocks of other sizes for the same product."""
    found: dict[Blocks, None] = {}
    for factors in FACTORS:
        sizes: dict[str, Any] = {name: _scaled(getattr(plan, name), factor, getattr(plan, name[0]), _UNIT[name])
                 for name, factor in zip(_UNIT, factors)}  # fmt: skip
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


def _row(shape: tuple[int, int, int], workers: int, seconds: float) -> Row:
    m, n, k = shape
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((m, k), np.float32), rng.standard_normal((k, n), np.float32)
    c = np.empty((m, n), np.float32)
    untuned = cast(Gemm, gemm(m, n, k, beta=0.0))
    made = [untuned, *(_with(untuned, plan) for plan in others(untuned.plan))]
    wanted = None
    once = math.inf
    for each in made:
        start = time.perf_counter()
        each(a, b, c, threads=workers)
        once = min(once, time.perf_counter() - start)
        wanted = c.copy() if wanted is None else wanted
        if not np.allclose(c, wanted, rtol=1e-3, atol=1e-2):
            raise AssertionError(f"{each}: another result")
    share = min(1.0, seconds / SECONDS)
    rounds, final_rounds = (max(1, round(share * each)) for each in (_ROUNDS, _FINAL))
    count = max(1, int(seconds / _ROUNDS / once))
    first = _times(made, (a, b, c), workers, rounds, count)
    best = min(made[1:], key=lambda each: first[id(each)], default=untuned)
    final = _times([untuned, best], (a, b, c), workers, final_rounds, count)
    if final[id(best)] >= final[id(untuned)]:
        best = untuned
    return Row(shape, final[id(untuned)], final[id(best)], str(best.plan), len(made))


def _with(untuned: Gemm, plan: Blocks) -> Gemm:
    """Return the same product with other blocks."""
    made = Gemm(untuned.request, untuned.threads)
    made.__dict__["plan"] = plan
    return made


def _times(made: Sequence[Gemm], arrays: Any, workers: int, rounds: int, count: int) -> dict[int, float]:
    """Return the least of several times of `count` calls for each product, per call. All take turns."""
    best = {id(each): math.inf for each in made}
    rng = random.Random(0)
    for _ in range(rounds):
        for each in rng.sample(list(made), len(made)):
            start = time.perf_counter_ns()
            for _ in range(count):
                each(*arrays, threads=workers)
            best[id(each)] = min(best[id(each)], (time.perf_counter_ns() - start) * 1e-9 / count)
    return best


def _table(rows: Sequence[Row], workers: int) -> Table:
    table = Table(title=f"f32, {workers} workers: untuned to tuned {mean(rows):.3f} (geometric mean; goal {GOAL})")
    for heading in ("m x n x k", "GFLOP/s", "tuned", "ratio", "tried", "cut"):
        table.add_column(heading, justify="left" if heading == "cut" else "right")
    for row in rows:
        flops = 2e-9 * math.prod(row.shape)
        table.add_row(" x ".join(map(str, row.shape)), f"{flops / row.untuned:.0f}", f"{flops / row.tuned:.0f}",
                      f"{row.ratio:.3f}", f"{row.tried}", row.plan if row.ratio < 1 else "")  # fmt: skip
    return table

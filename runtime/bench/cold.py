"""`tilesmith bench gemm --cold`: products whose operands lie in L2, L3 or memory, with each of the cache hints.

An emitted loop calls the kernel with other operands each time, in random order, from a set that fills half of L2, half
of L3, or four times L3. Contenders (gemm/hints.py) take turns over the same operands on one processor. Each is timed by
the lower quartile of its passes: the best pass of such sizes found more data in the caches, and the slower half was
disturbed by other programs. Ratios are speeds relative to the kernel without hints. The planner's defaults follow from
them: docs/log/gemm.md.
"""

from __future__ import annotations

import json
import random
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ..api.brgemm import brgemm
from ..arguments.arrays import numpy_dtype
from ..host import detect as host
from ..kernel.callable import Kernel
from . import measure

HINTS: dict[str, dict[str, Any]] = {
    "none": {"prefetch": "", "streaming": ""},
    "A": {"prefetch": "a", "streaming": ""},
    "B": {"prefetch": "b", "streaming": ""},
    "A, B": {"prefetch": "ab", "streaming": ""},
    "A, B to L1": {"prefetch": "ab@l1", "streaming": ""},
    "C for writing": {"prefetch": "c", "streaming": ""},
    "A, B, C": {"prefetch": "abc", "streaming": ""},
    "C past the caches": {"prefetch": "", "streaming": "c"},
    "tiles of A past L1": {"prefetch": "", "streaming": "a"},
    "tiles of B past L1": {"prefetch": "", "streaming": "b"},
}
"""The contenders, keyed by name."""
LARGE = 2048
"""Elements between rows (columns for order F) if operands are blocks of large matrices."""
_LEAST_L3 = 8 << 20


class Case(NamedTuple):
    """A product with operands of order F. If `large`, they are blocks of matrices with a leading dimension of LARGE."""

    m: int
    n: int
    k: int
    large: bool

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k}" + (" of large matrices" if self.large else "")


CASES = (Case(32, 32, 32, False), Case(64, 64, 64, False), Case(128, 48, 256, False), Case(64, 64, 64, True))


class Row(NamedTuple):
    """One product in one place: the seconds per call keyed by hint, without those that the kernel refuses."""

    dtype: str
    case: str
    place: str
    products: int
    seconds: dict[str, float]

    def ratio(self, name: str) -> float:
        """Return the speed relative to the kernel without hints."""
        return self.seconds["none"] / self.seconds[name]


def bench_cold(target: str | None = None, dtype: str = "f32", seconds: float = 0.1,
               json_path: Path | None = None) -> list[Row]:  # fmt: skip
    """Measure, print, and write the figures if a path is given."""
    console, resolved = Console(), host.native(target)
    rows: list[Row] = []
    with measure.one_cpu():
        for case in CASES:
            for place, size in places(resolved).items():
                rows.append(_measured(case, dtype, resolved, place, size, seconds))
            console.print(_table(rows[-3:]))
    if json_path is not None:
        ratios = [{name: row.ratio(name) for name in row.seconds} for row in rows]
        json_path.write_text(
            json.dumps([{**row._asdict(), "ratios": each} for row, each in zip(rows, ratios)], indent=1) + "\n"
        )
    return rows


def places(target: Target) -> dict[str, int]:
    """Return the bytes of operands that fill each place."""
    l3 = max(target.l3, _LEAST_L3)
    return {"L2": target.l2 // 2, "L3": l3 // 2, "memory": 4 * l3}


def _measured(case: Case, dtype: str, target: Target, place: str, size: int, seconds: float) -> Row:
    element = numpy_dtype(dtype)
    table, keep = _operands(case, element, size)
    kernels: dict[str, Kernel] = {}
    leading: Any = dict.fromkeys(("lda", "ldb", "ldc"), LARGE) if case.large else {}
    named: Any = {"dtype": dtype, "target": target.name if target is not host.host() else None}
    for name, hints in HINTS.items():
        try:
            kernels[name] = brgemm(case.m, case.n, case.k, order="F", beta=0, **leading, **named, **hints)
        except UnsupportedError:
            continue
    walks = {name: measure.Walk(kernel.address or 0, table, (kernel, keep)) for name, kernel in kernels.items()}
    return Row(dtype, str(case), place, len(table), _timed(walks, len(table), seconds))


def _timed(walks: dict[str, measure.Walk], products: int, seconds: float) -> dict[str, float]:
    """Return the lower quartile of the passes of each contender, in thread time. They take turns in random order."""
    samples: dict[str, list[float]] = {name: [] for name in walks}
    order, shuffled = list(walks), random.Random(1)
    for walk in walks.values():
        walk.run(1)
    end = time.perf_counter() + seconds * len(walks)
    while time.perf_counter() < end or len(samples["none"]) < measure.MIN_SAMPLES:
        shuffled.shuffle(order)
        for name in order:
            passes = max(1, round(2000 / products))
            start = time.thread_time_ns()
            walks[name].run(passes)
            samples[name].append((time.thread_time_ns() - start) * 1e-9 / products / passes)
    return {name: statistics.quantiles(found, n=4)[0] for name, found in samples.items()}


def _operands(case: Case, element: np.dtype[Any], size: int) -> tuple[list[tuple[int, int, int]], object]:
    """Return (a, b, c) of as many products as fill `size` bytes, in random order, and the memory that holds them."""
    m, n, k, large = case
    shapes = ((k, m), (n, k), (n, m))  # the transposes, row-major
    count = max(2, size // (sum(rows * columns for rows, columns in shapes) * element.itemsize))
    lists: list[list[int]] = []
    keep: list[object] = []
    for rows, columns in shapes:
        across = LARGE // columns if large else 1  # side by side in a row of a large matrix
        down = -(-count // across)
        width = LARGE if large else columns
        memory = np.ones(down * rows * width * element.itemsize + 64, np.uint8)
        memory[:] = 0
        first = memory.__array_interface__["data"][0]
        first += -first % 64
        keep.append(memory)
        lists.append([first + (number // across * rows * width + number % across * columns) * element.itemsize
                      for number in range(count)])  # fmt: skip
    rows_of_table = list(zip(*lists))
    random.Random(2).shuffle(rows_of_table)
    return [(a, b, c) for a, b, c in rows_of_table], keep


def _table(rows: list[Row]) -> Table:
    table = Table(title=f"{rows[0].dtype} {rows[0].case}, beta = 0: speed to that without hints")
    names = list(rows[0].seconds)
    for heading in ("operands in", "products", "ns", *names[1:]):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(row.place, f"{row.products}", f"{row.seconds['none'] * 1e9:.0f}",
                      *(f"{row.ratio(name):.2f}" for name in names[1:]))  # fmt: skip
    return table

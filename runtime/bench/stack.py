"""`tilesmith bench stack`: independent products in one call compared with batched np.matmul in one run.

A stack fills half of L2, or several times L2, so that it comes from L3. Each time is that of a call from Python on
numpy's arrays, divided by the number of products. Besides the ratio, the output has the share of the FMA peak and the
share of np.copyto's bandwidth, for a copy of as many bytes as the call reads and writes, in the same place. Contenders
take turns on one processor, and each is timed by its best sample. numpy's BLAS is restricted to one thread; if that is
not possible, the output says so.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from rich.console import Console
from rich.table import Table

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.operands import RUNTIME
from ..api.brgemm import brgemm
from ..arguments.arrays import numpy_dtype
from ..host import detect as host
from . import measure
from .peers.products import numpy_single_thread

EXTENTS = 4, 8, 13, 16, 23, 33
PLACES = {"L2": 0.5, "L3": 6.0}
"""The bytes of a stack in each cache, as a multiple of L2."""
GOALS = {"f32": (2.5, 1.4), "f64": (2.0, 1.2)}
"""The geometric mean of the ratios to np.matmul, and their minimum."""
PEAK, COPY = 0.90, 0.85
"""Shares of the FMA peak and of copy bandwidth that also suffice, since these are then the bound."""


class Row(NamedTuple):
    """Products of one extent in one place. The seconds are those of one product."""

    dtype: str
    place: str
    extent: int
    products: int
    ours: float
    numpy: float
    of_peak: float
    of_copy: float

    @property
    def ratio(self) -> float:
        """Our speed relative to numpy's."""
        return self.numpy / self.ours

    @property
    def holds(self) -> bool:
        """Whether the ratio reaches the required minimum, or one of the bounds is reached."""
        return self.ratio >= GOALS[self.dtype][1] or self.of_peak >= PEAK or self.of_copy >= COPY


def bench_stack(
    target: str | None = None, dtype: str | None = None, seconds: float = 0.1, json_path: Path | None = None
) -> list[Row]:
    """Measure, print, and write the figures if a path is given."""
    console, resolved = Console(), host.resolve(target)
    rows: list[Row] = []
    with measure.one_cpu(), numpy_single_thread() as single:
        if not single:
            console.print("numpy's BLAS could not be held to one thread: ratios are to as many as it was started with")
        for each in (dtype,) if dtype else tuple(GOALS):
            for place, share in PLACES.items():
                found = [_measured(resolved, each, place, int(share * resolved.l2), n, seconds) for n in EXTENTS]
                rows += found
                console.print(_table(found))
    if json_path is not None:
        json_path.write_text(json.dumps([{**row._asdict(), "ratio": row.ratio} for row in rows], indent=1) + "\n")
    return rows


def mean(rows: Sequence[Row]) -> float:
    """Return the geometric mean of the ratios."""
    return math.exp(sum(math.log(row.ratio) for row in rows) / len(rows))


def _measured(target: Target, dtype: str, place: str, size: int, extent: int, seconds: float) -> Row:
    """Measure one extent in one place."""
    element = numpy_dtype(dtype)
    count = max(1, size // (3 * extent * extent * element.itemsize))
    a, b = (np.ones((count, extent, extent), element) for _ in "ab")
    c = np.zeros_like(a)
    halves = np.zeros((2, 3 * a.size // 2), element)  # copying one half to the other moves as many bytes as a call
    kernel = brgemm(extent, extent, extent, dtype=cast(Any, dtype), beta=0, stack=RUNTIME, target=target)
    peak = measure.fma_loop(target, dtype)
    timings = measure.seconds_per_call(
        {
            "ours": measure.PythonCall(lambda: kernel(a, b, c)),
            "numpy": measure.PythonCall(lambda: np.matmul(a, b, out=c)),
            "copy": measure.PythonCall(lambda: np.copyto(halves[0], halves[1])),
            "peak": peak.call,
        },
        seconds,
    )
    ours, numpy, copy = (timings[name].best / count for name in ("ours", "numpy", "copy"))
    flops = 2 * extent**3 / ours
    return Row(dtype, place, extent, count, ours, numpy, flops * timings["peak"].best / peak.flops, copy / ours)


def _table(rows: Sequence[Row]) -> Table:
    wanted, least = GOALS[rows[0].dtype]
    table = Table(title=f"{rows[0].dtype}, stacks from {rows[0].place}: mean {mean(rows):.2f} times np.matmul "
                        f"(goal {wanted}, none below {least} but at {PEAK} of peak or {COPY} of copies)")  # fmt: skip
    for heading in ("extent", "products", "ns", "numpy ns", "ratio", "of peak", "of copy", ""):
        table.add_column(heading, justify="right")
    for row in rows:
        table.add_row(f"{row.extent}^3", f"{row.products}", f"{row.ours * 1e9:.1f}", f"{row.numpy * 1e9:.1f}",
                      f"{row.ratio:.2f}", f"{row.of_peak:.2f}", f"{row.of_copy:.2f}",
                      "" if row.holds else "below")  # fmt: skip
    return table

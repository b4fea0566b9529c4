"""`tilesmith bench stack`: independent products in one call compared with batched np.matmul in one run.

A stack fills half of L2, or several times L2, so that it comes from L3. Each time is that of a call from Python on
numpy's arrays, divided by the number of products. Besides the ratio, the output has the share of the FMA peak and the
share of np.copyto's bandwidth, for a copy of as many bytes as the call reads and writes, in the same place. numpy's
BLAS is restricted to one thread; if that is not possible, the output says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

import numpy as np

from ....microkernels.operands import RUNTIME
from ...api.brgemm import brgemm
from ...api.typed import DType
from ...arguments.arrays import numpy_dtype
from ...host import detect as host
from ..measure import PythonCall, fma_loop
from ..runner import Bench, Run, Table
from ..table import Goal, Row, geometric_mean

EXTENTS = 4, 8, 13, 16, 23, 33
PLACES = {"L2": 0.5, "L3": 6.0}
"""The bytes of a stack in each cache, as a multiple of L2."""
GOALS = {"f32": (2.5, 1.4), "f64": (2.0, 1.2)}
"""The geometric mean of the ratios to np.matmul, and their minimum."""
PEAK, COPY = 0.90, 0.85
"""Shares of the FMA peak and of copy bandwidth that also suffice, since these are then the bound."""
COLUMNS = "extent; products:0; ns=ours:1n; numpy ns=numpy:1n; ratio:2~; of peak:2; of copy:2"


def _tables(run: Run) -> Iterator[Table]:
    dtype = run.options.dtype
    for each in (dtype,) if dtype in GOALS else tuple(GOALS):
        for place in PLACES:
            yield Table(f"{each} {place}", COLUMNS, [(each, place, extent) for extent in EXTENTS], measured,
                        f"{each}, stacks from {place}",
                        lambda rows, each=each, place=place: goals(rows, each, place))  # type: ignore[misc]


def measured(run: Run, dtype: str, place: str, extent: int) -> Row:
    """Measure one extent in one place. The seconds are those of one product."""
    target = host.resolve(run.target)
    element, size = numpy_dtype(dtype), int(PLACES[place] * target.l2)
    count = max(1, size // (3 * extent * extent * element.itemsize))
    a, b = (np.ones((count, extent, extent), element) for _ in "ab")
    c = np.zeros_like(a)
    halves = np.zeros((2, 3 * a.size // 2), element)  # copying one half to the other moves as many bytes as a call
    kernel = brgemm(extent, extent, extent, dtype=cast(DType, dtype), beta=0, stack=RUNTIME, target=target)
    peak = fma_loop(target, dtype)
    best = run.turns({"ours": PythonCall(lambda: kernel(a, b, c)), "numpy": PythonCall(lambda: np.matmul(a, b, out=c)),
                      "copy": PythonCall(lambda: np.copyto(halves[0], halves[1])), "peak": peak.call})
    ours, numpy, copy = (best[name] / count for name in ("ours", "numpy", "copy"))
    return {"dtype": dtype, "place": place, "extent": f"{extent}^3", "products": count, "ours": ours, "numpy": numpy,
            "ratio": numpy / ours, "of peak": 2 * extent**3 / ours * best["peak"] / peak.flops,
            "of copy": copy / ours}


def holds(row: Row) -> bool:
    """Return whether the ratio reaches the required minimum, or one of the bounds is reached."""
    return bool(row["ratio"] >= GOALS[row["dtype"]][1] or row["of peak"] >= PEAK or row["of copy"] >= COPY)


def goals(rows: Sequence[Row], dtype: str, place: str) -> Iterator[Goal]:
    """Yield the mean, and the least ratio of those that no bound excuses."""
    mean, least = GOALS[dtype]
    found = geometric_mean(row["ratio"] for row in rows)
    yield Goal(f"{dtype} from {place}: by np.matmul, geometric mean", mean, found)
    short = min((row["ratio"] for row in rows if not holds(row)), default=least)
    yield Goal(f"{dtype} from {place}: least by np.matmul but at {PEAK} of peak or {COPY} of copies", least, short)


BENCH = Bench("stack", __doc__, _tables, {"--target": {}, "--dtype": {}})

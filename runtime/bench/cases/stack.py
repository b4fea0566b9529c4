"""`tilesmith bench stack`: independent products in one call compared with batched np.matmul in one run.

A stack fills half of L2, or several times L2, so that it comes from L3. Each time is that of a call from Python on
numpy's arrays, divided by the number of products. Besides the ratio, the output has the share of the FMA peak and the
share of np.copyto's bandwidth, for a copy of as many bytes as the call reads and writes, in the same place. numpy's
BLAS is restricted to one thread; if that is not possible, the output says so.

Two more tables have grouped products beside a loop of np.matmul over the members and torch._grouped_mm, on one thread,
and kernels that `ts.spread` cuts beside the same kernels on one core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import cast

import numpy as np

from ....microkernels.operands import RUNTIME
from ...api.brgemm import brgemm
from ...api.fused import fused
from ...api.gather import embedding_bag
from ...api.reduce import reduce
from ...api.transforms import transpose
from ...api.typed import DType
from ...arguments.arrays import numpy_dtype
from ...grouped.functions import grouped_matmul, pack_groups
from ...host import detect as host
from ...kernel.callable import Kernel
from ...ops.spread import spread
from ...ops.spread_cuts import Request
from ..measure import PythonCall, fma_loop
from ..peers.elementwise import torch_module
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
    if dtype not in GOALS or dtype == "f32":
        yield Table("grouped", "grouped product, f32=shape; us=ours:1u; packed us=packed:1u; numpy us=numpy:1u; "
                    "torch us=torch:1u; ratio:2~", GROUPED, grouped, "grouped products on one thread")
    if dtype not in GOALS:
        yield Table("spread", "kernel; one core, us=alone:1u; all, us=ours:1u; ratio:2~", [(name,) for name in SPREAD],
                    spread_kernel, "kernels on all threads")


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


GROUPED = [(4096, 8, 1024, 1024), (1024, 32, 512, 1024), (64, 8, 2048, 2048)]
"""Rows, members, K and N of grouped products; the members' shares of the rows are drawn."""


def grouped(run: Run, rows: int, members: int, k: int, n: int) -> Row:
    """Measure a grouped product in f32, by matrices that are packed in the call and in advance."""
    rng = np.random.default_rng(0)
    a, b = (rng.random(shape, np.float32) for shape in ((rows, k), (members, k, n)))
    ends = np.sort(np.append(rng.integers(0, rows + 1, members - 1), rows))
    out, packed = np.empty((rows, n), np.float32), pack_groups(b)
    parts = [slice(first, last) for first, last in zip([0, *ends[:-1]], ends)]

    def loop() -> None:
        for part, factor in zip(parts, b):
            np.matmul(a[part], factor, out=out[part])

    calls = {"ours": PythonCall(lambda: grouped_matmul(a, b, ends, out, threads=1)), "numpy": PythonCall(loop),
             "packed": PythonCall(lambda: grouped_matmul(a, packed, ends, out, threads=1))}
    torch = torch_module()
    if torch is not None and hasattr(torch, "_grouped_mm"):
        x, y, cuts = torch.from_numpy(a), torch.from_numpy(b), torch.from_numpy(ends.astype(np.int32))
        calls["torch"] = PythonCall(lambda: torch._grouped_mm(x, y, offs=cuts))
    best = run.turns(calls)
    theirs = min(best[name] for name in ("numpy", "torch") if name in best)
    return {"shape": f"{rows} rows, {members} of {k} x {n}", **best, "ratio": theirs / best["packed"]}


SPREAD: dict[str, Callable[[], Kernel]] = {
    "sums down 8192 x 256": lambda: reduce("sum", 8192, 256, axis=0),
    "transpose 2048 x 2048": lambda: transpose(2048, 2048),
    "bags, 4096 of 16 rows of 64": lambda: embedding_bag(4096, 64, size=100_000, count=65_536),
    "batchnorm_training 8192 x 256": lambda: fused("batchnorm_training", 8192, 256),
}
"""Kernels that all cores compute, by what they do."""


def spread_kernel(run: Run, name: str) -> Row:
    """Measure a kernel on one core and on all."""
    kernel = SPREAD[name]()
    cut, rng, arrays = spread(kernel), np.random.default_rng(0), []
    spec: Request = kernel.spec
    for each in spec.arguments:
        if each.name == "index":
            values = rng.integers(0, spec.size, each.shape)
        elif each.name == "offsets":
            values = np.arange(each.columns) * (spec.count // spec.bags)
        else:
            values = rng.random(each.shape)
        arrays.append(values.astype(numpy_dtype(each.dtype)))
    best = run.turns({"alone": PythonCall(lambda: kernel(*arrays)), "ours": PythonCall(lambda: cut(*arrays))})
    return {"kernel": name, **best, "ratio": best["alone"] / best["ours"]}


BENCH = Bench("stack", __doc__, _tables, {"--target": {}, "--dtype": {}})

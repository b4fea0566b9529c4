"""`tilesmith bench decode`: few rows by weights of 4 bits beside products by f32, bf16 and bytes, and torch's product.

The weights are 4096 x 11008, more than any L2, with a scale of f16 for 32 rows. The rates are weights per second of
calls from Python on one thread. The product is exact: each has the bits of the product by the expanded weights. A
second table has weights of bf16 of which a half or three quarters are 0, as bit masks and non-zeros.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...arguments.arrays import numpy_dtype
from ...compressed.bitmask import masked
from ...compressed.weights import compress
from ...ops.matmul import matmul
from ..charts import Plot
from ..measure import Contender, PythonCall
from ..peers import decoding
from ..runner import Bench, Run, Table
from ..table import Goal, Row, WrongResult
from .gemm import GemmShape

LAYER = GemmShape(1, 11008, 4096)
_GROUP = LAYER.k // 128
GOALS = {1: {"by torch": 2.2, "by bf16 x i8": 1.5, "by bf16": 2.5}, 16: {"by f32": 1.3}}
"""Our rate relative to others, by the number of rows."""
COLUMNS = ("rows; i4=f32 i4:1G; i4 of bf16=bf16 i4:1G; f32:1G; bf16:1G; f32 x i8:1G; bf16 x i8:1G; torch i4=torch:1G; "
           "by torch:2; by bf16 x i8:2; by bf16:2; by f32:2")


MASKED_COLUMNS = "rows; zeros:1%; bit masks=masked:1G; bf16=dense:1G; by bf16:2"
MASKED_GOALS = {0.5: 1.3, 0.75: 1.8}
"""The rate of bit masks relative to dense weights of bf16, by the share of zeros."""


_PLOT = Plot("f32 by i4=f32 i4:1G; bf16 by i4=bf16 i4:1G; f32 by i8=f32 x i8:1G; bf16 by i8=bf16 x i8:1G; f32:1G; "
             "bf16:1G; torch by i4=torch:1G", "G weights/s")


def _tables(run: Run) -> Iterator[Table]:
    yield Table("decode", COLUMNS, [(rows,) for rows in (1, 4, 16)], measured, "G weights/s", goals, _PLOT)
    cases = [(rows, zeros) for rows in (1, 16) for zeros in MASKED_GOALS]
    yield Table("bit masks", MASKED_COLUMNS, cases, measured_masks, "G weights/s", goals_of_masks,
                _PLOT._replace(figures="bit masks=masked:1G; dense bf16=dense:1G"))


def measured(run: Run, rows: int) -> Row:
    """Return the weights per second of a number of rows."""
    draw = np.random.default_rng(rows)
    integers = draw.integers(-8, 8, (LAYER.k, LAYER.n), np.int8)
    scale = draw.random((LAYER.k // _GROUP, LAYER.n), np.float32).astype(np.float16)
    weights = compress(integers, "i4", group=_GROUP, scale=scale)
    dense = weights.dense("f32")
    arrays = {"f32": dense, "bf16": dense.astype(numpy_dtype("bf16")), "i8": integers}
    x = {"f32": draw.standard_normal((rows, LAYER.k), np.float32)}
    x["bf16"] = x["f32"].astype(arrays["bf16"].dtype)
    if not np.array_equal(matmul(x["f32"], weights), matmul(x["f32"], dense)):
        raise WrongResult(f"{rows} rows: not the bits of the product by the expanded weights")
    turns: dict[str, Contender] = {
        f"{of} i4": PythonCall(lambda of=of: matmul(x[of], weights)) for of in x  # type: ignore[misc]
    }
    turns |= {of: PythonCall(lambda of=of: matmul(x[of], arrays[of])) for of in x}  # type: ignore[misc]
    turns |= {f"{of} x i8": PythonCall(lambda of=of: matmul(x[of], arrays["i8"])) for of in x}  # type: ignore[misc]
    other = run.baseline(lambda: decoding.torch_int4(x["f32"], integers, scale, _GROUP))
    best = run.turns(turns | ({"torch": other} if other is not None else {}))
    rate = {"torch": float("nan")} | {name: LAYER.k * LAYER.n / seconds for name, seconds in best.items()}
    ratios = {f"by {name}": rate["f32 i4"] / rate[name] for name in ("torch", "bf16 x i8", "bf16", "f32")}
    return {"rows": rows, **rate, **ratios}


def measured_masks(run: Run, rows: int, zeros: float) -> Row:
    """Return the weights per second of bit masks with this share of zeros."""
    draw = np.random.default_rng(rows)
    dtype = numpy_dtype("bf16")
    dense = draw.standard_normal((LAYER.k, LAYER.n), np.float32).astype(dtype)
    dense[draw.random(dense.shape, np.float32) < zeros] = 0
    weights, x = masked(dense), draw.standard_normal((rows, LAYER.k), np.float32).astype(dtype)
    if not np.array_equal(matmul(x, weights), matmul(x, dense)):
        raise WrongResult(f"{rows} rows: not the bits of the product by the expanded weights")
    best = run.turns({"masked": PythonCall(lambda: matmul(x, weights)), "dense": PythonCall(lambda: matmul(x, dense))})
    rate = {name: LAYER.k * LAYER.n / seconds for name, seconds in best.items()}
    return {"rows": rows, "zeros": zeros, **rate, "by bf16": rate["masked"] / rate["dense"]}


def goals_of_masks(rows: Sequence[Row]) -> Iterator[Goal]:
    """Yield the goals of bit masks."""
    for row in rows:
        yield Goal(f"{row['rows']} rows, {row['zeros']:.0%} zeros: by bf16", MASKED_GOALS[row["zeros"]], row["by bf16"])


def goals(rows: Sequence[Row]) -> Iterator[Goal]:
    """Yield the goals of the rows that have some."""
    for row in rows:
        for name, least in GOALS.get(row["rows"], {}).items():
            if row[name] == row[name]:
                yield Goal(f"{row['rows']} rows: {name}", least, row[name])


BENCH = Bench("decode", __doc__, _tables, seconds=0.2)

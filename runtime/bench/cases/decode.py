"""`tilesmith bench decode`: few rows by weights of 4 bits beside products by f32, bf16 and bytes, and torch's product.

The weights are 4096 x 11008, more than any L2, with a scale of f16 for 32 rows. The rates are weights per second of
calls from Python on one thread. The product is exact: each has the bits of the product by the expanded weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...arguments.arrays import numpy_dtype
from ...compressed.weights import compress
from ...ops.matmul import matmul
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


def _tables(run: Run) -> Iterator[Table]:
    yield Table("decode", COLUMNS, [(rows,) for rows in (1, 4, 16)], measured, "G weights/s", goals)


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


def goals(rows: Sequence[Row]) -> Iterator[Goal]:
    """Yield the goals of the rows that have some."""
    for row in rows:
        for name, least in GOALS.get(row["rows"], {}).items():
            if row[name] == row[name]:
                yield Goal(f"{row['rows']} rows: {name}", least, row[name])


BENCH = Bench("decode", __doc__, _tables, seconds=0.2)

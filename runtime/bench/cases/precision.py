"""`tilesmith bench precision`: the rungs of the precision ladder against the product of their element type in one run.

The times are those of calls from Python on numpy's arrays, with C written but not read, and operands in L1 or L2. A
rung is timed with both operands split at each call, and with the terms of B prepared, as for weights. The error is the
largest |C - A B| / (|A| |B|) as a log2, compared with exact integers, for normally distributed elements.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...api.brgemm import brgemm
from ...api.ladder import ladder
from ...arguments.arrays import numpy_dtype
from ..measure import PythonCall
from ..runner import Bench, Run, Table
from ..table import Named, Row

EXTENTS = 64, 128, 256
_SCALE = 400  # fraction bits of the numbers here, including low words
RUNGS: dict[str, tuple[str, Named]] = {
    "f32x2bf16": ("f32", {"dtype": "f32x2bf16"}),
    "f32x3bf16": ("f32", {"dtype": "f32x3bf16"}),
    "f64xi8, 8 slices": ("f64", {"dtype": "f64xi8"}),
    "f64xi8, 14 slices, two words": ("f64", {"dtype": "f64xi8", "slices": 14, "result": "f64x2"}),
}
COLUMNS = ("rung; extent; products:0; scratch KiB=scratch:0KiB; us=split:0u; times:2; B in terms=kept times:2; "
           "error:1; ordinary=ordinary error:1")


def measured(run: Run, name: str, extent: int) -> Row:
    """Return one rung at one extent."""
    dtype, request = RUNGS[name]
    rng = np.random.default_rng(extent)
    a, b = (rng.standard_normal((extent, extent)).astype(numpy_dtype(dtype)) for _ in "ab")
    p = ladder(extent, extent, extent, beta=0, target=run.target, **request)  # type: ignore[arg-type]
    mm = brgemm(extent, extent, extent, dtype=dtype, beta=0, target=run.target)  # type: ignore[arg-type]
    out, plain = p(a, b), mm(a, b)
    terms = p.split_b(b)
    best = run.turns({"split": PythonCall(lambda: p(a, b, out)), "kept": PythonCall(lambda: p(a, terms, out)),
                      "plain": PythonCall(lambda: mm(a, b, plain))})
    error, ordinary = (_error(a, b, each if isinstance(each, tuple) else (each,)) for each in (out, plain))
    return {"rung": name, "extent": f"{extent}^3", "products": p.products, "scratch": p.scratch_bytes, **best,
            "times": best["split"] / best["plain"], "kept times": best["kept"] / best["plain"], "error": error,
            "ordinary error": ordinary}


def _error(a: Any, b: Any, words: tuple[Any, ...]) -> float:
    """Return log2 of the largest error of some rows, compared with Python's integers, since two words exceed every
    float."""
    rows = a[:2]
    exact, sizes = _whole(rows).dot(_whole(b)), abs(_whole(rows)).dot(abs(_whole(b)))
    found = sum(_whole(each[:2]) * 2**_SCALE for each in words)
    worst = max(abs(x - y) / z for x, y, z in zip(found.ravel(), exact.ravel(), sizes.ravel(), strict=True))
    return float(np.log2(worst)) if worst else -128.0


def _whole(x: Any) -> Any:
    """Return the elements times 2^_SCALE as Python's integers."""
    return np.array([[int(float(e) * 2.0**_SCALE) for e in line] for line in x], object)


BENCH = Bench("precision", __doc__, lambda run: [
    Table("rungs", COLUMNS, [(name, extent) for extent in EXTENTS for name in RUNGS], measured,
          "the precision ladder: times the product of the element type, error as log2 of |A| |B|")],
    {"--target": {}})

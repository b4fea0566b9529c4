"""Compare a kernel for any number of rows with kernels for a fixed number: `tilesmith bench runtime_rows`.

For each number of rows, a line shows the time of a call with rows given at the call over that of a kernel for this
number, and the ratio of their code bytes. `tilesmith bench runtime_rows 0.1 "@" sse` measures kernels whose name
has "@" in it, of another target; of one whose code this processor cannot run, a line shows the bytes alone.
"""

from collections.abc import Callable, Iterator
from itertools import product
from math import nan
from typing import Any

import numpy as np

import tilesmith as ts
from tests.bench.code_sizes import Make, request
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.bench.operands import arguments_of, native
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.host.detect import runs

ROWS = (64, 100, 256, 1000)
SHAPES = ((64, 64), (48, 32), (256, 64), (100, 100), (512, 256))
PRODUCTS: tuple[tuple[str, Any, dict[str, str]], ...] = (
    ("", "f32", {}), ("", "f64", {}),
    ("bf16 in pairs ", ("bf16", "bf16", "f32"), {"b_layout": "vnni"}), ("bf16 ", ("bf16", "bf16", "f32"), {}),
    ("bytes by fours ", ("u8", "i8", "i32"), {"b_layout": "vnni"}),
    ("i16 in pairs ", ("i16", "i16", "i32"), {"b_layout": "vnni"}), ("f16 ", ("f16", "f16", "f32"), {}),
)
TRACED: dict[str, Callable[[Any], Any]] = {
    "relu": ts.relu, "x * 2 + x": lambda x: x * 2 + x, "gelu": ts.gelu, "sum of rows": lambda x: ts.sum(x, axis=1),
    "x - sum of rows": lambda x: x - ts.sum(x, axis=1),
}


def kernels() -> Iterator[tuple[str, Make]]:
    """Yield names that begin with the type, and the functions that make the kernels for a number of rows."""
    m = ts.RUNTIME
    for (name, types, layout), (n, k) in product(PRODUCTS, SHAPES):
        of = types if isinstance(types, str) else types[0]
        yield request(f"{of} brgemm {name}n {n} k {k}", ts.brgemm, m, n, k, dtype=types, beta=0, **layout)
    for n in (16, 64, 384, 1024):
        yield request(f"f32 sum of rows n {n}", ts.reduce, "sum", m, n, axis=1)
        yield from (request(f"f32 {name} n {n}", ts.unary, name, m, n) for name in ("relu", "gelu"))
        yield from (request(f"f32 {name} n {n}", ts.fused, name, m, n)
                    for name in ("softmax", "layernorm", "batchnorm_training", "clip_own_norm"))
        yield request(f"f32 gather, times x n {n}", ts.equation, lambda x, t, i: x * ts.gather(t, i), x=(m, n),
                      t=(1000, n), i=(m,))
    for n, h in ((64, 64), (128, 128)):
        yield request(f"f32 gather(x, i) @ w, {n} and {h}", ts.equation, lambda x, i, w: ts.gather(x, i) @ w,
                      x=(1000, n), i=(m,), w=(n, h))
    for n, h in ((64, 256), (256, 1024), (512, 512), (512, 1024)):
        yield request(f"f32 gelu(x @ w + b) @ v, {n} and {h}", ts.equation, lambda x, w, b, v: ts.gelu(x @ w + b) @ v,
                      x=(m, n), w=(n, h), b=(1, h), v=(h, n))
    for n in (48, 384):  # matrices whose columns are contiguous
        yield from (request(f"f32 {name} order F n {n}", ts.equation, function, x=(m, n), order="F")
                    for name, function in TRACED.items())
        yield from (request(f"f32 {name} order F n {n}", ts.fused, name, m, n, order="F")
                    for name in ("softmax", "layernorm"))


def ratios(run: Run, make: Make, rows: int) -> tuple[float, float]:
    """Return the ratios (time, bytes of code) of the kernel for any number of rows to the fixed one. The time is NaN if
    this processor cannot run them."""
    fixed, free = (make(m, target=run.target) for m in (rows, ts.RUNTIME))
    bytes_ = len(free.code) / len(fixed.code)
    if runs(fixed.target):
        return nan, bytes_
    arrays = [np.full(each.shape, 0.5).astype(numpy_dtype(each.dtype)) for each in arguments_of(fixed)]  # indices are 0
    distances = [rows for each in free.spec.operands if each.view.leading is ts.RUNTIME]  # order F without gaps
    best = run.turns({"fixed": native(fixed, arrays), "free": native(free, arrays, rows, *distances)})
    return best["free"] / best["fixed"], bytes_


def measured(run: Run, name: str, make: Make) -> Row | None:
    try:
        found = {rows: ratios(run, make, rows) for rows in ROWS}
    except ts.UnsupportedError as error:
        return run.remark(f"{name}: {error}")
    return {"kernel": name, **{str(rows): time for rows, (time, _) in found.items()},
            **{f"{rows} bytes": size for rows, (_, size) in found.items()}}


BENCH = Bench("runtime_rows", __doc__, lambda run: [
    Table("rows", "kernel" + "".join(f"; {rows} rows={rows}:3; bytes={rows} bytes:2" for rows in ROWS),
          [case for case in kernels() if run.options.only in case[0]], measured)],
    {"seconds": {"nargs": "?", "type": float, "default": 0.1}, "only": {"nargs": "?", "default": ""},
     "target": {"nargs": "?", "default": "native"}}, foreign=True, quick=("0.02",))

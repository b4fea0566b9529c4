"""Compare two layers in one kernel with two kernels, on one thread: `tilesmith bench chains [SECONDS]`.

gelu(x @ w1 + b1) @ w2 + b2 + x in f32 is computed as one traced function, and as two kernels of `ts.brgemm` with the
same epilogues, which keep the hidden matrix in memory. Wide layers are also computed as two kernels of `ts.gemm`. There
are enough rows for a hidden matrix of at least 4 MiB.
"""

from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.bench.measure import asleep
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, ratios

HIDDEN_BYTES = 4 << 20
LAYERS = ((16, 16), (16, 64), (32, 32), (32, 128), (64, 64), (64, 256), (256, 256), (256, 1024), (512, 512),
          (512, 2048), (1024, 1024), (1024, 4096))


def calls(m: int, n: int, h: int) -> dict[str, Any]:
    """Return each way to compute a layer of width n with h hidden columns, after checking them against each other."""
    rng = np.random.default_rng(1)
    x, w1, b1, w2, b2 = (rng.standard_normal(shape).astype(np.float32) / 4
                         for shape in ((m, n), (n, h), (1, h), (h, n), (1, n)))
    hidden, y, wanted = np.empty((m, h), np.float32), np.empty((m, n), np.float32), np.empty((m, n), np.float32)
    first = {"beta": 0, "epilogue": lambda c, b: ts.gelu(c + b)}
    last = {"beta": 0, "epilogue": lambda c, b, x: c + b + x, "operands": {"b": "row", "x": None}}
    one = ts.equation(lambda x, w1, b1, w2, b2: ts.gelu(x @ w1 + b1) @ w2 + b2 + x,
                      x=(m, n), w1=(n, h), b1=(h,), w2=(h, n), b2=(n,))
    two = ts.brgemm(m, h, n, **first), ts.brgemm(m, n, h, **last)
    found = {"ours": lambda: one(x, w1, b1, w2, b2, y),
             "two": lambda: (two[0](x, w1, hidden, b1), two[1](hidden, w2, wanted, b2, x))}
    if n >= 256:
        large = ts.gemm(m, h, n, threads=1, **first), ts.gemm(m, n, h, threads=1, **last)
        found["gemm"] = lambda: (large[0](x, w1, hidden, b1), large[1](hidden, w2, wanted, b2, x))
    for call in found.values():
        call()
    np.testing.assert_allclose(y, wanted, rtol=1e-3, atol=1e-3 * h**0.5)
    return found


def measured(run: Run, n: int, h: int) -> Row:
    m = max(512, HIDDEN_BYTES // (4 * h))
    took = asleep(calls(m, n, h), run.seconds)
    return {"width": n, "hidden": h, "rows": m, **took, **dict(ratios(took)), "speed": 4 * m * n * h / took["ours"]}


BENCH = Bench("chains", __doc__, (
    Table("chains", "width; hidden; rows; one kernel us=ours:0u; two kernels=by two:2; two of ts.gemm=by gemm:2; "
          "GFLOP/s=speed:0G", LAYERS, measured),),
    {"seconds": {"type": float, "nargs": "?", "default": 1.0}}, alone=False, quick=("0.1",))

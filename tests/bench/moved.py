"""Compare one kernel that moves elements and computes on the way with two kernels: `tilesmith bench moved`.

The two kernels are a transpose or packing of unchanged elements, and an elementwise kernel with one order. Elements are
moved in the narrower type. Operands are in the caches. Targets can be named; without any, they are this processor and
avx2.
"""

from typing import Any

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.bench.operands import native
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table

SHAPES = ((64, 64), (256, 256), (500, 300))
CASES = (
    ("relu, F to C", "plain", "relu", "f32", "f32"), ("relu, F to C", "plain", "relu", "bf16", "bf16"),
    ("relu, F to C", "plain", "relu", "f32", "bf16"), ("relu, F to C", "plain", "relu", "i8", "i8"),
    ("transpose, gelu", "plaint", "gelu", "f32", "bf16"), ("transpose, exp", "plaint", "exp", "f64", "f64"),
    ("convert, pack vnni2", "vnni2", "identity", "f32", "bf16"), ("relu, pack vnni2", "vnni2", "relu", "f32", "bf16"),
    ("convert, pack vnni2t", "vnni2t", "identity", "f32", "bf16"), ("relu, pack vnni4", "vnni4", "relu", "i8", "i8"),
)
FUNCTIONS = {"relu": ts.relu, "gelu": ts.gelu, "exp": ts.exp, "identity": None}


def kernels(layout: str, name: str, m: int, n: int, dtype: Any, out: Any, target: Any) -> dict[str, Any]:
    """Return the kernel that does both, and the two separate kernels."""
    narrow = min((dtype, out), key=lambda each: numpy_dtype(each).itemsize)
    if layout == "plain":
        one = ts.unary(name, m, n, dtype=dtype, out=out, order="FC", target=target)
        move = ts.transpose(n, m, dtype=narrow, target=target)
    elif layout == "plaint":
        one = ts.transpose(m, n, dtype=dtype, out=out, epilogue=FUNCTIONS[name], target=target)
        move = ts.transpose(m, n, dtype=narrow, target=target)
    else:
        one = ts.transform(layout, m, n, dtype, out=out, epilogue=FUNCTIONS[name], target=target)
        move = ts.transform(layout, m, n, narrow, target=target)
    return {"one": one, "moves": move, "computes": ts.unary(name, m, n, dtype=dtype, out=out, target=target)}


def measured(run: Run, target: Any, text: str, layout: str, name: str, dtype: Any, out: Any, m: int, n: int) -> Row:
    best = run.turns({who: native(each) for who, each in kernels(layout, name, m, n, dtype, out, target).items()})
    cycles = {who: each * run.frequency for who, each in best.items()}
    return {"target": target or "host", "request": text, "types": f"{dtype} to {out}", "shape": f"{m} x {n}", **cycles,
            "apart": (best["moves"] + best["computes"]) / best["one"]}


BENCH = Bench("moved", __doc__, lambda run: [
    Table("moved", "target; request; types; shape; cycles=one:0; moves:0; computes:0; apart, times as long=apart:2",
          [(target, *case, *shape) for target in run.options.targets or (None, "avx2") for case in CASES
           for shape in SHAPES], measured)], {"targets": {"nargs": "*"}}, seconds=0.05)

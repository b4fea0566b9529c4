"""Compare kernels on arrays that begin at a cache line with the same on arrays 16 bytes behind one, as numpy's are.

python -m tests.bench.aligned [SECONDS]
"""

import numpy as np

import tilesmith as ts
from tilesmith.runtime.bench.operands import at, filled, native
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main

SHAPES = (64, 384), (256, 384), (128, 1024)
COMPOSITES = ("layernorm", "rmsnorm", "softmax")
BEHIND = 16
"""Bytes from a cache line to the first element of a large array of numpy."""


def measured(run: Run, name: str, m: int, n: int) -> Row:
    kernel, rng = ts.fused(name, m, n), np.random.default_rng(0)
    best = run.turns({key: native(kernel, [filled(at(each.shape, each.dtype, offset, 64), rng)
                                           for each in kernel.spec.operands])
                      for key, offset in (("line", 0), ("behind", BEHIND))})
    return {"layer": name, "shape": f"{m} x {n}", **{key: each / (m * n) for key, each in best.items()},
            "ratio": best["behind"] / best["line"]}


BENCH = Bench("aligned", __doc__, (
    Table("aligned", "layer; rows x columns=shape; at a line, ns/element=line:3n; "
          f"{BEHIND} bytes behind=behind:3n; ratio:2",
          [(name, *shape) for name in COMPOSITES for shape in SHAPES], measured),),
    {"seconds": {"type": float, "nargs": "?", "default": 1.0}}, quick=("0.1",))

if __name__ == "__main__":
    main(BENCH)

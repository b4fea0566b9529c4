"""Measure the cost of a packed C: one kernel beside the plain product, and beside the product and a transform.

tilesmith bench packed_c
"""

from typing import Any

import tilesmith as ts
from tilesmith.runtime.bench.operands import native
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table

SIZES = ((32, 32, 32), (64, 64, 64), (64, 64, 512), (128, 128, 128))


def measured(run: Run, target: str | None, m: int, n: int, k: int) -> Row:
    request: dict[str, Any] = {"dtype": "bf16", "beta": 0, "target": target, "epilogue": ts.relu}
    best = run.turns({
        "packed": native(ts.brgemm(m, n, k, c_layout="vnni", **request)),
        "plain": native(ts.brgemm(m, n, k, **request)),
        "packs": native(ts.transform("vnni2", m, n, "bf16", target=target)),
    })
    return {"target": target or "host", "shape": f"{m} x {n} x {k}",
            **{who: each * run.frequency for who, each in best.items()},
            "of both": best["packed"] / (best["plain"] + best["packs"])}


BENCH = Bench("packed_c", __doc__, (
    Table("packed", "target; m x n x k, bf16=shape; cycles=packed:0; plain:0; transform=packs:0; of both:2",
          [(target, *size) for target in (None, "avx2") for size in SIZES], measured),))

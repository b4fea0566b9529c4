"""Count executed instructions on tile registers with rows given at the call, beside a fixed number of rows.

The emulator executes the kernels' bytes, so this runs on any host and says nothing about time. A row has the code bytes
of both kernels, the tile products, the tile loads and stores, and all other instructions, as "rows at the call / fixed
number of rows".
"""

from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main

ROWS = (1, 8, 16, 17, 64, 100, 256)
SHAPES = ((64, 64), (96, 512), (48, 32), (256, 64), (100, 100))
TYPES: tuple[tuple[tuple[str, str, str], str], ...] = (
    (("bf16", "bf16", "f32"), "vnni"), (("bf16", "bf16", "f32"), "plain"), (("bf16", "bf16", "bf16"), "vnni"),
    (("u8", "i8", "i32"), "vnni"),
)


def executed(kernel: Any, m: int, n: int, k: int, types: tuple[str, str, str]) -> tuple[int, ...]:
    """Return the bytes, and the numbers of tile products, of tile loads and stores, and of other instructions of a
    call."""
    packed = kernel.spec.groups[1]
    b = (-(-k // packed), n, packed) if packed > 1 else (k, n)
    counts = kernel.emulate(*(np.zeros(each, numpy_dtype(t)) for each, t in zip(((m, k), b, (m, n)), types))).counts
    products, moves = (sum(count for name, count in counts.items() if name.startswith(prefix))
                       for prefix in ("tdp", ("tileload", "tilestore")))
    return len(kernel.code), products, moves, sum(counts.values()) - products - moves


def measured(run: Run, types: Any, layout: str, n: int, k: int, m: int) -> Row:
    request: dict[str, Any] = {"dtype": types, "target": "amx", "beta": 0, "b_layout": layout}
    both = (executed(ts.brgemm(rows, n, k, **request), m, n, k, types) for rows in (ts.RUNTIME, m))
    pairs = dict(zip(("bytes", "products", "moves", "others"), (f"{one} / {other}" for one, other in zip(*both))))
    return {"types": f"{','.join(types)} {layout}", "n x k": f"{n} x {k}", "rows": m, **pairs}


BENCH = Bench("rows_on_tiles", __doc__, (
    Table("tiles", "types; n x k; rows; bytes; tile products=products; loads, stores=moves; others",
          [(*types, *shape, m) for types in TYPES for shape in SHAPES for m in ROWS], measured),))

if __name__ == "__main__":
    main(BENCH)

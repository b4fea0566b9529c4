"""Count executed instructions on tile registers with rows given at the call, beside a fixed number of rows.

    python -m tests.bench.rows_on_tiles

The emulator executes the kernels' bytes, so this runs on any host and says nothing about time. Each line shows the
product and the code bytes of both kernels. For each number of rows it shows the tile products, the tile loads and
stores, and all other instructions, as "rows at the call / fixed number of rows".
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import numpy_dtype

ROWS = (1, 8, 16, 17, 64, 100, 256)
SHAPES = ((64, 64), (96, 512), (48, 32), (256, 64), (100, 100))
TYPES: tuple[tuple[tuple[str, str, str], dict[str, str]], ...] = (
    (("bf16", "bf16", "f32"), {"b_layout": "vnni"}),
    (("bf16", "bf16", "f32"), {}),
    (("bf16", "bf16", "bf16"), {"b_layout": "vnni"}),
    (("u8", "i8", "i32"), {"b_layout": "vnni"}),
)


def executed(kernel: Any, m: int, n: int, k: int, types: tuple[str, str, str]) -> tuple[int, int, int]:
    """Return the numbers of tile products, of tile loads and stores, and of other instructions of a call."""
    packed = kernel.spec.groups[1]
    b = (-(-k // packed), n, packed) if packed > 1 else (k, n)
    arrays = [np.zeros(shape, numpy_dtype(dtype)) for shape, dtype in zip(((m, k), b, (m, n)), types)]
    counts = kernel.emulate(*arrays).counts
    products = sum(count for name, count in counts.items() if name.startswith("tdp"))
    moves = sum(count for name, count in counts.items() if name.startswith(("tileload", "tilestore")))
    return products, moves, sum(counts.values()) - products - moves


def main() -> None:
    """Print a line for each shape and type."""
    for types, layout in TYPES:
        for n, k in SHAPES:
            request: dict[str, Any] = {"dtype": types, "target": "amx", "beta": 0, **layout}
            counted = ts.brgemm(ts.RUNTIME, n, k, **request)
            parts = []
            for m in ROWS:
                fixed = ts.brgemm(m, n, k, **request)
                pairs = zip(executed(counted, m, n, k, types), executed(fixed, m, n, k, types))
                parts.append(f"{m}: " + " ".join(f"{one}/{other}" for one, other in pairs) + f" ({len(fixed.code)})")
            name = f"{','.join(types)} {''.join(layout.values())}"
            print(f"{name} n {n} k {k} ({len(counted.code)} bytes)  " + "; ".join(parts), flush=True)


if __name__ == "__main__":
    main()

"""Measure the cost of a packed C: one kernel beside the plain product, and beside the product and a transform.

python -m tests.bench.packed_c
"""

from __future__ import annotations

from typing import Any

import tilesmith as ts
from tests.bench.moved import native
from tilesmith.runtime.bench import measure

SIZES = ((32, 32, 32), (64, 64, 64), (64, 64, 512), (128, 128, 128))


def main() -> None:
    """Print one line for each size."""
    with measure.one_cpu():
        hertz = measure.frequency()
        for target in (None, "avx2"):
            for m, n, k in SIZES:
                request: dict[str, Any] = {"dtype": "bf16", "beta": 0, "target": target, "epilogue": ts.relu}
                kernels = {
                    "packed": native(ts.brgemm(m, n, k, c_layout="vnni", **request)),
                    "plain": native(ts.brgemm(m, n, k, **request)),
                    "packs": native(ts.transform("vnni2", m, n, "bf16", target=target)),
                }
                found = measure.seconds_per_call(kernels, 0.1)
                packed, plain, packs = (found[who].best * hertz for who in kernels)
                print(f"{target or 'host':5} {m} x {n} x {k} bf16: {packed:9,.0f} cycles; plain {plain:9,.0f}, "
                      f"transform {packs:7,.0f}: {packed / (plain + packs):.2f} of both")  # fmt: skip


if __name__ == "__main__":
    main()

"""AND, OR and XOR of 8-byte elements were taken as a whole if half of a vector was undefined, so the defined half no
longer matched the same instruction on other data. Proofs and equivalent mutants were missed. KORTEST of masks that hold
only constants raised an error in the prover."""

from __future__ import annotations

import numpy as np

import tilesmith as ts
from tilesmith.emulation.symbolic.lanes import Lanes
from tilesmith.emulation.symbolic.values import Table
from tilesmith.runtime.verify.check import verify


def test_elements_of_both_sizes_side_by_side() -> None:
    table = Table()
    small = [Lanes(table.bytes_of(table.inputs(name, 2, 4), 4), np.uint32, table) for name in "ab"]
    large = [Lanes(table.bytes_of(table.inputs(name, 1, 8), 8), np.uint64, table) for name in "cd"]
    alone = small[0] & small[1]
    beside = [np.concatenate([one.view(np.uint8), other.view(np.uint8)]) for one, other in zip(small, large)]
    made = (beside[0] & beside[1]).raw.reshape(-1)
    assert made[:8].tolist() == alone.raw.reshape(-1).tolist()
    assert made[8:].tolist() == (large[0] & large[1]).raw.reshape(-1).tolist()


def test_masks_of_constants() -> None:
    least, total = (ts.reduce(name, 4, 1, axis=1, target="avx512") for name in ("min", "sum"))
    assert not verify(least.code, least.target, total.spec, total.kind)

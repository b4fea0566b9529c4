"""The prover took an arithmetic shift of a mask for the number 0 or 1, and an unsigned mask below 0 for its condition.

So a kernel with an arithmetic shift in the place of a logical one could be proved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tilesmith.emulation.symbolic import machine as machine  # the import registers all rewrites
from tilesmith.emulation.symbolic.concrete import evaluated
from tilesmith.emulation.symbolic.lanes import Lanes
from tilesmith.emulation.symbolic.rewrites import SIMPLIFIERS
from tilesmith.emulation.symbolic.values import Table

CASES: dict[str, Callable[[Any], Any]] = {
    "arithmetic shift": lambda mask: mask >> np.int32(31),
    "logical shift": lambda mask: mask.view(np.uint32) >> np.uint32(31),
    "sign": lambda mask: mask < np.int32(0),
    "unsigned below 0": lambda mask: mask.view(np.uint32) < np.uint32(0),
}


@pytest.mark.parametrize("name", CASES)
def test_a_mask_has_the_bits_of_its_type(name: str) -> None:
    table = Table(SIMPLIFIERS)
    leaves = [int(table.inputs(each, 1, 4)[0]) for each in "xy"]
    x, y = (Lanes(table.bytes_of(np.array([leaf]), 4), np.int32, table) for leaf in leaves)
    made = CASES[name](-(x < y).astype(np.int32))
    node = int(made.nodes()[0])
    values = np.array([1, 2, 3], np.int32), np.array([2, 2, 2], np.int32)
    known = {leaf: each.view(np.uint8).reshape(3, 4) for leaf, each in zip(leaves, values)}
    found = evaluated(table, [node], lambda leaf: known[leaf], 3)[node].reshape(-1).view(made.dtype)
    assert np.array_equal(found, CASES[name](-(values[0] < values[1]).astype(np.int32)))

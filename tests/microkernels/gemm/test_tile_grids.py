"""The sizes of grids of tiles: grids other than 2 x 2 are chosen if loads or the interleaving of plain rows decide."""

from __future__ import annotations

import pytest

import tilesmith as ts
from tests.microkernels.gemm.test_tiles import emulate
from tests.mixed_cases import BF16, INTEGERS, SCALED, Mixed
from tilesmith.microkernels.gemm.plan import GemmPlan
from tilesmith.microkernels.gemm.search_tile import largest

PACKED = ("plain", "vnni")
GIVEN = ("given",) * 3


@pytest.mark.parametrize("layout", ["plain", "vnni"])
@pytest.mark.parametrize("dtype", ["bf16", "i8"])
def test_136_takes_no_longer_than_160(dtype, layout):
    """Rows of 136 elements cross cache lines and leave a tail of 8; rows of 160 do neither."""
    for order, packed in (("C", "b_layout"), ("F", "a_layout")):
        kernels = [ts.brgemm(n, n, 512, dtype=dtype, order=order, target="amx", **{packed: layout}) for n in (136, 160)]
        smaller, larger = (kernel.plan.cycles for kernel in kernels)
        assert smaller <= larger


CASES = {
    (6, 1, 6): Mixed(64, 96, 64, BF16, layouts=PACKED, gaps=(9, 0, 5), kinds=GIVEN, alpha=2),
    (2, 3, 6): Mixed(41, 72, 64, INTEGERS[2], layouts=PACKED, gaps=(0, 5, 7), kinds=GIVEN, values="any"),
    (2, 5, 6): Mixed(72, 535, 64, BF16),  # a tail of columns: the last panel has two rows of tiles
    (2, 4, 4): Mixed(97, 40, 130, SCALED[1], batch=ts.ADDRESS, count=2, beta=-2),
    (1, 4, 4): Mixed(64, 96, 66, BF16, batch=ts.OFFSET, count=3),  # a shorter last step of k has its own registers
}
"""Keyed by the rows and columns of tiles in the largest grid, and the most tiles of one panel."""


def grid_of(case):
    plan = ts.brgemm(**case.request, target="amx").plan
    product = plan if isinstance(plan, GemmPlan) else plan.product
    return tuple(largest(product.product, product.product.tile, product.panels))


@pytest.mark.parametrize("grid", CASES, ids=str)
def test_other_grids_than_2_x_2_give_the_same_bits(grid):
    assert grid_of(CASES[grid]) == grid
    emulate(CASES[grid])

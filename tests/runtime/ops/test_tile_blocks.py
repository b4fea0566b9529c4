"""Blocks of products on tile registers are within the bounds of scratch memory for every extent."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

import tilesmith as ts
from tilesmith.microkernels.dtypes import ELEMENT_BYTES
from tilesmith.runtime.ops.blocks import blocks, is_bounded, private
from tilesmith.runtime.ops.panel_blocks import with_transposed_blocks
from tilesmith.runtime.ops.schedules import Blocks
from tilesmith.runtime.ops.tile_blocks import for_tiles

EXTENTS = (1, 31, 200, 333, 1000, 4096, 9000, 65536)
TYPES: tuple[Any, ...] = ("bf16", ("bf16", "bf16", "f32"), ("u8", "i8", "i32"))


def plan_of(m: int, n: int, k: int, l2: int, turns: bool = False, **request: Any) -> tuple[Blocks, Any]:
    spec = ts.gemm_spec(m, n, k, **request)
    plan = for_tiles(private(blocks(spec, l2, 16, 2, 2), spec, l2, 2), spec, l2, turns)
    return with_transposed_blocks(plan, spec) if turns else plan, spec


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("l2", [1 << 20, 2 << 20])
def test_they_cut_the_product_and_are_bounded(dtype: Any, l2: int) -> None:
    orders = ("CCC", False), ("FCC", False), ("CFF", False), ("CFF", True)
    for (order, turns), m, n, k in product(orders, EXTENTS, EXTENTS, EXTENTS):
        plan, spec = plan_of(m, n, k, l2, turns, dtype=dtype, order=order)
        assert plan.fits(spec) and is_bounded(plan, spec, l2, 16), (order, m, n, k, plan)
        assert plan.packs_a or plan.whole == 1


@pytest.mark.parametrize(
    "dtype, size, expected",
    [
        ("bf16", (512, 512, 512), "a block of B for L2"),
        ("bf16", (1000, 1111, 999), "a block of B for L2"),
        ("bf16", (4096, 4096, 64), "a block of B for L2"),
        ("bf16", (4096, 4096, 4096), "sums in scratch memory"),
        (("u8", "i8", "i32"), (2048, 2048, 4096), "a block of B for L2"),
        ("bf16", (64, 512, 512), "other"),
        ("bf16", (64, 4096, 4096), "B packed by each worker"),
        (("bf16", "bf16", "f32"), (64, 4096, 4096), "B packed by each worker"),
    ],
)
def test_chosen_blocks(dtype: Any, size: tuple[int, int, int], expected: str) -> None:
    plan, spec = plan_of(*size, 2 << 20, dtype=dtype, beta=0.0)
    bytes_b = plan.nc * plan.kb * ELEMENT_BYTES[spec.dtypes[1]]
    held = plan.mb <= 32 and not plan.rb and bytes_b <= 2 << 20
    other = "B packed by each worker" if plan.own_b else "sums in scratch memory"
    assert expected == (other if plan.own_b or plan.rb else "a block of B for L2" if held else "other")

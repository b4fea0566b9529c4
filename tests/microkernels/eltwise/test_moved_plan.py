"""The way that parts of longer kernels take is the cheapest of all ways that claim no scratch memory."""

from __future__ import annotations

from typing import Any

import pytest

from tilesmith.microkernels.choice import choose
from tilesmith.microkernels.eltwise import moved_plan, orders
from tilesmith.microkernels.eltwise.moved_plan import MovedPlan
from tilesmith.microkernels.eltwise.spec import EltwiseSpec, eltwise_spec
from tilesmith.microkernels.machines.registry import TARGETS, facts_of


def requests(rows: int, columns: int) -> list[EltwiseSpec]:
    """Return copies, products with a column, and functions whose constants take registers."""
    shape = rows, columns
    return [
        eltwise_spec(lambda x: x, "copied", {"x": shape}, order={"y": "F"}),
        eltwise_spec(lambda x: x, "packed", {"x": shape}, dtype="bf16", layouts={"y": "vnni2t"}),
        eltwise_spec(lambda x, r: x * r, "scaled", {"x": shape, "r": (rows, 1)}, order={"x": "F"}, dtype="f64"),
        eltwise_spec(lambda x: (x * 3.0 + 0.7) / (x * x + 11.0), "fraction", {"x": shape}, order={"y": "F"}),
    ]


@pytest.mark.parametrize("target", ("sse", "avx2", "avx512", "neon", "sve256"))
@pytest.mark.parametrize("shape", [(9, 64), (48, 33), (64, 64), (1, 5)])
def test_the_cheapest_without_scratch(target: str, shape: tuple[int, int]) -> None:
    facts = facts_of(TARGETS[target])
    for spec in requests(*shape):
        moved = orders.moved(spec)
        if moved is None:  # a single row lies in both orders
            continue
        every = moved_plan.candidates(spec, facts, moved)
        able = [each for each in every if isinstance(each, MovedPlan) and not each.waits and not each.code.slots]
        found = moved_plan.without_scratch(spec, facts, moved)
        assert (found is None) == (not able)
        if found is not None:
            assert compared(found) == compared(choose(able))


def compared(plan: Any) -> tuple[Any, ...]:
    """Return the parts of a plan that its code depends on. Matrices with strides are compared by identity."""
    return plan.way, plan.code, plan.tiles.tile, plan.tiles.nest, plan.tiles.depth_first, plan.call_cycles

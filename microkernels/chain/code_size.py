"""Estimates of how many instructions the code of a traced function with products has."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..contract.machine import Facts
from ..eltwise.plan import EltwisePlan
from ..epilogue.plan import EpiloguePlan
from ..fused.plan import FusedPlan
from ..gemm.code_size import of_product
from ..gemm.plan import GemmPlan
from .parts import PlannedBlocks, PlannedStage
from .plan import ChainPlan

_OF_A_WALK = 12
"""Instructions of a walk outside its bodies, for loops and pointers."""


def of_chain(plan: ChainPlan, facts: Facts) -> float:
    """Return the instructions of all stages."""
    return of_parts((*plan.whole, *plan.rest), facts)


def of_parts(parts: Iterable[PlannedStage], facts: Facts) -> float:
    """Return the instructions of these stages."""
    return sum([_of_code(part.code, facts) for part in parts])


def _of_code(code: Any, facts: Facts) -> float:
    size = _SIZES.get(type(code))
    if size is not None:
        return size(code, facts)
    product = getattr(code, "product", None)
    return _of_code(product, facts) if product is not None else 0.0


def _of_epilogue(plan: EpiloguePlan, facts: Facts) -> float:
    if plan.code is None:
        return _of_code(plan.product, facts) + _of_code(plan.elementwise, facts)
    sums = sum([budget.sums * budget.times for budget in plan.budgets])
    return _of_code(plan.product, facts) + plan.code.operations * sums


def _of_elementwise(plan: EltwisePlan, facts: Facts) -> float:
    """Return the instructions of a walk: its body, and the one for the last columns."""
    bodies, rest = plan.columns // plan.columns_of_body, plan.columns % plan.columns_of_body
    vectors = (plan.columns_of_body if bodies else 0, rest)
    of_bodies = sum([plan.code.operations * -(-each // plan.vector) * plan.rows_of_body for each in vectors])
    return of_bodies + len(plan.code.resident) + _OF_A_WALK


def _of_rows(plan: FusedPlan, facts: Facts) -> float:
    return sum([len(each.lines) + len(each.resident) for each in plan.codes], _OF_A_WALK)


_SIZES: dict[type, Callable[[Any, Facts], float]] = {
    PlannedBlocks: lambda plan, facts: of_parts(plan.parts, facts),
    GemmPlan: of_product,
    EpiloguePlan: _of_epilogue,
    EltwisePlan: _of_elementwise,
    FusedPlan: _of_rows,
}
"""The instructions of each kind of code; any other has those of its product."""

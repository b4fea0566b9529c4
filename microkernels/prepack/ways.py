"""The ways to compute a product from its operands as they lie, or with some of them packed or transposed first."""

from __future__ import annotations

from typing import cast

from ..choice import Plan, Refusal, attempt, choose
from ..contract.machine import SCRATCH_LIMIT, Facts
from ..gemm import plan as direct
from ..gemm.plan import GemmPlan
from ..gemm.spec import GemmSpec
from . import block_plan, operand_plan
from .block_plan import BlockPrepackPlan
from .operand_plan import OperandPrepackPlan

ProductPlan = GemmPlan | BlockPrepackPlan | OperandPrepackPlan


def candidates(spec: GemmSpec, facts: Facts, room: int = SCRATCH_LIMIT) -> list[Plan | Refusal]:
    """The ways on a machine with these facts. What refuses first says why there is none.

    room: bytes of scratch memory for operands that are packed or transposed as a whole.
    """
    if operand_plan.applies(spec, facts):
        return operand_plan.candidates(spec, facts, room)
    lying = attempt("operands as they lie", lambda: direct.plan(spec, facts))
    if isinstance(lying, Plan) or spec.groups != (1, 1):
        return [lying]
    return [attempt("blocks of one operand packed", lambda: block_plan.packed(spec, facts, lying.error)), lying]


def plan(spec: GemmSpec, facts: Facts, room: int = SCRATCH_LIMIT) -> ProductPlan:
    """The way of the fewest cycles."""
    return cast(ProductPlan, choose(candidates(spec, facts, room)))

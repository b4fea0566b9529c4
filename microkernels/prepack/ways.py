"""The ways to compute a product from its operands as they lie, or with some of them packed or transposed first."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from ..choice import Refusal, best, refused
from ..contract.machine import SCRATCH_LIMIT, Facts
from ..gemm.plan import GemmPlan
from ..gemm.spec import GemmSpec
from . import block_plan, operand_plan
from .block_plan import PACKED_IN_BLOCKS, BlockPrepackPlan, NoHelp
from .operand_plan import OperandPrepackPlan

ProductPlan = GemmPlan | BlockPrepackPlan | OperandPrepackPlan


def candidates(spec: GemmSpec, facts: Facts, room: int = SCRATCH_LIMIT) -> list[ProductPlan | Refusal]:
    """The ways on a machine with these facts. What refuses first says why there is none.

    room: bytes of scratch memory for operands that are packed or transposed as a whole.
    """
    if operand_plan.applies(spec, facts):
        return [*operand_plan.candidates(spec, facts, room)]
    lying = operand_plan.as_they_lie(spec, facts)
    if isinstance(lying, GemmPlan):
        return [lying, refused(PACKED_IN_BLOCKS, "no need: the operands are multiplied as they lie")]
    if spec.groups != (1, 1):
        return [lying, refused(PACKED_IN_BLOCKS, "an operand comes packed, and only plain ones are transposed")]
    packed = block_plan.packed(spec, facts)
    if isinstance(packed, BlockPrepackPlan):
        return [replace(packed, way=PACKED_IN_BLOCKS), lying]
    return [lying, packed] if isinstance(packed.error, NoHelp) else [packed, lying]


def planned(spec: GemmSpec, facts: Facts, room: int = SCRATCH_LIMIT) -> ProductPlan | Refusal:
    """The way of the fewest cycles; the first refusal where there is none."""
    return cast(ProductPlan | Refusal, best(candidates(spec, facts, room)))

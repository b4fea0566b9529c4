"""The ways to compute a product from its operands as they lie, or with some of them packed or transposed first.

The planners of the latter are imported when a request needs one.
"""

from __future__ import annotations

from types import ModuleType
from typing import cast

from ...encoder.deferred import deferred
from ..choice import Refusal, best, refused
from ..contract.machine import SCRATCH_LIMIT, Facts
from ..dtypes import ELEMENT_BYTES
from ..gemm.plan import PACKED_IN_BLOCKS, GemmPlan, Prepacked, as_they_lie
from ..gemm.products import wants_changes
from ..gemm.spec import GemmSpec


@deferred
def _blocks() -> ModuleType:
    from . import block_plan

    return block_plan


@deferred
def _operands() -> ModuleType:
    from . import operand_plan

    return operand_plan


@deferred
def _copies() -> ModuleType:
    from . import copies_plan

    return copies_plan


def candidates(spec: GemmSpec, facts: Facts, room: int = SCRATCH_LIMIT) -> list[GemmPlan | Prepacked | Refusal]:
    """The ways on a machine with these facts. What refuses first says why there is none.

    room: bytes of scratch memory for operands that are packed or transposed as a whole.
    """
    if spec.names_hints:
        return [as_they_lie(spec, facts), refused(PACKED_IN_BLOCKS, "prefetch and streaming are for operands in place")]
    if wants_changes(spec, facts):
        return [*_operands().candidates(spec, facts, room)]
    lying = as_they_lie(spec, facts)
    if isinstance(lying, GemmPlan):
        twice = [_copies().candidate(lying, facts, room)] if facts.copies(ELEMENT_BYTES[spec.dtype]) > 1 else []
        return [lying, *twice, refused(PACKED_IN_BLOCKS, "no need: the operands are multiplied as they lie")]
    if spec.groups != (1, 1):
        return [lying, refused(PACKED_IN_BLOCKS, "an operand comes packed, and only plain ones are transposed")]
    return [*_blocks().candidates(spec, facts, lying)]


def planned(spec: GemmSpec, facts: Facts, room: int = SCRATCH_LIMIT) -> GemmPlan | Prepacked | Refusal:
    """The way of the fewest cycles; the first refusal where there is none."""
    return cast(GemmPlan | Prepacked | Refusal, best(candidates(spec, facts, room)))

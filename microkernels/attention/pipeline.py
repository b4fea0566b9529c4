"""The pipeline of attention, forward and backward."""

from __future__ import annotations

from collections.abc import Iterator

from ..choice import Pipeline, Plan, Refusal, Way
from ..contract.machine import Facts, Machine
from . import inverse_ways, ways
from .blocks import AttentionSchedule
from .emit import Emitter
from .few_emit import FewEmitter
from .inverse_emit import InverseEmitter, PairsEmitter
from .plan import AttentionPlan
from .spec import AttentionSpec
from .strip_emit import StripEmitter

EMITTERS: dict[AttentionSchedule, type[Emitter]] = {
    AttentionSchedule.BLOCKS: Emitter,
    AttentionSchedule.STRIPS: StripEmitter,
    AttentionSchedule.FEW: FewEmitter,
    AttentionSchedule.INVERSE: InverseEmitter,
    AttentionSchedule.PAIRS: PairsEmitter,
}


def _candidates(spec: AttentionSpec, facts: Facts) -> Iterator[Plan | Refusal | Way]:
    return inverse_ways.candidates(spec, facts) if spec.inverse else ways.candidates(spec, facts)


def emit(m: Machine, plan: AttentionPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    EMITTERS[plan.schedule](m, plan).run()
    m.leave()


ATTENTION = Pipeline(_candidates, {AttentionPlan: emit})

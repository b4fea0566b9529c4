"""The plan of a stack of products: that of one product, in a loop over the products. Pointers advance to the next
product after it."""

from __future__ import annotations

from dataclasses import replace

from ..choice import Refusal, refused
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..gemm.blocking import Scheme
from ..gemm.plan import UNPACKED, GemmPlan, planned
from ..operands import CACHE_LINE
from .spec import StackSpec


def near(plan: GemmPlan) -> bool:
    """Whether the pointers and distances of the loop over products stay in registers. Runtime leading dimensions, and
    units that claim registers for themselves, leave too few."""
    schemes = (Scheme.FMA, Scheme.ALONG_K, Scheme.DOT)
    return plan.product.fixed and all(panel.scheme in schemes for panel in plan.panels)


def steps(plan: GemmPlan) -> int:
    """Return the number of steps of k in all FMA blocks of one product."""
    panels = [panel for panel in plan.panels if panel.scheme is Scheme.FMA]
    return plan.product.k * sum(panel.repeat * block.repeat for panel in panels for block in panel.blocks)


def _ahead(plan: GemmPlan) -> int:
    """Return how many products ahead each step of k prefetches a cache line of each operand; 0 if the step's own
    instructions do not hide the prefetch. It is 2 for products that are faster than memory, if the steps cover all
    lines. If they do not cover all, the processor fetches more of the remaining lines in the product that comes
    next."""
    every = steps(plan)
    if not near(plan) or not every or plan.cycles < every * plan.tuning.stack_ahead_cycles:
        return 0
    spec = plan.spec
    largest = max(
        count * ELEMENT_BYTES[each.dtype]
        for count, each in zip((spec.m * spec.k, spec.k * spec.n, spec.m * spec.n), spec.operands)
    )
    short = plan.cycles < plan.tuning.stack_far_cycles
    return 2 if short and every * CACHE_LINE >= largest else 1


def candidates(spec: StackSpec, facts: Facts) -> list[GemmPlan | Refusal]:
    """Return the plan of the product without packing. A stack never packs operands."""
    gemm = facts.tuning.gemm
    straight = replace(gemm, straight_instructions=gemm.stack_straight_instructions)
    product = planned(spec.product, facts.weighed_by(facts.tuning.replaced(gemm=straight)))
    if isinstance(product, Refusal):
        return [refused(UNPACKED, f"{product.error} A stack packs no operand on the fly.")]
    return [replace(product, spec=spec, ahead=_ahead(product))]

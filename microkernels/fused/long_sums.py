"""Two-level sums along long rows: accumulators are regularly added to sums in memory and start again.

Each addition to an accumulator may lose half an ulp, always in the same direction if the elements are alike: softmax of
4096 numbers near 10^6 was off by 112 ulp with vectors of 8 f32. If an accumulator would take s elements, it takes about
sqrt(s) before it is added to memory, so an element passes at most 2 sqrt(s) roundings, plus those of the final fold.
Sums of powers are compensated instead (compensated.py). Where two levels cannot keep the promise of
codegen/long_sums.py, as rows are very long or a pass has a single accumulator, sums have the levels of that module.
"""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

from ..codegen.long_sums import MOST_TERMS, Levels, levels_of
from ..reduce.code import Output

if TYPE_CHECKING:
    from .parts import PassCode
    from .plan import FusedPlan

SHORT = 16
"""A sum of this many vectors per accumulator needs no second level. Blocks have at least half as many steps."""
MOST_OPERANDS = 8
"""With more operands than this, there may be no general register for the address of the sums in memory."""


def long_sums(plan: FusedPlan, each: PassCode) -> tuple[Output, ...]:
    """Return the sums of a pass that have a second level in memory; short rows have none."""
    loops = plan.columns // (each.vectors * plan.vector)
    pointers = len(plan.spec.operands) + bool(plan.scratch)
    if loops < SHORT or each.step.unroll == 1 or pointers > MOST_OPERANDS:
        return ()
    return tuple(
        output
        for output in each.outputs
        if output.adds and output.fold is not None and output.fold.vectors == 0 and output not in each.pool.compensated
    )


def levels(plan: FusedPlan, each: PassCode) -> Levels | None:
    """Return the levels of the sums of a pass, or None if two or fewer suffice."""
    sums = sums_of(each)
    steps = -(-plan.columns // (each.pool.accumulators * plan.vector))
    found = levels_of(steps, plan.vector) if sums else None
    if found is None or (long_sums(plan, each) == sums and 2 * (isqrt(steps) + 1) * plan.vector <= MOST_TERMS):
        return None
    return found


def slots_of_sums(plan: FusedPlan) -> int:
    """Return the vectors of scratch memory that the sums of long rows need, in any pass."""

    def slots(each: PassCode) -> int:
        deep = levels(plan, each)
        return len(long_sums(plan, each)) if deep is None else deep.depth * len(sums_of(each))

    return max(map(slots, plan.passes), default=0)


def depth_of_sums(plan: FusedPlan) -> int:
    """Return the most levels of the sums of long rows."""
    return max((deep.depth for each in plan.passes if (deep := levels(plan, each)) is not None), default=1)


def sums_of(each: PassCode) -> tuple[Output, ...]:
    """Return the sums of a pass that are not compensated."""
    return tuple(output for output in each.outputs if output.adds and output not in each.pool.compensated)


def block_of(loops: int) -> int:
    """Return the number of steps per block: near the square root of `loops`, and a divisor of it if one is near."""
    best = max(SHORT // 2, isqrt(loops))
    near = sorted(range(best * 3 // 4, best * 3 // 2), key=lambda steps: abs(steps - best))
    return next((steps for steps in near if loops % steps == 0), best)

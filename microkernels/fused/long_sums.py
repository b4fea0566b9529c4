"""Sums along long rows: after some elements the sums in registers are added to sums in memory, and start again.

A sum in one register loses up to half an ulp with each element, all in one direction where elements are alike: softmax
of 4096 numbers near 10^6 was off by 112 ulp on machines of 8 f32. Of the s elements that a register would take, sqrt(s)
are added to it before it is added to memory, so that 2 sqrt(s) roundings are left, and those of folding. Sums of powers
are compensated instead (compensated.py).
"""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING

from ..reduce.code import Output

if TYPE_CHECKING:
    from .parts import PassPlan
    from .plan import FusedPlan

SHORT = 16
"""Elements in a register that lose little: no block has fewer than half of them."""
MOST_OPERANDS = 8
"""Beside more of them there may be no general register for the address of sums in memory."""


def long_sums(plan: FusedPlan, each: PassPlan) -> tuple[Output, ...]:
    """The sums of a pass that lie in memory between blocks; none in short rows."""
    loops = plan.columns // (each.vectors * plan.vector)
    pointers = len(plan.spec.operands) + bool(plan.scratch)
    if loops < SHORT or each.step.unroll == 1 or pointers > MOST_OPERANDS:
        return ()
    return tuple(
        output
        for output in each.outputs
        if output.adds and output.fold is not None and output.fold.vectors == 0 and output not in each.pool.compensated
    )


def block_of(loops: int) -> int:
    """The steps of a block: near the square root of those of a row, and a number that divides them if there is one."""
    best = max(SHORT // 2, isqrt(loops))
    near = sorted(range(best * 3 // 4, best * 3 // 2), key=lambda steps: abs(steps - best))
    return next((steps for steps in near if loops % steps == 0), best)

"""The steps of embedding bags: the levels in memory of long sums."""

from __future__ import annotations

from collections.abc import Iterator

from ....microkernels.dtypes import ELEMENT_BYTES
from ....microkernels.gather.bag import BagPlan
from .chains import SCRATCH
from .claims import Claims
from .memory import THROUGHOUT, MatrixAccess, PlacedStep


def steps_of_bag(plan: BagPlan) -> Iterator[PlacedStep]:
    """Yield what happens to the levels for each block of columns of a bag: they are cleared, sums are laid by, and all
    are brought back."""
    claims = Claims()
    yield from claims.around(_levels(plan, claims))


def _levels(plan: BagPlan, claims: Claims) -> Iterator[PlacedStep]:
    if plan.levels is None:
        return
    base, size = claims.claim(plan.scratch_bytes), ELEMENT_BYTES[plan.spec.acc_dtype]
    full, rest = divmod(plan.spec.n, plan.together)
    for number, columns in enumerate([plan.together] * min(full, 2) + [rest] * bool(rest)):
        registers, lanes = -(-columns // plan.vector), min(plan.vector, columns)
        assert registers <= plan.accumulators, "each vector of sums has a register"
        levels = tuple(
            MatrixAccess(
                SCRATCH,
                base + level * registers * lanes * size,
                registers,
                lanes,
                size,
                lanes * size,
                f"level {level} of block {number}",
                when=THROUGHOUT,
            )
            for level in range(plan.levels.depth)
        )
        yield PlacedStep(f"levels of block {number} are cleared", (), levels)
        for level, (below, above) in enumerate(zip(levels, levels[1:])):
            yield PlacedStep(f"level {level} is laid by", (below, above), ())
        yield PlacedStep(f"levels of block {number} are brought back", levels, ())

"""How many steps of the loop over k a body writes out."""

from __future__ import annotations

from functools import lru_cache

from ..tuning.gemm import GemmTuning


def unroll(tuning: GemmTuning, instructions: float, steps: int, multiple: int = 1) -> int:
    """Return the steps in a loop body: all if they are few, else the multiple that leaves the smallest remainder."""
    if instructions * steps <= tuning.straight_instructions:
        return steps
    return _unrolled(max(1, int(tuning.body_instructions / instructions) // multiple), steps, multiple)


@lru_cache(maxsize=1024)
def _unrolled(most: int, steps: int, multiple: int) -> int:
    """Return the multiple with the smallest remainder, among `most` times `multiple` down to half of that."""
    candidates = range(multiple * most, multiple * max(1, most // 2) - 1, -multiple)
    rests = [steps % each for each in candidates]
    return candidates[rests.index(min(rests))]

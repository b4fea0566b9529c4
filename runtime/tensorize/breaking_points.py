"""UNIT's pairs of breaking points, as ways to cut a contraction: what the paper's tuner tries, in its order.

The data-parallel loops are cut at two points, each a loop and a tiling factor. Loops before the first one are fused and
dealt to the workers: here the loops outside of a tile and the blocks of the loop that is cut. Loops behind the second
one lie below those of the sum and are unrolled: here the vectors of a panel, whose rows the kernel's planner adds. What
is between them is serial. The paper begins with the most parallel iterations below 3,000 and the most unrolled ones
below 8 (Weng et al., section III.C.2), and so does the order here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.machines.registry import facts_of
from ...microkernels.tuning.contractions import CONTRACTIONS
from ..contraction.costs import Costs
from ..contraction.plan import grouped
from ..contraction.tiling import Tiling
from ..contraction.tuning import blocks_like
from .kernel import Tensorized


class BreakingPoints(NamedTuple):
    """A pair of breaking points.

    way        the loops that it makes
    parallel   the fused iterations that are dealt to workers
    unrolled   the vectors of accumulators beside each other in a step of the sum
    """

    way: Tiling
    parallel: int
    unrolled: int

    def __str__(self) -> str:
        return f"{self.parallel} parallel, {self.unrolled} unrolled: {self.way}"


def pairs_of(kernel: Tensorized) -> list[BreakingPoints]:
    """Return the pairs of a kernel whose factors lie as its plan says, in UNIT's order."""
    (choice,) = kernel.plan.parts
    facts = facts_of(kernel.target)
    lanes = kernel.target.vector_bits // 8 // max(4, ELEMENT_BYTES[choice.way.contraction.b.dtype])
    found = dict.fromkeys(
        BreakingPoints(way, _parallel(way), max(1, way.width // lanes))
        for each in blocks_like(choice, kernel.target)
        if _form(each) == _form(choice.way)
        for _, way in grouped(Costs(each, facts, kernel.threads), [each.width])
    )
    return ordered(list(found))


def _form(way: Tiling) -> tuple[bool, ...]:
    return way.copies, way.turned, way.spare, way.along


def _parallel(way: Tiling) -> int:
    """Return the parts that are dealt: tiles by groups of panels."""
    extents = way.contraction.extents
    tiles = -(-extents[way.loop] // way.block) if way.loop else 1
    return tiles * math.prod(extents[name] for name in way.dealt) * -(-way.b.panels // way.panels)


def ordered(pairs: Sequence[BreakingPoints]) -> list[BreakingPoints]:
    """Return pairs in UNIT's order: along diagonals from the pair nearest below both limits, those below first."""
    parallel = _ranks([each.parallel for each in pairs], CONTRACTIONS.parallel)
    unrolled = _ranks([each.unrolled for each in pairs], CONTRACTIONS.unrolled)
    return sorted(pairs, key=lambda pair: (parallel[pair.parallel] + unrolled[pair.unrolled], parallel[pair.parallel]))


def _ranks(values: Sequence[int], limit: int) -> dict[int, int]:
    """Return the place of each value: those below the limit come first, the largest first, then the others."""
    return {
        each: n for n, each in enumerate(sorted(set(values), key=lambda value: (value >= limit, abs(limit - value))))
    }

"""Products of attention on tile registers, forward (strip_plan.py) and backward (inverse_pairs_plan.py).

The kernel configures its tile registers once, and claims the scratch memory of products on tiles once. A product of a
remainder whose tiles have other shapes is configured separately.

The same blocks are planned for the stand-in of tiles: products by vector instructions that sum in the order of tiles
and give the same bits.
"""

from __future__ import annotations

from dataclasses import replace

from ..contract.dot_and_tile import HELD, TILED
from ..contract.machine import Facts
from ..gemm.plan import GemmPlan
from ..gemm.spec import GemmSpec
from .plan import AttentionPlanner
from .spec import AttentionSpec

TILE_BYTES = 13 << 10
"""The most scratch memory that products on tiles need: six tiles of C, six of X and one of Y, of 1 KiB each."""


def fits(spec: AttentionSpec, facts: Facts) -> bool:
    """Whether products can be on tiles: the type is bf16, and the machine has tiles or their stand-in is requested."""
    return spec.dtype == "bf16" and (spec.numerics == TILED or facts.tile(spec.dtype, spec.dtype) is not None)


class TilePlanner(AttentionPlanner):
    """Plans products on tiles, or on the vector instructions that stand in for tiles."""

    def even(self, most: int) -> int:
        """Return `most`: blocks are whole tiles."""
        return most

    def asked(self, spec: GemmSpec) -> GemmPlan:
        """Return the plan of a product whose tiles the kernel configures."""
        if self.spec.numerics == TILED:
            return super().asked(replace(spec, numerics=TILED))
        return super().asked(replace(spec, numerics="exact", tiles=HELD))

"""The plan of a stack of products: one product's register blocking, in a loop over the products."""

from __future__ import annotations

from dataclasses import replace

from ...encoder.records import dataclass
from ..choice import Refusal, refused
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..gemm.blocking import Scheme
from ..gemm.plan import UNPACKED, AroundProduct, GemmPlan, planned
from ..operands import CACHE_LINE
from .spec import StackSpec


@dataclass(frozen=True)
class StackPlan(AroundProduct):
    """The blocking of one product. Pointers advance to the next product after it."""

    spec: StackSpec
    product: GemmPlan

    @property
    def cycles(self) -> float:
        """Estimated cycles per product."""
        return self.product.cycles

    @property
    def call_cycles(self) -> float:
        """Estimated cycles per call: all products, or a likely number if the call gives it."""
        count = self.spec.stack if isinstance(self.spec.stack, int) else self.tuning.likely_pairs
        return float(self.cycles * count + (self.tuning.configure_cycles if self.tile_shapes else 0))

    @property
    def masks_stay(self) -> bool:
        """Whether a panel's masks and constants are set up before the loop over products."""
        return self.product.set_up_once

    @property
    def near(self) -> bool:
        """Whether the pointers and distances of the loop over products stay in registers. Runtime leading dimensions,
        and units that claim registers for themselves, leave too few."""
        fixed = self.product.product.fixed
        return fixed and all(panel.scheme in (Scheme.FMA, Scheme.ALONG_K, Scheme.DOT) for panel in self.product.panels)

    @property
    def steps(self) -> int:
        """The number of steps of k in all FMA blocks of one product."""
        panels = [panel for panel in self.product.panels if panel.scheme is Scheme.FMA]
        return self.product.product.k * sum(panel.repeat * block.repeat for panel in panels for block in panel.blocks)

    @property
    def ahead(self) -> int:
        """How many products ahead each step of k prefetches a cache line of each operand; 0 if the step's own
        instructions do not hide the prefetch. It is 2 for products that are faster than memory, if the steps cover all
        lines. If they do not cover all, the processor fetches more of the remaining lines in the product that comes
        next."""
        if not self.near or not self.steps or self.product.cycles < self.steps * self.tuning.stack_ahead_cycles:
            return 0
        spec = self.product.spec
        largest = max(
            count * ELEMENT_BYTES[each.dtype]
            for count, each in zip((spec.m * spec.k, spec.k * spec.n, spec.m * spec.n), spec.operands)
        )
        short = self.product.cycles < self.tuning.stack_far_cycles
        return 2 if short and self.steps * CACHE_LINE >= largest else 1

    def __str__(self) -> str:
        lines = [str(self.spec)]
        lines.append(f"  a loop over {self.spec.stack!r} products; bytes from one to the next are given at the call")
        if self.masks_stay:
            lines.append("  masks and constants are set once, before the loop")
        if self.ahead:
            which = "next product" if self.ahead == 1 else "product after the next one"
            lines.append(f"  each step of k prefetches a cache line of each operand of the {which}")
        return "\n".join([*lines, *(f"  {line}" for line in str(self.product).splitlines())])


def candidates(spec: StackSpec, facts: Facts) -> list[StackPlan | Refusal]:
    """Return the plan of the product without packing. A stack never packs operands."""
    gemm = facts.tuning.gemm
    straight = replace(gemm, straight_instructions=gemm.stack_straight_instructions)
    product = planned(spec.product, facts.weighed_by(facts.tuning.replaced(gemm=straight)))
    if isinstance(product, Refusal):
        return [refused(UNPACKED, f"{product.error} A stack packs no operand on the fly.")]
    return [StackPlan(spec, product, way=product.way, rejected=product.rejected)]

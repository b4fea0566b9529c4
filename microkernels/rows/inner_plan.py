"""The plan of a product whose call gives the extent along which C is contiguous: columns of a row-major C, rows of a
column-major one.

The product is computed in blocks of that extent: of the widest while as many are left, and then of half as many, down
to one. A block is a product of known extents, whose sums are in the order of k in every width, so that an element has
the same bits whatever the number is.
"""

from __future__ import annotations

from dataclasses import replace

from ..choice import Plan, Refusal, refused
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..gemm.plan import GemmPlan, planned
from ..gemm.spec import GemmSpec

WAY = "blocks along the lines of C"


def of_any_length(spec: GemmSpec, facts: Facts) -> list[Plan | Refusal]:
    """Return the plan of lines of any length, or the refusal. Operands are read as they lie."""
    if not (spec.batch is None or isinstance(spec.batch, int)):
        return [refused(WAY, f"{spec}: {spec.counted} along the lines of C takes one pair, or a known number of pairs")]
    vector = facts.widths[0] // 8 // ELEMENT_BYTES[spec.acc_dtype]
    blocks: list[GemmPlan] = []
    for power in reversed(range((4 * vector).bit_length())):
        found = planned(replace(spec.of(1 << power), ordered=True), facts)
        if isinstance(found, Refusal):
            return [found]
        blocks.append(found)
    if any(each.levels is not None for each in blocks):
        reason = f"sums of so many terms wait in memory, whose size {spec.counted} decides; add up products of fewer"
        return [refused(WAY, f"{spec}: {reason}")]
    return [replace(blocks[0], spec=spec, along=tuple(blocks), way=WAY)]

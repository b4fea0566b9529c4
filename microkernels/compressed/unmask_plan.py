"""The plan of an expanded block of weights that are bit masks and non-zeros: by vectors, or bit by bit."""

from __future__ import annotations

from ...encoder.records import dataclass
from ..choice import Plan, Refusal, refused
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from .unmask_spec import UnmaskSpec

BY_VECTORS, BY_BITS = "vectors", "single elements"


@dataclass(frozen=True)
class UnmaskPlan(Plan):
    """How a block is expanded.

    vector  elements of a vector; 0: elements are moved one by one
    """

    spec: UnmaskSpec
    vector: int
    cycles: float

    def __str__(self) -> str:
        way = f"vectors of {self.vector} elements" if self.vector else "single elements"
        return f"{self.spec}\n{way}; {self.cycles:.0f} cycles"


def candidates(spec: UnmaskSpec, facts: Facts) -> list[UnmaskPlan | Refusal]:
    """Return both ways."""
    size, count = ELEMENT_BYTES[spec.dtype], spec.groups * spec.group * spec.columns
    vector = facts.widths[0] // 8 // size
    bits = UnmaskPlan(spec, 0, 4.0 * count, way=BY_BITS)
    if size not in facts.expands:
        what = f"this target has no instruction that spreads elements of {size} bytes under a mask"
        return [refused(BY_VECTORS, what), bits]
    if not spec.packed and (spec.group > 1 or spec.out != spec.dtype):
        return [refused(BY_VECTORS, f"{spec.group} rows are side by side in the masks, and apart in the result"), bits]
    vectors = spec.groups * -(-spec.columns * spec.group // vector)
    return [UnmaskPlan(spec, vector, 4.0 * vectors, way=BY_VECTORS), bits]

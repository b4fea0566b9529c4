"""The plan of an expanded block of weights that are bit masks and non-zeros: by vectors, by the bits that are set,
or bit by bit."""

from __future__ import annotations

from ...encoder.records import dataclass
from ..choice import Plan, Refusal, refused
from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from .unmask_spec import UnmaskSpec

VECTORS, SET_BITS, BITS = "expanded vectors", "the bits that are set", "bit by bit"


@dataclass(frozen=True)
class UnmaskPlan(Plan):
    """How a block is expanded.

    how     in vectors; in the order of the bits that are set, after zeros were stored; or bit by bit
    vector  bytes of a vector
    """

    spec: UnmaskSpec
    how: str
    vector: int
    cycles: float

    def __str__(self) -> str:
        return f"{self.spec}\n{self.how}; {self.cycles:.0f} cycles"


def candidates(spec: UnmaskSpec, facts: Facts) -> list[UnmaskPlan | Refusal]:
    """Return all ways."""
    size, vector = ELEMENT_BYTES[spec.dtype], facts.widths[0] // 8
    count = spec.groups * spec.group * spec.columns
    linear = spec.packed or (spec.group == 1 and spec.out == spec.dtype)
    apart = f"{spec.group} rows are side by side in the masks, and apart in the result"
    made: list[UnmaskPlan | Refusal] = [UnmaskPlan(spec, BITS, vector, 12.0 * count, way=BITS)]
    if not linear:
        return [refused(VECTORS, apart), refused(SET_BITS, apart), *made]
    made.insert(0, UnmaskPlan(spec, SET_BITS, vector, 2.0 * count, way=SET_BITS))
    if size not in facts.expands:
        what = f"this target has no instruction that spreads elements of {size} bytes under a mask"
        return [refused(VECTORS, what), *made]
    return [UnmaskPlan(spec, VECTORS, vector, 4.0 * count * size / vector, way=VECTORS), *made]

"""Products with an extent given at the call whose other factor is first transposed or packed.

    scratch = B in the order and groups that the product needs        once per call, for any number of rows
    C = beta * C + alpha * A @ B                                      as in plan.py

Only the factor whose extents are known is changed. The changes are those of a product with NOMINAL_ROWS
(prepack/operand_plan.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from ...encoder.records import dataclass
from ..choice import Refusal, best
from ..contract.machine import SCRATCH_LIMIT, Facts
from ..gemm.plan import AroundProduct, Prepacked
from ..gemm.spec import GemmSpec
from ..operands import RUNTIME
from ..prepack.operand_plan import OperandPrepackPlan, packed_first
from .plan import RowsPlan, unpacked_plans
from .spec import RowsSpec


@dataclass(frozen=True)
class RowsPrepackPlan(Prepacked, AroundProduct):
    """The changes of layout, planned for NOMINAL_ROWS, and the product that follows."""

    spec: RowsSpec
    packed: OperandPrepackPlan
    product: RowsPlan

    @property
    def scratch(self) -> int:
        """Bytes of scratch memory."""
        return self.packed.scratch

    @property
    def cycles(self) -> float:
        """Estimated cycles of a call with NOMINAL_ROWS."""
        return sum(change.cycles for change in self.packed.changes.values()) + self.product.cycles

    @property
    def configure_cycles(self) -> float:
        """Estimated cycles to configure the tile registers for the product."""
        return self.product.configure_cycles

    def __str__(self) -> str:
        text = str(self.packed).splitlines()
        changes = text[1 : text.index("  then:") + 1]
        return "\n".join([str(self.spec), *changes, *(f"  {line}" for line in str(self.product).splitlines())])


def changed_first(spec: RowsSpec, facts: Facts, changes: Mapping[str, str], way: str) -> RowsPrepackPlan | Refusal:
    """Plan the product behind these changes of the factor whose extents are known, or return why it is impossible."""
    packed = packed_first(spec.product, facts, SCRATCH_LIMIT, changes, way)
    if isinstance(packed, Refusal):
        return packed
    of_packed = packed.product.spec
    values = {field.name: getattr(of_packed, field.name) for field in fields(GemmSpec)}
    product = best(unpacked_plans(RowsSpec(**{**values, spec.outer: RUNTIME}), facts))
    if isinstance(product, Refusal):
        return product._replace(way=way)
    return RowsPrepackPlan(spec, packed, product, way=way, rejected=product.rejected)

"""Products with an extent given at the call whose other factor is first transposed or packed.

    scratch = B in the order and groups that the product needs        once per call, for any number of rows
    C = beta * C + alpha * A @ B                                      as in plan.py

Only the factor whose extents are known is changed. The changes are those of a product with NOMINAL_ROWS
(prepack/operand_plan.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..choice import Refusal, best
from ..contract.machine import SCRATCH_LIMIT, Facts
from ..gemm.spec import GemmSpec
from ..prepack.operand_plan import OperandPrepackPlan, packed_first
from .plan import unpacked_plans


def changed_first(spec: GemmSpec, facts: Facts, changes: Mapping[str, str], way: str) -> OperandPrepackPlan | Refusal:
    """Plan the product behind these changes of the factor whose extents are known, or return why it is impossible. The
    changes are planned for NOMINAL_ROWS."""
    packed = packed_first(spec.likely, facts, SCRATCH_LIMIT, changes, way)
    if isinstance(packed, Refusal):
        return packed
    product = best(unpacked_plans(packed.product.spec.with_counted(spec.counted), facts))
    if isinstance(product, Refusal):
        return product._replace(way=way)
    return replace(packed.with_product(product), spec=spec, rejected=product.rejected)

"""Emit a product with an extent given at the call whose other factor is changed first (prepack_plan.py)."""

from __future__ import annotations

from ..contract.machine import Machine
from ..gemm.emit import registers
from ..prepack.operand_emit import changed
from ..transform.plan import vectors
from .emit import arguments_of, emit_product
from .prepack_plan import RowsPrepackPlan


def emit(m: Machine, plan: RowsPrepackPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(max(registers(plan.product.product), *(vectors(change) for change in plan.packed.changes.values())))
    extent, arguments = arguments_of(m, plan.spec)
    emit_product(m, plan.product, extent, changed(m, plan.packed, arguments, [extent]))
    m.leave()

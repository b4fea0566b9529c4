"""Emit a product with an extent given at the call whose other factor is changed first (prepack_plan.py)."""

from __future__ import annotations

from ..contract.machine import Machine
from ..gemm.emit import registers
from ..prepack.operand_emit import changed
from ..prepack.operand_plan import OperandPrepackPlan
from ..transform.plan import vectors
from .emit import arguments_of, emit_product
from .plan import RowsPlan


def emit(m: Machine, plan: OperandPrepackPlan) -> None:
    """Append the kernel to the machine's assembler."""
    product = plan.product
    assert isinstance(product, RowsPlan)
    m.enter(max(registers(product.product), *(vectors(change) for change in plan.changes.values())))
    extent, arguments = arguments_of(m, product.spec)
    emit_product(m, product, extent, changed(m, plan, arguments, [extent]))
    m.leave()

"""Emit a product with an extent given at the call whose other factor is changed first (prepack_plan.py)."""

from __future__ import annotations

from ..contract.machine import Machine
from ..gemm.plan import GemmPlan
from ..prepack.operand_emit import changed, registers
from ..prepack.operand_plan import OperandPrepackPlan
from .emit import arguments_of, emit_product


def emit(m: Machine, plan: OperandPrepackPlan) -> None:
    """Append the kernel to the machine's assembler."""
    assert isinstance(plan.product, GemmPlan)
    m.enter(registers(plan))
    extent, given = arguments_of(m, plan.spec)
    emit_product(m, plan.product, extent, changed(m, plan, list(given.values()), [extent]))
    m.leave()

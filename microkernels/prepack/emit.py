"""Emit products whose operands may be packed first. Each plan is dispatched to the module that emits it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ..contract.machine import General, Machine, Slot
from ..gemm import emit as gemm
from ..gemm.plan import GemmPlan
from ..gemm.spec import parameters
from ..gemm.state import KernelState
from . import block_emit, operand_emit
from .operand_plan import OperandPrepackPlan

if TYPE_CHECKING:
    from . import pair_emit

pair_emit = lazy(__package__, ".pair_emit")


def emit(m: Machine, plan: GemmPlan | OperandPrepackPlan) -> None:
    """Append the kernel to the machine's assembler."""
    if isinstance(plan, GemmPlan):
        gemm.emit(m, plan)
        return
    m.enter(registers(plan))
    given = m.named_arguments(parameters(plan.spec))
    emitted = partial(emit_product, m, plan, given.values(), ())
    m.by_count(given, plan.without_levels, emitted)


def registers(plan: GemmPlan | OperandPrepackPlan) -> int:
    """Return the number of vector registers that the kernel needs."""
    if isinstance(plan, GemmPlan):
        return gemm.registers(plan)
    return operand_emit.registers(plan)


def emit_product(
    m: Machine,
    plan: GemmPlan | OperandPrepackPlan,
    arguments: Iterable[General | Slot],
    preserved: Iterable[General | Slot] = (),
    long: bool = True,
) -> None:
    """Append the kernel without its prologue and epilogue. Registers and slots in `preserved` keep their values. long:
    as in KernelState, or whether pairs packed in blocks are many."""
    if isinstance(plan, GemmPlan):
        gemm.emit_product(KernelState(m, plan, list(arguments), long))
        return
    _module(plan).emit_product(m, plan.of_sums(long), arguments, preserved)


def _module(plan: OperandPrepackPlan) -> Any:
    if plan.loop is None:
        return operand_emit
    return pair_emit if plan.loop.by_pairs else block_emit

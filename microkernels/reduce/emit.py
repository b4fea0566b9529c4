"""Emits the code of a reduction from its plan; it makes no decisions of its own.

Down columns (axis 0), accumulators hold vectors of columns, and rows are added to them. Along rows there are a few
accumulators for one row, or one for each of several rows. A tree of shuffles folds the vectors of several rows into one
vector of results. If a row ends in the middle of a vector, the tail is loaded with zeros after it, which are replaced
by the identity of the operation.
"""

from __future__ import annotations

from contextlib import ExitStack

from ..contract.machine import General, Machine
from ..dtypes import ELEMENT_BYTES
from ..operands import RUNTIME, parameters
from .arg_blocks import ArgBlocks
from .columns import Columns
from .emitter import Traversal
from .multi_row import InterleavedRows
from .plan import ReducePlan
from .rows import RowByRow


def emit(m: Machine, plan: ReducePlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.vectors)
    emit_inside(m, plan, m.argument_registers(parameters(plan.spec.arguments)))
    m.leave()


def emit_inside(m: Machine, plan: ReducePlan, arguments: dict[str, General]) -> None:
    """The walk alone: the arguments of the call by name, in registers that it may change."""
    if plan.spec.ldx is RUNTIME:
        m.shift_left(arguments["ldx"], ELEMENT_BYTES[plan.spec.dtype].bit_length() - 1)
    walk = traversal_of(m, plan, arguments)
    with ExitStack() as scope:
        walk.claim_all(scope)
        walk.emit()


def traversal_of(m: Machine, plan: ReducePlan, arguments: dict[str, General]) -> Traversal:
    """What emits the plan, with its general registers; `ldx` is in bytes."""
    return _traversal_class(plan)(m, plan, arguments)


def _traversal_class(plan: ReducePlan) -> type[Traversal]:
    if plan.spec.axis == 0:
        return Columns
    if plan.interleaved_rows:
        return InterleavedRows
    return ArgBlocks if plan.searches_blocks else RowByRow

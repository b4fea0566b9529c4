"""The code of `BlocksPlan`: for each block of rows the expression and the move, one after the other."""

from __future__ import annotations

from collections.abc import Callable

from ..contract.machine import General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..operands import Operand, parameters
from ..transform.emit import Cursor, TransformEmitter
from ..transform.strides import Stride, StridedMatrix
from . import orders
from .blocks_plan import BlocksPlan, Half
from .emit import emit_walk

_WORKING = 8  # general registers of either half; callee-saved ones must be saved before any loop


def emit(m: Machine, plan: BlocksPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    names = [name for _, name in parameters(plan.spec.arguments)]
    emit_blocks(m, plan, dict(zip(names, m.arguments(len(names)))))
    m.leave()


def emit_blocks(m: Machine, plan: BlocksPlan, arguments: dict[str, General | Slot]) -> None:
    """Append the blocks, without the kernel's prologue and epilogue."""
    _Blocks(m, plan, arguments).run()


class _Blocks:
    """Pointers to the current block. Both halves leave them unchanged."""

    def __init__(self, m: Machine, plan: BlocksPlan, arguments: dict[str, General | Slot]) -> None:
        self.m, self.plan, self.turned = m, plan, plan.turned
        self.scratch = m.scratch(plan.scratch)
        self.pointers = {operand.name: _register(m, arguments[operand.name], operand.name)
                         for operand in plan.spec.operands}  # fmt: skip
        self.counter = m.counter("blocks")
        self.kept = [self.scratch, *self.pointers.values(), self.counter]
        given = plan.moved.given
        self.end = plan.turned.outputs[0] if plan.moved.at_loads else next(
            x for x in plan.turned.inputs if x.name == given)  # fmt: skip
        for _ in range(min(_WORKING, m.generals_left())):
            m.general("a block")
        m.reclaim(self.kept)

    def run(self) -> None:
        """Emit all blocks."""
        plan = self.plan
        if plan.whole is not None:
            with self.m.loop(self.counter, plan.blocks):
                self._block(plan.whole)
                if plan.blocks > 1 or plan.last is not None:
                    self._next(plan.whole.rows)
        if plan.last is not None:
            self._block(plan.last)

    def _block(self, half: Half) -> None:
        first: tuple[Callable[[Half], None], ...] = (self._compute, self._move)
        for each in first if self.plan.moved.at_loads else reversed(first):
            each(half)
            self.m.reclaim(self.kept)

    def _copied(self, value: General, role: str) -> General:
        register = self.m.general(role)
        self.m.copy(register, value)
        return register

    def _compute(self, half: Half) -> None:
        """Emit the expression, from or to scratch memory."""
        at = {**self.pointers, self.end.name: self.scratch}
        emit_walk(self.m, half.walk, {name: self._copied(value, name) for name, value in at.items()}, {})

    def _move(self, half: Half) -> None:
        """Emit the move of scratch memory to y, or of x to scratch memory."""
        m, spec, size = self.m, half.move.spec, ELEMENT_BYTES[self.end.dtype]
        ends = [self.scratch, self.pointers[self.end.name]]
        x, y = ends if self.plan.moved.at_loads else reversed(ends)
        leading = [each * size for each in (spec.ldx, spec.ldy) if isinstance(each, int)]
        cursors = [Cursor(m, self._copied(pointer, "block"), amount, "row")
                   for pointer, amount in zip((x, y), leading)]  # fmt: skip
        depth = sum(len(sizes) for _, sizes in half.move.nest)
        counters = [*(m.counter("loop") for _ in range(depth - 1)), m.general("innermost loop")]
        TransformEmitter(m, half.move, cursors[0], cursors[1], counters).run()

    def _next(self, rows: int) -> None:
        """Move the pointers to the next block."""
        for operand in self.turned.operands:
            step, leading = self._step(operand, rows), operand.view.leading
            assert isinstance(leading, int)
            self.m.advance(self.pointers[operand.name], step.bytes + step.leading * leading * _size(operand))

    def _step(self, operand: Operand, rows: int) -> Stride:
        where = self.turned.layout_of(operand)
        if not where:
            return Stride(0, rows if operand.rows > 1 else 0)
        size = _size(operand)
        return StridedMatrix(orders.memory(where, size), self.turned.m, self.turned.n, size, size).stride("i", rows)


def _size(operand: Operand) -> int:
    return ELEMENT_BYTES[operand.dtype]


def _register(m: Machine, value: General | Slot, role: str) -> General:
    """Return the value in a register."""
    if not isinstance(value, Slot):
        return value
    register = m.general(role)
    m.copy(register, value)
    return register

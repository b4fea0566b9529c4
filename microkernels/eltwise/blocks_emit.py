"""The code of `BlocksPlan`: for each block of rows the expression and the move, one after the other."""

from __future__ import annotations

from collections.abc import Callable

from ..contract.machine import SCRATCH_ALIGNMENT, General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from ..operands import Operand, parameters
from ..transform.emit import Cursor, TransformEmitter
from ..transform.strides import Stride, StridedMatrix
from . import orders
from .blocks_plan import BlocksPlan, Half
from .emit import emit_elementwise

_WORKING = 8  # general registers of either half; callee-saved ones must be saved before any loop


def emit(m: Machine, plan: BlocksPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    emit_blocks(m, plan, m.named_arguments(parameters(plan.spec.arguments)))
    m.leave()


def emit_blocks(m: Machine, plan: BlocksPlan, arguments: dict[str, General | Slot]) -> None:
    """Append the blocks, without the kernel's prologue and epilogue."""
    _Blocks(m, plan, arguments).run()


class _Blocks:
    """Pointers to the current block. Both halves leave them unchanged.

    Scratch memory starts with `scratch_bytes` bytes for spilled values. They are claimed here, because a claim inside
    the loop over the blocks would move the stack pointer for each block.
    """

    def __init__(self, m: Machine, plan: BlocksPlan, arguments: dict[str, General | Slot]) -> None:
        self.m, self.plan, self.transposed = m, plan, plan.transposed
        self.scratch_bytes = -(-plan.spilled * m.facts.widths[0] // 8 // SCRATCH_ALIGNMENT) * SCRATCH_ALIGNMENT
        self.scratch = m.scratch(self.scratch_bytes + plan.scratch)
        self.pointers = {
            operand.name: m.in_register(arguments[operand.name], operand.name) for operand in plan.spec.operands
        }
        self.counter = m.counter("blocks")
        self.kept = [self.scratch, *self.pointers.values(), self.counter]
        given = plan.moved.given
        self.end = (
            plan.transposed.outputs[0]
            if plan.moved.at_loads
            else next(x for x in plan.transposed.inputs if x.name == given)
        )
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

    def _in_scratch(self, role: str) -> General:
        """Return a register with the address of the block in scratch memory."""
        register = self._copied(self.scratch, role)
        if self.scratch_bytes:
            self.m.advance(register, self.scratch_bytes)
        return register

    def _compute(self, half: Half) -> None:
        """Emit the expression, from or to scratch memory."""
        at = {
            name: self._in_scratch(name) if name == self.end.name else self._copied(pointer, name)
            for name, pointer in self.pointers.items()
        }
        with self.m.scratch_within(self.scratch if self.scratch_bytes else None, self.scratch_bytes):
            emit_elementwise(self.m, half.elementwise, at, {})

    def _move(self, half: Half) -> None:
        """Emit the move of scratch memory to y, or of x to scratch memory."""
        m, spec, size = self.m, half.move.spec, ELEMENT_BYTES[self.end.dtype]
        leading = [each * size for each in (spec.ldx, spec.ldy) if isinstance(each, int)]
        in_scratch = (True, False) if self.plan.moved.at_loads else (False, True)
        pointer = self.pointers[self.end.name]
        cursors = [
            Cursor(m, self._in_scratch("block") if inside else self._copied(pointer, "block"), amount, "row")
            for inside, amount in zip(in_scratch, leading)
        ]
        depth = sum(len(sizes) for _, sizes in half.move.nest)
        counters = [*(m.counter("loop") for _ in range(depth - 1)), m.general("innermost loop")]
        TransformEmitter(m, half.move, cursors[0], cursors[1], counters).run()

    def _next(self, rows: int) -> None:
        """Move the pointers to the next block."""
        for operand in self.transposed.operands:
            step, leading = self._step(operand, rows), operand.view.leading
            assert isinstance(leading, int)
            self.m.advance(self.pointers[operand.name], step.bytes + step.leading * leading * _size(operand))

    def _step(self, operand: Operand, rows: int) -> Stride:
        where = self.transposed.layout_of(operand)
        if not where:
            return Stride(0, rows if operand.rows > 1 else 0)
        size = _size(operand)
        return StridedMatrix(orders.memory(where, size), self.transposed.m, self.transposed.n, size, size).stride(
            "i", rows
        )


def _size(operand: Operand) -> int:
    return ELEMENT_BYTES[operand.dtype]

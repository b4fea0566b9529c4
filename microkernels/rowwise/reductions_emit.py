"""Emit reductions along rows whose number is given at the call, exactly as planned (reductions_plan.py)."""

from __future__ import annotations

from contextlib import ExitStack

from ..contract.machine import General, Machine
from ..dtypes import ELEMENT_BYTES
from ..operands import RUNTIME
from ..reduce.emit import traversal_of
from ..reduce.emitter import Traversal
from ..reduce.plan import ReducePlan
from ..reduce.spec import ReduceSpec
from .plan import Code, Remainder, RowwisePlan


def emit(m: Machine, plan: RowwisePlan) -> None:
    """Append the kernel, but for its entry and its end."""
    arguments = m.argument_registers(plan.spec.interface.parameters())
    left = arguments.pop(plan.spec.extent)
    kernel = _Kernel(m, plan, arguments, left)
    if plan.blocks[0].rows == 1:
        kernel.singles()
    elif plan.remainder is Remainder.OVERLAPPED:
        kernel.overlapping()
    else:
        kernel.one_after_the_other()


class _Kernel:
    """The state of the kernel: pointers, which every walk advances past its rows, and the number of rows left."""

    def __init__(self, m: Machine, plan: RowwisePlan, arguments: dict[str, General], left: General) -> None:
        self.m, self.plan, self.arguments, self.left = m, plan, arguments, left
        assert isinstance(plan.spec, ReduceSpec)
        self.spec, self.size = plan.spec, ELEMENT_BYTES[plan.spec.dtype]
        if self.spec.ldx is RUNTIME:
            m.shift_left(arguments["ldx"], self.size.bit_length() - 1)
        self.kept = [*arguments.values(), left]
        self.scratch = m.to_slot(m.scratch(plan.bytes_of_scratch)) if plan.bytes_of_scratch else None
        if self.scratch is not None:
            self.kept.append(self.scratch)

    def overlapping(self) -> None:
        """Emit single rows if there are fewer than a block has, otherwise blocks, of which the last one ends with the
        last row."""
        m, left, (rows, code) = self.m, self.left, self.plan.blocks[0]
        missing, turns = m.general("rows that a block lacks"), m.counter("turns")
        self.kept += missing, turns
        m.copy(missing, rows)
        single = self._traversal(self.plan.blocks[-1].code)
        with m.within(left, missing):
            self._repeated(single, 1)
        block = self._traversal(code)
        with m.unless_zero(left), ExitStack() as scope:
            block.claim_all(scope)
            with m.loop(turns, 2):
                with m.while_at_least(left, rows):
                    block.emit()
                with m.unless_zero(left):
                    m.advance(missing, left, -1)
                    self._back(block, missing)
                    m.copy(left, rows)

    def one_after_the_other(self) -> None:
        """Emit blocks while enough rows are left, then single rows."""
        rows, code = self.plan.blocks[0]
        self._repeated(self._traversal(code), rows)
        self.singles()

    def singles(self) -> None:
        """Emit a loop over single rows."""
        self._repeated(self._traversal(self.plan.blocks[-1].code), 1)

    def _traversal(self, plan: Code) -> Traversal:
        """Return a walk with its general registers, among them those of the previous walk, which are free again."""
        assert isinstance(plan, ReducePlan)
        self.m.reclaim(self.kept)
        with self.m.scratch_within(self.scratch, self.plan.bytes_of_scratch):
            return traversal_of(self.m, plan, self.arguments)

    def _repeated(self, walk: Traversal, rows: int) -> None:
        """Emit the walk over `rows` rows, repeated while enough rows are left."""
        with ExitStack() as scope:
            walk.claim_all(scope)
            with self.m.while_at_least(self.left, rows):
                walk.emit()

    def _back(self, walk: Traversal, rows: General) -> None:
        """Move the pointers back by `rows` rows."""
        m, x, stride = self.m, self.arguments["x"], walk.stride
        results = [(self.arguments[y.name], ELEMENT_BYTES[y.dtype]) for y in self.spec.outputs]
        for pointer, size in results:
            m.advance(pointer, rows, -size)
        if isinstance(stride, int):
            m.advance(x, rows, -stride)
            return
        with m.while_at_least(rows, 1):
            m.advance(x, stride, -1)

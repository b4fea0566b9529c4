"""The code of guards of stacks of matrices, which come after those of their arrays."""

from __future__ import annotations

from ..scalar.machine import Register, Scalar, ScalarMemory
from ..system import cpython
from . import guards
from .guards import CallEntry, Stack, StackNoAlias
from .guards_code import GuardEmitter


class StackEmitter(GuardEmitter):
    """Adds the guards of stacks. The bytes that each stack spans stay on the stack until they are compared."""

    def __init__(self, entry: CallEntry, machine: Scalar) -> None:
        super().__init__(entry, machine)
        spans = [_span(guard) for guard in entry.guards if isinstance(guard, Stack)]
        self.slots |= {name: len(self.slots) + i for i, name in enumerate(spans)}

    def _count(self, guard: Stack) -> Register | ScalarMemory:
        return self.value("count") if guard.products is None else self.constant(guard.products)

    def _stack(self, guard: Stack, with_output: bool) -> None:
        """Check the count and the distance, and compute the bytes that all matrices span."""
        m, single = self.m, self.m.asm.label("single")
        m.move(m.x, ScalarMemory(self.args, 8 * guard.array.position))
        m.move(m.z, ScalarMemory(m.x, cpython.DIMENSIONS))
        m.move(m.y, ScalarMemory(m.z))
        if guard.known:
            self.unless(m.y, "!=", self._count(guard))
        else:
            self.unless(m.y, "<=", 0)
            m.move(self.value("count"), m.y)
        m.move(m.z, ScalarMemory(m.x, cpython.STRIDES))
        m.move(m.z, ScalarMemory(m.z))
        m.branch(m.y, "!=", 1, single)
        m.move(m.z, 0)  # the distance of a single matrix has no meaning
        m.asm.bind(single)
        self.unless(m.z, "<", 0)
        m.move(m.x, guards.FAR)
        self.unless(m.z, ">", m.x)
        self.multiple(m.z, guard.array.size)
        m.move(self.value(guard.stride), m.z)
        m.add(m.y, -1)
        m.multiply_checked(m.y, self.value(guard.stride), self.fail)
        self.extent(m.z, guard.extent)
        m.add_checked(m.y, m.z, self.fail)
        m.move(m.x, guards.FAR)
        self.unless(m.y, ">", m.x)
        m.move(self.slot(_span(guard)), m.y)

    def _stack_no_alias(self, guard: StackNoAlias, with_output: bool) -> None:
        """Compare two stacks as two arrays: fail if 0 < output - other + bytes of the output < bytes of both."""
        m, output, other = self.m, guard.output, guard.other
        alone = m.asm.label("alone")
        self.extent(m.y, output.extent)
        m.move(m.z, self._count(output))
        m.branch(m.z, "==", 1, alone)
        m.move(m.z, self.value(output.stride))
        self.unless(m.z, "<", m.y)
        m.asm.bind(alone)
        m.move(m.z, self.slot(_span(output)))
        m.move(m.y, self.slot(_span(other)))
        m.address(m.x, self.loaded(output.array.to, m.x), m.z, offset=-1)
        m.subtract(m.x, self.value(other.array.to))
        m.address(m.y, m.y, m.z, offset=-1)
        self.unless(m.x, "u<", m.y)


def _span(guard: Stack) -> str:
    return f" bytes of {guard.array.to}"

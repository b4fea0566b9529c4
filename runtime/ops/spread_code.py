"""A kernel on several workers, as a function with the kernel's own parameters, all of them 64-bit integers.

The function writes the table of the job's operands into its frame and begins a region. Each part of a stack has its own
operands, which are computed from the distances between matrices.
"""

from __future__ import annotations

from ...encoder.operands import Label
from ...encoder.records import NamedTuple
from ..scalar.machine import Operand, Scalar, ScalarMemory

OWN = 4
"""The number of operands of a part: the first matrices of A, B and C, and the number of products."""
_MATRICES = 3
_WORD = 8


class StackCall(NamedTuple):
    """Emits the function for a stack of products.

    parameters   the number of the kernel's parameters: three matrices, the count if the call gives it, then those
                 that all parts share, of which the first three are the distances between matrices
    products     the number of products; None: the call gives it
    workers      the workers of the region
    cycles       the cycles of one product on one thread
    """

    parameters: int
    products: int | None
    workers: int
    cycles: int

    def emit(self, m: Scalar, job: int, region: int | Label) -> None:
        """Emit void spread_stack(a, b, c[, count], distances, leading dimensions)."""
        shared = _MATRICES + (self.products is None)
        first, part, own, behind, count = m.kept
        table = OWN * self.workers
        distances, matrices = table, table + self.parameters - shared
        m.begin("spread_stack")
        m.open(matrices + _MATRICES, m.kept)
        for number in range(self.parameters):
            place = matrices + number if number < _MATRICES else table + number - shared
            if number == _MATRICES != shared:
                m.move(count, m.given(number))
            else:
                _keep(m, place, m.given(number))
        if self.products is not None:
            m.move(count, self.products)
        m.move(first, 0)
        m.move(part, 1)
        m.address(own, m.stack, offset=0)
        top = m.asm.label()
        m.asm.bind(top)
        m.move(behind, self.workers)  # count * part // workers
        m.move(m.x, count)
        m.multiply(m.x, part)
        m.divide(behind)
        m.move(behind, m.x)
        m.subtract(m.x, first)
        m.move(ScalarMemory(own, _WORD * _MATRICES), m.x)
        for number in range(_MATRICES):
            m.move(m.x, first)
            m.multiply(m.x, m.slot(distances + number))
            m.add(m.x, m.slot(matrices + number))
            m.move(ScalarMemory(own, _WORD * number), m.x)
        m.move(first, behind)
        m.add(own, _WORD * OWN)
        m.add(part, 1)
        m.branch(part, "<=", self.workers, top)
        m.multiply(count, self.cycles)
        m.address(own, m.stack, offset=0)
        for register, value in zip(m.arguments, (job, own, self.workers, count)):
            m.move(register, value)
        m.call(region)
        m.close()
        m.ret()


class TableCall(NamedTuple):
    """Emits the function for any other kernel.

    parameters   the number of the kernel's parameters, which are the job's operands
    workers      the workers of the region
    number       the region's last argument: the number of parts that workers claim, or the cycles
    """

    parameters: int
    workers: int
    number: int

    def emit(self, m: Scalar, job: int, region: int | Label) -> None:
        """Emit void spread(...)."""
        m.begin("spread")
        m.open(self.parameters)
        for number in range(self.parameters):
            _keep(m, number, m.given(number))
        m.address(m.x, m.stack, offset=0)
        for register, value in zip(m.arguments, (job, m.x, self.workers, self.number)):
            m.move(register, value)
        m.call(region)
        m.close()
        m.ret()


def _keep(m: Scalar, slot: int, value: Operand) -> None:
    """Write an argument to the frame."""
    if isinstance(value, ScalarMemory):
        m.move(m.x, value)
        value = m.x
    m.move(m.slot(slot), value)

"""A call of a job whose operands are parameters, for the entries of kernels (runtime/fastcall).

    void called(a, b, c, long workers, void (*job)(void *const *argument, long worker, long workers), long cycles)

A job takes a table of its operands. The function builds the table of a product without scratch memory on its stack. One
worker runs the job alone; several run it as a region that `weighed` begins.
"""

from __future__ import annotations

from ...encoder.code import Code
from ..scalar.machine import Scalar

OPERANDS = 3
"""The parameters that are operands: a, b and c."""
_UNUSED = 4
"""Operands that such a product does not read: shared and own scratch memory, the barrier and its argument."""


def emit(m: Scalar, weighed: int) -> Code:
    """Emit `called`. `weighed` is the address of that function."""
    workers, job, cycles = m.arguments[OPERANDS : OPERANDS + 3]
    first, table, second, third = m.arguments[:4]
    several = m.asm.label("several")
    m.begin("called")
    m.open(OPERANDS + _UNUSED)
    for number, operand in enumerate(m.arguments[:OPERANDS]):
        m.move(m.slot(number), operand)
    for number in range(OPERANDS, OPERANDS + _UNUSED):
        m.move(m.slot(number), 0)
    m.address(table, m.stack, offset=m.slot(0).offset)
    m.branch(workers, ">", 1, several)
    m.move(first, table)
    m.move(table, 0)
    m.move(second, 1)
    m.call(job)
    m.close()
    m.ret()
    m.asm.bind(several)
    m.move(first, job)
    m.move(second, workers)
    m.move(third, cycles)
    m.call(weighed)
    m.close()
    m.ret()
    code: Code = m.asm.finish("ts_called")
    return code

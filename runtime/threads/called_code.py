"""A call of a product's job with its operands as parameters, for the entries of kernels (runtime/fastcall).

    void called(a, b, c, further operands..., long workers, const long *record)
    void called(a, b, c, further operands..., long workers, const long *record, scratch, long *slot)

A job takes a table of its operands, which the function builds on its stack. One worker runs the job alone; several run
it as a region that `weighed` begins. Afterwards the scratch memory is returned to its slot (runtime/ops/scratch.py).
"""

from __future__ import annotations

from ...encoder.code import Code
from ..scalar.machine import Memory, Scalar

JOB, CYCLES, SHARED, BARRIER, STATE = range(5)
"""The words of a record: the job, its cycles on one thread, the bytes of scratch memory that its workers share, which
lie before those of each worker, and the barrier with its argument."""
FIRST, SHARED_MEMORY, OWN_MEMORY, OF_BARRIER, REST = 3, 3, 4, 5, 7
"""Places in the table of operands. Further operands begin at REST."""


def emit(m: Scalar, weighed: int, operands: int, scratch: bool) -> Code:
    """Emit `called` for this many operands. `weighed` is the address of that function."""
    size = operands + REST - FIRST
    workers, record, memory, slot = (m.slot(size + number) for number in range(4))
    several, done = m.asm.label("several"), m.asm.label("done")
    m.begin("called")
    m.open(size + 4)
    places = [*(m.slot(each if each < FIRST else each + REST - FIRST) for each in range(operands)), workers, record]
    for number, place in enumerate([*places, memory, slot] if scratch else places):
        given = m.given(number)
        if isinstance(given, Memory):
            m.move(m.x, given)
            given = m.x
        m.move(place, given)
    m.move(m.x, record)
    m.move(m.y, memory if scratch else 0)
    m.move(m.slot(SHARED_MEMORY), m.y)
    if scratch:
        m.add(m.y, Memory(m.x, 8 * SHARED))
    m.move(m.slot(OWN_MEMORY), m.y)
    for number in range(2):
        m.move(m.y, Memory(m.x, 8 * (BARRIER + number)))
        m.move(m.slot(OF_BARRIER + number), m.y)
    first, second, third, fourth = m.arguments[:4]
    m.branch(workers, ">", 1, several)
    m.move(m.x, Memory(m.x, 8 * JOB))
    m.address(first, m.stack, offset=m.slot(0).offset)
    m.move(second, 0)
    m.move(third, 1)
    m.call(m.x)
    m.jump(done)
    m.asm.bind(several)
    m.move(first, Memory(m.x, 8 * JOB))
    m.move(fourth, Memory(m.x, 8 * CYCLES))
    m.address(second, m.stack, offset=m.slot(0).offset)
    m.move(third, workers)
    m.call(weighed)
    m.asm.bind(done)
    if scratch:
        m.move(m.x, memory)
        m.move(m.y, slot)
        m.move(Memory(m.y), m.x)
    m.close()
    m.ret()
    code: Code = m.asm.finish("ts_called")
    return code

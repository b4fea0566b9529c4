"""A call of a job with its operands as parameters, for the entries of kernels (runtime/fastcall).

    void called(operands..., long workers, const long *record)
    void called(operands..., long workers, const long *record, scratch, long *slot)

A job takes a table of its operands, which the function builds on its stack. One worker runs the job alone; several run
it as a region that `weighed` begins, or `claims` (region_code.py). Afterwards the scratch memory is returned to its
slot (runtime/loops/scratch.py).
"""

from __future__ import annotations

from ...encoder.code import Code
from ...encoder.records import NamedTuple
from ..scalar.machine import Scalar, ScalarMemory

JOB, NUMBER, SHARED, BARRIER, STATE, CLAIM, INNER = range(7)
"""The words of a record: the job, the region's last argument (its cycles on one thread for `weighed`, its parts for
`claims`), the bytes of scratch memory that its workers share, which lie before those of each worker, the barrier
with its argument, and the function of claims. From INNER on are the distances of inner results from the beginning of
the scratch memory."""


class JobTable(NamedTuple):
    """Positions in a job's table.

    operands   of each operand that the function is given
    shared     of the scratch memory that all workers share, or None
    own        of the workers' scratch memory
    barrier    of the barrier; its argument follows
    inner      of results in the shared scratch memory that the job itself reads, such as those between layers
    claims     whether the function of claims follows the barrier's argument
    """

    operands: tuple[int, ...]
    shared: int | None
    own: int
    barrier: int
    inner: tuple[int, ...] = ()
    claims: bool = False


def emit(m: Scalar, region: int, table: JobTable, scratch: bool) -> Code:
    """Emit `called` for a job with this table. `region` is the address of `weighed` or of `claims`."""
    size = 1 + max(*table.operands, *table.inner, table.own, table.barrier + 1 + table.claims)
    workers, record, memory, slot = (m.slot(size + number) for number in range(4))
    several, done = m.asm.label("several"), m.asm.label("done")
    m.begin("called")
    m.open(size + 4)
    given = [*(m.slot(each) for each in table.operands), workers, record, *([memory, slot] if scratch else [])]
    for number, place in enumerate(given):
        value = m.given(number)
        if isinstance(value, ScalarMemory):
            m.move(m.x, value)
            value = m.x
        m.move(place, value)
    m.move(m.x, record)
    _fill(m, table, memory if scratch else None)
    first, second, third, fourth = m.arguments[:4]
    m.branch(workers, ">", 1, several)
    m.move(m.x, ScalarMemory(m.x, 8 * JOB))
    m.address(first, m.stack, offset=m.slot(0).offset)
    m.move(second, 0)
    m.move(third, 1)
    m.call(m.x)
    m.jump(done)
    m.asm.bind(several)
    m.move(first, ScalarMemory(m.x, 8 * JOB))
    m.move(fourth, ScalarMemory(m.x, 8 * NUMBER))
    m.address(second, m.stack, offset=m.slot(0).offset)
    m.move(third, workers)
    m.call(region)
    m.asm.bind(done)
    if scratch:
        m.move(m.x, memory)
        m.move(m.y, slot)
        m.move(ScalarMemory(m.y), m.x)
    m.close()
    m.ret()
    code: Code = m.asm.finish("ts_called")
    return code


def _fill(m: Scalar, table: JobTable, scratch: ScalarMemory | None) -> None:
    """Fill the table's words that come from scratch memory and from the record, whose address is in m.x."""
    if table.shared is not None:
        m.move(m.y, scratch or 0)
        m.move(m.slot(table.shared), m.y)
    for position, word in [(table.own, SHARED), *((each, INNER + n) for n, each in enumerate(table.inner))]:
        m.move(m.y, scratch or 0)
        if scratch:
            m.add(m.y, ScalarMemory(m.x, 8 * word))
        m.move(m.slot(position), m.y)
    for number in range(2 + table.claims):
        m.move(m.y, ScalarMemory(m.x, 8 * (BARRIER + number)))
        m.move(m.slot(table.barrier + number), m.y)

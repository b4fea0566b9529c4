"""Where a worker wakes up: on another processor than its caller's.

Linux tends to wake a thread on the processor of the thread that wakes it. There the worker preempts its caller, since
it is due, runs its part, and spins for another one, all before the caller runs its own part: the region runs on one
processor while another is idle. Therefore a caller that finds a worker asleep sets the worker's affinity to its own,
without the processor that it runs on. This is repeated only if the caller has moved since then.
"""

from __future__ import annotations

from ..scalar.machine import Register, ScalarMemory
from . import layout
from .verbs import Verbs

_SET = 128  # bytes: 1024 processors
SLOTS = 2 + _SET // 8
"""Slots of the frame: the caller's processor, the size of a set of processors, the set."""


def leave_callers_processor(v: Verbs, line: Register, slot: int) -> None:
    """Emit the change of affinity for a line's sleeping worker. Uses slots from `slot` on; overwrites x, y and z.

    If the set becomes empty, because the caller has a single processor, the system refuses it and nothing changes. The
    system also refuses the size of the set if there may be more than 1024 processors, so no processor number lies
    beyond the set.
    """
    m, asm = v.m, v.m.asm
    done = asm.label()
    here, size, found = ScalarMemory(m.stack, 8 * slot, 4), m.slot(slot + 1), 8 * (slot + 2)
    m.address(m.x, m.stack, offset=8 * slot)
    v.system("getcpu", m.x, 0, 0)
    m.branch(v.answer, "!=", 0, done)  # a sandbox that lacks the call
    m.move(m.x, here)
    m.branch(m.x, "==", ScalarMemory(line, layout.APART), done)
    m.move(ScalarMemory(line, layout.APART), m.x)
    m.address(m.x, m.stack, offset=found)
    v.system("sched_getaffinity", 0, _SET, m.x)
    m.branch(v.answer, "<=", 0, done)
    m.move(size, v.answer)
    m.move(m.y, here)
    v.clear_bit(ScalarMemory(m.stack, found), m.y)
    m.address(m.x, m.stack, offset=found)
    v.system("sched_setaffinity", ScalarMemory(line, layout.THREAD), size, m.x)
    asm.bind(done)

"""Where a worker wakes up: on another processor than its caller's.

Linux tends to wake a thread on the processor of the one that wakes it. There it stops its caller, for it is due, runs
its part, and spins for another, all before the caller's own part: a region on one processor while another is idle. So
a caller that finds a worker asleep takes its own processor out of that worker's affinity, which becomes the caller's in
all else. That is done again only where the caller has moved meanwhile.
"""

from __future__ import annotations

from ..scalar.machine import Memory, Register
from . import layout
from .verbs import Verbs

_SET = 128  # bytes: 1024 processors
SLOTS = 2 + _SET // 8
"""Of the frame: the caller's processor, the size of a set of processors, the set."""


def keep_apart(v: Verbs, line: Register, slot: int) -> None:
    """For the worker of a line, which sleeps; slots of the frame from `slot` on. Loses x, y and z.

    A set that is empty then, for a caller with one processor, the system refuses, and all stays as it is. It refuses
    the size of the set where there may be more than 1024 processors, so none of their numbers lies beyond the set.
    """
    m, asm = v.m, v.m.asm
    done = asm.label()
    here, size, found = Memory(m.stack, 8 * slot, 4), m.slot(slot + 1), 8 * (slot + 2)
    m.address(m.x, m.stack, offset=8 * slot)
    v.system("getcpu", m.x, 0, 0)
    m.branch(v.answer, "!=", 0, done)  # a sandbox without it
    m.move(m.x, here)
    m.branch(m.x, "==", Memory(line, layout.APART), done)
    m.move(Memory(line, layout.APART), m.x)
    m.address(m.x, m.stack, offset=found)
    v.system("sched_getaffinity", 0, _SET, m.x)
    m.branch(v.answer, "<=", 0, done)
    m.move(size, v.answer)
    m.move(m.y, here)
    v.clear_bit(Memory(m.stack, found), m.y)
    m.address(m.x, m.stack, offset=found)
    v.system("sched_setaffinity", Memory(line, layout.THREAD), size, m.x)
    asm.bind(done)

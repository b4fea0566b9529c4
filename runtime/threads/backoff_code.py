"""When callers work alone for a while: a join so late that one thread would have been faster.

Another program on one of the cores stops a worker in the midst of its part, for milliseconds. Such a join lets callers
work alone for LEAST_BACKOFF, and twice as long after each further one, up to MOST_BACKOFF. A time as long as that
without one halves it.
"""

from __future__ import annotations

from ...encoder.operands import Label
from ..scalar.machine import Memory, Register
from . import layout
from .verbs import Verbs


def refuse_early(v: Verbs, state: Register, now: Memory, refused: Label) -> None:
    """Jump to the label while the pool backs off."""
    m, usual = v.m, v.m.asm.label()
    m.branch(Memory(state, layout.BACKOFF), "==", 0, usual)
    m.move(m.x, now)
    m.branch(m.x, "<", Memory(state, layout.UNTIL), refused)
    m.asm.bind(usual)


def begin(v: Verbs, state: Register, settings: int) -> None:
    """Back off from now on, twice as long as before. Loses x, y and z."""
    m, asm = v.m, v.m.asm
    enough, few = asm.label(), asm.label()
    m.increment(Memory(state, layout.LATE_JOINS))
    m.move(m.x, Memory(state, layout.BACKOFF))
    m.address(m.x, m.x, m.x)
    m.move(m.y, settings)
    m.branch(m.x, ">=", Memory(m.y, layout.LEAST_BACKOFF), enough)
    m.move(m.x, Memory(m.y, layout.LEAST_BACKOFF))
    asm.bind(enough)
    m.branch(m.x, "<=", Memory(m.y, layout.MOST_BACKOFF), few)
    m.move(m.x, Memory(m.y, layout.MOST_BACKOFF))
    asm.bind(few)
    m.move(Memory(state, layout.BACKOFF), m.x)
    v.ticks(m.x)
    m.add(m.x, Memory(state, layout.BACKOFF))
    m.move(Memory(state, layout.UNTIL), m.x)


def judge(v: Verbs, state: Register, settings: int, kept: tuple[Register, Register, Register],
          slots: tuple[int, int]) -> None:  # fmt: skip
    """After a join. kept: whether it waited, the number of workers, a free register; slots: start and own time.

    Late: the caller waited for longer than all other parts would have taken it, as long as its own each, and LATENESS.
    """
    m, asm = v.m, v.m.asm
    waited, workers, free = kept
    good, judged, keep = asm.label(), asm.label(), asm.label()
    started, own = (m.slot(number) for number in slots)
    m.branch(waited, "==", 0, good)
    v.ticks(free)
    m.subtract(free, started)  # own time and waiting
    m.multiply(workers, own)
    m.subtract(free, workers)
    m.move(m.y, settings)
    m.branch(free, "<", Memory(m.y, layout.LATENESS), good)
    begin(v, state, settings)
    m.jump(judged)
    asm.bind(good)
    m.branch(Memory(state, layout.BACKOFF), "==", 0, judged)
    v.ticks(free)
    m.move(m.x, free)
    m.subtract(m.x, Memory(state, layout.UNTIL))
    m.branch(m.x, "<", Memory(state, layout.BACKOFF), judged)
    m.move(Memory(state, layout.UNTIL), free)
    m.move(m.x, Memory(state, layout.BACKOFF))
    m.shift_right(m.x, 1)
    m.move(m.y, settings)
    m.branch(m.x, ">=", Memory(m.y, layout.LEAST_BACKOFF), keep)
    m.move(m.x, 0)
    asm.bind(keep)
    m.move(Memory(state, layout.BACKOFF), m.x)
    asm.bind(judged)

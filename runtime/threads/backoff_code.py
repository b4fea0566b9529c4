"""When callers run their regions alone for a while, because processors are scarce and one thread is faster.

There are two reasons to back off. A late join: another program on one of the processors stops a worker in the middle of
its part, for milliseconds, so that one thread would have been done earlier. Regions in vain: the workers do not get to
run at all, and callers take back every part, for HOPE on end. Only regions longer than PROMPT count, in which a running
worker would have come; such workers only take time from their caller.

Either reason makes callers work alone for LEAST_BACKOFF, and twice as long after each further time, up to MOST_BACKOFF.
They also work alone for at least eight times the time that was lost, so that a stop costs a small share of the time,
however long it is. Regions in which workers help, once they add up to the length of the backoff, halve it. Time without
regions changes nothing.
"""

from __future__ import annotations

from ...encoder.operands import Label
from ..scalar.machine import Register, ScalarMemory
from . import layout
from .verbs import Verbs

_WORTH = 8


def refuse_early(v: Verbs, state: Register, now: ScalarMemory, refused: Label) -> None:
    """Jump to `refused` while the pool backs off."""
    m, usual = v.m, v.m.asm.label()
    m.branch(ScalarMemory(state, layout.BACKOFF), "==", 0, usual)
    m.move(m.x, now)
    m.branch(m.x, "<", ScalarMemory(state, layout.UNTIL), refused)
    m.asm.bind(usual)


def begin(v: Verbs, state: Register, settings: int, lost: Register) -> None:
    """Start to back off: for twice as long as before, and at least _WORTH times the time `lost`. Overwrites x, y, z and
    `lost`."""
    m, asm = v.m, v.m.asm
    twice, enough, few = (asm.label() for _ in range(3))
    m.increment(ScalarMemory(state, layout.LATE_JOINS))
    m.move(m.x, _WORTH)
    m.multiply(lost, m.x)
    m.move(m.x, ScalarMemory(state, layout.BACKOFF))
    m.address(m.x, m.x, m.x)
    m.branch(m.x, ">=", lost, twice)
    m.move(m.x, lost)
    asm.bind(twice)
    m.move(m.y, settings)
    m.branch(m.x, ">=", ScalarMemory(m.y, layout.LEAST_BACKOFF), enough)
    m.move(m.x, ScalarMemory(m.y, layout.LEAST_BACKOFF))
    asm.bind(enough)
    m.branch(m.x, "<=", ScalarMemory(m.y, layout.MOST_BACKOFF), few)
    m.move(m.x, ScalarMemory(m.y, layout.MOST_BACKOFF))
    asm.bind(few)
    m.move(ScalarMemory(state, layout.BACKOFF), m.x)
    v.ticks(m.x)
    m.add(m.x, ScalarMemory(state, layout.BACKOFF))
    m.move(ScalarMemory(state, layout.UNTIL), m.x)
    m.move(ScalarMemory(state, layout.GOOD), 0)
    m.move(ScalarMemory(state, layout.IN_VAIN), 0)


def detect_contention(
    v: Verbs, state: Register, settings: int, kept: tuple[Register, Register, Register], slots: tuple[int, int, int]
) -> None:
    """Judge a region after its join.

    A join is late if the caller waited, here and in barriers, for longer than LATENESS and longer than it would have
    taken itself for all other parts, each as long as its own.

    kept    registers: whether the caller waited, the number of workers, a free one
    slots   start time, time of the caller's own parts, number of parts taken back
    """
    m, asm = v.m, v.m.asm
    waited, workers, free = kept
    on_time, judged, late, helped = (asm.label() for _ in range(4))
    started, own, taken = (m.slot(number) for number in slots)
    m.branch(waited, "==", 0, on_time)
    m.move(ScalarMemory(state, layout.IN_VAIN), 0)
    v.ticks(free)
    m.subtract(free, started)  # own time plus waiting
    m.multiply(workers, own)
    m.subtract(free, workers)
    m.move(m.y, settings)
    m.branch(free, ">=", ScalarMemory(m.y, layout.LATENESS), late)
    _recover(v, state, settings, started)
    m.jump(judged)
    asm.bind(on_time)
    m.move(m.x, taken)
    m.add(m.x, 1)
    m.branch(m.x, "<", workers, helped)
    m.move(m.x, own)
    m.move(m.y, settings)
    m.branch(m.x, "<", ScalarMemory(m.y, layout.PROMPT), judged)
    m.add(m.x, ScalarMemory(state, layout.IN_VAIN))
    m.move(ScalarMemory(state, layout.IN_VAIN), m.x)
    m.branch(m.x, "<", ScalarMemory(m.y, layout.HOPE), judged)
    m.move(free, 0)
    asm.bind(late)
    begin(v, state, settings, free)
    m.jump(judged)
    asm.bind(helped)
    m.move(ScalarMemory(state, layout.IN_VAIN), 0)
    _recover(v, state, settings, started)
    asm.bind(judged)


def _recover(v: Verbs, state: Register, settings: int, started: ScalarMemory) -> None:
    """Account for a region in which workers helped."""
    m, asm = v.m, v.m.asm
    done, keep = asm.label(), asm.label()
    m.branch(ScalarMemory(state, layout.BACKOFF), "==", 0, done)
    v.ticks(m.x)
    m.subtract(m.x, started)
    m.add(m.x, ScalarMemory(state, layout.GOOD))
    m.move(ScalarMemory(state, layout.GOOD), m.x)
    m.branch(m.x, "<", ScalarMemory(state, layout.BACKOFF), done)
    m.move(ScalarMemory(state, layout.GOOD), 0)
    m.move(m.x, ScalarMemory(state, layout.BACKOFF))
    m.shift_right(m.x, 1)
    m.move(m.y, settings)
    m.branch(m.x, ">=", ScalarMemory(m.y, layout.LEAST_BACKOFF), keep)
    m.move(m.x, 0)
    asm.bind(keep)
    m.move(ScalarMemory(state, layout.BACKOFF), m.x)
    asm.bind(done)

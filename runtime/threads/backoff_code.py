"""When callers work alone for a while: where one thread is faster, since processors are short.

Another program on one of them stops a worker in the midst of its part, for milliseconds: a late join, so late that one
thread would have been done before. Or workers do not come to run at all, and callers take back every part, for HOPE on
end, in regions longer than PROMPT, in which a worker that runs would have come: they only take time from their caller.
Either lets callers work alone for LEAST_BACKOFF, and twice as long after each further time, up to MOST_BACKOFF; and for
eight times what was lost, so that a stop takes a small share of the time, however long it is. Regions in which workers
help, as long as that together, halve it; time that passes without regions says nothing.
"""

from __future__ import annotations

from ...encoder.operands import Label
from ..scalar.machine import Memory, Register
from . import layout
from .verbs import Verbs

_WORTH = 8


def refuse_early(v: Verbs, state: Register, now: Memory, refused: Label) -> None:
    """Jump to the label while the pool backs off."""
    m, usual = v.m, v.m.asm.label()
    m.branch(Memory(state, layout.BACKOFF), "==", 0, usual)
    m.move(m.x, now)
    m.branch(m.x, "<", Memory(state, layout.UNTIL), refused)
    m.asm.bind(usual)


def begin(v: Verbs, state: Register, settings: int, lost: Register) -> None:
    """Back off from now on: twice as long as before, and _WORTH times what was lost. Loses x, y, z and `lost`."""
    m, asm = v.m, v.m.asm
    twice, enough, few = (asm.label() for _ in range(3))
    m.increment(Memory(state, layout.LATE_JOINS))
    m.move(m.x, _WORTH)
    m.multiply(lost, m.x)
    m.move(m.x, Memory(state, layout.BACKOFF))
    m.address(m.x, m.x, m.x)
    m.branch(m.x, ">=", lost, twice)
    m.move(m.x, lost)
    asm.bind(twice)
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
    m.move(Memory(state, layout.GOOD), 0)
    m.move(Memory(state, layout.IN_VAIN), 0)


def judge(v: Verbs, state: Register, settings: int, kept: tuple[Register, Register, Register],
          slots: tuple[int, int, int]) -> None:  # fmt: skip
    """After a join. kept: waited or not, the number of workers, a free one; slots: start, own time, parts taken back.

    Late: the caller waited, here and in barriers, for longer than all other parts would have taken it, as long as its
    own each, and LATENESS.
    """
    m, asm = v.m, v.m.asm
    waited, workers, free = kept
    on_time, judged, late, helped = (asm.label() for _ in range(4))
    started, own, taken = (m.slot(number) for number in slots)
    m.branch(waited, "==", 0, on_time)
    m.move(Memory(state, layout.IN_VAIN), 0)
    v.ticks(free)
    m.subtract(free, started)  # own time and waiting
    m.multiply(workers, own)
    m.subtract(free, workers)
    m.move(m.y, settings)
    m.branch(free, ">=", Memory(m.y, layout.LATENESS), late)
    _recover(v, state, settings, started)
    m.jump(judged)
    asm.bind(on_time)
    m.move(m.x, taken)
    m.add(m.x, 1)
    m.branch(m.x, "<", workers, helped)
    m.move(m.x, own)
    m.move(m.y, settings)
    m.branch(m.x, "<", Memory(m.y, layout.PROMPT), judged)
    m.add(m.x, Memory(state, layout.IN_VAIN))
    m.move(Memory(state, layout.IN_VAIN), m.x)
    m.branch(m.x, "<", Memory(m.y, layout.HOPE), judged)
    m.move(free, 0)
    asm.bind(late)
    begin(v, state, settings, free)
    m.jump(judged)
    asm.bind(helped)
    m.move(Memory(state, layout.IN_VAIN), 0)
    _recover(v, state, settings, started)
    asm.bind(judged)


def _recover(v: Verbs, state: Register, settings: int, started: Memory) -> None:
    """After a region in which workers helped."""
    m, asm = v.m, v.m.asm
    done, keep = asm.label(), asm.label()
    m.branch(Memory(state, layout.BACKOFF), "==", 0, done)
    v.ticks(m.x)
    m.subtract(m.x, started)
    m.add(m.x, Memory(state, layout.GOOD))
    m.move(Memory(state, layout.GOOD), m.x)
    m.branch(m.x, "<", Memory(state, layout.BACKOFF), done)
    m.move(Memory(state, layout.GOOD), 0)
    m.move(m.x, Memory(state, layout.BACKOFF))
    m.shift_right(m.x, 1)
    m.move(m.y, settings)
    m.branch(m.x, ">=", Memory(m.y, layout.LEAST_BACKOFF), keep)
    m.move(m.x, 0)
    asm.bind(keep)
    m.move(Memory(state, layout.BACKOFF), m.x)
    asm.bind(done)

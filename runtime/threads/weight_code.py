"""Regions that are too light to spread are run by their caller alone.

Handing a part to a worker that spins costs a fifth of a microsecond; waking one that sleeps takes as long as a whole
light region. So a region of less than LEAST_WORK cycles is never spread, and one of less than WORTH_WAKING only if all
its workers are awake.

Calls in a loop should find them awake. Therefore the cycles of consecutive light regions that found workers asleep are
added up, if each began less than the spin time after the one before, and the region that brings the sum to WORTH_WAKING
wakes the workers. So a wake-up costs at most as much as was computed alone before it. A caller that waits longer than
the spin time between two calls, so that workers would fall asleep again, never pays for a wake-up.
"""

from __future__ import annotations

from ...encoder.operands import Label
from ..scalar.machine import Register, ScalarMemory
from . import layout
from .layout import ASLEEP, LINE
from .verbs import Verbs


def serial_cutoff(
    v: Verbs,
    state: int,
    settings: int,
    kept: tuple[Register, Register, Register],
    cycles: ScalarMemory,
    now: ScalarMemory,
    refused: Label,
) -> None:
    """Jump to `refused` if the caller had better run the region alone.

    The caller owns the pool, and PATIENCE is the spin time of this region's workers. `kept` are registers: the state,
    which is overwritten meanwhile, a free one, and the number of workers.
    """
    m, asm = v.m, v.m.asm
    line, number, workers = kept
    asleep, row, done, top = (asm.label() for _ in range(4))
    m.move(m.y, settings)
    m.move(m.x, cycles)
    m.branch(m.x, "<", ScalarMemory(m.y, layout.LEAST_WORK), refused)
    m.branch(m.x, ">=", ScalarMemory(m.y, layout.WORTH_WAKING), done)
    m.branch(workers, ">", ScalarMemory(line, layout.READY), asleep)
    m.add(line, layout.FIRST)
    m.move(number, 1)
    asm.bind(top)
    v.load(m.x, ScalarMemory(line, layout.MAIL))
    m.branch(m.x, "==", ASLEEP, asleep)
    m.add(line, LINE)
    m.add(number, 1)
    m.branch(number, "<", workers, top)
    m.jump(done)
    asm.bind(asleep)
    m.move(line, state)
    m.move(m.x, now)
    m.subtract(m.x, ScalarMemory(line, layout.LIGHT_AT))
    m.branch(m.x, "u<", ScalarMemory(line, layout.PATIENCE), row)
    m.move(ScalarMemory(line, layout.LIGHT), 0)
    asm.bind(row)
    m.move(m.x, now)
    m.move(ScalarMemory(line, layout.LIGHT_AT), m.x)
    m.move(m.x, cycles)
    m.add(m.x, ScalarMemory(line, layout.LIGHT))
    m.move(ScalarMemory(line, layout.LIGHT), m.x)
    m.move(m.y, settings)
    m.branch(m.x, "<", ScalarMemory(m.y, layout.WORTH_WAKING), refused)
    m.move(ScalarMemory(line, layout.LIGHT), 0)
    asm.bind(done)
    m.move(line, state)

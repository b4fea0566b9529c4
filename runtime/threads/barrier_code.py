"""A barrier: no worker goes on until all have arrived.

    void barrier(void *state)

The state has three lines (`layout`): the number of participants and the ticks that they spin before they sleep; the
number that have arrived; and a generation, whose lowest bit says that somebody sleeps. The last to arrive begins the
next generation. CALLER is the stack address of a region's caller, or 0: the caller's waiting time counts as waiting for
a late worker. The function calls nothing and needs no other memory. It therefore runs wherever somebody sets
PARTICIPANTS and LIMIT and zeroes the rest: in the pool, under OpenMP, in the emulator.

    long claim(void *state)

returns the number of calls before it since the region began, so each number is given to one worker. Its word is the one
from which workers of `claims` take parts: a region has one of the two.
"""

from __future__ import annotations

from ...encoder.code import Code
from ..scalar.machine import ScalarMemory
from . import layout
from .layout import MOST
from .verbs import Verbs

_NEAR = 4 << 20  # bytes of stack: a job uses less, and the stacks of two threads are farther apart


def emit(v: Verbs) -> Code:
    """Emit the function alone."""
    body(v)
    code: Code = v.m.asm.finish("ts_barrier")
    return code


def claim(v: Verbs) -> Code:
    """Emit the function that numbers claims, alone."""
    m = v.m
    m.begin("claim")
    v.add(m.result, ScalarMemory(m.arguments[0], layout.NEXT - layout.BARRIER), 1)
    m.ret()
    code: Code = m.asm.finish("ts_claim")
    return code


def body(v: Verbs) -> None:
    """Emit the function into an assembler that may contain others."""
    m, asm = v.m, v.m.asm
    state, generation, since, next_one = m.kept[:4]
    arrived, word = ScalarMemory(state, layout.ARRIVED), ScalarMemory(state, layout.GENERATION)
    look, last, waited, done, sleep = (asm.label() for _ in range(5))
    m.begin("barrier")
    m.open(0, m.kept[:4])
    m.move(state, m.arguments[0])
    v.load(generation, word)
    m.shift_right(generation, 1)
    m.address(generation, generation, generation)  # nobody sleeps
    m.move(next_one, generation)
    m.add(next_one, 2)
    v.add(m.x, arrived, 1)
    m.add(m.x, 1)
    m.branch(m.x, "==", ScalarMemory(state, layout.PARTICIPANTS), last)
    v.ticks(since)
    asm.bind(look)
    v.pause()
    v.load(m.x, word)
    m.shift_right(m.x, 1)
    m.address(m.x, m.x, m.x)
    m.branch(m.x, "!=", generation, waited)
    v.ticks(m.x)
    m.subtract(m.x, since)
    m.branch(m.x, "u<", ScalarMemory(state, layout.LIMIT), look)
    m.address(next_one, generation, offset=1)
    v.replace(word, generation, next_one, sleep)
    asm.bind(sleep)  # somebody may sleep already, or the next generation has begun
    v.wait(word, next_one)
    m.jump(look)
    asm.bind(waited)
    m.move(m.x, ScalarMemory(state, layout.CALLER))
    m.address(m.y, m.stack, offset=0)
    m.subtract(m.x, m.y)
    m.branch(m.x, "u>=", _NEAR, done)
    v.ticks(m.x)
    m.subtract(m.x, since)
    m.add(m.x, ScalarMemory(state, layout.WAITED))
    m.move(ScalarMemory(state, layout.WAITED), m.x)
    m.jump(done)
    asm.bind(last)
    v.store(arrived, 0)
    v.exchange(m.x, word, next_one)
    m.branch_if_bits(m.x, 1, False, done)
    v.wake(word, MOST)
    asm.bind(done)
    m.close()
    m.ret()

"""Jobs for regions, and a pool for tests that does not back off, so that a busy machine does not change results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tilesmith.runtime.memory.executable import publish_for_good
from tilesmith.runtime.scalar.machine import ScalarMemory
from tilesmith.runtime.scalar.native import scalar_machine
from tilesmith.runtime.system.libc import ffi
from tilesmith.runtime.threads import layout, pool
from tilesmith.runtime.threads.verbs import Verbs

CELLS = 64
"""The number of words of each part of an argument: counts by worker in the first part, what workers were told in the
next."""
NEVER = 1 << 60


def count(v: Verbs) -> None:
    """Emit a job: argument[worker] += 1, argument[CELLS + worker] = workers."""
    m = v.m
    argument, worker, workers = m.arguments[:3]
    m.begin("job")
    m.address(m.x, argument, worker, 8)
    m.increment(ScalarMemory(m.x))
    m.move(ScalarMemory(m.x, 8 * CELLS), workers)
    m.ret()


def add(v: Verbs) -> None:
    """Emit a job with a table of 7 to 10 operands, the first an array: array[worker] = the sum of the next six,
    array[CELLS + worker] = workers, array[2 * CELLS + worker] = the sum of the last three, or of what lies there."""
    m = v.m
    table, worker, workers = m.arguments[:3]
    m.begin("job")
    m.move(m.x, ScalarMemory(table))
    m.address(m.x, m.x, worker, 8)
    m.move(ScalarMemory(m.x, 8 * CELLS), workers)
    m.move(worker, 0)
    for place in range(1, 7):
        m.add(worker, ScalarMemory(table, 8 * place))
    m.move(ScalarMemory(m.x), worker)
    m.move(worker, 0)
    for place in range(7, 10):
        m.add(worker, ScalarMemory(table, 8 * place))
    m.move(ScalarMemory(m.x, 16 * CELLS), worker)
    m.ret()


def meet(barrier: int, state: int, rounds: int) -> Callable[[Verbs], None]:
    """Return an emitter of a job that does this `rounds` times: argument[worker] += 1; barrier; if a count is not that
    of the round, argument[CELLS] += 1; barrier. A job that runs alone has no barrier."""

    def emit(v: Verbs) -> None:
        m, asm = v.m, v.m.asm
        argument, worker, workers, left, other = m.kept
        m.begin("job")
        m.open(2, m.kept)
        for register, given in zip(m.kept, m.arguments[:3]):
            m.move(register, given)
        m.move(m.slot(0), worker)
        m.address(worker, argument, worker, 8)
        m.move(left, rounds)
        with m.loop(left):
            m.increment(ScalarMemory(worker))
            _meet(v, barrier, state, workers)
            m.move(other, 0)
            top, right = asm.label(), asm.label()
            asm.bind(top)
            m.address(m.x, argument, other, 8)
            m.move(m.x, ScalarMemory(m.x))
            m.add(m.x, left)
            m.branch(m.x, "==", rounds + 1, right)
            m.increment(ScalarMemory(argument, 8 * CELLS))
            asm.bind(right)
            m.add(other, 1)
            m.branch(other, "<", workers, top)
            _meet(v, barrier, state, workers)
        m.close()
        m.ret()

    return emit


def _meet(v: Verbs, barrier: int, state: int, workers: Any) -> None:
    m, alone = v.m, v.m.asm.label()
    m.branch(workers, "==", 1, alone)
    m.move(m.arguments[0], state)
    m.call(barrier)
    m.asm.bind(alone)


def numbered(claim: int, state: int) -> Callable[[Verbs], None]:
    """Return an emitter of a job that claims numbers up to CELLS - 1, and does argument[number] += 1 for each below it.
    A job that runs alone numbers by itself."""

    def emit(v: Verbs) -> None:
        m, asm = v.m, v.m.asm
        argument, workers, number = m.kept[:3]
        top, alone, known, done = (asm.label() for _ in range(4))
        m.begin("job")
        m.open(0, m.kept[:3])
        m.move(argument, m.arguments[0])
        m.move(workers, m.arguments[2])
        m.move(number, -1)
        asm.bind(top)
        m.branch(workers, "==", 1, alone)
        m.move(m.arguments[0], state)
        m.call(claim)
        m.move(number, m.result)
        m.jump(known)
        asm.bind(alone)
        m.add(number, 1)
        asm.bind(known)
        m.branch(number, ">=", CELLS - 1, done)
        m.address(m.x, argument, number, 8)
        m.increment(ScalarMemory(m.x))
        m.jump(top)
        asm.bind(done)
        m.close()
        m.ret()

    return emit


def nested(region: int, inner: int, workers: int) -> Callable[[Verbs], None]:
    """Return an emitter of a job that does argument[2 * CELLS + worker] += 1 and runs an inner region, whose counts go
    to a separate part of the argument for each worker."""

    def emit(v: Verbs) -> None:
        m = v.m
        m.begin("job")
        m.open(0, ())
        m.address(m.x, m.arguments[0], m.arguments[1], 8)
        m.increment(ScalarMemory(m.x, 8 * 2 * CELLS))
        m.move(m.arguments[1], m.arguments[0])
        m.move(m.arguments[0], inner)
        m.move(m.arguments[2], workers)
        m.call(region)
        m.close()
        m.ret()

    return emit


def hold(v: Verbs) -> None:
    """Emit a job: argument[worker] += 1, then wait until argument[CELLS - 1] is not 0."""
    m = v.m
    m.begin("job")
    m.address(m.x, m.arguments[0], m.arguments[1], 8)
    m.increment(ScalarMemory(m.x))
    top = m.asm.label()
    m.asm.bind(top)
    m.branch(ScalarMemory(m.arguments[0], 8 * (CELLS - 1)), "==", 0, top)
    m.ret()


def hold_with_control(v: Verbs) -> None:
    """Emit a job: argument[CELLS + worker] = its floating-point control, argument[worker] = its stack pointer; wait
    like `hold`."""
    m = v.m
    m.begin("job")
    m.address(m.y, m.arguments[0], m.arguments[1], 8)
    m.address(m.x, m.stack, offset=0)
    m.move(ScalarMemory(m.y), m.x)
    v.save_control(ScalarMemory(m.y, 8 * CELLS))
    top = m.asm.label()
    m.asm.bind(top)
    m.branch(ScalarMemory(m.arguments[0], 8 * (CELLS - 1)), "==", 0, top)
    m.ret()


def placed(emit: Callable[[Verbs], None]) -> int:
    """Publish a job in this process and return its address."""
    return publish_for_good(emitted(emit, pool.verbs(scalar_machine())))


def emitted(emit: Callable[[Verbs], None], verbs: Verbs) -> bytes:
    """Return the bytes of a job."""
    emit(verbs)
    return bytes(verbs.m.asm.finish("job").data)


def cells(count: int = 3) -> np.ndarray:
    """Return an argument of `count` parts of CELLS words."""
    return np.zeros(count * CELLS, np.int64)


class Team:
    """What jobs that are called one after the other are given for their claims: a state outside of the pool, and
    `words`, which are no barrier, the state and the function of claims."""

    def __init__(self) -> None:
        self.state = np.zeros(1 + (layout.NEXT - layout.BARRIER) // 8, np.int64)
        self.words = 0, self.state.__array_interface__["data"][0], pool.pool().claim


class Region:
    """The region of this process as a Python function of a job's address, an argument and the number of workers."""

    def __init__(self) -> None:
        self.pool = pool.pool()
        self.call = ffi.cast("void(*)(uintptr_t, uintptr_t, int64_t)", self.pool.region)
        self.state = ffi.cast("int64_t *", self.pool.state)
        self.settings = ffi.cast("int64_t *", self.pool.settings)

    def __call__(self, job: int, argument: np.ndarray, workers: int) -> None:
        self.call(job, argument.__array_interface__["data"][0], workers)

    def end(self) -> None:
        """End the pool as at the interpreter's exit."""
        ffi.cast("void(*)(void)", self.pool.end)()

    @contextmanager
    def never_backing_off(self) -> Iterator[Region]:
        """Keep using workers during the body, however late they are."""
        places = [layout.LATENESS // 8, layout.HOPE // 8]
        before = [self.settings[place] for place in places]
        self.state[layout.BACKOFF // 8] = 0
        try:
            for place in places:
                self.settings[place] = NEVER
            yield self
        finally:
            for place, value in zip(places, before):
                self.settings[place] = value


def counted(workers: int) -> list[int]:
    """Run `count` in a new region and return the counts of its workers."""
    argument = cells()
    with Region().never_backing_off() as region:
        region(placed(count), argument, workers)
    found: list[int] = argument[:workers].tolist()
    return found

"""The region: one job on its caller and on workers, begun and joined in machine code.

    void region(void (*job)(void *const *argument, long worker, long workers), void *const *argument, long workers)

The caller sends GO to each worker and runs part 0. Then it takes back every part that nobody has begun and runs it
itself, so a worker that the system has not scheduled yet does not delay it. It waits for parts that are begun. If parts
wait in a barrier, every worker has begun its part before part 0 ends, so none of these parts is taken back.

`claims` is for more parts than workers, if the parts do not wait for each other:

    void claims(void (*job)(void *const *argument, long part, long parts), void *const *argument, long workers,
                long parts)

Each worker takes the next unclaimed part until there is none, so a worker that comes late or is stopped costs no more
than its share. Here too the caller takes back what a worker has not begun, but has nothing to run for it.

`weighed` is for a job whose estimated cycles on one thread may be too few to spread (`weight_code`):

    void weighed(void (*job)(void *const *argument, long worker, long workers), void *const *argument, long workers,
                 long cycles)

If the pool is busy, has no threads, or backs off (`backoff_code`), or if a part itself calls the region, the caller
runs job(argument, 0, 1).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...encoder.code import Code
from ...encoder.operands import Label
from ..scalar.machine import Register, ScalarMemory
from . import layout
from .backoff_code import detect_contention, refuse_early
from .layout import ASLEEP, CLAIMS, GO, IDLE, LINE, REGION, RUNNING, WATCHED, WEIGHED
from .placement_code import SLOTS, leave_callers_processor
from .verbs import Verbs
from .weight_code import serial_cutoff

STARTED, OWN, TAKEN, JOINING, GIVEN, FREE = range(6)
"""Slots of the frame. STARTED: when the region began. OWN: how long the caller's own parts took, without its waiting in
barriers. TAKEN: how many parts it has taken back. JOINING: when it began to wait for the others. GIVEN: the fourth
argument, which is the number of parts to claim or the cycles. FREE: the first free slot."""


def emit(v: Verbs, state: int, settings: int, grow: int, name: str = REGION) -> Code:
    """Emit one of the three functions. `grow` is the address of `grow_code`'s function."""
    emitter = _RegionEmitter(v, state, settings, name)
    emitter.begin(grow)
    emitter.post()
    emitter.take_back()
    emitter.wait()
    emitter.end()
    code: Code = v.m.asm.finish(f"ts_{name}")
    return code


class _RegionEmitter:
    """Emits a region. Kept registers: the job, its argument, the number of workers, a worker's number and its line."""

    def __init__(self, v: Verbs, state: int, settings: int, name: str) -> None:
        self.name, self.claims = name, name == CLAIMS
        self.v, self.m, self.asm, self.state, self.settings = v, v.m, v.m.asm, state, settings
        self.job, self.argument, self.workers, self.number, self.line = v.m.kept
        self.alone, self.free = self.asm.label("alone"), self.asm.label("free")
        self.mail = ScalarMemory(self.line, layout.MAIL)

    def begin(self, grow: int) -> None:
        """Take the pool, or go to `alone`; then describe the region."""
        m, v, base = self.m, self.v, self.line
        run = self.asm.label("run")
        m.begin(self.name)
        m.open(FREE + SLOTS, m.kept)
        if self.name != REGION:
            m.move(m.slot(GIVEN), m.arguments[3])  # first of all: this register is y of x86-64
        for register, argument in zip(m.kept, m.arguments[:3]):
            m.move(register, argument)
        m.branch(self.workers, "<", 2, self.alone)
        m.branch(self.workers, ">", layout.MOST, self.alone)
        m.move(base, self.state)
        v.replace(ScalarMemory(base, layout.OWNER), 0, 1, self.alone)
        v.ticks(m.x)
        m.move(m.slot(STARTED), m.x)
        refuse_early(v, base, m.slot(STARTED), self.free)
        self._be_patient(base)
        if self.name == WEIGHED:
            serial_cutoff(
                v,
                self.state,
                self.settings,
                (base, self.number, self.workers),
                m.slot(GIVEN),
                m.slot(STARTED),
                self.free,
            )
        m.branch(self.workers, "<=", ScalarMemory(base, layout.READY), run)
        m.move(m.arguments[0], self.workers)
        m.call(grow)
        m.branch(m.result, "==", 0, self.free)
        self.asm.bind(run)
        m.move(ScalarMemory(base, layout.JOB), self.job)
        m.move(ScalarMemory(base, layout.ARGUMENT), self.argument)
        m.move(ScalarMemory(base, layout.WORKERS), self.workers)
        m.move(m.x, m.slot(GIVEN) if self.claims else 0)
        m.move(ScalarMemory(base, layout.PARTS), m.x)
        m.move(ScalarMemory(base, layout.NEXT), 0)
        v.save_control(ScalarMemory(base, layout.CONTROL))
        m.move(ScalarMemory(base, layout.BARRIER + layout.PARTICIPANTS), self.workers)
        m.move(ScalarMemory(base, layout.BARRIER + layout.ARRIVED), 0)
        m.address(m.x, m.stack, offset=0)
        m.move(ScalarMemory(base, layout.BARRIER + layout.CALLER), m.x)
        m.move(ScalarMemory(base, layout.BARRIER + layout.WAITED), 0)

    def _be_patient(self, base: Register) -> None:
        """Set the time to spin: 0 if there are more workers than processors, since somebody else needs the
        processor."""
        m, patient = self.m, self.asm.label()
        m.move(m.y, self.settings)
        m.move(m.x, ScalarMemory(m.y, layout.SPIN))
        m.branch(self.workers, "<=", ScalarMemory(m.y, layout.PROCESSORS), patient)
        m.move(m.x, 0)
        self.asm.bind(patient)
        m.move(ScalarMemory(base, layout.PATIENCE), m.x)
        m.move(ScalarMemory(base, layout.BARRIER + layout.LIMIT), m.x)

    @contextmanager
    def _each_worker(self) -> Iterator[Label]:
        """Emit a loop over the lines of all workers except the caller. The label is the end of its body."""
        m, asm = self.m, self.asm
        top, following = asm.label(), asm.label()
        m.move(self.line, self.state)
        m.add(self.line, layout.FIRST)
        m.move(self.number, 1)
        asm.bind(top)
        yield following
        asm.bind(following)
        m.add(self.line, LINE)
        m.add(self.number, 1)
        m.branch(self.number, "<", self.workers, top)

    def _run(self, part: Register | int) -> None:
        """Call the job for one part."""
        m = self.m
        for register, value in zip(m.arguments, (self.argument, part, self.workers)):
            m.move(register, value)
        m.call(self.job)

    def post(self) -> None:
        """Send GO to every worker and wake those that sleep; then run part 0."""
        with self._each_worker() as following:
            self.v.exchange(self.m.x, self.mail, GO)
            self.m.branch(self.m.x, "!=", ASLEEP, following)
            leave_callers_processor(self.v, self.line, FREE)
            self.v.wake(self.mail, 1)
        if self.claims:
            self._claim()
        else:
            self._run(0)

    def _claim(self) -> None:
        """Run parts until none is left."""
        m, asm = self.m, self.asm
        top, done = asm.label(), asm.label()
        m.move(self.line, self.state)
        asm.bind(top)
        self.v.add(self.number, ScalarMemory(self.line, layout.NEXT), 1)
        m.branch(self.number, ">=", m.slot(GIVEN), done)
        for register, value in zip(m.arguments, (self.argument, self.number, m.slot(GIVEN))):
            m.move(register, value)
        m.call(self.job)
        m.jump(top)
        asm.bind(done)

    def take_back(self) -> None:
        """Take back the parts that nobody has begun, and run them."""
        m, v = self.m, self.v
        m.move(m.slot(TAKEN), 0)
        with self._each_worker() as following:
            v.load(m.x, self.mail)
            m.branch(m.x, "!=", GO, following)
            v.replace(self.mail, GO, IDLE, following)
            m.move(m.x, self.state)
            m.increment(ScalarMemory(m.x, layout.TAKEN_BACK))
            m.increment(m.slot(TAKEN))
            if not self.claims:
                self._run(self.number)

    def wait(self) -> None:
        """Wait for the parts that others have begun. `job` becomes 0 if there was nothing to wait for, here and in
        barriers."""
        m, v, asm = self.m, self.v, self.asm
        v.ticks(m.x)
        m.move(m.slot(JOINING), m.x)
        m.subtract(m.x, m.slot(STARTED))
        m.move(m.y, self.state)
        m.move(self.job, ScalarMemory(m.y, layout.BARRIER + layout.WAITED))
        m.subtract(m.x, self.job)
        m.move(m.slot(OWN), m.x)
        with self._each_worker() as following:
            look = asm.label()
            asm.bind(look)
            v.load(m.x, self.mail)
            m.branch(m.x, "<", GO, following)
            m.move(self.job, 1)
            v.pause()
            v.ticks(m.x)
            m.subtract(m.x, m.slot(JOINING))
            m.move(m.y, self.state)
            m.branch(m.x, "u<", ScalarMemory(m.y, layout.PATIENCE), look)
            watched = asm.label()
            v.replace(self.mail, RUNNING, WATCHED, watched)
            asm.bind(watched)  # it may have been watched before
            v.wait(self.mail, WATCHED)
            m.jump(look)

    def end(self) -> None:
        """Judge the join, release the pool and return; then the paths without workers."""
        m, asm, done = self.m, self.asm, self.asm.label("done")
        m.move(self.line, self.state)
        detect_contention(
            self.v, self.line, self.settings, (self.job, self.workers, self.number), (STARTED, OWN, TAKEN)
        )
        self.v.store(ScalarMemory(self.line, layout.OWNER), 0)
        asm.bind(done)
        m.close()
        m.ret()
        asm.bind(self.free)
        self.v.store(ScalarMemory(self.line, layout.OWNER), 0)
        asm.bind(self.alone)
        m.move(self.workers, 1)
        self._run(0)
        m.jump(done)

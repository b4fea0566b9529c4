"""How the pool creates threads and ends them.

long grow(long workers)     1 if there are threads for this many workers now; called by the region that owns the pool
void end(void)              makes the threads end, each when it is idle, without waiting for them
"""

from __future__ import annotations

from ...encoder.code import Code
from ..scalar.machine import ScalarMemory
from . import backoff_code, layout
from .layout import ASLEEP, EMPTY, END, IDLE, LINE
from .verbs import SIG_SETMASK, Verbs

_BEFORE, _THREAD = range(2)  # slots: the old signal mask, a pthread_t
_SIGNALS = 8  # bytes of the kernel's sigset_t


def grow(v: Verbs, state: int, settings: int, worker: int, pthread_create: int) -> Code:
    """Emit `grow`. Threads are created with the signals of MASK blocked, which they inherit."""
    m, asm = v.m, v.m.asm
    workers, number, line, base = m.kept[:4]
    enough, less = asm.label(), asm.label()
    m.begin("grow")
    m.open(2, m.kept[:4])
    m.move(workers, m.arguments[0])
    m.move(base, settings)
    m.address(m.x, base, offset=layout.MASK)
    m.address(m.y, m.stack, offset=8 * _BEFORE)
    v.system("rt_sigprocmask", SIG_SETMASK, m.x, m.y, _SIGNALS)
    m.move(number, 1)
    m.move(line, state)
    m.add(line, layout.FIRST)
    _make(v, state, settings, worker, pthread_create)
    m.address(m.x, m.stack, offset=8 * _BEFORE)
    v.system("rt_sigprocmask", SIG_SETMASK, m.x, 0, _SIGNALS)
    m.move(line, state)
    m.branch(number, "<=", ScalarMemory(line, layout.READY), enough)
    m.move(ScalarMemory(line, layout.READY), number)
    asm.bind(enough)
    m.move(m.result, 0)
    m.branch(number, "<", workers, less)
    m.move(m.result, 1)
    asm.bind(less)
    m.close()
    m.ret()
    code: Code = asm.finish("ts_grow")
    return code


def _make(v: Verbs, state: int, settings: int, worker: int, pthread_create: int) -> None:
    """Create a thread for each worker from `number` on that has none. `number` stays at the first one that the system
    refuses."""
    m, asm = v.m, v.m.asm
    workers, number, line, base = m.kept[:4]
    mail = ScalarMemory(line, layout.MAIL)
    top, missing, following, done = (asm.label() for _ in range(4))
    asm.bind(top)
    v.load(m.x, mail)
    m.branch(m.x, "==", EMPTY, missing)
    m.branch(m.x, "!=", END, following)
    v.replace(mail, END, IDLE, missing)  # a thread that has not ended yet is kept
    m.jump(following)
    asm.bind(missing)
    m.move(ScalarMemory(line, layout.NUMBER), number)
    m.move(m.x, 0)
    m.subtract(m.x, 1)
    m.move(ScalarMemory(line, layout.APART), m.x)
    v.store(mail, IDLE)
    m.address(m.arguments[0], m.stack, offset=8 * _THREAD)
    m.address(m.arguments[1], base, offset=layout.ATTRIBUTES)
    m.move(m.arguments[2], worker)
    m.move(m.arguments[3], line)
    m.call(pthread_create)
    m.move(m.slot(_THREAD), m.result)  # an int: 0 on success
    m.branch(ScalarMemory(m.stack, 8 * _THREAD, 4), "==", 0, following)
    v.store(mail, EMPTY)
    m.move(line, state)
    m.move(m.x, ScalarMemory(base, layout.MOST_BACKOFF))
    m.move(ScalarMemory(line, layout.BACKOFF), m.x)
    m.move(base, 0)
    backoff_code.begin(v, line, settings, base)  # do not try again at once
    m.jump(done)
    asm.bind(following)
    m.add(line, LINE)
    m.add(number, 1)
    m.branch(number, "<", workers, top)
    asm.bind(done)


def end(v: Verbs, state: int) -> Code:
    """Emit `end`. If a region is running at that moment, no thread ends."""
    m, asm = v.m, v.m.asm
    line, base = m.kept[:2]
    mail = ScalarMemory(line, layout.MAIL)
    top, asleep, following, done, busy = (asm.label() for _ in range(5))
    m.begin("end")
    m.open(0, m.kept[:2])
    m.move(base, state)
    v.replace(ScalarMemory(base, layout.OWNER), 0, 1, busy)
    m.address(line, base, offset=layout.FIRST)
    asm.bind(top)
    v.load(m.x, mail)
    m.branch(m.x, "==", EMPTY, done)
    m.branch(m.x, "!=", IDLE, asleep)
    v.replace(mail, IDLE, END, top)
    asm.bind(asleep)
    v.load(m.x, mail)
    m.branch(m.x, "!=", ASLEEP, following)
    v.replace(mail, ASLEEP, END, top)
    v.wake(mail, 1)
    asm.bind(following)
    m.add(line, LINE)
    m.move(m.x, base)
    m.add(m.x, layout.STATE)
    m.branch(line, "u<", m.x, top)
    asm.bind(done)
    m.move(ScalarMemory(base, layout.READY), 0)
    v.store(ScalarMemory(base, layout.OWNER), 0)
    asm.bind(busy)
    m.close()
    m.ret()
    code: Code = asm.finish("ts_end")
    return code

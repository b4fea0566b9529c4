"""The start routine of a worker: wait for a part of a region, run it, report it, wait again.

A worker never touches Python, takes no lock and allocates nothing: it may be stopped at any instruction, for good.
"""

from __future__ import annotations

from ...encoder.code import Code
from ...encoder.operands import Label
from ..scalar.machine import Operand, Register, ScalarMemory
from . import layout
from .layout import ASLEEP, EMPTY, END, GO, IDLE, RUNNING, WATCHED
from .verbs import PR_SET_NAME, Verbs

_POLLS = 8  # readings of the word per reading of the clock


def emit(v: Verbs, state: int, settings: int) -> Code:
    """Emit void *worker(void *line), which pthread_create starts with the worker's line of the state."""
    m, asm = v.m, v.m.asm
    line, since, base, polls = m.kept[:4]
    mail = ScalarMemory(line, layout.MAIL)
    wait, end = asm.label("wait"), asm.label("end")
    m.begin("worker")
    m.open(0, m.kept[:4])
    m.move(line, m.arguments[0])
    m.move(base, settings)
    m.address(m.x, base, offset=layout.NAME)
    v.system("prctl", PR_SET_NAME, m.x)
    v.system("gettid")
    m.move(ScalarMemory(line, layout.THREAD), v.answer)
    m.move(base, state)
    asm.bind(wait)
    take = _spin_then_sleep(v, since, polls, wait, end)
    asm.bind(take)
    v.replace(mail, GO, RUNNING, wait)  # otherwise the caller has taken it back
    v.load_control(ScalarMemory(base, layout.CONTROL))
    _run(v, since)
    v.exchange(m.x, mail, IDLE)
    m.branch(m.x, "!=", WATCHED, wait)
    v.wake(mail, 1)
    m.jump(wait)
    asm.bind(end)
    v.replace(mail, END, EMPTY, wait)  # otherwise it is needed after all
    m.move(m.result, 0)
    m.close()
    m.ret()
    code: Code = asm.finish("ts_worker")
    return code


def _run(v: Verbs, part: Register) -> None:
    """Run the worker's own part, or those that it claims."""
    m, asm = v.m, v.m.asm
    line, _, base = m.kept[:3]
    claim, done = asm.label("claim"), asm.label("done")
    m.branch(ScalarMemory(base, layout.PARTS), "!=", 0, claim)
    _call(v, ScalarMemory(line, layout.NUMBER), ScalarMemory(base, layout.WORKERS))
    m.jump(done)
    asm.bind(claim)
    v.add(part, ScalarMemory(base, layout.NEXT), 1)
    m.branch(part, ">=", ScalarMemory(base, layout.PARTS), done)
    _call(v, part, ScalarMemory(base, layout.PARTS))
    m.jump(claim)
    asm.bind(done)


def _call(v: Verbs, part: Operand, parts: ScalarMemory) -> None:
    m = v.m
    base = m.kept[2]
    m.move(m.arguments[0], ScalarMemory(base, layout.ARGUMENT))
    m.move(m.arguments[1], part)
    m.move(m.arguments[2], parts)
    m.call(ScalarMemory(base, layout.JOB))


def _spin_then_sleep(v: Verbs, since: Register, polls: Register, wait: Label, end: Label) -> Label:
    """Wait for the word to change. After sleep, go back to `wait`. Return the label to which a new part jumps."""
    m, asm = v.m, v.m.asm
    line, _, base = m.kept[:3]
    mail = ScalarMemory(line, layout.MAIL)
    poll, asleep = asm.label("poll"), asm.label("asleep")
    take: Label = asm.label("take")
    v.ticks(since)
    asm.bind(poll)
    m.move(polls, _POLLS)
    with m.loop(polls):
        v.pause()
        v.load(m.x, mail)
        m.branch(m.x, "==", GO, take)
    m.branch(m.x, "==", END, end)
    v.ticks(m.x)
    m.subtract(m.x, since)
    m.branch(m.x, "u<", ScalarMemory(base, layout.PATIENCE), poll)
    v.replace(mail, IDLE, ASLEEP, wait)
    asm.bind(asleep)
    v.wait(mail, ASLEEP)
    v.load(m.x, mail)
    m.branch(m.x, "==", ASLEEP, asleep)  # a spurious wake-up
    m.jump(wait)
    return take

"""Branches, conditions, the stack, and instructions that change no values. Maps semantics keys to factories of
closures.
"""

from __future__ import annotations

from collections.abc import Callable

from ..core.closures import Run, nothing, undefined
from ..core.faults import CannotRun
from ..core.u64 import WORD
from .operands import Semantic, X86Context
from .state import RSP, X86State

_RAX, _RCX, _RBX, _RBP = 0, 1, 3, 5
_INTERRUPTS = 0x200  # a bit of the flags register that every program sees set
_STATUS = 0xD5  # sf, zf, af, pf and cf

CONDITIONS: dict[str, Callable[[X86State], bool]] = {
    "o": lambda s: s.of,
    "no": lambda s: not s.of,
    "b": lambda s: s.cf,
    "ae": lambda s: not s.cf,
    "e": lambda s: s.zf,
    "ne": lambda s: not s.zf,
    "be": lambda s: s.cf or s.zf,
    "a": lambda s: not (s.cf or s.zf),
    "s": lambda s: s.sf,
    "ns": lambda s: not s.sf,
    "p": lambda s: s.pf,
    "np": lambda s: not s.pf,
    "l": lambda s: bool(s.sf) != bool(s.of),
    "ge": lambda s: bool(s.sf) == bool(s.of),
    "le": lambda s: s.zf or bool(s.sf) != bool(s.of),
    "g": lambda s: not s.zf and bool(s.sf) == bool(s.of),
}


def _jump_if(condition: Callable[[X86State], bool]) -> Semantic:
    def predecode(ctx: X86Context) -> Run:
        state, target = ctx.state, ctx.end + ctx.operands[0]
        return lambda: target if condition(state) else None

    return predecode


def _set_if(condition: Callable[[X86State], bool]) -> Semantic:
    def predecode(ctx: X86Context) -> Run:
        state, put = ctx.state, ctx.put(0)
        return lambda: put(int(condition(state)))

    return predecode


def _move_if(condition: Callable[[X86State], bool]) -> Semantic:
    def predecode(ctx: X86Context) -> Run:
        state, old, new, put = ctx.state, ctx.get(0), ctx.get(1), ctx.put(0)

        def run() -> None:
            value = new()  # the memory read and the zero extension of 32 bits do not depend on the condition
            put(value if condition(state) else old())

        return run

    return predecode


def _target(ctx: X86Context) -> Callable[[], int]:
    """Return the target address of a jump or call."""
    if isinstance(ctx.operands[0], int):
        target = ctx.end + ctx.operands[0]
        return lambda: target
    return ctx.get(0)


def _jmp(ctx: X86Context) -> Run:
    return _target(ctx)


def _call(ctx: X86Context) -> Run:
    target, state, end = _target(ctx), ctx.state, ctx.state.memory.of_code(ctx.end)

    def run() -> int:
        to = target()
        state.push(end)
        return to

    return run


def _ret(ctx: X86Context) -> Run:
    state, extra = ctx.state, ctx.operands[0] if ctx.operands else 0

    def run() -> int:
        target = state.pop()
        state.r[RSP] = (state.r[RSP] + extra) & WORD
        return target

    return run


def _count_down(condition: Callable[[X86State], bool]) -> Semantic:
    def predecode(ctx: X86Context) -> Run:
        state, target = ctx.state, ctx.end + ctx.operands[0]

        def run() -> int | None:
            state.r[_RCX] = (state.r[_RCX] - 1) & WORD
            return target if state.r[_RCX] and condition(state) else None

        return run

    return predecode


def _jrcxz(ctx: X86Context) -> Run:
    state, target = ctx.state, ctx.end + ctx.operands[0]
    return lambda: None if state.r[_RCX] else target


def _push(ctx: X86Context) -> Run:
    state, get = ctx.state, ctx.get(0, 8)
    return lambda: state.push(get())


def _pop(ctx: X86Context) -> Run:
    state, put = ctx.state, ctx.put(0, 8)
    return lambda: put(state.pop())


def _leave(ctx: X86Context) -> Run:
    state = ctx.state

    def run() -> None:
        state.r[RSP] = state.r[_RBP]
        state.r[_RBP] = state.pop()

    return run


def _enter(ctx: X86Context) -> Run:
    """Push rbp and, for nested procedures, the frame pointers of the outer ones; make a frame of `size` bytes."""
    state, (size, level) = ctx.state, ctx.operands

    def run() -> None:
        r, depth = state.r, level & 31
        state.push(r[_RBP])
        frame = r[RSP]
        for _ in range(depth - 1):
            r[_RBP] = (r[_RBP] - 8) & WORD
            state.push(state.memory.load(r[_RBP], 8))
        if depth:
            state.push(frame)
        r[_RBP], r[RSP] = frame, (r[RSP] - (size & 0xFFFF)) & WORD

    return run


def _pushfq(ctx: X86Context) -> Run:
    state = ctx.state
    return lambda: state.push(state.flags | _INTERRUPTS)


def _popfq(ctx: X86Context) -> Run:
    state = ctx.state

    def run() -> None:
        state.flags = state.pop()

    return run


def _lahf(ctx: X86Context) -> Run:
    state = ctx.state

    def run() -> None:
        state.r[_RAX] = state.r[_RAX] & ~0xFF00 | (state.flags & _STATUS | 2) << 8

    return run


def _sahf(ctx: X86Context) -> Run:
    state = ctx.state

    def run() -> None:
        state.flags = state.flags & ~_STATUS | state.r[_RAX] >> 8 & _STATUS

    return run


def _xlatb(ctx: X86Context) -> Run:
    state, load = ctx.state, ctx.state.memory.load

    def run() -> None:
        al = load((state.r[_RBX] + (state.r[_RAX] & 0xFF)) & WORD, 1)
        state.r[_RAX] = state.r[_RAX] & ~0xFF | al

    return run


# Transactions, which abort at once, as a processor may at any time


def _xbegin(ctx: X86Context) -> Run:
    state, target = ctx.state, int(ctx.end + ctx.operands[0])

    def run() -> int:
        state.r[_RAX] = 0  # the status: no reason, and no advice to try again
        return target

    return run


def _xend(ctx: X86Context) -> Run:
    raise CannotRun("there is no transaction to end: xbegin aborts at once and jumps to its fallback")


def _clear_flags(zf: bool) -> Semantic:
    def predecode(ctx: X86Context) -> Run:
        state = ctx.state

        def run() -> None:
            state.cf = state.of = state.sf = state.pf = state.af = False
            state.zf = zf

        return run

    return predecode


def _wait(ctx: X86Context) -> Run:
    """umwait, tpause: the wait ends at once. A set carry flag would say that the operating system's limit ended it."""
    get, clear = ctx.get(0), _clear_flags(False)(ctx)

    def run() -> None:
        if get() >> 1:
            raise CannotRun(f"the wait state {get():#x} has reserved bits: only bit 0 may be set")
        clear()

    return run


def _set_direction(down: bool) -> Semantic:
    def predecode(ctx: X86Context) -> Run:
        state = ctx.state

        def run() -> None:
            state.df = down

        return run

    return predecode


def _set_carry(change: Callable[[bool], bool]) -> Semantic:
    def predecode(ctx: X86Context) -> Run:
        state = ctx.state

        def run() -> None:
            state.cf = change(state.cf)

        return run

    return predecode


def _ldmxcsr(ctx: X86Context) -> Run:
    state, get = ctx.state, ctx.get(0, 4)

    def run() -> None:
        word = get()
        if word >> 16:
            raise CannotRun(f"ldmxcsr loads {word:#x}, but the high half of MXCSR is reserved")
        state.set_mxcsr(word)

    return run


def _stmxcsr(ctx: X86Context) -> Run:
    state, put = ctx.state, ctx.put(0, 4)
    return lambda: put(state.mxcsr)


TABLE: dict[str, Semantic] = {
    **{f"j{name}": _jump_if(condition) for name, condition in CONDITIONS.items()},
    **{f"set{name}": _set_if(condition) for name, condition in CONDITIONS.items()},
    **{f"cmov{name}": _move_if(condition) for name, condition in CONDITIONS.items()},
    "jmp": _jmp,
    "call": _call,
    "ret": _ret,
    "jrcxz": _jrcxz,
    "push": _push,
    "pop": _pop,
    "leave": _leave,
    "loop": _count_down(lambda s: True),
    "loope": _count_down(lambda s: s.zf),
    "loopne": _count_down(lambda s: not s.zf),
    "nothing": nothing,
    "undefined": undefined,
    "clc": _set_carry(lambda c: False),
    "stc": _set_carry(lambda c: True),
    "cmc": _set_carry(lambda c: not c),
    "cld": _set_direction(False),
    "std": _set_direction(True),
    "enter": _enter,
    "pushfq": _pushfq,
    "popfq": _popfq,
    "lahf": _lahf,
    "sahf": _sahf,
    "xlatb": _xlatb,
    "xbegin": _xbegin,
    "xend": _xend,
    "xabort": nothing,
    "xtest": _clear_flags(True),
    "umwait": _wait,
    "tpause": _wait,
    **dict.fromkeys(("umonitor", "serialize", "rdsspd", "rdsspq"), nothing),  # shadow stacks are off
    "ldmxcsr": _ldmxcsr,
    "stmxcsr": _stmxcsr,
}

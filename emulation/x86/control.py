"""Branches, conditions, the stack, and instructions that change no values. Maps semantics keys to factories of
closures.
"""

from __future__ import annotations

from collections.abc import Callable

from ..core.closures import Run, nothing, undefined
from ..core.faults import Refusal
from ..core.u64 import WORD
from .operands import Context, Semantic
from .state import RSP, X86State

_RCX, _RBP = 1, 5

CONDITIONS: dict[str, Callable[[X86State], bool]] = {
    "o": lambda s: s.of, "no": lambda s: not s.of,
    "b": lambda s: s.cf, "ae": lambda s: not s.cf,
    "e": lambda s: s.zf, "ne": lambda s: not s.zf,
    "be": lambda s: s.cf or s.zf, "a": lambda s: not (s.cf or s.zf),
    "s": lambda s: s.sf, "ns": lambda s: not s.sf,
    "p": lambda s: s.pf, "np": lambda s: not s.pf,
    "l": lambda s: s.sf != s.of, "ge": lambda s: s.sf == s.of,
    "le": lambda s: s.zf or s.sf != s.of, "g": lambda s: not s.zf and s.sf == s.of,
}  # fmt: skip


def _jump_if(condition: Callable[[X86State], bool]) -> Semantic:
    def predecode(ctx: Context) -> Run:
        state, target = ctx.state, ctx.end + ctx.operands[0]
        return lambda: target if condition(state) else None

    return predecode


def _set_if(condition: Callable[[X86State], bool]) -> Semantic:
    def predecode(ctx: Context) -> Run:
        state, put = ctx.state, ctx.put(0)
        return lambda: put(int(condition(state)))

    return predecode


def _move_if(condition: Callable[[X86State], bool]) -> Semantic:
    def predecode(ctx: Context) -> Run:
        state, old, new, put = ctx.state, ctx.get(0), ctx.get(1), ctx.put(0)

        def run() -> None:
            value = new()  # the memory read and the zero extension of 32 bits do not depend on the condition
            put(value if condition(state) else old())

        return run

    return predecode


def _target(ctx: Context) -> Callable[[], int]:
    """Return the target address of a jump or call."""
    if isinstance(ctx.operands[0], int):
        target = ctx.end + ctx.operands[0]
        return lambda: target
    return ctx.get(0)


def _jmp(ctx: Context) -> Run:
    return _target(ctx)


def _call(ctx: Context) -> Run:
    target, state, end = _target(ctx), ctx.state, ctx.end

    def run() -> int:
        to = target()
        state.push(end)
        return to

    return run


def _ret(ctx: Context) -> Run:
    state, extra = ctx.state, ctx.operands[0] if ctx.operands else 0

    def run() -> int:
        target = state.pop()
        state.r[RSP] = (state.r[RSP] + extra) & WORD
        return target

    return run


def _count_down(condition: Callable[[X86State], bool]) -> Semantic:
    def predecode(ctx: Context) -> Run:
        state, target = ctx.state, ctx.end + ctx.operands[0]

        def run() -> int | None:
            state.r[_RCX] = (state.r[_RCX] - 1) & WORD
            return target if state.r[_RCX] and condition(state) else None

        return run

    return predecode


def _jrcxz(ctx: Context) -> Run:
    state, target = ctx.state, ctx.end + ctx.operands[0]
    return lambda: None if state.r[_RCX] else target


def _push(ctx: Context) -> Run:
    state, get = ctx.state, ctx.get(0, 8)
    return lambda: state.push(get())


def _pop(ctx: Context) -> Run:
    state, put = ctx.state, ctx.put(0, 8)
    return lambda: put(state.pop())


def _leave(ctx: Context) -> Run:
    state = ctx.state

    def run() -> None:
        state.r[RSP] = state.r[_RBP]
        state.r[_RBP] = state.pop()

    return run


def _set_carry(change: Callable[[bool], bool]) -> Semantic:
    def predecode(ctx: Context) -> Run:
        state = ctx.state

        def run() -> None:
            state.cf = change(state.cf)

        return run

    return predecode


def _ldmxcsr(ctx: Context) -> Run:
    state, get = ctx.state, ctx.get(0, 4)

    def run() -> None:
        word = get()
        if word >> 16:
            raise Refusal(f"ldmxcsr loads {word:#x}, but the high half of MXCSR is reserved")
        state.set_mxcsr(word)

    return run


def _stmxcsr(ctx: Context) -> Run:
    state, put = ctx.state, ctx.put(0, 4)
    return lambda: put(state.mxcsr)


TABLE: dict[str, Semantic] = {
    **{f"j{name}": _jump_if(condition) for name, condition in CONDITIONS.items()},
    **{f"set{name}": _set_if(condition) for name, condition in CONDITIONS.items()},
    **{f"cmov{name}": _move_if(condition) for name, condition in CONDITIONS.items()},
    "jmp": _jmp, "call": _call, "ret": _ret, "jrcxz": _jrcxz, "push": _push, "pop": _pop, "leave": _leave,
    "loop": _count_down(lambda s: True), "loope": _count_down(lambda s: s.zf),
    "loopne": _count_down(lambda s: not s.zf),
    "nothing": nothing, "undefined": undefined,
    "clc": _set_carry(lambda c: False), "stc": _set_carry(lambda c: True), "cmc": _set_carry(lambda c: not c),
    "ldmxcsr": _ldmxcsr, "stmxcsr": _stmxcsr,
}  # fmt: skip

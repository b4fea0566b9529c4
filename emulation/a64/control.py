"""Branches, hints and system registers of AArch64. Maps operations to factories of closures."""

from __future__ import annotations

from ...encoder.a64.names import CONDITIONS as NAMES
from ...encoder.a64.names import SYSTEM_REGISTERS
from ..core.closures import Run, nothing, undefined
from ..core.faults import CannotRun
from ..core.memory import WRITE
from .atomics import clear_exclusive
from .integer import CONDITIONS
from .operands import A64Context, Semantic

_LINK = 30


def _branch(link: bool) -> Semantic:
    def predecode(ctx: A64Context) -> Run:
        target: int = ctx.pc + ctx.operands[0]
        x, end = ctx.state.x, ctx.state.memory.of_code(ctx.end)

        def run() -> int:
            if link:
                x[_LINK] = end
            return target

        return run

    return predecode


def _branch_if(number: int) -> Semantic:
    def predecode(ctx: A64Context) -> Run:
        state, target, holds = ctx.state, ctx.pc + ctx.operands[0], CONDITIONS[number]
        return lambda: target if holds(state) else None

    return predecode


def _branch_zero(wanted: bool) -> Semantic:
    def predecode(ctx: A64Context) -> Run:
        get, target = ctx.get(0), ctx.pc + ctx.operands[1]
        return lambda: target if bool(get() == 0) is wanted else None

    return predecode


def _branch_bit(wanted: bool) -> Semantic:
    def predecode(ctx: A64Context) -> Run:
        get, bit, target = ctx.get(0), ctx.operands[1], ctx.pc + ctx.operands[2]
        return lambda: target if bool(get() >> bit & 1) is wanted else None

    return predecode


def _branch_register(link: bool) -> Semantic:
    def predecode(ctx: A64Context) -> Run:
        x, end = ctx.state.x, ctx.state.memory.of_code(ctx.end)
        get = ctx.get(0) if ctx.operands else lambda: x[_LINK]

        def run() -> int:
            target = get()
            if link:
                x[_LINK] = end
            return target

        return run

    return predecode


_READABLE = ("nzcv", "fpcr", "fpsr", "svcr", "tpidr_el0", "tpidr2_el0", "dczid_el0")
_REGISTERS = {SYSTEM_REGISTERS[name]: name for name in _READABLE}
_REASONS = "a register that depends on the processor or on the time: pass it as an argument"


def _mrs(ctx: A64Context) -> Run:
    state, name, put = ctx.state, _REGISTERS.get(ctx.operands[1]), ctx.put(0)
    if name is None:
        raise CannotRun(f"reads {ctx.operands[1]}, {_REASONS}. The emulator has {', '.join(_READABLE)}")
    if name == "nzcv":
        return lambda: put(state.nzcv << 28)
    if name == "dczid_el0":
        return lambda: put((_ZEROED // 4).bit_length() - 1)
    return lambda: put(getattr(state, name))


def _msr(ctx: A64Context) -> Run:
    state, name, get = ctx.state, _REGISTERS.get(ctx.operands[0]), ctx.get(1)
    if name == "nzcv":
        return lambda: setattr(state, "nzcv", get() >> 28)
    if name == "fpcr":
        return lambda: state.set_fpcr(get() & 0xFFFF_FFFF)
    if name == "fpsr":
        return lambda: setattr(state, "fpsr", get() & 0xFFFF_FFFF)
    if name == "svcr":
        return lambda: state.switch(bool(get() & 1), bool(get() & 2))
    if name in ("tpidr_el0", "tpidr2_el0"):
        return lambda: setattr(state, str(name), get())
    raise CannotRun(
        f"writes {ctx.operands[0]}, which no unprivileged program may, or which the emulator lacks. It has "
        f"{', '.join(_READABLE[:-1])}"
    )


_ZEROED = 64
"""The bytes that dc zva sets to zero, and what DCZID_EL0 says about it."""


def _cache(ctx: A64Context) -> Run:
    """dc, ic: zero a block; other operations on caches have no effect on values."""
    name, get, view = ctx.operands[0].name, ctx.get(1), ctx.state.memory.view
    if name == "ivac":
        raise CannotRun("discards what caches hold, which only an operating system may do; civac writes it back first")
    if name != "zva":
        return lambda: None
    return lambda: view(get() // _ZEROED * _ZEROED, _ZEROED, WRITE).fill(0)


def _invert_carry(ctx: A64Context) -> Run:
    return lambda: setattr(ctx.state, "c", not ctx.state.c)


def _privileged(what: str) -> Semantic:
    """An instruction that leaves the program. A Refusal says so when it executes."""

    def predecode(ctx: A64Context) -> Run:
        def run() -> None:
            raise CannotRun(what)

        return run

    return predecode


_SYSTEM = "calls the {}, and emulated code runs without one: let the caller do it and pass the result"
_EXCEPTIONS = "returns from an exception, which only an operating system may do; a function returns with ret"


def length_multiple(ctx: A64Context) -> Run:
    """The semantics of rdvl and rdsvl: a multiple of the length of a vector."""
    value, put = ctx.operands[1] * ctx.state.vector_bytes, ctx.put(0)
    return lambda: put(value)


def add_lengths(divisor: int) -> Semantic:
    """The semantics of addvl, addpl, addsvl and addspl: add a multiple of the length of a vector, or of a predicate."""

    def predecode(ctx: A64Context) -> Run:
        step, get, put = ctx.operands[2] * ctx.state.vector_bytes // divisor, ctx.get(1), ctx.put(0)
        return lambda: put(get() + step)

    return predecode


TABLE: dict[str, Semantic] = {
    "b": _branch(False),
    "bl": _branch(True),
    "br": _branch_register(False),
    "blr": _branch_register(True),
    **{f"b.{name}": _branch_if(named.num) for name, named in NAMES.items() if name not in ("nv", "cs", "cc")},
    "cbz": _branch_zero(True),
    "cbnz": _branch_zero(False),
    "tbz": _branch_bit(False),
    "tbnz": _branch_bit(True),
    "nothing": nothing,
    "undefined": undefined,
    "wfi": nothing,
    "clrex": clear_exclusive,
    "cfinv": _invert_carry,
    **{f"{verb}{key}": nothing for verb in ("paci", "auti") for key in ("asp", "bsp")},
    "xpaclri": nothing,
    "svc": _privileged(_SYSTEM.format("operating system")),
    "hvc": _privileged(_SYSTEM.format("hypervisor")),
    "smc": _privileged(_SYSTEM.format("firmware")),
    "eret": _privileged(_EXCEPTIONS),
    "drps": _privileged(_EXCEPTIONS),
    "dc": _cache,
    "ic": _cache,
    "mrs": _mrs,
    "msr": _msr,
    "rdvl": length_multiple,
    "addvl": add_lengths(1),
    "addpl": add_lengths(8),
}

"""Atomic accesses of AArch64: LSE, exclusives, acquire and release. Maps operations to factories of closures.

An instruction of an emulated processor is never interrupted, so each of these is an ordinary access in one step, and
acquire and release have nothing to order. The architecture demands a natural alignment unless the processor has
FEAT_LSE2; the emulator always demands it.

The exclusive monitor remembers the address, the size and the value that a load read. A store succeeds if all three are
still as they were, which also holds if another worker has written the same value again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..core.closures import Run
from ..core.u64 import signed
from .operands import A64Context, Semantic, bits_of

_SIZES = {"": 0, "b": 1, "h": 2}
_ORDERS = ("", "a", "l", "al")
_UPDATES: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda old, by, bits: old + by,
    "clr": lambda old, by, bits: old & ~by,
    "eor": lambda old, by, bits: old ^ by,
    "set": lambda old, by, bits: old | by,
    "smax": lambda old, by, bits: max(signed(old, bits), signed(by, bits)),
    "smin": lambda old, by, bits: min(signed(old, bits), signed(by, bits)),
    "umax": lambda old, by, bits: max(old, by),
    "umin": lambda old, by, bits: min(old, by),
    "swp": lambda old, by, bits: by,
}
"""The new value of memory from the old one, the operand and the number of bits."""


def _address(ctx: A64Context, size: int) -> Callable[[], int]:
    """Return the address that the last operand names, which must be a multiple of the size of the access."""
    place, require = ctx.address(len(ctx.operands) - 1), ctx.state.memory.require

    def aligned() -> int:
        address = place()
        require(address, size)
        return address

    return aligned


def _bytes(ctx: A64Context, size: int, at: int = 0) -> int:
    return size or bits_of(ctx.operands[at]) // 8


def _updated(operation: Callable[[int, int, int], int], loads: bool, size: int, ctx: A64Context) -> Run:
    """ldadd, swp, stadd and their like: replace a value in memory; a load returns the old one."""
    size = _bytes(ctx, size)
    memory, address, by, ones = ctx.state.memory, _address(ctx, size), ctx.get(0), (1 << 8 * size) - 1
    put = ctx.put(1) if loads else lambda old: None

    def run() -> None:
        place, operand = address(), by() & ones
        old = memory.load(place, size)
        memory.store(place, size, operation(old, operand, 8 * size) & ones)
        put(old)

    return run


def _compared(size: int, ctx: A64Context) -> Run:
    """cas, casp: replace a value in memory if it is the expected one; the expected registers get the old value."""
    pair = len(ctx.operands) == 5
    part = _bytes(ctx, size)
    olds, news = ((0, 1), (2, 3)) if pair else ((0,), (1,))
    expected, new, put = [ctx.get(at) for at in olds], [ctx.get(at) for at in news], [ctx.put(at) for at in olds]
    whole = part * len(put)
    memory, address, ones = ctx.state.memory, _address(ctx, whole), (1 << 8 * part) - 1

    def joined(parts: list[Callable[[], int]]) -> int:
        return sum((each() & ones) << 8 * part * at for at, each in enumerate(parts))

    def run() -> None:
        place, wanted, value = address(), joined(expected), joined(new)
        old = memory.load(place, whole)
        memory.store(place, whole, value if old == wanted else old)
        for at, write in enumerate(put):
            write(old >> 8 * part * at & ones)

    return run


def _ordered(store: bool, size: int, sign: bool, ctx: A64Context) -> Run:
    """ldar, ldapr, ldapur, stlr, stlur and their like: a load or store of one register."""
    size = _bytes(ctx, size)
    memory, address, ones = ctx.state.memory, _address(ctx, size), (1 << 8 * size) - 1
    if store:
        get = ctx.get(0)
        return lambda: memory.store(address(), size, get() & ones)
    put = ctx.put(0)
    if sign:
        return lambda: put(signed(memory.load(address(), size), 8 * size))
    return lambda: put(memory.load(address(), size))


def _load_exclusive(size: int, ctx: A64Context) -> Run:
    """ldxr, ldxp and their like: load one or two registers and set the monitor."""
    part, count = _bytes(ctx, size), len(ctx.operands) - 1
    state, put, ones = ctx.state, [ctx.put(at) for at in range(count)], (1 << 8 * part) - 1
    whole = part * count
    address = _address(ctx, whole)

    def run() -> None:
        place = address()
        value = state.memory.load(place, whole)
        state.exclusive = place, whole, value
        for at, write in enumerate(put):
            write(value >> 8 * part * at & ones)

    return run


def _store_exclusive(size: int, ctx: A64Context) -> Run:
    """stxr, stxp and their like: store if the monitor is still set, and write 0 to the status; else write 1."""
    part, count = _bytes(ctx, size, 1), len(ctx.operands) - 2
    state, status, ones = ctx.state, ctx.put(0), (1 << 8 * part) - 1
    get = [ctx.get(1 + at) for at in range(count)]
    whole = part * count
    address = _address(ctx, whole)

    def run() -> None:
        place, held = address(), state.exclusive
        state.exclusive = None
        kept = held is not None and held[:2] == (place, whole) and state.memory.load(place, whole) == held[2]
        if kept:
            state.memory.store(place, whole, sum((each() & ones) << 8 * part * at for at, each in enumerate(get)))
        status(0 if kept else 1)

    return run


def clear_exclusive(ctx: A64Context) -> Run:
    """The semantics of clrex: the next exclusive store fails."""
    return lambda: setattr(ctx.state, "exclusive", None)


def _table() -> dict[str, Semantic]:
    table: dict[str, Semantic] = {}
    for end, size in _SIZES.items():
        for order in _ORDERS:
            table[f"cas{order}{end}"] = partial(_compared, size)
            for name, operation in _UPDATES.items():
                load = name if name == "swp" else f"ld{name}"
                table[f"{load}{order}{end}"] = partial(_updated, operation, True, size)
                if order in ("", "l") and name != "swp":
                    table[f"st{name}{order}{end}"] = partial(_updated, operation, False, size)
        for name in ("ldxr", "ldaxr"):
            table[name + end] = partial(_load_exclusive, size)
        for name in ("stxr", "stlxr"):
            table[name + end] = partial(_store_exclusive, size)
        for name in ("ldar", "ldapr", "ldapur", "stlr", "stlur"):
            table[name + end] = partial(_ordered, name[:2] == "st", size, False)
    table |= {f"casp{order}": partial(_compared, 0) for order in _ORDERS}
    table |= {name: partial(_load_exclusive, 0) for name in ("ldxp", "ldaxp")}
    table |= {name: partial(_store_exclusive, 0) for name in ("stxp", "stlxp")}
    table |= {f"ldapurs{end}": partial(_ordered, False, size, True) for end, size in (("b", 1), ("h", 2), ("w", 4))}
    return table


TABLE: dict[str, Semantic] = _table()
"""Operations of memory."""

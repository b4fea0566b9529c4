"""Shifts, rotates and bit instructions on general registers of x86-64. Maps semantics keys to factories of closures.

Flags that the manual leaves undefined for some counts become `Undefined`; semantics.py lists the others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..core.closures import Run
from ..core.faults import CannotRun
from ..core.u64 import WORD, signed
from .integer import logic, set_signs
from .operands import Semantic, X86Context

_CASTAGNOLI = 0x82F6_3B78


def _amount(ctx: X86Context, at: int) -> Callable[[], int]:
    """Return the shift count, taken modulo 64 for 64-bit operands and modulo 32 for others."""
    count, most = ctx.get(at, 1), 0x3F if ctx.size(0) == 8 else 0x1F
    return lambda: count() & most


def _shift(kind: str, ctx: X86Context) -> Run:
    state, a, put, bits = ctx.state, ctx.get(0), ctx.put(0), 8 * ctx.size(0)
    amount, ones = _amount(ctx, 1), (1 << bits) - 1

    def run() -> None:
        by, value = amount(), a()
        if not by:
            put(value)
            return
        if kind == "shl":
            wide = value << by
            result, state.cf = wide & ones, wide >> bits & 1 != 0
            state.of = (result >> bits - 1 != 0) != state.cf
        else:
            source = signed(value, bits) if kind == "sar" else value
            result, state.cf = source >> by & ones, source >> by - 1 & 1 != 0
            state.of = kind == "shr" and value >> bits - 1 != 0
        set_signs(state, result, bits)
        if by > 1:
            state.forget(("cf", "of") if by >= bits and kind != "sar" else ("of",), kind)
        put(result)

    return run


def _rotate(left: bool, ctx: X86Context) -> Run:
    state, a, put, bits = ctx.state, ctx.get(0), ctx.put(0), 8 * ctx.size(0)
    amount, ones = _amount(ctx, 1), (1 << bits) - 1

    def run() -> None:
        by, value = amount(), a()
        turn = (by if left else -by) % bits
        result = (value << turn | value >> bits - turn) & ones
        if by:
            high = result >> bits - 1 != 0
            state.cf = result & 1 != 0 if left else high
            state.of = (high != state.cf) if left else (high != (result >> bits - 2 & 1 != 0))
        if by > 1:
            state.forget(("of",), ctx.form.mnemonic)
        put(result)

    return run


def _rotate_through(left: bool, ctx: X86Context) -> Run:
    """rcl, rcr: rotate the value and the carry flag, as one number of one bit more."""
    state, a, put, bits = ctx.state, ctx.get(0), ctx.put(0), 8 * ctx.size(0)
    amount, ones = _amount(ctx, 1), (2 << bits) - 1

    def run() -> None:
        count, value = amount(), a()
        by = count % (bits + 1)
        turn = by if left else bits + 1 - by
        both = int(state.cf) << bits | value
        both = (both << turn | both >> bits + 1 - turn) & ones
        result = both & (1 << bits) - 1
        if by:
            state.cf = bool(both >> bits)
            state.of = bool(result >> bits - 1) != (state.cf if left else bool(result >> bits - 2 & 1))
        if count > 1:
            state.forget(("of",), ctx.form.mnemonic)
        put(result)

    return run


def _double_shift(left: bool, ctx: X86Context) -> Run:
    state, a, b, put, bits = ctx.state, ctx.get(0), ctx.get(1), ctx.put(0), 8 * ctx.size(0)
    amount, ones = _amount(ctx, 2), (1 << bits) - 1

    def run() -> None:
        by, value, other = amount(), a(), b()
        if not by:
            put(value)
            return
        if by > bits:
            raise CannotRun(f"a double shift of {bits} bits by {by} has an undefined result")
        both = value << bits | other if left else other << bits | value
        result = both << by >> bits & ones if left else both >> by & ones
        state.cf = value >> (bits - by if left else by - 1) & 1 != 0
        state.of = (value ^ result) >> bits - 1 != 0
        set_signs(state, result, bits)
        if by > 1:
            state.forget(("of",), ctx.form.mnemonic)
        put(result)

    return run


def _flagless_shift(operation: Callable[[int, int, int], int], ctx: X86Context) -> Run:
    """Predecode shlx, shrx, sarx, rorx: the operation maps (value, amount, bits) to the result."""
    a, count, put, bits = ctx.get(1), ctx.get(2, 8), ctx.put(0), 8 * ctx.size(0)
    return lambda: put(operation(a(), count() & bits - 1, bits) & (1 << bits) - 1)


# Bits


def _counted(operation: Callable[[int, int], int], ctx: X86Context) -> Run:
    """Predecode popcnt, lzcnt, tzcnt: the operation maps (value, bits) to the count."""
    state, a, put, bits = ctx.state, ctx.get(1), ctx.put(0), 8 * ctx.size(0)
    population = ctx.operation == "popcnt"

    def run() -> None:
        value = a()
        result = operation(value, bits)
        state.zf = value == 0 if population else result == 0
        state.cf = value == 0 and not population
        if population:
            state.of = state.sf = state.af = state.pf = False
        put(result)

    return run


def trailing_zeros(value: int, bits: int) -> int:
    """Count the zero bits below the lowest set bit."""
    return (value & -value).bit_length() - 1 if value else bits


def _scan(forward: bool, ctx: X86Context) -> Run:
    state, a, put = ctx.state, ctx.get(1), ctx.put(0)

    def run() -> None:
        value = a()
        state.zf = value == 0
        if value:  # otherwise the register keeps its value
            put(trailing_zeros(value, 64) if forward else value.bit_length() - 1)

    return run


def _bit(change: Callable[[int, int], int] | None, ctx: X86Context) -> Run:
    """Predecode bt, bts, btr, btc. A register's bit number may lie in any word before or behind the one that memory is
    addressed by."""
    if ctx.form.classes[0].touches_memory and not isinstance(ctx.operands[1], int):
        return _bit_string(change, ctx)
    state, a, b, put, bits = ctx.state, ctx.get(0), ctx.get(1, 8), ctx.put(0), 8 * ctx.size(0)

    def run() -> None:
        value, bit = a(), 1 << (b() & bits - 1)
        state.cf = value & bit != 0
        if change is not None:
            put(change(value, bit))

    return run


def _bit_string(change: Callable[[int, int], int] | None, ctx: X86Context) -> Run:
    state, memory, size = ctx.state, ctx.state.memory, ctx.size(0)
    address, number, bits = ctx.address(ctx.operands[0]), ctx.get(1), 8 * ctx.size(0)

    def run() -> None:
        word, place = divmod(signed(number(), bits), bits)
        at = address() + word * size & WORD
        value = memory.load(at, size)
        state.cf = value >> place & 1 != 0
        if change is not None:
            memory.store(at, size, change(value, 1 << place))

    return run


def _crc32(ctx: X86Context) -> Run:
    """Continue a CRC-32C, whose polynomial is reflected, with the bytes of the second operand."""
    crc, data, put, bits = ctx.get(0), ctx.get(1), ctx.put(0), 8 * ctx.size(1)

    def run() -> None:
        rest = crc() & 0xFFFF_FFFF ^ data()
        for _ in range(bits):
            rest = rest >> 1 ^ (_CASTAGNOLI if rest & 1 else 0)
        put(rest)

    return run


def _lowest(operation: Callable[[int], int], carry: Callable[[int], bool], ctx: X86Context) -> Run:
    """Predecode blsi, blsr, blsmsk."""
    state, a, put, bits = ctx.state, ctx.get(1), ctx.put(0), 8 * ctx.size(0)

    def run() -> None:
        value = a()
        result = operation(value) & (1 << bits) - 1
        state.cf, state.of = carry(value), False
        set_signs(state, result, bits)
        put(result)

    return run


def _andn(ctx: X86Context) -> Run:
    state, a, b, put, bits = ctx.state, ctx.get(1), ctx.get(2), ctx.put(0), 8 * ctx.size(0)
    return lambda: put(logic(lambda x, y: ~x & y, state, a(), b(), bits))


def _bextr(ctx: X86Context) -> Run:
    state, a, control, put = ctx.state, ctx.get(1), ctx.get(2), ctx.put(0)

    def run() -> None:
        word = control()
        result = a() >> (word & 0xFF) & (1 << (word >> 8 & 0xFF)) - 1
        state.zf, state.cf, state.of = result == 0, False, False
        put(result)

    return run


def _bzhi(ctx: X86Context) -> Run:
    state, a, index, put, bits = ctx.state, ctx.get(1), ctx.get(2, 1), ctx.put(0), 8 * ctx.size(0)

    def run() -> None:
        at = index()
        result = a() & (1 << min(at, bits)) - 1
        state.cf, state.of = at >= bits, False
        set_signs(state, result, bits)
        put(result)

    return run


def deposit(value: int, mask: int) -> int:
    """Scatter the low bits of a value to the positions of the set bits of a mask."""
    result = 0
    while mask:
        low = mask & -mask
        result |= low if value & 1 else 0
        value >>= 1
        mask ^= low
    return result


def extract(value: int, mask: int) -> int:
    """Gather the bits of a value at the set bits of a mask into the low bits of the result."""
    result, at = 0, 0
    while mask:
        low = mask & -mask
        result |= bool(value & low) << at
        at += 1
        mask ^= low
    return result


def _plain(operation: Callable[[int, int], int], ctx: X86Context) -> Run:
    """Predecode an instruction with two source operands that sets no flags."""
    a, b, put = ctx.get(1), ctx.get(2), ctx.put(0)
    return lambda: put(operation(a(), b()))


def _swapped(ctx: X86Context) -> Run:
    """Predecode bswap of a register, and movbe, which reverses its second operand."""
    a, put, size = ctx.get(len(ctx.operands) - 1), ctx.put(0), ctx.size(0)
    return lambda: put(int.from_bytes(a().to_bytes(size, "little"), "big"))


TABLE: dict[str, Semantic] = {
    **{kind: partial(_shift, kind) for kind in ("shl", "shr", "sar")},
    "rol": partial(_rotate, True),
    "ror": partial(_rotate, False),
    "rcl": partial(_rotate_through, True),
    "rcr": partial(_rotate_through, False),
    "crc32": _crc32,
    "shld": partial(_double_shift, True),
    "shrd": partial(_double_shift, False),
    "shlx": partial(_flagless_shift, lambda a, by, bits: a << by),
    "shrx": partial(_flagless_shift, lambda a, by, bits: a >> by),
    "sarx": partial(_flagless_shift, lambda a, by, bits: signed(a, bits) >> by),
    "rorx": partial(_flagless_shift, lambda a, by, bits: a >> by | a << bits - by),
    "popcnt": partial(_counted, lambda a, bits: a.bit_count()),
    "lzcnt": partial(_counted, lambda a, bits: bits - a.bit_length()),
    "tzcnt": partial(_counted, trailing_zeros),
    "bsf": partial(_scan, True),
    "bsr": partial(_scan, False),
    "bt": partial(_bit, None),
    "bts": partial(_bit, int.__or__),
    "btc": partial(_bit, int.__xor__),
    "btr": partial(_bit, lambda value, bit: value & ~bit),
    "blsi": partial(_lowest, lambda a: a & -a, bool),
    "blsr": partial(_lowest, lambda a: a & a - 1, lambda a: not a),
    "blsmsk": partial(_lowest, lambda a: a ^ a - 1, lambda a: not a),
    "andn": _andn,
    "bextr": _bextr,
    "bzhi": _bzhi,
    "pdep": partial(_plain, deposit),
    "pext": partial(_plain, extract),
    "movbe": _swapped,
}

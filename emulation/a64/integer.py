"""General-purpose arithmetic, logic, shifts, bit fields and conditions. Maps operations to factories of closures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...encoder.a64.names import Named
from ..core.closures import Run
from ..core.late import is_late, late
from ..core.u64 import WORD, integer, signed
from .operands import A64Context, Semantic, bits_of
from .state import A64State

CONDITIONS: tuple[Callable[[A64State], bool], ...] = (
    lambda s: s.z,
    lambda s: not s.z,
    lambda s: s.c,
    lambda s: not s.c,
    lambda s: s.n,
    lambda s: not s.n,
    lambda s: s.v,
    lambda s: not s.v,
    lambda s: s.c and not s.z,
    lambda s: not s.c or s.z,
    lambda s: s.n == s.v,
    lambda s: s.n != s.v,
    lambda s: not s.z and s.n == s.v,
    lambda s: s.z or s.n != s.v,
    lambda s: True,
    lambda s: True,
)
"""Condition names by their encoding: eq ne hs lo mi pl vs vc hi ls ge lt gt le al nv."""


def add_with_carry(state: A64State, a: int, b: int, carry: int, bits: int) -> int:
    """Return the sum and set all flags."""
    ones = (1 << bits) - 1
    total = a + b + carry
    result = total & ones
    if is_late(total):
        _set_signs(state, result, bits)
        state.c = late(lambda: total > ones)
        state.v = late(lambda: bool((a ^ result) & (b ^ result) & 1 << bits - 1))
        return result
    state.n, state.z, state.c = result >> bits - 1 != 0, result == 0, total > ones
    state.v = (a ^ result) & (b ^ result) & 1 << bits - 1 != 0
    return result


def _set_signs(state: A64State, result: int, bits: int) -> None:
    """Set n and z from a result when they are read."""
    state.n, state.z = late(lambda: bool(result >> bits - 1 & 1)), late(lambda: result == 0)


def _plain(operation: Callable[..., int], ctx: A64Context) -> Run:
    """Predecode destination = operation(sources)."""
    put, sources = ctx.put(0), [ctx.get(at) for at in range(1, len(ctx.operands))]
    if len(sources) == 2:
        a, b = sources
        return lambda: put(operation(a(), b()))
    return lambda: put(operation(*[source() for source in sources]))


def _sized(operation: Callable[..., int], ctx: A64Context) -> Run:
    """Predecode destination = operation(sources, size in bits)."""
    put, sources, bits = ctx.put(0), [ctx.get(at) for at in range(1, len(ctx.operands))], bits_of(ctx.operands[0])
    return lambda: put(operation(*[source() for source in sources], bits))


def _flagged(subtract: bool, carries: bool, ctx: A64Context, compare: bool = False) -> Run:
    """Predecode adds, subs, cmp, adcs and their like, which set the flags."""
    state, first = ctx.state, 0 if compare else 1
    a, b, bits = ctx.get(first), ctx.get(first + 1), bits_of(ctx.operands[0])
    put, ones = (None if compare else ctx.put(0)), (1 << bits_of(ctx.operands[0])) - 1

    def run() -> None:
        one, other = a(), b()
        if subtract and not carries and (is_late(one) or is_late(other)):
            result = _late_difference(state, one, other & ones, bits)
        else:
            second = ~other & ones if subtract else other & ones
            result = add_with_carry(state, one, second, int(state.c) if carries else int(subtract), bits)
        if put is not None:
            put(result)

    return run


def _late_difference(state: A64State, a: int, b: int, bits: int) -> int:
    """Return the difference and set all flags, which are found when they are read."""
    result = (a - b) & (1 << bits) - 1
    _set_signs(state, result, bits)
    state.c = late(lambda: a >= b)
    state.v = late(lambda: bool(((a ^ b) & (a ^ result)) >> bits - 1 & 1))
    return result


def _negated(flags: bool, carries: bool, ctx: A64Context) -> Run:
    state, b, put, bits = ctx.state, ctx.get(1), ctx.put(0), bits_of(ctx.operands[0])
    ones = (1 << bits) - 1
    if flags:
        return lambda: put(add_with_carry(state, 0, ~b() & ones, int(state.c) if carries else 1, bits))
    return lambda: put(-b() - (carries and not state.c))


def _carried(subtract: bool, ctx: A64Context) -> Run:
    state, a, b, put = ctx.state, ctx.get(1), ctx.get(2), ctx.put(0)
    return lambda: put(a() - b() - (not state.c) if subtract else a() + b() + state.c)


def _logic(operation: Callable[[int, int], int], ctx: A64Context, test: bool = False) -> Run:
    """Predecode ands, bics, tst, which set the flags."""
    state, first, bits = ctx.state, 0 if test else 1, bits_of(ctx.operands[0])
    a, b, put = ctx.get(first), ctx.get(first + 1), (None if test else ctx.put(0))

    def run() -> None:
        result = operation(a(), b()) & (1 << bits) - 1
        if is_late(result):
            state.c = state.v = False
            _set_signs(state, result, bits)
        else:
            state.n, state.z, state.c, state.v = result >> bits - 1 != 0, result == 0, False, False
        if put is not None:
            put(result)

    return run


def _long(sign: bool, subtract: bool, accumulate: bool, ctx: A64Context) -> Run:
    """Predecode smaddl and its like: a 64-bit product of 32-bit registers."""
    n, m, put = ctx.get(1), ctx.get(2), ctx.put(0)
    a = ctx.get(3) if accumulate else lambda: 0

    def run() -> None:
        x, y = (signed(n(), 32), signed(m(), 32)) if sign else (n(), m())
        put(a() - x * y if subtract else a() + x * y)

    return run


def _divided(a: int, b: int, bits: int, sign: bool) -> int:
    if b == 0:
        return 0
    if not sign:
        return a // b
    x, y = signed(a, bits), signed(b, bits)
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def _extreme(operation: Callable[[int, int], int], sign: bool) -> Callable[[int, int, int], int]:
    def function(a: int, b: int, bits: int) -> int:
        b &= (1 << bits) - 1
        return operation(signed(a, bits), signed(b, bits)) if sign else operation(a, b)

    return function


def reversed_bits(value: int, bits: int) -> int:
    """Reverse the order of the bits."""
    return int(f"{value:0{bits}b}"[::-1], 2)


def _reversed_in(group: int) -> Callable[[int, int], int]:
    """rev16, rev32, rev: reverse the bytes in groups of `group` bytes."""

    def function(value: int, bits: int) -> int:
        data, size = value.to_bytes(bits // 8, "little"), min(group, bits // 8)
        return int.from_bytes(b"".join(data[at : at + size][::-1] for at in range(0, len(data), size)), "little")

    return function


def _leading_signs(value: int, bits: int) -> int:
    number = signed(value, bits)
    return bits - 1 - (~number if number < 0 else number).bit_length()


def _rotated(a: int, by: int, bits: int) -> int:
    by %= bits
    return a >> by | a << bits - by


# Bit fields


def _field(sign: bool | None, ctx: A64Context) -> Run:
    """Predecode sbfm, ubfm (sign True, False), and bfm (None), which keeps the other bits of the destination."""
    immr, imms = ctx.operands[2], ctx.operands[3]
    return _moved(ctx, immr, imms, sign)


def _extracted(sign: bool | None, ctx: A64Context) -> Run:
    """ubfx and its like: move a bit field to the bottom."""
    return _moved(ctx, ctx.operands[2], ctx.operands[2] + ctx.operands[3] - 1, sign)


def _deposited(sign: bool | None, ctx: A64Context) -> Run:
    """ubfiz, bfi: move the bottom bits to a bit field."""
    bits = bits_of(ctx.operands[0])
    return _moved(ctx, -ctx.operands[2] % bits, ctx.operands[3] - 1, sign)


def _moved(ctx: A64Context, immr: int, imms: int, sign: bool | None) -> Run:
    old, a, put, bits = ctx.get(0), ctx.get(1), ctx.put(0), bits_of(ctx.operands[0])
    if imms >= immr:
        width, down, up = imms - immr + 1, immr, 0
    else:
        width, down, up = imms + 1, 0, bits - immr
    ones = (1 << width) - 1

    def run() -> None:
        field = a() >> down & ones
        if sign is None:
            put(old() & ~(ones << up) | field << up)
        else:
            put((signed(field, width) if sign else field) << up)

    return run


def _extended(sign: bool, width: int) -> Semantic:
    def predecode(ctx: A64Context) -> Run:
        a, put, ones = ctx.get(1), ctx.put(0), (1 << width) - 1
        return lambda: put(signed(a() & ones, width) if sign else a() & ones)

    return predecode


def _extr(ctx: A64Context) -> Run:
    n, m, by, put, bits = ctx.get(1), ctx.get(2), ctx.operands[3], ctx.put(0), bits_of(ctx.operands[0])
    return lambda: put((n() << bits | m()) >> by)


# Constants


def _wide(invert: bool, ctx: A64Context) -> Run:
    shift = ctx.operands[2].num if len(ctx.operands) == 3 else 0
    value, put = ctx.operands[1] << shift, ctx.put(0)
    value = ~value if invert else value
    return lambda: put(value)


def _movk(ctx: A64Context) -> Run:
    shift = ctx.operands[2].num if len(ctx.operands) == 3 else 0
    value, put, old = ctx.operands[1] << shift, ctx.put(0), ctx.get(0)
    return lambda: put(old() & ~(0xFFFF << shift) | value)


def _adr(page: bool, ctx: A64Context) -> Run:
    target = ctx.state.memory.of_code(((ctx.pc & ~0xFFF) if page else ctx.pc) + ctx.operands[1])
    put = ctx.put(0)
    return lambda: put(target)


def _mov(ctx: A64Context) -> Run:
    """mov between general registers, and from an element of a vector."""
    put = ctx.put(0)
    if ctx.is_vector(1):
        read = ctx.source(1, "u")
        return lambda: put(integer(read()[0]))
    get = ctx.get(1)
    return lambda: put(get())


# Conditions


def condition_of(ctx: A64Context) -> Callable[[A64State], bool]:
    """Return a function that evaluates the condition that the last operand names."""
    named: Named = ctx.operands[-1]
    return CONDITIONS[named.num]


def _select(change: Callable[[int], int], ctx: A64Context) -> Run:
    state, holds, put, a, b = ctx.state, condition_of(ctx), ctx.put(0), ctx.get(1), ctx.get(2)
    return lambda: put(a() if holds(state) else change(b()))


def _set(value: int, ctx: A64Context) -> Run:
    """cset, csetm; the decoder gives the condition as it is written in assembly."""
    state, holds, put = ctx.state, condition_of(ctx), ctx.put(0)
    return lambda: put(value if holds(state) else 0)


def _one(change: Callable[[int], int], ctx: A64Context) -> Run:
    """cinc, cinv, cneg; they have one source register."""
    state, holds, put, a = ctx.state, condition_of(ctx), ctx.put(0), ctx.get(1)
    return lambda: put(change(a()) if holds(state) else a())


def _conditional_compare(subtract: bool, ctx: A64Context) -> Run:
    state, holds, flags = ctx.state, condition_of(ctx), ctx.operands[2]
    a, b, bits = ctx.get(0), ctx.get(1), bits_of(ctx.operands[0])
    ones = (1 << bits) - 1

    def run() -> None:
        if holds(state):
            one, other = a(), b()
            if subtract and (is_late(one) or is_late(other)):
                _late_difference(state, one, other & ones, bits)
            else:
                add_with_carry(state, one, ~other & ones if subtract else other & ones, int(subtract), bits)
        else:
            state.nzcv = flags

    return run


# Checksums and flags


def _checksum(polynomial: int, size: int, ctx: A64Context) -> Run:
    """crc32b and its like: continue a checksum, without the inversions before and after it that CRC-32 has."""
    old, data, put = ctx.get(1), ctx.get(2), ctx.put(0)

    def run() -> None:
        rest = old() ^ data() & (1 << 8 * size) - 1
        for _ in range(8 * size):
            rest = rest >> 1 ^ (polynomial if rest & 1 else 0)
        put(rest)

    return run


def _rotated_flags(ctx: A64Context) -> Run:
    """rmif: the flags that a mask names from a rotated register."""
    get, by, mask, state = ctx.get(0), ctx.operands[1], ctx.operands[2], ctx.state
    return lambda: setattr(state, "nzcv", state.nzcv & ~mask | _rotated(get(), by, 64) & mask)


def _set_flags(bits: int, ctx: A64Context) -> Run:
    """setf8, setf16: the flags of an addition of narrow numbers, except for C."""
    get, state = ctx.get(0), ctx.state

    def run() -> None:
        value = get()
        state.n, state.z = bool(value >> bits - 1 & 1), value & (1 << bits) - 1 == 0
        state.v = bool((value >> bits ^ value >> bits - 1) & 1)

    return run


def _terminated(equal: bool, ctx: A64Context) -> Run:
    """ctermeq, ctermne: N says whether a loop ends, V whether it goes on by C."""
    a, b, state = ctx.get(0), ctx.get(1), ctx.state

    def run() -> None:
        state.n = bool(a() == b()) is equal
        state.v = not state.n and not state.c

    return run


_TWO: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "mneg": lambda a, b: -a * b,
    "madd": lambda a, b, c: c + a * b,
    "msub": lambda a, b, c: c - a * b,
    "and": lambda a, b: a & b,
    "orr": lambda a, b: a | b,
    "eor": lambda a, b: a ^ b,
    "bic": lambda a, b: a & ~b,
    "orn": lambda a, b: a | ~b,
    "eon": lambda a, b: a ^ ~b,
    "mvn": lambda a: ~a,
    "umulh": lambda a, b: a * b >> 64,
    "smulh": lambda a, b: signed(a, 64) * signed(b, 64) >> 64,
}
_SIZED: dict[str, Callable[..., int]] = {
    "udiv": partial(_divided, sign=False),
    "sdiv": partial(_divided, sign=True),
    "smax": _extreme(max, True),
    "smin": _extreme(min, True),
    "umax": _extreme(max, False),
    "umin": _extreme(min, False),
    "lsl": lambda a, by, bits: a << by % bits,
    "lsr": lambda a, by, bits: a >> by % bits,
    "asr": lambda a, by, bits: signed(a, bits) >> by % bits,
    "ror": _rotated,
    "clz": lambda a, bits: bits - a.bit_length(),
    "cls": _leading_signs,
    "rbit": reversed_bits,
    "ctz": lambda a, bits: (a & -a).bit_length() - 1 if a else bits,
    "cnt": lambda a, bits: a.bit_count(),
    "abs": lambda a, bits: abs(signed(a, bits)),
    "rev": _reversed_in(8),
    "rev64": _reversed_in(8),
    "rev32": _reversed_in(4),
    "rev16": _reversed_in(2),
}

TABLE: dict[str, Semantic] = {
    **{name: partial(_plain, operation) for name, operation in _TWO.items()},
    **{name: partial(_sized, operation) for name, operation in _SIZED.items()},
    "adds": partial(_flagged, False, False),
    "subs": partial(_flagged, True, False),
    "adcs": partial(_flagged, False, True),
    "sbcs": partial(_flagged, True, True),
    "cmp": partial(_flagged, True, False, compare=True),
    "cmn": partial(_flagged, False, False, compare=True),
    "neg": partial(_negated, False, False),
    "negs": partial(_negated, True, False),
    "ngc": partial(_negated, False, True),
    "ngcs": partial(_negated, True, True),
    "adc": partial(_carried, False),
    "sbc": partial(_carried, True),
    "ands": partial(_logic, lambda a, b: a & b),
    "bics": partial(_logic, lambda a, b: a & ~b),
    "tst": partial(_logic, lambda a, b: a & b, test=True),
    **{
        f"{letter}{name}": partial(_long, letter == "s", subtract, accumulate)
        for letter in "su"
        for name, subtract, accumulate in (
            ("maddl", False, True),
            ("msubl", True, True),
            ("mull", False, False),
            ("mnegl", True, False),
        )
    },
    "sbfm": partial(_field, True),
    "ubfm": partial(_field, False),
    "bfm": partial(_field, None),
    "sbfx": partial(_extracted, True),
    "ubfx": partial(_extracted, False),
    "bfxil": partial(_extracted, None),
    "sbfiz": partial(_deposited, True),
    "ubfiz": partial(_deposited, False),
    "bfi": partial(_deposited, None),
    **{
        f"{letter}xt{end}": _extended(letter == "s", width)
        for letter in "su"
        for end, width in (("b", 8), ("h", 16), ("w", 32))
        if letter + end != "uw"
    },
    "extr": _extr,
    "movz": partial(_wide, False),
    "movn": partial(_wide, True),
    "movk": _movk,
    "adr": partial(_adr, False),
    "adrp": partial(_adr, True),
    "mov": _mov,
    "csel": partial(_select, lambda b: b),
    "csinc": partial(_select, lambda b: b + 1),
    "csinv": partial(_select, lambda b: ~b),
    "csneg": partial(_select, lambda b: -b),
    "cset": partial(_set, 1),
    "csetm": partial(_set, WORD),
    "cinc": partial(_one, lambda a: a + 1),
    "cinv": partial(_one, lambda a: ~a),
    "cneg": partial(_one, lambda a: -a),
    **{
        f"crc32{kind}{end}": partial(_checksum, polynomial, size)
        for kind, polynomial in (("", 0xEDB88320), ("c", 0x82F63B78))
        for end, size in (("b", 1), ("h", 2), ("w", 4), ("x", 8))
    },
    "rmif": _rotated_flags,
    "setf8": partial(_set_flags, 8),
    "setf16": partial(_set_flags, 16),
    "ctermeq": partial(_terminated, True),
    "ctermne": partial(_terminated, False),
    "ccmp": partial(_conditional_compare, True),
    "ccmn": partial(_conditional_compare, False),
}

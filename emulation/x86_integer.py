"""General-purpose instructions of x86-64: arithmetic, logic, shifts, bits, moves. Mnemonic -> how it is made ready.

Flags that an instruction leaves undefined keep some value; a program must not look at them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .cpu_faults import Refusal
from .x86_operands import Context, Run
from .x86_state import X86State

_PARITY = tuple(bin(byte).count("1") % 2 == 0 for byte in range(256))
_RAX, _RCX, _RDX = 0, 1, 2
_WORD = (1 << 64) - 1

Semantic = Callable[[Context], Run]


def _signs(state: X86State, result: int, bits: int) -> None:
    state.zf = result == 0
    state.sf = bool(result >> bits - 1)
    state.pf = _PARITY[result & 0xFF]


def signed(value: int, bits: int) -> int:
    """The two's complement number of an unsigned one."""
    return value - (1 << bits) if value >> bits - 1 else value


# Arithmetic and logic: (state, a, b, bits) -> result


def _add(state: X86State, a: int, b: int, bits: int, carry: int = 0) -> int:
    total = a + b + carry
    result = total & (1 << bits) - 1
    state.cf = total >> bits > 0
    state.of = bool((a ^ result) & (b ^ result) & 1 << bits - 1)
    state.af = bool((a ^ b ^ result) & 16)
    _signs(state, result, bits)
    return result


def _sub(state: X86State, a: int, b: int, bits: int, borrow: int = 0) -> int:
    result = (a - b - borrow) & (1 << bits) - 1
    state.cf = a < b + borrow
    state.of = bool((a ^ b) & (a ^ result) & 1 << bits - 1)
    state.af = bool((a ^ b ^ result) & 16)
    _signs(state, result, bits)
    return result


def _adc(state: X86State, a: int, b: int, bits: int) -> int:
    return _add(state, a, b, bits, int(state.cf))


def _sbb(state: X86State, a: int, b: int, bits: int) -> int:
    return _sub(state, a, b, bits, int(state.cf))


def _logic(operation: Callable[[int, int], int], state: X86State, a: int, b: int, bits: int) -> int:
    result = operation(a, b)
    state.cf = state.of = state.af = False
    _signs(state, result, bits)
    return result


def _binary(operation: Callable[[X86State, int, int, int], int], ctx: Context, keep: bool = True) -> Run:
    state, size = ctx.state, ctx.size(0)
    a, b, put, bits = ctx.get(0), ctx.get(1, size), ctx.put(0), 8 * size

    def run() -> None:
        result = operation(state, a(), b(), bits)
        if keep:
            put(result)

    return run


def _step(operation: Callable[[X86State, int, int, int], int], ctx: Context) -> Run:
    """inc and dec: the carry flag stays."""
    state, a, put, bits = ctx.state, ctx.get(0), ctx.put(0), 8 * ctx.size(0)

    def run() -> None:
        carry = state.cf
        put(operation(state, a(), 1, bits))
        state.cf = carry

    return run


def _neg(ctx: Context) -> Run:
    state, a, put, bits = ctx.state, ctx.get(0), ctx.put(0), 8 * ctx.size(0)
    return lambda: put(_sub(state, 0, a(), bits))


def _not(ctx: Context) -> Run:
    a, put, ones = ctx.get(0), ctx.put(0), (1 << 8 * ctx.size(0)) - 1
    return lambda: put(a() ^ ones)


# Multiplication and division


def _imul(ctx: Context) -> Run:
    if len(ctx.operands) == 1:
        return _wide(ctx, True)
    state, size = ctx.state, ctx.size(0)
    first = 0 if len(ctx.operands) == 2 else 1
    a, b, put, bits = ctx.get(first, size), ctx.get(first + 1, size), ctx.put(0), 8 * size

    def run() -> None:
        product = signed(a(), bits) * signed(b(), bits)
        result = product & (1 << bits) - 1
        state.cf = state.of = signed(result, bits) != product
        put(result)

    return run


def _wide(ctx: Context, sign: bool) -> Run:
    """rdx:rax = rax * operand, of any size."""
    state, b, bits = ctx.state, ctx.get(0), 8 * ctx.size(0)
    ones = (1 << bits) - 1

    def run() -> None:
        a, factor = state.r[_RAX] & ones, b()
        product = signed(a, bits) * signed(factor, bits) if sign else a * factor
        low, high = product & ones, product >> bits & ones
        state.cf = state.of = product != (signed(low, bits) if sign else low)
        _put_pair(state, low, high, bits)

    return run


def _put_pair(state: X86State, low: int, high: int, bits: int) -> None:
    r = state.r
    if bits == 8:
        r[_RAX] = r[_RAX] & ~0xFFFF | high << 8 | low
    elif bits == 16:
        r[_RAX], r[_RDX] = r[_RAX] & ~0xFFFF | low, r[_RDX] & ~0xFFFF | high
    else:
        r[_RAX], r[_RDX] = low, high


def _divide(ctx: Context, sign: bool) -> Run:
    state, b, bits = ctx.state, ctx.get(0), 8 * ctx.size(0)
    ones = (1 << bits) - 1

    def run() -> None:
        r, divisor = state.r, b()
        high = r[_RAX] >> 8 & 0xFF if bits == 8 else r[_RDX] & ones
        dividend = high << bits | r[_RAX] & ones
        if sign:
            dividend, divisor = signed(dividend, 2 * bits), signed(divisor, bits)
        if divisor == 0:
            raise Refusal("divides by zero")
        quotient = abs(dividend) // abs(divisor) * (1 if (dividend < 0) == (divisor < 0) else -1)
        if not (-(1 << bits - 1) <= quotient < 1 << bits - 1 if sign else quotient <= ones):
            raise Refusal(f"the quotient does not fit {bits} bits")
        _put_pair(state, quotient & ones, dividend - quotient * divisor & ones, bits)

    return run


def _mulx(ctx: Context) -> Run:
    state, b, bits = ctx.state, ctx.get(2), 8 * ctx.size(2)
    high, low = ctx.put(0), ctx.put(1)

    def run() -> None:
        product = (state.r[_RDX] & (1 << bits) - 1) * b()
        low(product & (1 << bits) - 1)
        high(product >> bits)

    return run


def _extend_rax(bits: int) -> Semantic:
    """cbw, cwde, cdqe: the sign of rax's low half into its high half; `bits` is the whole."""

    def made(ctx: Context) -> Run:
        r, rest = ctx.state.r, 0xFFFF if bits == 16 else 0
        keep = ~rest & _WORD if bits == 16 else 0

        def run() -> None:
            value = signed(r[_RAX] & (1 << bits // 2) - 1, bits // 2) & (1 << bits) - 1
            r[_RAX] = r[_RAX] & keep | value

        return run

    return made


def _extend_rdx(bits: int) -> Semantic:
    """cwd, cdq, cqo: the sign of rax all over rdx."""

    def made(ctx: Context) -> Run:
        r, ones = ctx.state.r, (1 << bits) - 1
        keep = ~ones & _WORD if bits == 16 else 0

        def run() -> None:
            r[_RDX] = r[_RDX] & keep | (ones if r[_RAX] >> bits - 1 & 1 else 0)

        return run

    return made


# Shifts and rotates


def _shift(kind: str, ctx: Context) -> Run:
    state, a, put, size = ctx.state, ctx.get(0), ctx.put(0), ctx.size(0)
    count, bits = ctx.get(1, 1), 8 * size
    ones, most = (1 << bits) - 1, 0x3F if size == 8 else 0x1F

    def run() -> None:
        by, value = count() & most, a()
        if not by:
            put(value)
            return
        if kind == "shl":
            wide = value << by
            result, state.cf = wide & ones, bool(wide >> bits & 1)
            state.of = bool(result >> bits - 1) != state.cf
        else:
            source = signed(value, bits) if kind == "sar" else value
            result, state.cf = source >> by & ones, bool(source >> by - 1 & 1)
            state.of = kind == "shr" and bool(value >> bits - 1)
        _signs(state, result, bits)
        put(result)

    return run


def _rotate(left: bool, ctx: Context) -> Run:
    state, a, put, size = ctx.state, ctx.get(0), ctx.put(0), ctx.size(0)
    count, bits = ctx.get(1, 1), 8 * size
    ones, most = (1 << bits) - 1, 0x3F if size == 8 else 0x1F

    def run() -> None:
        by, value = count() & most, a()
        turn = (by if left else -by) % bits
        result = (value << turn | value >> bits - turn) & ones
        if by:
            high = bool(result >> bits - 1)
            state.cf = bool(result & 1) if left else high
            state.of = (high != state.cf) if left else (high != bool(result >> bits - 2 & 1))
        put(result)

    return run


def _double_shift(left: bool, ctx: Context) -> Run:
    state, a, b, put, bits = ctx.state, ctx.get(0), ctx.get(1), ctx.put(0), 8 * ctx.size(0)
    count, most, ones = ctx.get(2, 1), 0x3F if bits == 64 else 0x1F, (1 << bits) - 1

    def run() -> None:
        by, value, other = count() & most, a(), b()
        if not by:
            put(value)
            return
        if by > bits:
            raise Refusal(f"shifts {bits} bits by {by}: the result is undefined")
        both = value << bits | other if left else other << bits | value
        result = both << by >> bits & ones if left else both >> by & ones
        state.cf = bool(value >> (bits - by if left else by - 1) & 1)
        state.of = bool((value ^ result) >> bits - 1)
        _signs(state, result, bits)
        put(result)

    return run


def _flagless_shift(operation: Callable[[int, int, int], int], ctx: Context) -> Run:
    """shlx, shrx, sarx, rorx: value, amount, bits -> result."""
    a, count, put, bits = ctx.get(1), ctx.get(2, 8), ctx.put(0), 8 * ctx.size(0)
    return lambda: put(operation(a(), count() & bits - 1, bits) & (1 << bits) - 1)


# Bits


def _counted(operation: Callable[[int, int], int], ctx: Context) -> Run:
    """popcnt, lzcnt, tzcnt: value, bits -> count."""
    state, a, put, bits = ctx.state, ctx.get(1), ctx.put(0), 8 * ctx.size(0)
    population = ctx.form.mnemonic == "popcnt"

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
    """Zeros below the lowest one."""
    return (value & -value).bit_length() - 1 if value else bits


def _scan(forward: bool, ctx: Context) -> Run:
    state, a, put = ctx.state, ctx.get(1), ctx.put(0)

    def run() -> None:
        value = a()
        state.zf = value == 0
        if value:  # otherwise the register keeps its value
            put(trailing_zeros(value, 64) if forward else value.bit_length() - 1)

    return run


def _bit(change: Callable[[int, int], int] | None, ctx: Context) -> Run:
    """bt, bts, btr, btc on a register, or on memory with a constant bit number."""
    if ctx.form.classes[0].touches_memory and not isinstance(ctx.operands[1], int):
        raise Refusal("a bit string in memory: not emulated, use a register or a constant bit number")
    state, a, b, put, bits = ctx.state, ctx.get(0), ctx.get(1, 8), ctx.put(0), 8 * ctx.size(0)

    def run() -> None:
        value, bit = a(), 1 << (b() & bits - 1)
        state.cf = bool(value & bit)
        if change is not None:
            put(change(value, bit))

    return run


def _lowest(operation: Callable[[int], int], carry: Callable[[int], bool], ctx: Context) -> Run:
    """blsi, blsr, blsmsk."""
    state, a, put, bits = ctx.state, ctx.get(1), ctx.put(0), 8 * ctx.size(0)

    def run() -> None:
        value = a()
        result = operation(value) & (1 << bits) - 1
        state.cf, state.of = carry(value), False
        _signs(state, result, bits)
        put(result)

    return run


def _andn(ctx: Context) -> Run:
    state, a, b, put, bits = ctx.state, ctx.get(1), ctx.get(2), ctx.put(0), 8 * ctx.size(0)
    return lambda: put(_logic(lambda x, y: ~x & y, state, a(), b(), bits))


def _bextr(ctx: Context) -> Run:
    state, a, control, put = ctx.state, ctx.get(1), ctx.get(2), ctx.put(0)

    def run() -> None:
        word = control()
        result = a() >> (word & 0xFF) & (1 << (word >> 8 & 0xFF)) - 1
        state.zf, state.cf, state.of = result == 0, False, False
        put(result)

    return run


def _bzhi(ctx: Context) -> Run:
    state, a, index, put, bits = ctx.state, ctx.get(1), ctx.get(2, 1), ctx.put(0), 8 * ctx.size(0)

    def run() -> None:
        at = index()
        result = a() & (1 << min(at, bits)) - 1
        state.cf, state.of = at >= bits, False
        _signs(state, result, bits)
        put(result)

    return run


def deposit(value: int, mask: int) -> int:
    """The low bits of a value to where a mask has ones."""
    result = 0
    while mask:
        low = mask & -mask
        result |= low if value & 1 else 0
        value >>= 1
        mask ^= low
    return result


def extract(value: int, mask: int) -> int:
    """The bits of a value where a mask has ones, together."""
    result, at = 0, 0
    while mask:
        low = mask & -mask
        result |= bool(value & low) << at
        at += 1
        mask ^= low
    return result


def _plain(operation: Callable[[int, int], int], ctx: Context) -> Run:
    """Of two operands, without flags."""
    a, b, put = ctx.get(1), ctx.get(2), ctx.put(0)
    return lambda: put(operation(a(), b()))


def _swapped(ctx: Context) -> Run:
    a, put, size = ctx.get(0), ctx.put(0), ctx.size(0)
    return lambda: put(int.from_bytes(a().to_bytes(size, "little"), "big"))


def _movbe(ctx: Context) -> Run:
    a, put, size = ctx.get(1), ctx.put(0), ctx.size(0)
    return lambda: put(int.from_bytes(a().to_bytes(size, "little"), "big"))


# Moves


def _mov(ctx: Context) -> Run:
    put, get = ctx.put(0), ctx.get(1, ctx.size(0))
    return lambda: put(get())


def _movsx(ctx: Context) -> Run:
    get, put, bits, ones = ctx.get(1), ctx.put(0), 8 * ctx.size(1), (1 << 8 * ctx.size(0)) - 1
    return lambda: put(signed(get(), bits) & ones)


def _movzx(ctx: Context) -> Run:
    get, put = ctx.get(1), ctx.put(0)
    return lambda: put(get())


def _lea(ctx: Context) -> Run:
    address, put, ones = ctx.address(ctx.operands[1]), ctx.put(0), (1 << ctx.operands[0].width) - 1
    return lambda: put(address() & ones)


def _xchg(ctx: Context) -> Run:
    a, b, put_a, put_b = ctx.get(0), ctx.get(1), ctx.put(0), ctx.put(1)

    def run() -> None:
        first, second = a(), b()
        put_a(second)
        put_b(first)

    return run


_LOGIC = {"and": int.__and__, "or": int.__or__, "xor": int.__xor__}

TABLE: dict[str, Semantic] = {
    "add": partial(_binary, _add), "sub": partial(_binary, _sub),
    "adc": partial(_binary, _adc), "sbb": partial(_binary, _sbb),
    **{name: partial(_binary, partial(_logic, operation)) for name, operation in _LOGIC.items()},
    "cmp": partial(_binary, _sub, keep=False),
    "test": partial(_binary, partial(_logic, int.__and__), keep=False),
    "inc": partial(_step, _add), "dec": partial(_step, _sub), "neg": _neg, "not": _not,
    "imul": _imul, "mul": partial(_wide, sign=False), "mulx": _mulx,
    "div": partial(_divide, sign=False), "idiv": partial(_divide, sign=True),
    "cbw": _extend_rax(16), "cwde": _extend_rax(32), "cdqe": _extend_rax(64),
    "cwd": _extend_rdx(16), "cdq": _extend_rdx(32), "cqo": _extend_rdx(64),
    **{kind: partial(_shift, kind) for kind in ("shl", "shr", "sar")},
    "rol": partial(_rotate, True), "ror": partial(_rotate, False),
    "shld": partial(_double_shift, True), "shrd": partial(_double_shift, False),
    "shlx": partial(_flagless_shift, lambda a, by, bits: a << by),
    "shrx": partial(_flagless_shift, lambda a, by, bits: a >> by),
    "sarx": partial(_flagless_shift, lambda a, by, bits: signed(a, bits) >> by),
    "rorx": partial(_flagless_shift, lambda a, by, bits: a >> by | a << bits - by),
    "popcnt": partial(_counted, lambda a, bits: a.bit_count()),
    "lzcnt": partial(_counted, lambda a, bits: bits - a.bit_length()),
    "tzcnt": partial(_counted, trailing_zeros),
    "bsf": partial(_scan, True), "bsr": partial(_scan, False),
    "bt": partial(_bit, None), "bts": partial(_bit, int.__or__), "btc": partial(_bit, int.__xor__),
    "btr": partial(_bit, lambda value, bit: value & ~bit),
    "blsi": partial(_lowest, lambda a: a & -a, bool), "blsr": partial(_lowest, lambda a: a & a - 1, lambda a: not a),
    "blsmsk": partial(_lowest, lambda a: a ^ a - 1, lambda a: not a),
    "andn": _andn, "bextr": _bextr, "bzhi": _bzhi, "pdep": partial(_plain, deposit), "pext": partial(_plain, extract),
    "mov": _mov, "movzx": _movzx, "movsx": _movsx, "movsxd": _movsx, "movnti": _mov, "movbe": _movbe, "bswap": _swapped,
    "lea": _lea, "xchg": _xchg,
}  # fmt: skip

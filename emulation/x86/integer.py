"""General-purpose instructions of x86-64: arithmetic, logic, moves. Maps semantics keys to closures.

semantics.py lists the flags that the manual leaves undefined. `af`, which no condition reads, is not among them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import and_, or_, xor
from typing import Any

from ..core.closures import Run
from ..core.faults import CannotRun
from ..core.late import is_late, late
from ..core.u64 import WORD, opaque, signed
from .operands import Semantic, X86Context
from .state import X86State

_PARITY = tuple(bin(byte).count("1") % 2 == 0 for byte in range(256))
RAX, RCX, RDX = 0, 1, 2


def set_signs(state: X86State, result: int, bits: int) -> None:
    """Set the flags zf, sf and pf from a result."""
    if is_late(result):
        state.zf, state.sf = late(lambda: result == 0), late(lambda: bool(result >> bits - 1 & 1))
        state.pf = late(getattr(result, "is_even"))  # noqa: B009
        return
    if not isinstance(result, int):  # symbolic
        if opaque(result):  # data, on which no branch may depend
            state.zf = state.sf = state.pf = result
        else:
            state.zf, state.sf, state.pf = result == 0, result >> bits - 1 != 0, _Parity(result)
        return
    state.zf = result == 0
    state.sf = result >> bits - 1 != 0
    state.pf = _PARITY[result & 0xFF]


class _Parity:
    """The parity of a word that the call gives, computed if something depends on it."""

    __slots__ = ("word",)

    def __init__(self, word: Any) -> None:
        self.word = word

    def __int__(self) -> int:
        return int(_PARITY[int(self.word & 0xFF)])

    def __bool__(self) -> bool:
        return bool(int(self))


# Arithmetic and logic: (state, a, b, bits) -> result


def total(state: X86State, a: int, b: int, bits: int, carry: int = 0) -> int:
    """Return a + b + carry and set the flags of an addition."""
    wide = a + b + carry
    result = wide & (1 << bits) - 1
    if is_late(wide):
        state.cf = late(lambda: wide >> bits > 0)
        _set_overflow(state, lambda: (a ^ result) & (b ^ result), lambda: a ^ b ^ result, bits)
        set_signs(state, result, bits)
        return result
    state.cf = wide >> bits > 0
    data: Any = result
    if opaque(data):  # as in set_signs
        state.of = state.af = data
        set_signs(state, result, bits)
        return result
    state.of = (a ^ result) & (b ^ result) & 1 << bits - 1 != 0
    state.af = (a ^ b ^ result) & 16 != 0
    set_signs(state, result, bits)
    return result


def difference(state: X86State, a: int, b: int, bits: int, borrow: int = 0) -> int:
    """Return a - b - borrow and set the flags of a subtraction."""
    result = (a - b - borrow) & (1 << bits) - 1
    if is_late(a) or is_late(b):
        state.cf = late(lambda: a < b + borrow)
        _set_overflow(state, lambda: (a ^ b) & (a ^ result), lambda: a ^ b ^ result, bits)
        set_signs(state, result, bits)
        return result
    state.cf = a < b + borrow
    state.of = (a ^ b) & (a ^ result) & 1 << bits - 1 != 0
    state.af = (a ^ b ^ result) & 16 != 0
    set_signs(state, result, bits)
    return result


def _set_overflow(state: X86State, signs: Callable[[], int], carries: Callable[[], int], bits: int) -> None:
    state.of, state.af = late(lambda: bool(signs() >> bits - 1 & 1)), late(lambda: bool(carries() & 16))


def _adc(state: X86State, a: int, b: int, bits: int) -> int:
    symbolic = hasattr(state.cf, "booleans")
    return total(state, a, b, bits, state.cf if symbolic else int(state.cf))


def _sbb(state: X86State, a: int, b: int, bits: int) -> int:
    return difference(state, a, b, bits, int(state.cf))


def logic(operation: Callable[[int, int], int], state: X86State, a: int, b: int, bits: int) -> int:
    """Return operation(a, b) and set the flags of a logic instruction."""
    result = operation(a, b)
    state.cf = state.of = state.af = False
    set_signs(state, result, bits)
    return result


def _binary(operation: Callable[[X86State, int, int, int], int], ctx: X86Context, keep: bool = True) -> Run:
    state, size = ctx.state, ctx.size(0)
    a, b, put, bits = ctx.get(0), ctx.get(1, size), ctx.put(0), 8 * size

    def run() -> None:
        result = operation(state, a(), b(), bits)
        if keep:
            put(result)

    return run


def _add_with(flag: str, ctx: X86Context) -> Run:
    """adcx, adox: add with a carry of its own, the only flag that changes."""
    state, a, b, put, bits = ctx.state, ctx.get(0), ctx.get(1), ctx.put(0), 8 * ctx.size(0)

    def run() -> None:
        wide = a() + b() + int(getattr(state, flag))
        setattr(state, flag, wide >> bits != 0)
        put(wide & (1 << bits) - 1)

    return run


def _step(operation: Callable[[X86State, int, int, int], int], ctx: X86Context) -> Run:
    """Predecode inc and dec, which keep the carry flag."""
    state, a, put, bits = ctx.state, ctx.get(0), ctx.put(0), 8 * ctx.size(0)

    def run() -> None:
        carry = state.cf
        put(operation(state, a(), 1, bits))
        state.cf = carry

    return run


def _neg(ctx: X86Context) -> Run:
    state, a, put, bits = ctx.state, ctx.get(0), ctx.put(0), 8 * ctx.size(0)
    return lambda: put(difference(state, 0, a(), bits))


def _not(ctx: X86Context) -> Run:
    a, put, ones = ctx.get(0), ctx.put(0), (1 << 8 * ctx.size(0)) - 1
    return lambda: put(a() ^ ones)


# Multiplication and division


def _imul(ctx: X86Context) -> Run:
    if len(ctx.operands) == 1:
        return _wide(ctx, True)
    state, size = ctx.state, ctx.size(0)
    first = 0 if len(ctx.operands) == 2 else 1
    a, b, put, bits = ctx.get(first, size), ctx.get(first + 1, size), ctx.put(0), 8 * size

    def run() -> None:
        one, other = a(), b()
        if opaque(one) or opaque(other):  # as in set_signs
            product: Any = one * other
            state.cf = state.of = product
            put(product)
            return
        product = signed(one, bits) * signed(other, bits)
        result = product & (1 << bits) - 1
        state.cf = state.of = signed(result, bits) != product
        put(result)

    return run


def _wide(ctx: X86Context, sign: bool) -> Run:
    """Predecode mul and imul of one operand: rdx:rax = rax * operand, for every operand size."""
    state, b, bits = ctx.state, ctx.get(0), 8 * ctx.size(0)
    ones = (1 << bits) - 1

    def run() -> None:
        a, factor = state.r[RAX] & ones, b()
        product = signed(a, bits) * signed(factor, bits) if sign else a * factor
        low, high = product & ones, product >> bits & ones
        state.cf = state.of = product != (signed(low, bits) if sign else low)
        _put_pair(state, low, high, bits)

    return run


def _put_pair(state: X86State, low: int, high: int, bits: int) -> None:
    r = state.r
    if bits == 8:
        r[RAX] = r[RAX] & ~0xFFFF | high << 8 | low
    elif bits == 16:
        r[RAX], r[RDX] = r[RAX] & ~0xFFFF | low, r[RDX] & ~0xFFFF | high
    else:
        r[RAX], r[RDX] = low, high


def _divide(ctx: X86Context, sign: bool) -> Run:
    state, b, bits = ctx.state, ctx.get(0), 8 * ctx.size(0)
    ones = (1 << bits) - 1

    def run() -> None:
        r, divisor = state.r, b()
        high = r[RAX] >> 8 & 0xFF if bits == 8 else r[RDX] & ones
        dividend = high << bits | r[RAX] & ones
        if sign:
            dividend, divisor = signed(dividend, 2 * bits), signed(divisor, bits)
        if divisor == 0:
            raise CannotRun("the instruction divides by zero")
        quotient = abs(dividend) // abs(divisor) * (1 if (dividend < 0) == (divisor < 0) else -1)
        if not (-(1 << bits - 1) <= quotient < 1 << bits - 1 if sign else quotient <= ones):
            raise CannotRun(f"the quotient does not fit {bits} bits")
        _put_pair(state, quotient & ones, dividend - quotient * divisor & ones, bits)

    return run


def _mulx(ctx: X86Context) -> Run:
    state, b, bits = ctx.state, ctx.get(2), 8 * ctx.size(2)
    high, low = ctx.put(0), ctx.put(1)

    def run() -> None:
        product = (state.r[RDX] & (1 << bits) - 1) * b()
        low(product & (1 << bits) - 1)
        high(product >> bits)

    return run


def _extend_rax(bits: int) -> Semantic:
    """The semantics of cbw, cwde, cdqe: sign-extend the low half of rax to `bits` bits."""

    def predecode(ctx: X86Context) -> Run:
        r, rest = ctx.state.r, 0xFFFF if bits == 16 else 0
        keep = ~rest & WORD if bits == 16 else 0

        def run() -> None:
            value = signed(r[RAX] & (1 << bits // 2) - 1, bits // 2) & (1 << bits) - 1
            r[RAX] = r[RAX] & keep | value

        return run

    return predecode


def _extend_rdx(bits: int) -> Semantic:
    """The semantics of cwd, cdq, cqo: fill rdx with the sign of rax."""

    def predecode(ctx: X86Context) -> Run:
        r, ones = ctx.state.r, (1 << bits) - 1
        keep = ~ones & WORD if bits == 16 else 0

        def run() -> None:
            r[RDX] = r[RDX] & keep | (ones if r[RAX] >> bits - 1 & 1 else 0)

        return run

    return predecode


# Moves


def _mov(ctx: X86Context) -> Run:
    put, get = ctx.put(0), ctx.get(1, ctx.size(0))
    return lambda: put(get())


def _movsx(ctx: X86Context) -> Run:
    get, put, bits, ones = ctx.get(1), ctx.put(0), 8 * ctx.size(1), (1 << 8 * ctx.size(0)) - 1
    return lambda: put(signed(get(), bits) & ones)


def _movzx(ctx: X86Context) -> Run:
    get, put = ctx.get(1), ctx.put(0)
    return lambda: put(get())


def _lea(ctx: X86Context) -> Run:
    address, put, ones = ctx.address(ctx.operands[1]), ctx.put(0), (1 << ctx.operands[0].width) - 1
    return lambda: put(address() & ones)


def _xchg(ctx: X86Context) -> Run:
    a, b, put_a, put_b = ctx.get(0), ctx.get(1), ctx.put(0), ctx.put(1)

    def run() -> None:
        first, second = a(), b()
        put_a(second)
        put_b(first)

    return run


_LOGIC = {"and": and_, "or": or_, "xor": xor}

TABLE: dict[str, Semantic] = {
    "add": partial(_binary, total),
    "sub": partial(_binary, difference),
    "adc": partial(_binary, _adc),
    "sbb": partial(_binary, _sbb),
    **{name: partial(_binary, partial(logic, operation)) for name, operation in _LOGIC.items()},
    "cmp": partial(_binary, difference, keep=False),
    "adcx": partial(_add_with, "cf"),
    "adox": partial(_add_with, "of"),
    "test": partial(_binary, partial(logic, and_), keep=False),
    "inc": partial(_step, total),
    "dec": partial(_step, difference),
    "neg": _neg,
    "not": _not,
    "imul": _imul,
    "mul": partial(_wide, sign=False),
    "mulx": _mulx,
    "div": partial(_divide, sign=False),
    "idiv": partial(_divide, sign=True),
    "cbw": _extend_rax(16),
    "cwde": _extend_rax(32),
    "cdqe": _extend_rax(64),
    "cwd": _extend_rdx(16),
    "cdq": _extend_rdx(32),
    "cqo": _extend_rdx(64),
    "mov": _mov,
    "movzx": _movzx,
    "movsx": _movsx,
    "lea": _lea,
    "xchg": _xchg,
}

"""Ways to compute what is not one instruction: rules that the tables of several machines take from here.

Each takes a node and returns the same value in other operations. Nothing here depends on a machine but through the
operations named in a rule's argument.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from ..dtypes import EXPONENT_BIAS, FRACTION_BITS
from ..expr.graph import (
    BITS,
    INTEGER_OF,
    Expr,
    apply,
    bits,
    constant,
    constant_bits,
    from_bits,
    maximum,
    minimum,
    node,
    select,
    shift_right_logical,
)
from .selection import Rule, own

_WHOLE = 2.0**52 + 2.0**51  # added to an f64 below 2^51 in size, it leaves the whole number in the low bits


# x * 2^n


def power_of_two(n: Expr, dtype: str) -> Expr:
    """2^n for n from 1 - bias to bias: the exponent field."""
    return from_bits((n + EXPONENT_BIAS[dtype]) << FRACTION_BITS[dtype])


def ldexp_by_products(expr: Expr) -> Expr:
    """x * 2^n by one, two or three products with powers of two, of which only the last one rounds."""
    x, n, reach = *expr.args, expr.value
    bias = EXPONENT_BIAS[x.dtype]
    if reach is not None and reach < bias:
        return x * power_of_two(n, x.dtype)
    if reach is not None and reach < 2 * bias - 1:
        half = n >> 1
        return x * power_of_two(half, x.dtype) * power_of_two(n - half, x.dtype)
    # A step down by less than the whole exponent range: where it leaves a denormal, the rest makes that a zero.
    least, step = 1 - bias, 1 - bias + FRACTION_BITS[x.dtype] + 1
    for _ in range(2):
        part = select(n < least, step, minimum(n, bias))
        x, n = x * power_of_two(part, x.dtype), n - part
    return x * power_of_two(maximum(minimum(n, bias), least), x.dtype)


def scale_by_ldexp(expr: Expr) -> Expr:
    """n as an integer."""
    return apply("ldexp", expr.args[0], apply("to_int", expr.args[1]), value=expr.value)


def scale_by_products(expr: Expr) -> Expr:
    """n stays a float: within a promise, a sum leaves n plus the bias in the low bits, which a shift makes a power."""
    x, n, reach = *expr.args, expr.value
    bias = EXPONENT_BIAS[x.dtype]
    if reach is None or reach >= 2 * bias - 1:
        return scale_by_ldexp(expr)

    def power(whole: Expr) -> Expr:
        last = 1.5 * 2.0 ** FRACTION_BITS[x.dtype]  # a number whose last bit is worth 1, those above it clear
        return from_bits(bits(whole + (last + bias)) << FRACTION_BITS[x.dtype])

    if reach < bias:
        return x * power(n)
    half = apply("rint", n * 0.5)
    return x * power(half) * power(n - half)


SCALE: dict[str, Rule] = {"f32": scale_by_ldexp, "f64": scale_by_products}
"""By type: conversions of 64 bits take several instructions."""


def scale_floor_by_scale(expr: Expr) -> Expr:
    """The whole number at or below n first, within what an integer holds."""
    x, n = expr.args
    if expr.value is None:
        far = 4.0 * EXPONENT_BIAS[x.dtype]  # takes every number beyond the range
        n = minimum(maximum(n, -far), far)
    return apply("scale", x, apply("floor", n), value=expr.value)


def fraction_by_floor(expr: Expr) -> Expr:
    """The difference is rounded only for x between -1 and 0, where adding -1 again is exact and shows which way."""
    (x,) = expr.args
    whole = apply("floor", x)
    near = x - whole
    down = select(x < near + whole, from_bits(bits(near) - 1), near)
    infinite = abs(x) == float("inf")
    zero, minus_zero = constant(0.0, x.dtype), constant(-0.0, x.dtype)
    return select(whole == x, select(infinite, zero, minus_zero), down)


def size_within_by_select(expr: Expr) -> Expr:
    """Whichever is smaller."""
    x, limit = expr.args
    return select(abs(x) < limit, abs(x), limit)


def log_ends_by_select(expr: Expr) -> Expr:
    """Ordinary numbers, negative ones, zeros; infinity and NaN stay."""
    value, x = expr.args
    infinity = float("inf")
    nothing = select(x < 0.0, constant(float("nan"), x.dtype), x)
    return select((x > 0.0) & (x < infinity), value, select(x == 0.0, constant(-infinity, x.dtype), nothing))


def ldexp_by_scale(expr: Expr) -> Expr:
    """n as a float."""
    return apply("scale", expr.args[0], apply("to_float", expr.args[1]), value=expr.value)


def rotl_by_shifts(expr: Expr) -> Expr:
    """The bits that stay, and those that move in below."""
    (n,), count = expr.args, expr.value
    return n << count | shift_right_logical(n, BITS[n.dtype] - count) if count else n


# Signs


def neg_by_xor(expr: Expr) -> Expr:
    """Change the sign bit."""
    (x,) = expr.args
    return from_bits(bits(x) ^ constant_bits(1 << BITS[x.dtype] - 1, INTEGER_OF[x.dtype]))


def abs_by_and(expr: Expr) -> Expr:
    """Clear the sign bit."""
    (x,) = expr.args
    return from_bits(bits(x) & constant_bits((1 << BITS[x.dtype] - 1) - 1, INTEGER_OF[x.dtype]))


def neg_by_sub(expr: Expr) -> Expr:
    """0 - n."""
    return constant(0, expr.dtype) - expr.args[0]


def abs_by_select(expr: Expr) -> Expr:
    """n or -n."""
    (n,) = expr.args
    return select(n < 0, -n, n)


# Comparisons


def ne_by_eq(expr: Expr) -> Expr:
    """Not equal."""
    return ~apply("eq", *expr.args)


def le_by_lt(expr: Expr) -> Expr:
    """Integers: not b < a."""
    a, b = expr.args
    return ~apply("lt", b, a)


def max_by_select(expr: Expr) -> Expr:
    """Integers."""
    a, b = expr.args
    return select(a < b, b, a)


def min_by_select(expr: Expr) -> Expr:
    """Integers."""
    a, b = expr.args
    return select(a < b, a, b)


def mask_not_by_xor(expr: Expr) -> Expr:
    """A mask that is all ones or all zeros in each element."""
    return apply("xor", expr.args[0], constant_bits(-1, expr.dtype))


def not_by_xor(expr: Expr) -> Expr:
    """With all ones."""
    return expr.args[0] ^ constant_bits(-1, expr.dtype)


# Conversions of 64 bits


def low_word_by_and(expr: Expr) -> Expr:
    """An i32 fills the place of 64 bits: whatever is above it goes."""
    return node("bits", expr.args, "i64") & 0xFFFFFFFF


def to_int_by_sum(expr: Expr) -> Expr:
    """f64 below 2^51 in size: add a number whose last bit is worth 1, and take the difference of the bits."""
    whole = apply("trunc" if expr.op == "to_int" else "rint", *expr.args)
    return bits(whole + _WHOLE) - bits(constant(_WHOLE, "f64"))


def to_float_by_sum(expr: Expr) -> Expr:
    """i64 below 2^51 in size, the other way round."""
    return from_bits(expr.args[0] + bits(constant(_WHOLE, "f64"))) - _WHOLE


def round_int_by_rint(expr: Expr) -> Expr:
    """Round as a float first."""
    return apply("to_int", apply("rint", *expr.args))


def sar_by_shr(expr: Expr) -> Expr:
    """Shift zeros in, then extend the sign from where it is now."""
    n, count = expr.args[0], expr.value
    sign = constant_bits(1 << BITS[n.dtype] - 1 - count, n.dtype)
    return (shift_right_logical(n, count) ^ sign) - sign


# Tables


def table_of(entries: tuple[int, ...], dtype: str) -> Expr:
    """A register with one entry in each place, repeated where there is room."""
    return own("const", dtype, value=entries)


def lookup_tree(place: Expr, entries: tuple[int, ...], room: int, entry: Callable[[tuple[int, ...]], Expr],
                choose: Callable[[Expr, int, Expr, Expr], Expr]) -> Expr:  # fmt: skip
    """entry(part) looks up among `room` entries by the low bits of the place; choose(place, half, high, low) selects.

    `half` is the bit of the place that is set for the upper half; bits above it are still there.
    """
    if len(entries) <= room:
        return entry(entries)
    half = len(entries) // 2
    low, high = (lookup_tree(place, part, room, entry, choose) for part in (entries[:half], entries[half:]))
    return choose(place, half, high, low)


def lookup_by_sum(room: int, entry: str) -> Rule:
    """Registers of `room` entries each, looked up by `entry`, which gives zero for places beyond: or them all."""

    def rule(expr: Expr) -> Expr:
        (place,), (dtype, entries) = expr.args, expr.value
        integer = place.dtype
        parts = [
            own(entry, integer, table_of(entries[first : first + room], dtype), place - first if first else place)
            for first in range(0, len(entries), room)
        ]
        whole = reduce(lambda a, b: a | b, parts)
        return from_bits(whole) if dtype != integer else whole

    return rule

"""Expansions of operations that are not one instruction: rewrite rules that several machines share.

Each rule takes a node and returns the same value in terms of other operations. Nothing here depends on a machine,
except that a rule's arguments may name a machine's own operations.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from ..dtypes import EXPONENT_BIAS, FRACTION_BITS
from ..expr.conversions import RANGE
from ..expr.graph import (
    BITS,
    INTEGER_OF,
    Expr,
    apply,
    bits,
    constant,
    constant_bits,
    from_bits,
    is_nan,
    maximum,
    minimum,
    node,
    select,
    shift_right_logical,
)
from .selection import Rule, own

_WHOLE = 2.0**52 + 2.0**51  # added to an f64 below 2^51 in magnitude, it leaves the whole number in the low bits


# x * 2^n


def power_of_two(n: Expr, dtype: str) -> Expr:
    """2^n for n from 1 - bias to bias, built from its exponent field."""
    return from_bits((n + EXPONENT_BIAS[dtype]) << FRACTION_BITS[dtype])


def ldexp_by_products(expr: Expr) -> Expr:
    """x * 2^n by one, two or three products with powers of two, of which only the last rounds."""
    x, n, reach = *expr.args, expr.value
    bias = EXPONENT_BIAS[x.dtype]
    if reach is not None and reach < bias:
        return x * power_of_two(n, x.dtype)
    if reach is not None and reach < 2 * bias - 1:
        half = n >> 1
        return x * power_of_two(half, x.dtype) * power_of_two(n - half, x.dtype)
    # Each step down covers less than the whole exponent range: if it leaves a denormal, the next step makes that a
    # zero.
    least, step = 1 - bias, 1 - bias + FRACTION_BITS[x.dtype] + 1
    for _ in range(2):
        part = select(n < least, step, minimum(n, bias))
        x, n = x * power_of_two(part, x.dtype), n - part
    return x * power_of_two(maximum(minimum(n, bias), least), x.dtype)


def scale_by_ldexp(expr: Expr) -> Expr:
    """Scale with n converted to an integer."""
    return apply("ldexp", expr.args[0], apply("to_int", expr.args[1]), value=expr.value)


def scale_by_products(expr: Expr) -> Expr:
    """Scale with n kept as a float. If |n| is known to be small, a sum leaves n plus the bias in the low bits, and a
    shift turns that into a power of two."""
    x, n, reach = *expr.args, expr.value
    bias = EXPONENT_BIAS[x.dtype]
    if reach is None or reach >= 2 * bias - 1:
        return scale_by_ldexp(expr)

    def power(whole: Expr) -> Expr:
        # a number whose last bit has the value 1, with the bits above it clear
        last = 1.5 * 2.0 ** FRACTION_BITS[x.dtype]
        return from_bits(bits(whole + (last + bias)) << FRACTION_BITS[x.dtype])

    if reach < bias:
        return x * power(n)
    half = apply("rint", n * 0.5)
    return x * power(half) * power(n - half)


SCALE: dict[str, Rule] = {"f32": scale_by_ldexp, "f64": scale_by_products}
"""The rule for each type. Conversions to 64-bit integers take several instructions, so the rule for f64 avoids them."""


def scale_floor_by_scale(expr: Expr) -> Expr:
    """Scale by n rounded down, after clamping n to the range of an integer."""
    x, n = expr.args
    if expr.value is None:
        far = 4.0 * EXPONENT_BIAS[x.dtype]  # scales every number to 0 or infinity
        n = minimum(maximum(n, -far), far)
    return apply("scale", x, apply("floor", n), value=expr.value)


def fraction_by_floor(expr: Expr) -> Expr:
    """x - floor(x), rounded down. The difference is inexact only for x between -1 and 0. There, subtracting 1 again is
    exact and shows which way the difference was rounded."""
    (x,) = expr.args
    whole = apply("floor", x)
    near = x - whole
    down = select(x < near + whole, from_bits(bits(near) - 1), near)
    infinite = abs(x) == float("inf")
    zero, minus_zero = constant(0.0, x.dtype), constant(-0.0, x.dtype)
    return select(whole == x, select(infinite, zero, minus_zero), down)


def size_within_by_select(expr: Expr) -> Expr:
    """The smaller of |x| and the limit."""
    x, limit = expr.args
    return select(abs(x) < limit, abs(x), limit)


def log_ends_by_select(expr: Expr) -> Expr:
    """Select the value for positive numbers, -infinity for zeros and NaN for negative numbers. Infinity and NaN are
    unchanged."""
    value, x = expr.args
    infinity = float("inf")
    special = select(x < 0.0, constant(float("nan"), x.dtype), x)
    return select((x > 0.0) & (x < infinity), value, select(x == 0.0, constant(-infinity, x.dtype), special))


def root_ends_by_select(expr: Expr) -> Expr:
    """Select the value for positive numbers and NaN for negative ones. Zeros, infinity and NaN are unchanged."""
    value, x = expr.args
    special = select(x < 0.0, constant(float("nan"), x.dtype), x)
    return select((x > 0.0) & (x < float("inf")), value, special)


OF_FLOATS: dict[str, Rule] = {
    "scale_floor": scale_floor_by_scale,
    "fraction": fraction_by_floor,
    "size_within": size_within_by_select,
    "log_ends": log_ends_by_select,
    "root_ends": root_ends_by_select,
}
"""The rules for operations on floats that few machines have as one instruction."""


def ldexp_by_scale(expr: Expr) -> Expr:
    """x * 2^n with n converted to a float."""
    return apply("scale", expr.args[0], apply("to_float", expr.args[1]), value=expr.value)


def rotl_by_shifts(expr: Expr) -> Expr:
    """Combine the bits that move up with the bits that wrap around to the bottom."""
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
    """The complement of a == b."""
    return ~apply("eq", *expr.args)


def le_by_lt(expr: Expr) -> Expr:
    """a <= b of integers, as the complement of b < a."""
    a, b = expr.args
    return ~apply("lt", b, a)


def max_by_select(expr: Expr) -> Expr:
    """The maximum of integers."""
    a, b = expr.args
    return select(a < b, b, a)


def min_by_select(expr: Expr) -> Expr:
    """The minimum of integers."""
    a, b = expr.args
    return select(a < b, a, b)


def mask_not_by_xor(expr: Expr) -> Expr:
    """The complement of a mask that is all ones or all zeros in each element."""
    return apply("xor", expr.args[0], constant_bits(-1, expr.dtype))


def not_by_xor(expr: Expr) -> Expr:
    """The complement of an integer."""
    return expr.args[0] ^ constant_bits(-1, expr.dtype)


# Conversions of 64 bits


def low_word_by_and(expr: Expr) -> Expr:
    """Widen an i32 in a 64-bit lane by clearing the bits above it."""
    return node("bits", expr.args, "i64") & 0xFFFFFFFF


def to_int_by_sum(expr: Expr) -> Expr:
    """Convert an f64 below 2^51 in magnitude. Adding a number whose last bit has the value 1 leaves the integer in the
    low bits, so the difference of the bits is the integer."""
    whole = apply("trunc" if expr.op == "to_int" else "rint", *expr.args)
    return bits(whole + _WHOLE) - bits(constant(_WHOLE, "f64"))


def to_float_by_sum(expr: Expr) -> Expr:
    """Convert an i64 below 2^51 in magnitude, by the inverse of `to_int_by_sum`."""
    return from_bits(expr.args[0] + bits(constant(_WHOLE, "f64"))) - _WHOLE


def round_int_by_rint(expr: Expr) -> Expr:
    """Round to a whole float first, then convert."""
    return apply("to_int", apply("rint", *expr.args))


def sar_by_shr(expr: Expr) -> Expr:
    """Shift in zeros, then extend the sign from its new position."""
    n, count = expr.args[0], expr.value
    sign = constant_bits(1 << BITS[n.dtype] - 1 - count, n.dtype)
    return (shift_right_logical(n, count) ^ sign) - sign


# Tables


def table_of(entries: tuple[int, ...], dtype: str) -> Expr:
    """A register with one table entry in each lane; the table is repeated if there is room."""
    return own("const", dtype, value=entries)


def without_mask(index: Expr, last: int) -> Expr:
    """Drop the mask of an index, for instructions that ignore the bits above those of `last`."""
    if index.op != "and":
        return index
    return next((a for a, b in (index.args, index.args[::-1]) if b.op == "const" and b.value == last), index)


def lookup_tree(
    index: Expr,
    entries: tuple[int, ...],
    capacity: int,
    entry: Callable[[tuple[int, ...]], Expr],
    choose: Callable[[Expr, int, Expr, Expr], Expr],
) -> Expr:
    """Look up a table with more entries than one instruction can: look up each part, then select among the results.

    entry(part)                         looks up among `capacity` entries by the low bits of the index
    choose(index, half, high, low)      selects; `half` is the bit of the index that is set for the upper half. Higher
                                        bits may be set too
    """
    if len(entries) <= capacity:
        return entry(entries)
    half = len(entries) // 2
    low, high = (lookup_tree(index, part, capacity, entry, choose) for part in (entries[:half], entries[half:]))
    return choose(index, half, high, low)


def lookup_by_sum(capacity: int, entry: str, registers: int = 1) -> Rule:
    """Make a rule that looks up `capacity` entries at a time, in so many registers, by `entry`, which gives zero for
    indices outside, and combines the results by or."""

    def rule(expr: Expr) -> Expr:
        (index,), (dtype, entries) = expr.args, expr.value
        integer = index.dtype
        parts = [
            own(
                entry,
                integer,
                table_of(entries[first : first + capacity], dtype),
                index - first if first else index,
                value=min(registers, max(1, len(entries) * registers // capacity)),
            )
            for first in range(0, len(entries), capacity)
        ]
        result = reduce(lambda a, b: a | b, parts)
        return from_bits(result) if dtype != integer else result

    return rule


# Saturation to narrower integers


def saturate_by_extrema(expr: Expr) -> Expr:
    """Clamp to the range, for stores that drop the upper bits."""
    low, high = RANGE[expr.value]
    return minimum(maximum(expr.args[0], low), high)


def saturate_by_store(expr: Expr) -> Expr:
    """Do nothing, for stores that take an i32 and saturate."""
    return expr.args[0]


def to_whole_by_least(expr: Expr) -> Expr:
    """Convert by an instruction that returns the least integer if the number does not fit, and a store that saturates.

    A minimum that returns its second operand if that is a NaN passes numbers that are too small, and NaN. For an
    unsigned type both give 0.
    """
    (x,), (low, high) = expr.args, RANGE[expr.value]
    whole = own("least_int", "i32", own("min_second", "f32", constant(float(high), "f32"), x))
    return select(is_nan(x), constant(0, "i32"), whole) if low else whole


def to_whole_by_saturation(expr: Expr) -> Expr:
    """Convert by an instruction that saturates and turns NaN into 0."""
    return apply("saturate", own("saturated_int", "i32", expr.args[0]), value=expr.value)

"""The fields of a float as expressions: sign, exponent and mantissa; also its fraction, its magnitude within a limit,
and a square root that halves the exponent field."""

from __future__ import annotations

from ..dtypes import EXPONENT_BIAS, FRACTION_BITS
from ..expr.graph import (
    BITS,
    INTEGER_OF,
    Expr,
    apply,
    bits,
    constant,
    constant_bits,
    fma,
    from_bits,
    shift_right_logical,
    sqrt,
)
from .accuracies import ACCURATE
from .double_word import NARROW
from .limits import coefficients
from .polynomials import INTERVALS, horner


def copysign(x: Expr, sign: Expr) -> Expr:
    """Return the magnitude of x with the sign bit of `sign`."""
    top = 1 << BITS[x.dtype] - 1
    return from_bits(
        (bits(x) & constant_bits(top - 1, INTEGER_OF[x.dtype])) | (bits(sign) & constant_bits(top, INTEGER_OF[x.dtype]))
    )


def with_sign_of(value: Expr, x: Expr) -> Expr:
    """Return a value, whose sign bit is clear, with the sign of x."""
    return from_bits(bits(value) | (bits(x) & constant_bits(1 << BITS[x.dtype] - 1, INTEGER_OF[x.dtype])))


def exponent(x: Expr) -> Expr:
    """floor(log2 |x|) of a normal number, as an integer."""
    return (shift_right_logical(bits(x) << 1, FRACTION_BITS[x.dtype] + 1)) - EXPONENT_BIAS[x.dtype]


def mantissa(x: Expr) -> Expr:
    """The mantissa |x| / 2^exponent(x) of a normal number, in [1, 2)."""
    below = (1 << FRACTION_BITS[x.dtype]) - 1
    return from_bits((bits(x) & below) | (EXPONENT_BIAS[x.dtype] << FRACTION_BITS[x.dtype]))


def fraction(x: Expr) -> Expr:
    """x - floor(x), rounded down so that it is less than 1; a zero for infinities."""
    return apply("fraction", x)


def log_ends(value: Expr, x: Expr) -> Expr:
    """Return `value` if x is positive and finite, else the logarithm of x: infinity, -infinity or NaN."""
    return apply("log_ends", value, x)


def root_ends(value: Expr, x: Expr) -> Expr:
    """Return `value` if x is positive and finite, else the square root of x: infinity, a zero or NaN."""
    return apply("root_ends", value, x)


def size_within(x: Expr, limit: float) -> Expr:
    """The smaller of |x| and the positive limit; the limit for a NaN."""
    return apply("size_within", x, constant(limit, x.dtype))


def sqrt_nearly(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """Return the square root of x: within 1 ulp if x is a normal number, and below 2^-62 if it is denormal. Zeros,
    infinity, NaN and negative numbers give what they give to `sqrt`.

    Subtracting half of the bits of x from a constant halves the exponent and negates it: an estimate of 1 / sqrt(x)
    within 7 %. A polynomial and one step of Newton's method correct it. The result has no division, and the same bits
    on every processor. Under "accurate", in f64 and where an instruction looks up fewer than 16 numbers, in short
    registers, this is `sqrt` itself.
    """
    if accuracy in (ACCURATE, NARROW) or x.dtype != "f32" or tables < INTERVALS:
        return sqrt(x)
    c = coefficients(x.dtype)
    inverse = from_bits(bits(constant(c.ROOT_START, x.dtype)) - shift_right_logical(bits(x), 1))
    root = x * inverse
    correction = horner(c.ROOT_STEP, root * inverse)
    root, inverse = root * correction, inverse * correction
    rest = fma(-root, root, x)
    return root_ends(fma(rest * inverse, constant(0.5, x.dtype), root), x)

"""A square root by multiplications, for kernels in which divisions and square roots take all cycles of the divider."""

from __future__ import annotations

from ..expr.graph import Expr, bits, constant, fma, from_bits, shift_right_logical, sqrt
from .accuracies import ACCURATE
from .double_word import NARROW
from .exp import STEPS
from .float_fields import root_ends
from .limits import coefficients
from .polynomials import horner


def sqrt_nearly(x: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """Return the square root of x: within 1 ulp if x is a normal number, and below 2^-62 if it is denormal. Zeros,
    infinity, NaN and negative numbers give what they give to `sqrt`.

    Subtracting half of the bits of x from a constant halves the exponent and negates it: an estimate of 1 / sqrt(x)
    within 7 %. A polynomial and one step of Newton's method correct it. The result has no division, and the same bits
    on every processor. Under "accurate", in f64 and where an instruction looks up fewer than 16 numbers, in short
    registers, this is `sqrt` itself.
    """
    if accuracy in (ACCURATE, NARROW) or x.dtype != "f32" or tables < STEPS:
        return sqrt(x)
    c = coefficients(x.dtype)
    inverse = from_bits(bits(constant(c.ROOT_START, x.dtype)) - shift_right_logical(bits(x), 1))
    root = x * inverse
    correction = horner(c.ROOT_STEP, root * inverse)
    root, inverse = root * correction, inverse * correction
    rest = fma(-root, root, x)
    return root_ends(fma(rest * inverse, constant(0.5, x.dtype), root), x)

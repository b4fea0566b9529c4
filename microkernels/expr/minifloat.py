"""Narrow floats as integers, in f32 or f64 arithmetic: the number with given bits, and the bits nearest to a number.

    f8e5m2    1 sign, 5 exponent, 2 fraction bits; bias 15, with infinities
    f8e4m3    1 sign, 4 exponent, 3 fraction bits; bias 7, no infinity, NaN if all other bits are set
    f16       1 sign, 5 exponent, 10 fraction bits; bias 15, with infinities
    bf16      1 sign, 8 exponent, 7 fraction bits; bias 127, with infinities

Numbers are rounded once, to nearest even, from the type of the arithmetic. Numbers beyond the largest one, and
infinities, become infinity (f8e4m3: NaN). Source: Micikevicius et al., FP8 Formats for Deep Learning, 2022, table 1,
without its saturation, as in ml_dtypes' float8_e5m2 and float8_e4m3fn; IEEE 754-2019 (f16).
"""

from __future__ import annotations

from ...encoder.records import NamedTuple
from ..dtypes import EXPONENT_BIAS, FRACTION_BITS
from .graph import (
    BITS,
    FLOAT_OF,
    INTEGER_OF,
    Expr,
    bits,
    constant,
    constant_bits,
    from_bits,
    is_nan,
    minimum,
    select,
    shift_right_logical,
)


class MinifloatFormat(NamedTuple):
    """The bits of exponent and fraction.

    beyond, nan     words without their sign: the first one that is not a finite number, and a NaN
    """

    exponent: int
    fraction: int
    beyond: int
    nan: int

    @property
    def bias(self) -> int:
        """The bias of the exponent."""
        return (1 << self.exponent - 1) - 1

    @property
    def width(self) -> int:
        """The number of bits without the sign."""
        return self.exponent + self.fraction

    @property
    def least(self) -> float:
        """The smallest positive number."""
        return 2.0 ** (1 - self.bias - self.fraction)

    def cut(self, dtype: str) -> int:
        """Return the number of fraction bits of an f32 or f64 that are rounded away."""
        return FRACTION_BITS[dtype] - self.fraction


FORMATS = {
    "f8e5m2": MinifloatFormat(5, 2, 0x7C, 0x7E),
    "f8e4m3": MinifloatFormat(4, 3, 0x7F, 0x7F),
    "f16": MinifloatFormat(5, 10, 0x7C00, 0x7E00),
    "bf16": MinifloatFormat(8, 7, 0x7F80, 0x7FC0),
    "f32": MinifloatFormat(8, 23, 0x7F800000, 0x7FC00000),
}


def widened_bits(word: Expr, storage: str) -> Expr:
    """Return the number whose bits are the low bits of an integer, in the float type of the integer's size; exact."""
    narrow, dtype = FORMATS[storage], FLOAT_OF[word.dtype]
    cut, infinity = narrow.cut(dtype), (2 * EXPONENT_BIAS[dtype] + 1) << FRACTION_BITS[dtype]
    magnitude = word & (1 << narrow.width) - 1
    # Shifted up, the exponent field is where the wide type has its own, and denormals are denormals of the wide type.
    # The product corrects the bias of both.
    number = from_bits(magnitude << cut) * 2.0 ** (EXPONENT_BIAS[dtype] - narrow.bias)
    special = (magnitude << cut) | constant_bits(infinity, word.dtype)  # infinity, or NaN by its fraction
    unsigned = select(magnitude < narrow.beyond, bits(number), special)
    sign = constant_bits(1 << BITS[dtype] - 1, word.dtype)
    return from_bits(unsigned | ((word << BITS[dtype] - 1 - narrow.width) & sign))


def narrowed_bits(x: Expr, storage: str) -> Expr:
    """Return the bits nearest to a number, as an integer of the number's size."""
    narrow, dtype, integer = FORMATS[storage], x.dtype, INTEGER_OF[x.dtype]
    cut, sign = narrow.cut(dtype), 1 << BITS[dtype] - 1
    word = bits(x)
    magnitude = word & constant_bits(sign - 1, integer)
    odd = shift_right_logical(magnitude, cut) & 1
    bias = (EXPONENT_BIAS[dtype] - narrow.bias) << narrow.fraction
    rounded = shift_right_logical(magnitude + ((1 << cut - 1) - 1) + odd, cut) - bias
    # a sum whose last bit is worth the smallest number is rounded to multiples of that number
    least = constant(narrow.least * 2.0 ** FRACTION_BITS[dtype], dtype)
    denormal = bits(from_bits(magnitude) + least) - bits(least)
    least_normal = (EXPONENT_BIAS[dtype] + 1 - narrow.bias) << FRACTION_BITS[dtype]
    number = select(magnitude < least_normal, denormal, minimum(rounded, narrow.beyond))
    number = number if narrow.nan == narrow.beyond else select(is_nan(x), narrow.nan, number)
    return number | (shift_right_logical(word, BITS[dtype] - 1 - narrow.width) & (1 << narrow.width))

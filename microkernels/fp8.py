"""8-bit floats as integers, in f32 arithmetic: what a load's byte stands for, and the byte nearest to a number.

    f8e5m2    1 sign, 5 exponent, 2 fraction bits; bias 15, with infinities
    f8e4m3    1 sign, 4 exponent, 3 fraction bits; bias 7, no infinity, NaN where all other bits are set

Every byte is an f32 exactly. Numbers are rounded to nearest even; what is beyond the largest becomes infinity (f8e5m2)
or NaN (f8e4m3), as an infinity does. Source: Micikevicius et al., FP8 Formats for Deep Learning, 2022, table 1, without
its saturation, as ml_dtypes has float8_e5m2 and float8_e4m3fn.
"""

from __future__ import annotations

from typing import NamedTuple

from .expr import Expr, bits, constant, constant_bits, from_bits, is_nan, minimum, select, shift_right_logical

_SIGN, _FRACTION, _BIAS = 1 << 31, 23, 127


class Format(NamedTuple):
    """Bits of exponent and fraction; bytes without sign: of the first that is no number, and of NaN."""

    exponent: int
    fraction: int
    beyond: int
    nan: int

    @property
    def bias(self) -> int:
        """Of the exponent."""
        return (1 << self.exponent - 1) - 1

    @property
    def cut(self) -> int:
        """Bits of an f32's fraction that are rounded away."""
        return _FRACTION - self.fraction


FORMATS = {"f8e5m2": Format(5, 2, 0x7C, 0x7E), "f8e4m3": Format(4, 3, 0x7F, 0x7F)}


def widened_byte(byte: Expr, storage: str) -> Expr:
    """The f32 of a byte, which is the low one of an integer."""
    of = FORMATS[storage]
    size = byte & 0x7F
    # the exponent field is where that of an f32 is; denormals are denormals then, and the product makes both right
    number = from_bits(size << of.cut) * 2.0 ** (_BIAS - of.bias)
    special = (size << of.cut) | constant_bits(0x7F800000, "i32")  # infinity, or NaN by its fraction
    found = select(size < of.beyond, bits(number), special)
    return from_bits(found | ((byte << 24) & constant_bits(_SIGN, "i32")))


def narrowed_byte(x: Expr, storage: str) -> Expr:
    """The byte nearest to an f32, as an integer."""
    of = FORMATS[storage]
    word = bits(x)
    size = word & constant_bits(_SIGN - 1, "i32")
    odd = shift_right_logical(size, of.cut) & 1
    rounded = shift_right_logical(size + ((1 << of.cut - 1) - 1) + odd, of.cut) - ((_BIAS - of.bias) << of.fraction)
    # a sum whose last bit is worth as much as the smallest byte rounds to multiples of that
    least = constant(2.0 ** (_FRACTION + 1 - of.bias - of.fraction), "f32")
    denormal = bits(from_bits(size) + least) - bits(least)
    normal = (_BIAS + 1 - of.bias) << _FRACTION
    number = select(size < normal, denormal, minimum(rounded, of.beyond))
    number = number if of.nan == of.beyond else select(is_nan(x), of.nan, number)
    return number | (shift_right_logical(word, 24) & 0x80)

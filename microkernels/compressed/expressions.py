"""The weights of a byte as expressions: of its codes, and of what its column shares.

The number of a code is made without a conversion: the bits of 2^23 with the code in the lowest bits are the f32 2^23 +
code, from which 2^23 + zero point is subtracted, exactly. The code of a float is shifted to where f32 has its exponent
and fraction, and multiplied by the power of two between their biases, which makes denormals numbers as well.
"""

from __future__ import annotations

from ..expr.graph import Expr, bits, constant, fma, from_bits, shift_right_logical
from ..expr.minifloat import MinifloatFormat
from .form import FLOATS, CompressedForm

MAGIC = constant(0x4B000000, "i32")
"""The bits of 2^23, whose last bit is worth 1."""


def middle_of(form: CompressedForm, zero: Expr | None) -> Expr:
    """Return 2^23 + zero point: of an integer, or of the one that all groups share."""
    return constant(2.0**23 + form.middle, "f32") if zero is None else from_bits(zero | MAGIC)


def weight(form: CompressedForm, code: Expr, middle: Expr, scale: Expr | None, offset: Expr | None) -> Expr:
    """Return the weight of a code, an integer: scale * (code - zero point) + offset, rounded once. scale: None is 1."""
    of = FLOATS.get(form.format)
    number = from_bits(code | MAGIC) - middle if of is None else _float_of(code, of)
    if scale is None:
        return number
    return number * scale if offset is None else fma(number, scale, offset)


def _float_of(code: Expr, of: MinifloatFormat) -> Expr:
    """Return the finite number whose bits are a code."""
    magnitude = from_bits((code & (1 << of.width) - 1) << of.cut("f32")) * 2.0 ** (127 - of.bias)
    sign = (code << 31 - of.width) & constant(-(1 << 31), "i32")
    return from_bits(bits(magnitude) | sign)


def codes_of(form: CompressedForm, byte: Expr, single: bool = False) -> list[Expr]:
    """Return the codes of a byte: one, or that of the even and that of the odd row. single: the first one only."""
    if form.bits == 8:
        return [byte]
    return [byte & 15] if single else [byte & 15, shift_right_logical(byte, 4)]

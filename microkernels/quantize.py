"""Affine quantization: integers q that stand for (q - zero) * scale.

    quantize      q = nearest even(x / scale) + zero, held within the range of q's type
    dequantize    x = (q - zero) * scale

Scale and zero point are one for the matrix, one for each row or one for each column. The quotient is rounded once, to
f32, then to the nearest whole number, halves to even; infinities are held, NaN becomes 0. The product is rounded once.
Zero points fit q's type, so that all sums are exact. Definition: ONNX QuantizeLinear and DequantizeLinear.
"""

from __future__ import annotations

from typing import Any

from .errors import UnsupportedError
from .expr import Expr, rint
from .storage import RANGE

WHOLE = ("i8", "u8", "i16", "u16")
NAMES = ("quantize", "dequantize")


def _checked(out: Any) -> str:
    if out not in WHOLE:
        raise UnsupportedError(f"quantize: out is {', '.join(WHOLE)}, not {out}")
    return str(out)


def quantize(x: Expr, scale: Expr, zero: Expr | None = None, *, out: str) -> Expr:
    """y = x / scale, to nearest even, + zero, held within y's range."""
    _checked(out)
    whole = rint(x / scale)
    return whole if zero is None else whole + zero


def dequantize(x: Expr, scale: Expr, zero: Expr | None = None) -> Expr:
    """y = (x - zero) * scale."""
    return (x if zero is None else x - zero) * scale


def quantize_by(x: Expr, *, out: str, scale: float, zero: int = 0) -> Expr:
    """y = x / scale, to nearest even, + zero, held within y's range; both numbers are part of the kernel."""
    low, high = RANGE[_checked(out)]
    _positive(scale)
    if not low <= zero <= high:
        raise ValueError(f"zero: from {low} to {high}, as {out} is, not {zero!r}")
    whole = rint(x / scale)
    return whole + zero if zero else whole


def dequantize_by(x: Expr, *, scale: float, zero: int = 0) -> Expr:
    """y = (x - zero) * scale; both numbers are part of the kernel."""
    _positive(scale)
    return (x - zero if zero else x) * scale


def _positive(scale: float) -> None:
    if isinstance(scale, bool) or not isinstance(scale, (int, float)):
        raise TypeError(f"scale: a number, not {scale!r}")
    if not 2.0**-126 <= scale <= 2.0**127:
        raise ValueError(f"scale: positive, a normal f32, not {scale!r}")


def usual(name: str, count: int, dtype: Any, out: Any, bcast: Any) -> tuple[Any, Any, Any, str]:
    """(types of the operands, type of the result, broadcasts, type of the arithmetic), with what was not asked for.

    One type is that of x; scales are f32 and zero points i32. One broadcast is that of scale and zero point.
    """
    if isinstance(dtype, str):
        first = "i8" if name == "dequantize" and dtype == "f32" else dtype
        dtype = (first, "f32", "i32")[:count]
    out = out or ("i8" if name == "quantize" else "f32")
    if count > 1 and (bcast is None or isinstance(bcast, str) or not any(tuple(bcast))):
        bcast = (None, *[bcast if isinstance(bcast, str) else "scalar"] * (count - 1))
    return dtype, out, bcast, "f32"

"""Affine quantization: integers q that represent (q - zero) * scale.

    quantize      q = nearest even(x / scale) + zero, saturated to the range of q's type
    dequantize    x = (q - zero) * scale

There is one scale and zero point for the matrix, or one for each row or column. The quotient is rounded once, to f32,
or to f64 if x, y or the scale is f64, and then to the nearest whole number, halves to even. Infinities saturate, and
NaN becomes 0. The product is rounded once. Zero points fit q's type, so that all sums are exact. A number `zero` beyond
it is refused. An operand `zero` of i32 may hold more: up to 2^24 every f32 is exact; beyond it the zero point and the
sum are rounded to f32. With an x or scale of f64 they are exact. Definition: ONNX QuantizeLinear, DequantizeLinear.
"""

from __future__ import annotations

from typing import Any

from ...encoder.errors import shown
from ..dtypes import FOUR_BITS
from ..errors import UnsupportedError
from ..expr.conversions import RANGE
from ..expr.graph import Expr, rint
from ..operands import real, whole

WHOLE = ("i8", "u8", "i16", "u16", *FOUR_BITS)
NAMES = ("quantize", "dequantize")


def _checked(out: Any) -> str:
    if out not in WHOLE:
        raise UnsupportedError(f"quantize: out is {', '.join(WHOLE)}, not {out}")
    return str(out)


def quantize(x: Expr, scale: Expr, zero: Expr | None = None, *, out: str) -> Expr:
    """y = x / scale, to nearest even, + zero, saturated to y's range."""
    _checked(out)
    nearest = rint(x / scale)
    return nearest if zero is None else nearest + zero


def dequantize(x: Expr, scale: Expr, zero: Expr | None = None) -> Expr:
    """y = (x - zero) * scale."""
    return (x if zero is None else x - zero) * scale


def quantize_by(x: Expr, *, out: str, scale: float, zero: int = 0) -> Expr:
    """y = x / scale, to nearest even, + zero, saturated to y's range. Both numbers are part of the kernel."""
    low, high = RANGE[_checked(out)]
    scale, zero = _positive(scale, x.dtype), _point(zero, low, high, f", as {out} is")
    nearest = rint(x / scale)
    return nearest + zero if zero else nearest


def dequantize_by(x: Expr, *, scale: float, zero: int = 0) -> Expr:
    """y = (x - zero) * scale. Both numbers are part of the kernel."""
    scale, zero = _positive(scale, x.dtype), _point(zero, -_EXACT, _EXACT, "")
    return (x - zero if zero else x) * scale


_EXACT = 1 << 24
"""Whole numbers up to this one are exact in f32."""
_NORMAL = {"f32": (2.0**-126, 2.0**127), "f64": (2.0**-1022, 2.0**1023)}
"""The range of scales, chosen so that their reciprocals are finite."""


def _positive(scale: Any, dtype: str) -> float:
    number = real(scale)
    if number is None:
        raise TypeError(f"scale: a number, not {shown(scale)}")
    least, most = _NORMAL[dtype]
    if not least <= number <= most:
        raise ValueError(f"scale: positive, a normal {dtype}, not {shown(scale)}")
    return number


def _point(zero: Any, low: int, high: int, why: str) -> int:
    number = whole(zero)
    if number is None:
        raise TypeError(f"zero: a whole number, not {shown(zero)}")
    if not low <= number <= high:
        raise ValueError(f"zero: from {low} to {high}{why}, not {shown(zero)}")
    return number


_WIDE = {"f64", "i64"}


def usual(name: str, count: int, dtype: Any, out: Any, bcast: Any) -> tuple[Any, Any, Any, str]:
    """Return (types of the operands, type of the result, broadcasts, type of the arithmetic) with defaults filled in.

    A single type is that of x. Scales are f64 if x or the result has 64 bits, else f32; zero points are i32. A single
    broadcast is that of scale and zero point.
    """
    if isinstance(dtype, str):
        real = "f64" if _WIDE & {dtype, out} else "f32"
        first = "i8" if name == "dequantize" and dtype == "f32" else dtype
        dtype = (first, real, "i32")[:count]
    compute = "f64" if _WIDE & {*dtype, out} else "f32"
    out = out or ("i8" if name == "quantize" else compute)
    if count > 1 and (bcast is None or isinstance(bcast, str) or not any(tuple(bcast))):
        bcast = (None, *[bcast if isinstance(bcast, str) else "scalar"] * (count - 1))
    return dtype, out, bcast, compute

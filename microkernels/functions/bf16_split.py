"""f32 as two halves of 16 bits, and as sums of bf16.

    unpack        y0 = the upper 16 bits (a bf16, truncated), y1 = the lower 16 bits; pack is its inverse, bit for bit
    split2        x ~ y0 + y1          bf16 parts: y0 truncated, the last one rounded to nearest even
    split3        x = y0 + y1 + y2     exact unless |x| < 2^-109: 3 times 8 bits are the 24 bits of an f32

An infinity is entirely in y0; a NaN is in every part. Source: Georganas et al., Tensor Processing Primitives, table 1
(unpack and pack); Henry, Tang, Heinecke, Leveraging the bfloat16 Artificial Intelligence Datatype, ARITH 2019 (sums of
bf16).
"""

from __future__ import annotations

from typing import Any

from ..errors import UnsupportedError
from ..expr.graph import Expr, bits, constant_bits, from_bits, select, shift_right_logical, to_int

UPPER = 0xFFFF0000
"""Mask of the bits of an f32 that a bf16 has."""


def upper(x: Expr) -> Expr:
    """Return an f32 with its lower half cleared, which is a bf16."""
    return from_bits(bits(x) & constant_bits(UPPER, "i32"))


def unpack(x: Expr, *, out: Any) -> tuple[Expr, Expr]:
    """y0 = the upper 16 bits of x (bf16 or u16), y1 = the lower 16 bits (u16)."""
    if x.dtype != "f32" or out not in (("bf16", "u16"), ("u16", "u16")):
        raise UnsupportedError(
            f'unpack: splits an f32 into ("bf16", "u16") or ("u16", "u16"), not {x.dtype} into {out}'
        )
    high = upper(x) if out[0] == "bf16" else shift_right_logical(bits(x), 16)
    return high, bits(x) & 0xFFFF


def pack(high: Expr, low: Expr) -> Expr:
    """y = the f32 with these upper and lower 16 bits."""
    lower = low if low.dtype == "i32" else to_int(low)
    if high.dtype == "f32":
        return from_bits(bits(high) | lower)
    return from_bits(high << 16 | lower)


def _single(name: str, x: Expr) -> None:
    if x.dtype != "f32":
        hint = '; compute="f32" rounds to it first' if x.dtype == "f64" else '; compute="f32" converts'
        raise UnsupportedError(f"{name}: splits an f32 into bf16 parts, not {x.dtype}{hint}")


def _rest(x: Expr, part: Expr) -> Expr:
    """Return x - part, or 0 for an infinity, which is entirely in its first part."""
    return select(x == part, 0.0, x - part)


def split2(x: Expr) -> tuple[Expr, Expr]:
    """x ~ y0 + y1, two bf16; |x - y0 - y1| <= 2^-16 |x|."""
    _single("split2", x)
    high = upper(x)
    return high, _rest(x, high)


def split3(x: Expr) -> tuple[Expr, Expr, Expr]:
    """x = y0 + y1 + y2, three bf16."""
    _single("split3", x)
    high = upper(x)
    rest = _rest(x, high)
    middle = upper(rest)
    return high, middle, _rest(rest, middle)

"""Operations of the expression language that need a different form on symbolic elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..a64 import convert as a64
from ..numerics.expressions import NUMPY
from ..numerics.rounding import X86
from ..x86 import convert as x86
from .lanes import Lanes
from .values import Undecided, encoded

Value = Any


def _unsigned(a: Value) -> np.dtype[Any]:
    return np.dtype(f"u{a.dtype.itemsize}")


def _flipped(a: Value, value: Any) -> Value:
    if a.dtype.kind == "i":
        return -a
    unsigned = _unsigned(a)
    return (a.view(unsigned) ^ unsigned.type(1 << 8 * a.dtype.itemsize - 1)).view(a.dtype)


def _absolute(a: Value, value: Any) -> Value:
    if a.dtype.kind == "i":
        return np.abs(a)
    unsigned = _unsigned(a)
    return (a.view(unsigned) & unsigned.type((1 << 8 * a.dtype.itemsize - 1) - 1)).view(a.dtype)


def _negative_sign(a: Value) -> Value:
    """Whether the sign bit is set."""
    unsigned = _unsigned(a)
    return a.view(unsigned) >> unsigned.type(8 * a.dtype.itemsize - 1) != unsigned.type(0)


def _largest(a: Value, b: Value, value: Any) -> Value:
    if a.dtype.kind == "i":
        return np.maximum(a, b)
    chosen = np.where((a > b) | ((a == b) & _negative_sign(b)), a, b)
    return np.where(np.isnan(a) | np.isnan(b), a + b, chosen)


def _smallest(a: Value, b: Value, value: Any) -> Value:
    if a.dtype.kind == "i":
        return np.minimum(a, b)
    chosen = np.where((a < b) | ((a == b) & _negative_sign(a)), a, b)
    return np.where(np.isnan(a) | np.isnan(b), a + b, chosen)


def _shifted_down(a: Value, value: int) -> Value:
    unsigned = _unsigned(a)
    return (a.view(unsigned) >> unsigned.type(value)).view(a.dtype)


def _rotated(a: Value, value: int) -> Value:
    return (a << a.dtype.type(value)) | _shifted_down(a, 8 * a.dtype.itemsize - value) if value else a


def _within(a: Value, b: Value, value: Any) -> Value:
    size = _absolute(a, None)
    return np.where(size < b, size, b)


def _fraction(a: Value, value: Any) -> Value:
    whole, unit = np.floor(a), np.dtype(f"i{a.dtype.itemsize}").type(1)
    near = a - whole
    down = np.where(a < near + whole, (near.view(unit.dtype) - unit).view(a.dtype), near)
    ends = np.where(_absolute(a, None) == a.dtype.type(np.inf), a.dtype.type(0), a.dtype.type(-0.0))
    return np.where(whole == a, ends, down)


def _looked_up(n: Value, value: Any) -> Value:
    """Return the table entry at an index that the expression promises to be in range. Only its low bits are used."""
    dtype, entries = value
    to, unsigned = NUMPY[dtype], _unsigned(n)
    if len(entries) & len(entries) - 1:
        raise Undecided("a table whose length is no power of two")
    table = np.array(entries, f"u{to.itemsize}").view(to)
    places = (n.view(unsigned) & unsigned.type(len(entries) - 1)).astype(np.intp)
    return Lanes(encoded(table), to, n.table)[places] if isinstance(n, Lanes) else table[places]


_COMMON: dict[str, Callable[..., Any]] = {
    "neg": _flipped,
    "abs": _absolute,
    "max": _largest,
    "min": _smallest,
    "shr": _shifted_down,
    "size_within": _within,
    "rotl": _rotated,
    "lookup": _looked_up,
    "bits": lambda a, value: a.view(f"i{a.dtype.itemsize}"),
    "from_bits": lambda a, value: a.view(f"f{a.dtype.itemsize}"),
}
_X86: dict[str, Callable[..., Any]] = {
    "to_int": lambda a, value: x86.to_integers(_integer(a), True)(a, X86),
    "round_int": lambda a, value: x86.to_integers(_integer(a), False)(a, X86),
    "scale": lambda a, n, value: x86.scaled(a, n, X86),
    "scale_floor": lambda a, n, value: x86.scaled(a, n, X86),
    "fraction": lambda a, value: x86.reduced(a, X86, 1),
}
_A64: dict[str, Callable[..., Any]] = {
    "to_int": lambda a, value: a64.to_integers(a, _integer(a), "z", X86),
    "round_int": lambda a, value: a64.to_integers(a, _integer(a), "n", X86),
    "ldexp": lambda a, n, value: a64.scaled(a, n, X86),
    "fraction": _fraction,
}
OPERATIONS = {"x86": _COMMON | _X86, "a64": _COMMON | _A64}
"""Operations by architecture that replace those of emulation/numerics/expressions.py; tests compare both on numbers. If
a float does not fit an integer, which a request leaves open, the result is that of the architecture's instruction."""


def _integer(a: Value) -> Any:
    return np.dtype(f"i{a.dtype.itemsize}")

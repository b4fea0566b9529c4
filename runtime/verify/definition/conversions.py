"""Conversions by loads and stores between memory types and the computed type, as in the table of docs/elementwise.md.

    loaded(x, "bf16", f32)       symbolic elements in the computed type
    stored(y, "i8")              bytes of the results

Both accept numbers and symbolic elements. Some conversions have several forms in code (rounding to bf16 and f16,
saturation) but only one form here. If a part has few inputs, its forms are proved equal by trying all of them
(symbolic/exhaustive.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....emulation.numerics import fp, fp8
from ....emulation.numerics.rounding import BF16, F16
from ....emulation.symbolic.equality import Prover
from ....emulation.symbolic.exhaustive import Nan, nan_of
from ....emulation.symbolic.lanes import Lanes, apply
from ....emulation.symbolic.narrowing import half
from ....emulation.symbolic.values import Table
from ....microkernels.dtypes import FOUR_BITS
from ....microkernels.errors import UnsupportedError
from ....microkernels.expr.conversions import RANGE
from ...arguments.dtypes import numpy_dtype

Array = np.ndarray[Any, Any]
_FLOATS = {"f32": "f4", "f64": "f8", "f16": "f2"}
_INTEGERS = {f"{kind}{8 * size}": f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)}
_EIGHT = {"f8e5m2": fp8.E5M2, "f8e4m3": fp8.E4M3}
NUMPY_TYPES = _FLOATS | _INTEGERS | {"bf16": "u2"} | dict.fromkeys((*_EIGHT, *FOUR_BITS), "u1")
"""The numpy type of the memory representation of each type."""
NAN: dict[str, Nan] = {
    "bf16": nan_of(0x7F80),
    "f16": nan_of(0x7C00),
    "f32": nan_of(0x7F800000),
    "f64": nan_of(0x7FF << 52),
    "f8e5m2": nan_of(0x7C),
    "f8e4m3": nan_of(0x7E),
}
"""Functions that tell which bits are NaN, by type."""


def loaded(x: Lanes, dtype: str, to: np.dtype[Any]) -> Any:
    """Return elements of a memory type as numbers of the computed type."""
    if dtype == "bf16":
        zeros = np.full_like(x.raw, -1)
        return _float(Lanes(np.concatenate([zeros, x.raw], axis=-1), "f4", x.table), to)
    if dtype in _EIGHT:
        fmt = _EIGHT[dtype]
        return apply(("widened", dtype, to.str[1:]), lambda bits: fp8.widened(bits, fmt, to.type), [x], to)
    if dtype in FOUR_BITS:
        flip = np.int32(8 if dtype == "i4" else 0)  # of the sign: the upper half of the byte does not count
        lower = ("lower half", dtype, to.str[1:])
        return apply(lower, lambda byte: ((byte.astype(np.int32) & 15 ^ flip) - flip).astype(to), [x], to)
    if dtype in _INTEGERS and to.kind == "f" and x.itemsize < 4:
        return x.astype(np.int32).astype(to)
    return _float(x, to) if x.dtype.kind == "f" and to.kind == "f" else x.astype(to)


def _float(x: Lanes, to: np.dtype[Any]) -> Any:
    if x.dtype == to:
        return x
    if x.itemsize > to.itemsize and (numbers := x.concrete()) is not None:
        return numbers.astype(to)
    if x.itemsize > to.itemsize:
        raise UnsupportedError(
            f"verify: operands of {x.dtype} computed in {to} have no specification; compute in the wider type"
        )
    return fp.extend(x, to.type)  # type: ignore[arg-type]


def stored(y: Any, dtype: str) -> Any:
    """Return results as elements of a memory type, rounded to nearest even or saturated; as an integer a NaN is 0."""
    if not isinstance(y, Lanes):
        return _of_numbers(np.atleast_1d(y), dtype)
    if y.dtype == np.dtype(NUMPY_TYPES[dtype]) and dtype != "bf16" and dtype not in _EIGHT:
        return y
    if dtype in FOUR_BITS:
        return _whole(y, np.dtype("i1" if dtype == "i4" else "u1"), RANGE[dtype]).view("u1") & np.uint8(15)
    if dtype in _INTEGERS:
        return _whole(y, np.dtype(NUMPY_TYPES[dtype]))
    if y.dtype.kind in "iu":
        y = y.astype(np.float32 if y.itemsize <= 4 else np.float64)
    if dtype == "bf16" and isinstance(y, Lanes) and y.itemsize == 4 and (y.raw[..., :2] == -1).all():
        return Lanes(y.raw[..., 2:], np.uint16, y.table)  # a bf16 held in an f32; the conversion does not change it
    if dtype == "bf16":
        return _bf16(y) if y.itemsize == 4 else fp.convert(y, BF16)
    if dtype == "f16":
        return fp.convert(y, F16)
    if dtype in _EIGHT:
        return fp.convert(y, _EIGHT[dtype])
    return fp.extend(y, np.float64) if dtype == "f64" else y.astype(np.float32)


def _of_numbers(y: Array, dtype: str) -> Array:
    """Return numbers as elements of a memory type, as `stored`."""
    if dtype in FOUR_BITS:
        return np.asarray(_held(y, *RANGE[dtype]).astype(np.uint8) & np.uint8(15))
    to = numpy_dtype(dtype)
    with np.errstate(all="ignore"):
        if to.kind in "iu":
            y = _held(y, int(np.iinfo(to).min), int(np.iinfo(to).max))
        elif y.itemsize == 8 and to.itemsize < 4:  # numpy and ml_dtypes round these twice, by way of f32
            y = _as_f32_odd(y)
        made: Array = y.astype(to)
    return made


def _held(y: Array, least: int, most: int) -> Array:
    """Return whole numbers of 64 bits, rounded to nearest even and saturated; NaN becomes 0."""
    if y.dtype.kind != "f":
        return np.asarray(np.clip(y, least, most).astype(np.int64))
    whole = np.rint(y.astype(np.float64))
    fits = (whole > least) & (whole < most)  # for i64: below 2^63, which its maximum becomes as a float
    found = np.where(fits, whole, 0).astype(np.int64)
    found = np.where(whole >= most, most, found)
    return np.where(whole <= least, least, found)


def _as_f32_odd(y: Array) -> Array:
    """Convert 64-bit numbers to f32, rounded to odd: towards zero, then with the last bit set if the result is inexact.

    Rounding the result to fewer bits is the same as rounding once: Boldo and Melquiond, When double rounding is odd,
    2005.
    """
    near = y.astype(np.float32)
    back = near.astype(np.longdouble)  # holds an i64 as well
    exact = y.astype(np.longdouble)
    word = near.view(np.uint32) - (np.abs(back) > np.abs(exact)).astype(np.uint32)
    inexact = (back != exact) & ~np.isnan(exact)
    return np.where(inexact, word | np.uint32(1), word).astype(np.uint32).view(np.float32)


def _bf16(y: Any) -> Any:
    """Round f32 to bf16, to nearest even. A NaN becomes quiet."""
    bits = y.view(np.uint32)
    last = (bits >> np.uint32(16)) & np.uint32(1)
    rounded = np.where(np.isnan(y), bits | np.uint32(0x400000), bits + (last + np.uint32(0x7FFF)))
    return (rounded >> np.uint32(16)).astype(np.uint16)


def as_stored(table: Table, nodes: Sequence[int]) -> list[int]:
    """Return the nodes in the form that `stored` makes: with the integer operations that round to bf16 in the place of
    each instruction that does, and with the conversion to f16 in the place of integer operations."""
    made = {}
    for node in table.below(list(nodes)):
        if node & 1 and (converted := half(table, node)) is not None:
            made[node] = converted
        operation, args = table.parts(node)
        if operation is not None and operation.name == "nearest":
            made[node] = int(_bf16(Lanes(table.bytes_of(np.array(args), 4), np.float32, table)).nodes()[0])
    return [Prover(table).rebuilt(node, made) for node in nodes] if made else list(nodes)


def _whole(y: Lanes, to: np.dtype[Any], limits: tuple[int, int] | None = None) -> Any:
    """Return results as integers of a type, which may have narrower limits than the type."""
    least, most = limits or (np.iinfo(to).min, np.iinfo(to).max)
    if y.dtype.kind in "iu":
        return np.clip(y, least, most).astype(to) if limits or to.itemsize < y.itemsize else y.astype(to)
    if to.itemsize == 8:
        raise UnsupportedError(f"verify: floats stored as {to} have no specification")

    def nearest(x: Any) -> Any:
        return np.clip(np.rint(np.nan_to_num(x.astype(np.float64))), least, most).astype(to)

    return apply(("nearest whole", y.dtype.str[1:], to.str[1:], *(limits or ())), nearest, [y], to)

"""Weights of 4 or 8 bits with scales: an immutable matrix that products expand as they read it.

weight = round(scale * (code - zero) + offset)          in the type of the product
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.errors import shown
from ...microkernels.compressed.bitmask import BITMASK
from ...microkernels.compressed.form import (
    BITS,
    FLOATS,
    LEVELS,
    SCALES,
    STRIP,
    CompressedForm,
    checked_form,
    unit_of,
)
from ...microkernels.dtypes import element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.names import chosen
from ...microkernels.operands import extent
from ..api.aligned import bytes_at_a_line, kept_at_a_line
from ..arguments.arrays import Array, as_array
from ..arguments.dtypes import numpy_dtype
from .immutable import ImmutableWeights

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, DTypeLike

PRODUCTS = ("f32", "f16", "bf16")
"""Types of products, to which weights are rounded."""


class CompressedWeights(ImmutableWeights[CompressedForm]):
    """Compressed weights: see `compressed`. dense() is an array of them."""

    __slots__ = ()

    @property
    def records(self) -> Array:
        """The records as bytes: (strips, units, bytes of a record)."""
        form = self.form
        return self.data.reshape(form.strips, form.units, form.record)

    @property
    def codes(self) -> Array:
        """The codes without a sign, as an array of bytes (k, n)."""
        form = self.form
        stored = self.records[..., : form.of_codes].reshape(form.strips, form.units, -1, STRIP)
        if form.bits == 4:
            stored = np.stack((stored & 15, stored >> 4), 3).reshape(form.strips, form.units, form.unit, STRIP)
        return _joined(stored)[: form.k, : form.n]

    @property
    def integers(self) -> Array:
        """The integers (k, n), as int8 or uint8. Codes of floats are no integers."""
        form = self.form
        if form.format in FLOATS:
            raise UnsupportedError(f"integers: the weights are of {form.format}; numbers are their values")
        signed = self.codes.astype(np.int16) - form.bias
        return signed.astype(np.int8 if form.bias else np.uint8)

    @property
    def numbers(self) -> Array:
        """What scales multiply (k, n), as f64: integers, or floats."""
        return values_of(self.form.format)[self.codes] if self.form.format in FLOATS else self.integers * 1.0

    def _of_groups(self, begin: int, kind: np.dtype[np.generic]) -> Array:
        form = self.form
        stored = self.records[..., begin : begin + STRIP * kind.itemsize].copy().view(kind)
        every = form.group // form.unit if form.group < form.k else form.units
        return _joined(stored[:, ::every, None, :])[:, : form.n]

    @property
    def scale(self) -> Array:
        """The scales, an array (groups, n)."""
        return self._of_groups(self.form.places[0], numpy_dtype(self.form.scale))

    @property
    def offset(self) -> Array | None:
        """The offsets (groups, n), or None."""
        return self._of_groups(self.form.places[1], numpy_dtype(self.form.scale)) if self.form.offset else None

    @property
    def zero(self) -> Array | None:
        """The zero points (groups, n) in terms of the integers, or None if all are the same as without `zero=`."""
        form = self.form
        if not form.zeros:
            shared = form.format not in FLOATS and form.middle != 1 << form.bits - 1
            return np.full((form.groups, form.n), form.middle - form.bias, np.int16) if shared else None
        return self._of_groups(form.places[2], np.dtype(np.uint8)).astype(np.int16) - form.bias

    def dense(self, dtype: DTypeLike | None = None) -> Array:
        """Return the weights (k, n) in the type of a product; None: that of the scales.

        Each is the f32 nearest to scale * (integer - zero) + offset, rounded to `dtype`.
        """
        to = self.form.scale if dtype is None else _product_type("dtype", dtype)
        codes, form = self.codes, self.form
        zero = self.zero
        zeros = form.middle if zero is None else np.repeat(zero + form.bias, form.group, 0)[: form.k]
        whole = self.numbers if form.format in FLOATS else codes.astype(np.float64) - zeros
        scale = np.repeat(self.scale.astype(np.float64), form.group, 0)[: form.k]
        exact = whole * scale  # at most 9 bits by 24
        if (offset := self.offset) is not None:
            made = rounded_sum(exact, np.repeat(offset.astype(np.float64), form.group, 0)[: form.k])
        else:
            made = exact.astype(np.float32)
        weights: Array = made.astype(numpy_dtype(to))
        return weights

    def with_numerics(self, numerics: str) -> CompressedWeights:
        """Return the same weights for products that are "exact" or "fast"; they share their bytes."""
        if numerics not in ("exact", "fast"):
            numerics = chosen("numerics", numerics, ("exact", "fast"))
        if numerics == "fast" and self.form.format in FLOATS:
            raise UnsupportedError(f'numerics: weights of {self.form.format} are "exact"; integers may be "fast"')
        return CompressedWeights(self.form._replace(fast=numerics == "fast"), self.data)

    def elements(self) -> Array:
        """Return the weights (k, n) in their own type, for np.asarray."""
        return self.dense()

    def __reduce__(self) -> tuple[Callable[..., CompressedWeights], tuple[object, ...]]:
        return _again, (tuple(self.form), self.data)

    def __repr__(self) -> str:
        return f"<compressed weights: {self.form}; {self.nbytes} bytes>"


def values_of(format: str) -> Array:
    """Return the numbers of all codes of a float format, as f64. What is no finite number is NaN."""
    of = FLOATS[format]
    code = np.arange(1 << of.width + 1)
    magnitude = code & (1 << of.width) - 1
    exponent, fraction = magnitude >> of.fraction, magnitude & (1 << of.fraction) - 1
    whole = np.where(exponent > 0, fraction + (1 << of.fraction), fraction) * of.least
    made = np.where(magnitude < of.beyond, whole * 2.0 ** np.maximum(exponent - 1, 0), np.nan)
    return np.where(code >> of.width, -made, made)


def rounded_sum(x: Array, y: Array) -> Array:
    """Return x + y of f64 rounded once to f32: the sum is rounded to odd first, so that no tie comes from rounding."""
    total = x + y
    back = total - x
    error = (x - (total - back)) + (y - back)
    word = total.view(np.int64)
    inexact = (error != 0) & (word & 1 == 0) & np.isfinite(total)
    towards = np.where((error > 0) == (total > 0), 1, -1)
    rounded: Array = np.where(inexact, word + towards, word).view(np.float64).astype(np.float32)
    return rounded


def _joined(stored: Array) -> Array:
    """Return an array (strips, units, rows, columns) as one matrix."""
    strips, units, rows, columns = stored.shape
    joined: Array = stored.transpose(1, 2, 0, 3).reshape(units * rows, strips * columns)
    return joined


def _again(form: tuple[Any, ...], data: Array) -> CompressedWeights:
    made = checked_form(form)
    if data.dtype != np.uint8 or data.size != made.nbytes:
        raise ValueError(f"compressed weights: {made.nbytes} bytes, not {data.size} of {data.dtype}")
    return CompressedWeights(made, kept_at_a_line(data.reshape(-1)))


def _product_type(name: str, dtype: DTypeLike) -> str:
    found = element_type(name, dtype)
    if found not in PRODUCTS:
        raise UnsupportedError(f"{name}: products by compressed weights are of f32, f16 or bf16, not {found}")
    return found


def compress(
    w: ArrayLike,
    format: str = "i4",
    *,
    group: int | None = 32,
    scale: ArrayLike = None,
    zero: ArrayLike = None,
    offset: ArrayLike = None,
    scales: DTypeLike | None = None,
    numerics: str = "exact",
) -> CompressedWeights:
    """Compress weights (k, n): an operand b of ts.matmul and ts.gemm, and the weights of ts.linear, which expand it.

        weight = scale * (integer - zero) + offset, rounded to the type of the product

    w        floats, which are quantised: without scale= to the scales that make the largest weight of a group the
             largest integer, and to the nearest integer, ties to even. Or integers that are quantised already, with
             scale=: of any integer type of numpy, or ml_dtypes.int4 and uint4
    format   "i4" (-8 to 7), "u4" (0 to 15), "i8" or "u8"; "bitmask": weights of f32, bf16 or i8 of which many are 0, as
             bit masks and non-zeros, in products of their own type. It takes no further argument
    group    the rows of k that share a scale: a multiple of 16; None: all of k. The last group may be shorter
    scale    (groups, n), or anything that numpy broadcasts to it
    zero     integers that broadcast to (groups, n), -128 to 127 for "i8", from 0 to 255 for "u4" and "u8", -8 to 247
             for "i4". None: 0 for "i4" and "i8", 8 and 128 for "u4" and "u8"; of floats with "u4" or "u8", those that
             make the least weight of each group the least integer
    offset   floats that broadcast to (groups, n)
    scales   the type in which scales and offsets are kept: "f32", "f16" or "bf16". None: that of scale=, else that of w
    numerics "fast": products may sum a group, or 128 rows of it, before they multiply by its scale

    Raises TypeError or ValueError naming the argument, and UnsupportedError with what would work.
    """
    if format not in LEVELS:
        format = chosen("format", format, (*LEVELS, BITMASK))
    weights = as_array("w", w)
    if weights.ndim != 2 or 0 in weights.shape:
        raise ValueError(f"w: a matrix (k, n) with elements, not of shape {weights.shape}")
    k, n = weights.shape
    rows = _group(group, k)
    floats = weights.dtype.kind == "f" or str(weights.dtype) == "bfloat16"
    if not floats and weights.dtype.kind not in "iu" and str(weights.dtype) not in ("int4", "uint4"):
        raise TypeError(f"w: floats or integers, not {weights.dtype}")
    given_scale = None if scale is None else _by_groups("scale", scale, k, n, rows)
    given_offset = None if offset is None else _by_groups("offset", offset, k, n, rows)
    given_zero = None if zero is None else _by_groups("zero", zero, k, n, rows)
    if given_zero is not None:
        _zeros(given_zero, -LEVELS[format][0], format)
    kind = _scale_type(scales, weights if given_scale is None else given_scale)
    if not floats:
        if given_scale is None:
            raise TypeError("scale: the scales of integers are needed, an array (groups, n)")
        integers, zeros = _integers(weights, format), given_zero
    else:
        integers, given_scale, zeros = _quantised(weights, format, rows, given_scale, given_zero, given_offset, kind)
    made = packed(format, integers, rows, kind, given_scale, zeros, given_offset)
    return made.with_numerics(numerics)


def packed(
    format: str, integers: Array, group: int, scales: str, scale: Array, zero: Array | None, offset: Array | None
) -> CompressedWeights:
    """Return compressed weights of integers (k, n), and of scales, zero points and offsets (groups, n)."""
    k, n = integers.shape
    bias, middle = -LEVELS[format][0], 1 << BITS[format] - 1
    points = None if zero is None else _zeros(zero, bias, format)
    if points is not None and (points == points.flat[0]).all():
        middle, points = int(points.flat[0]), None
    form = CompressedForm(format, k, n, group, scales, points is not None, offset is not None, middle)
    return of_codes(form, integers.astype(np.int16) + bias, scale, points, offset)


def of_codes(
    form: CompressedForm, given: Array, scale: Array, points: Array | None = None, offset: Array | None = None
) -> CompressedWeights:
    """Return compressed weights of codes (k, n), and of scales, zero points as codes and offsets (groups, n)."""
    k, n = given.shape
    data = bytes_at_a_line(form.nbytes, zero=True)
    records = data.reshape(form.strips, form.units, form.record)
    codes = np.full((form.units * form.unit, form.strips * STRIP), form.middle, np.uint8)
    codes[:k, :n] = given
    parts = codes.reshape(form.units, form.unit, form.strips, STRIP).transpose(2, 0, 1, 3)
    if form.bits == 4:
        parts = parts[:, :, ::2] | parts[:, :, 1::2] << 4
    records[..., : form.of_codes] = parts.reshape(form.strips, form.units, -1)
    kind = numpy_dtype(form.scale)
    at_scale, at_offset, at_zero = form.places
    _fill(records, form, at_scale, _kept("scale", scale, kind))
    if offset is not None:
        _fill(records, form, at_offset, _kept("offset", offset, kind))
    if points is not None:
        _fill(records, form, at_zero, points)
    data.setflags(write=False)
    return CompressedWeights(form, data)


def _fill(records: Array, form: CompressedForm, begin: int, values: Array) -> None:
    """Put an array (groups, n) into the records, at `begin` of each."""
    every = form.group // form.unit if form.group < form.k else form.units
    whole = np.zeros((form.units, form.strips * STRIP), values.dtype)
    whole[:, : form.n] = np.repeat(values, every, 0)[: form.units]
    by_strips = np.ascontiguousarray(whole.reshape(form.units, form.strips, STRIP).transpose(1, 0, 2))
    records[..., begin : begin + STRIP * values.dtype.itemsize] = by_strips.view(np.uint8)


def _kept(name: str, values: Array, kind: np.dtype[np.generic]) -> Array:
    """Return scales in the type in which they are kept. All must be finite, so that weights are."""
    with np.errstate(over="ignore"):
        made: Array = values.astype(kind)
    if not np.isfinite(made.astype(np.float64)).all():
        wide = values.astype(np.float64)
        if not np.isfinite(wide).all():
            raise ValueError(f"{name}: finite numbers, not infinities or NaN")
        raise ValueError(
            f'{name}: numbers that {kind} has, not {wide.flat[np.abs(wide).argmax()]:g}; scales="f32", or kept="f32" '
            "of the readers, keeps larger ones"
        )
    return made


def _zeros(zero: Array, bias: int, format: str) -> Array:
    """Return zero points as codes."""
    whole = np.asarray(zero, np.float64)
    codes = whole + bias
    if (whole != np.rint(whole)).any() or codes.min() < 0 or codes.max() > 255:
        raise ValueError(
            f"zero: whole numbers from {-bias} to {255 - bias} for {format}; a zero point z that is none is "
            "offset=-scale * z"
        )
    return codes.astype(np.uint8)


def _group(group: int | None, k: int) -> int:
    if group is None:
        return k
    rows = min(extent("group", group), k)
    if not unit_of(rows, k):
        raise UnsupportedError(
            f"group: a multiple of 16 rows, or None for all of k, not {rows}; repeat scales of {rows} rows for groups "
            "of 16 that divide them, or regroup the weights"
        )
    return rows


def _scale_type(asked: DTypeLike | None, like: Array) -> str:
    """Return the type in which scales are kept; `like` are those that are given, or the weights."""
    if asked is None:
        return _type_of(like)
    if isinstance(asked, (list, tuple, int, float, np.ndarray)):
        raise TypeError(f'scales: the type of scales, "f32", "f16" or "bf16", not {shown(asked)}; they are scale=')
    found = element_type("scales", asked)
    if found not in SCALES:
        raise UnsupportedError(f"scales: must be f32, f16 or bf16, not {found}")
    return found


def _type_of(array: Array) -> str:
    found = element_type("scale", array.dtype)
    return found if found in SCALES else "f32"


def _by_groups(name: str, value: ArrayLike, k: int, n: int, group: int) -> Array:
    """Return scales, zero points or offsets as an array (groups, n)."""
    shape = (-(-k // group), n)
    array = np.asarray(value) if isinstance(value, (int, float, list, tuple)) else as_array(name, value)
    if array.dtype.kind in "bcOSU":
        means = " (that are made where they are needed)" if name == "zero" else ""
        raise TypeError(f"{name}: numbers that broadcast to (groups, n) = {shape}, or None{means}, not {shown(value)}")
    try:
        return np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(f"{name}: must broadcast to (groups, n) = {shape}, not have the shape {array.shape}") from None


def _integers(weights: Array, format: str) -> Array:
    whole, (low, high) = weights.astype(np.int64), LEVELS[format]
    if whole.min() < low or whole.max() > high:
        raise ValueError(
            f"w: integers of {format} are from {low} to {high}, not {int(whole.min())} to {int(whole.max())}"
        )
    return whole.astype(np.int16)


def _quantised(
    weights: Array, format: str, group: int, scale: Array | None, zero: Array | None, offset: Array | None, kind: str
) -> tuple[Array, Array, Array | None]:
    """Return floats as integers, with their scales and zero points."""
    k, n = weights.shape
    low, high = LEVELS[format]
    wide = weights.astype(np.float64)
    if not np.isfinite(wide).all():
        raise ValueError("w: finite weights, since infinities and NaN have no code")
    signed = low < 0
    if scale is None:
        if offset is not None:
            raise TypeError("scale: must be given with offset=")
        groups = -(-k // group)
        padded = np.zeros((groups * group, n))
        padded[:k] = wide
        grouped = padded.reshape(groups, group, n)
        if signed or zero is not None:
            scale = np.abs(grouped).max(1) / (high if signed else high - (high + 1) // 2)
        else:
            least = np.minimum(grouped.min(1), 0)
            scale = (np.maximum(grouped.max(1), 0) - least) / high
            divisor = np.where(scale == 0, 1, scale)
            zero = np.clip(np.rint(-least / divisor), low, high)
    kept = _kept("scale", scale, numpy_dtype(kind)).astype(np.float64)
    divisor = np.repeat(np.where(kept == 0, 1, kept), group, 0)[:k]
    centre = (0 if signed else (high + 1) // 2) if zero is None else np.repeat(zero, group, 0)[:k]
    shifted = wide if offset is None else wide - np.repeat(offset.astype(np.float64), group, 0)[:k]
    whole = np.clip(np.rint(shifted / divisor) + centre, low, high)
    return whole.astype(np.int16), scale, zero

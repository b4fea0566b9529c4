"""An elementwise request computed by numpy: the reference that its kernel must match bit for bit.

Inputs are converted to the compute type, the expression is evaluated (emulation/numerics/expressions.py), and results
are converted: rounded to nearest even, integers saturated, NaN to 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...emulation.numerics.expressions import NUMPY, evaluate
from ...microkernels.eltwise.spec import EltwiseSpec
from ...microkernels.expr.coordinates import COLUMN, ROW, number_word
from ...microkernels.expr.graph import program
from ..arguments.arrays import Array, numpy_dtype


def outputs_of(
    spec: EltwiseSpec, arrays: Mapping[str, Array], numbers: Mapping[str, int] | None = None, tables: int = 0
) -> list[Array]:
    """Return the results for inputs by name and for the numbers that the request asks for.

    tables   how many f32 the target's table lookup instruction holds; functions may choose their form by it
    """
    given, types = dict(numbers or {}), dict(spec.program.inputs) if spec.compute in NUMPY else {}
    inputs: dict[str, Any] = {}
    for x in spec.inputs:
        if x.name in spec.bits:
            inputs[x.name] = np.unpackbits(arrays[x.name], axis=1, bitorder="little")[:, : spec.n].astype(bool)
        else:
            with np.errstate(over="ignore", invalid="ignore"):
                inputs[x.name] = np.asarray(arrays[x.name]).astype(numpy_dtype(types.get(x.name, spec.compute)))
    if spec.compute not in NUMPY:  # a copy of elements without arithmetic
        sources = (spec.program.steps[number].value for number in spec.program.outputs)
        return [np.broadcast_to(inputs[name], (spec.m, spec.n)) for name in sources]
    for name, _ in spec.program.inputs:
        word = number_word(name)
        if word:
            part = given[word[0]] >> 32 * word[1] & 0xFFFFFFFF
            inputs[name] = np.array(part, np.uint32).view(np.int32)
    inputs[ROW] = (np.arange(spec.m) + given.get("row", 0)).astype(np.int32)[:, None]
    inputs[COLUMN] = (np.arange(spec.n) + given.get("column", 0)).astype(np.int32)[None, :]
    results = evaluate(program(*spec.expanded(tables)), **inputs)
    made = []
    for y, value in zip(spec.outputs, results):
        full = np.broadcast_to(value, (spec.m, spec.n))
        made.append(np.packbits(full, axis=1, bitorder="little") if y.name in spec.bits else converted(full, y.dtype))
    return made


def converted(value: Array, dtype: str) -> Array:
    """Convert a value to another type, as a store does."""
    to = numpy_dtype(dtype)
    with np.errstate(all="ignore"):
        if to.kind in "iu":
            return np.asarray(_held(value, np.iinfo(to)).astype(to))
        if value.itemsize == 8 and to.itemsize < 4:  # numpy and ml_dtypes round these twice, by way of f32
            value = _as_f32_odd(value)
        return np.asarray(value).astype(to)


def _held(value: Array, info: Any) -> Array:
    """Return whole numbers of 64 bits, rounded to nearest even and saturated; NaN becomes 0."""
    if value.dtype.kind != "f":
        return np.asarray(np.clip(value, info.min, info.max).astype(np.int64))
    whole = np.rint(value.astype(np.float64))
    fits = (whole > info.min) & (whole < info.max)  # for i64: below 2^63, which its maximum becomes as a float
    found = np.where(fits, whole, 0).astype(np.int64)
    found = np.where(whole >= info.max, info.max, found)
    return np.where(whole <= info.min, info.min, found)


def _as_f32_odd(value: Array) -> Array:
    """Convert 64-bit numbers to f32, rounded to odd: towards zero, then with the last bit set if the result is inexact.

    Rounding the result to fewer bits is the same as rounding once: Boldo and Melquiond, When double rounding is odd,
    2005.
    """
    near = np.asarray(value).astype(np.float32)
    back = near.astype(np.longdouble)  # holds an i64 as well
    exact = np.asarray(value).astype(np.longdouble)
    word = near.view(np.uint32) - (np.abs(back) > np.abs(exact)).astype(np.uint32)
    inexact = (back != exact) & ~np.isnan(exact)
    return np.where(inexact, word | np.uint32(1), word).astype(np.uint32).view(np.float32)


def same_bits(x: Array, y: Array) -> Any:
    """Return where two arrays have the same bits or both have a NaN."""
    unsigned = np.dtype(f"u{x.itemsize}")
    same = np.ascontiguousarray(x).view(unsigned) == np.ascontiguousarray(y).view(unsigned)
    if x.dtype.kind not in "iub":
        with np.errstate(invalid="ignore"):  # raised by signaling NaN
            same |= np.isnan(x) & np.isnan(y)
    return same

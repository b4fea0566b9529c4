"""Memory for the operands of a request, as a call would pass it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...emulation.core.memory import Region
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import RUNTIME, Number, Operand
from ..arguments.arrays import numpy_dtype

Array = np.ndarray[Any, Any]
_LINE = 64
_GAP = 3
"""Elements that a leading dimension given at the call is longer than the rows."""


class Call(NamedTuple):
    """The integers of a call, what it may touch, and the arrays that own it."""

    integers: list[int]
    regions: list[Any]
    arrays: list[Array]
    keep: Any


def array_of(operand: Operand, count: int | None = None) -> Array:
    """An array that no vector alignment holds of; `count` matrices of the operand, one after the other."""
    dtype = numpy_dtype(operand.dtype)
    rows, columns = operand.rows, operand.columns
    place = dtype.itemsize * operand.group
    contiguous, others = (columns, rows) if operand.view.order == "C" else (rows, columns)
    leading = contiguous + _GAP if operand.view.leading is RUNTIME else int(operand.view.leading)
    step = leading * place
    inner = (dtype.itemsize,) if operand.group > 1 else ()
    strides = (place,) if operand.vector else ((step, place) if operand.view.order == "C" else (place, step)) + inner
    shape: tuple[int, ...] = operand.shape
    if count is not None:
        shape, strides = (count, *shape), (step * others, *strides)
    size = step * others * (count or 1) + columns * place
    memory = np.zeros(size + 2 * _LINE, np.uint8)
    start = -memory.__array_interface__["data"][0] % _LINE + dtype.itemsize % _LINE
    made: Array = np.ndarray(shape, dtype, memory, start, strides)
    return made


def call_of(spec: Any, kind: Any) -> Call:
    """A call of a request whose arguments are matrices and numbers, or of a product."""
    if hasattr(spec, "arguments"):
        given: list[Any] = [_number(each) if isinstance(each, Number) else array_of(each) for each in spec.arguments]
    else:
        given = _matrices(spec)
    integers, keep = kind.call(spec)(*given)
    arrays = [each for each in given if isinstance(each, np.ndarray)]
    regions = [Region(*each) for each in kind.regions(spec, integers)]
    return Call(integers, regions, arrays, keep)


def _number(number: Number) -> int:
    return max(number.least, 5)


def _matrices(spec: Any) -> list[Any]:
    batch = spec.batch
    if batch is not None and not isinstance(batch, int):
        raise UnsupportedError(f"verify: batch {batch!r}, whose count the call gives; a count works, or no batch")
    a, b, c = spec.operands[:3]
    return [array_of(a, batch), array_of(b, batch), array_of(c)]

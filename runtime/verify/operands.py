"""Memory for the operands of a request, as a call would pass it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...emulation.core.memory import Region, address_of
from ...encoder.records import NamedTuple
from ...microkernels.operands import RUNTIME, Number, Operand
from ..arguments.arrays import numpy_dtype

Array = np.ndarray[Any, Any]
_CARRY = 1 << 16
_GAP = 3
_NO_DATA = ("index", "offsets", "bad")


class Call(NamedTuple):
    """The integers of a call, what it may touch, and the arrays that own it."""

    integers: list[int]
    regions: list[Any]
    arrays: list[Array]
    keep: Any

    def symbolic(self) -> dict[str, int]:
        """Bytes of an element of what holds data, by names; indices, tables of offsets and addresses hold none."""
        tables = ("_offsets", "_addresses")
        return {each.name: each.array.itemsize for each in self.regions
                if not each.name.endswith(tables) and each.name not in _NO_DATA}  # fmt: skip


def array_of(operand: Operand, count: int | None = None, gap: int = _GAP) -> Array:
    """An array that begins one element before a multiple of 64 KiB, so no vector alignment holds of it, and what is
    added to its address carries into all other bits: a sum is told from an OR, or from a sum of fewer bits. `count`
    matrices of the operand, one after the other. gap: elements that a leading dimension given at the call is longer
    than the rows."""
    dtype = numpy_dtype(operand.dtype)
    rows, columns = operand.rows, operand.columns
    place = dtype.itemsize * operand.group
    contiguous, others = (columns, rows) if operand.view.order == "C" else (rows, columns)
    leading = contiguous + gap if operand.view.leading is RUNTIME else int(operand.view.leading)
    step = leading * place
    inner = (dtype.itemsize,) if operand.group > 1 else ()
    strides = (place,) if operand.vector else ((step, place) if operand.view.order == "C" else (place, step)) + inner
    shape: tuple[int, ...] = operand.shape
    if count is not None:
        shape, strides = (count, *shape), (step * others, *strides)
    size = step * others * (count or 1) + columns * place
    return _placed(shape, dtype, strides, size)


def _placed(shape: tuple[int, ...], dtype: np.dtype[Any], strides: tuple[int, ...], size: int) -> Array:
    memory = np.zeros(size + _CARRY, np.uint8)
    start = (-address_of(memory) - dtype.itemsize) % _CARRY
    made: Array = np.ndarray(shape, dtype, memory, start, strides)
    return made


def call_of(spec: Any, kind: Any) -> Call:
    """A call of a request whose arguments are matrices and numbers."""
    given: list[Any] = [number_of(each) if isinstance(each, Number) else array_of(each) for each in spec.arguments]
    return call_with(spec, kind, given, [each for each in given if isinstance(each, np.ndarray)])


def call_with(spec: Any, kind: Any, given: list[Any], arrays: list[Array], **leading: int) -> Call:
    """A call with these arguments. arrays: those whose elements are data."""
    integers, keep = kind.call(spec)(*given, **leading)
    keep = [*keep, *_tables(integers, keep, arrays)]
    regions = [Region(*each) for each in kind.regions(spec, integers)]
    return Call(integers, regions, arrays, [keep, arrays])


def _tables(integers: list[int], keep: Any, arrays: list[Array]) -> list[Array]:
    """Indices, offsets and addresses that a call passes, copied to where no alignment holds of them either."""
    data, moved = {id(each) for each in arrays}, []
    for table in keep:
        if not isinstance(table, np.ndarray) or id(table) in data or not table.size:
            continue
        address = address_of(table)
        if address in integers and not any(each.size and np.shares_memory(table, each) for each in arrays):
            copy = _placed(table.shape, table.dtype, table.strides, table.nbytes)
            copy[...] = table
            integers[integers.index(address)] = address_of(copy)
            moved.append(copy)
    return moved


def number_of(number: Number) -> int:
    """Any that a call may give."""
    return max(number.least, 5)

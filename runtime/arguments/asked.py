"""What the arrays of a call tell about a request: types, orders and leading dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...encoder.records import NamedTuple
from ...microkernels.dtypes import DTYPES
from ...microkernels.errors import UnsupportedError
from .arrays import Array

_NAMES = {dtype.numpy: name for name, dtype in DTYPES.items()}
Given = Sequence[Array | None]
"""The arguments, with None in place of those that are not arrays."""


class Asked(NamedTuple):
    """The keywords of a request, and whether the kernel is called with the transposes of the arguments."""

    keywords: dict[str, Any]
    turned: bool = False


def type_of(name: str, array: Array) -> str:
    """Return the name of an array's element type."""
    found = _NAMES.get(array.dtype.name)
    if found is None:
        hint = f"; {name}.view(np.uint8) is its bytes" if array.dtype.kind == "b" else ""
        raise UnsupportedError(f"{name}: dtype {array.dtype}; kernels have {', '.join(_NAMES.values())}{hint}")
    return found


def orders_of(array: Array, place: int) -> dict[str, int | None]:
    """Return the orders in which the last two axes of a matrix are contiguous, with the leading dimension; None:
    dense."""
    (rows, columns), (down, along) = array.shape[:2], array.strides[:2]
    found: dict[str, int | None] = {}
    for order, lines, length, outer, inner in (("C", rows, columns, down, along), ("F", columns, rows, along, down)):
        if (inner == place or length == 1) and (lines == 1 or (outer % place == 0 and outer >= length * place)):
            found[order] = None if lines == 1 or outer == length * place else outer // place
    return found


def given(args: Given, position: int) -> Array | None:
    """Return the array at a position, or None."""
    return args[position] if position < len(args) else None


def needed(args: Given, position: int, name: str) -> Array:
    """Return the array at a position, or raise TypeError."""
    array = given(args, position)
    if array is None:
        raise TypeError(f"{name}: give an array as argument {position + 1}; the shape of the kernel is read from it, "
                        "and its type, so write np.float32(2) for a number")  # fmt: skip
    return array

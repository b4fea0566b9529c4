"""What the arrays of a call tell about a request: types, orders and leading dimensions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.dtypes import DTYPES
from ...microkernels.errors import UnsupportedError
from .arrays import Array

T = TypeVar("T")
_NAMES = {dtype.numpy: name for name, dtype in DTYPES.items()}
_known: dict[np.dtype[Any], str] = {}
"""The names of types that were met, whose own names numpy makes anew each time."""
Given = Sequence[Array | None]
"""The arguments, with None in place of those that are not arrays."""


class InferredRequest(NamedTuple):
    """The keywords of a request, and whether the kernel is called with the transposes of the arguments."""

    keywords: dict[str, Any]
    transposed: bool = False


def type_of(name: str, array: Array) -> str:
    """Return the name of an array's element type. Raises TypeError for the other byte order."""
    dtype = array.dtype
    found = _known.get(dtype)
    if found is not None:
        return found
    if not dtype.isnative:
        raise TypeError(
            f"{name}: {dtype.newbyteorder('=')} in native byte order, not {dtype}; "
            f"{name}.astype({name}.dtype.newbyteorder('=')) converts it"
        )
    found = _NAMES.get(dtype.name)
    if found is None:
        hint = f"; {name}.view(np.uint8) is its bytes" if dtype.kind == "b" else ""
        raise UnsupportedError(f"{name}: dtype {dtype}; kernels have {', '.join(_NAMES.values())}{hint}")
    _known[dtype] = found
    return found


def orders_of(array: Array, place: int, overlaps: bool = False) -> dict[str, int | None]:
    """Return the orders in which the last two axes of a matrix are contiguous, with the leading dimension; None: dense.
    overlaps: whether lines may overlap."""
    (rows, columns), (down, along) = array.shape[:2], array.strides[:2]
    found: dict[str, int | None] = {}
    for order, lines, length, outer, inner in (("C", rows, columns, down, along), ("F", columns, rows, along, down)):
        least = 0 if overlaps else length * place
        if (inner == place or length == 1) and (lines == 1 or (outer % place == 0 and outer >= least)):
            found[order] = None if lines == 1 or outer == length * place else outer // place
    return found


def array_at(args: Given, position: int) -> Array | None:
    """Return the array at a position, or None."""
    return args[position] if position < len(args) else None


def needed(args: Given, position: int, name: str) -> Array:
    """Return the array at a position, or raise TypeError."""
    array = array_at(args, position)
    if array is None:
        raise TypeError(
            f"{name}: give an array as argument {position + 1}; the shape of the kernel is read from it, "
            "and its type, so write np.float32(2) for a number"
        )
    return array


class Reader(NamedTuple):
    """How to derive a request from the arguments of a call.

    axes     the most axes of each argument that is looked at: see `axes_of`
    told     names of keywords that follow from the arrays, so that they cannot be fixed
    read     (arguments, fixed keywords) -> keywords
    check    raises for fixed keywords that no request accepts
    """

    axes: tuple[int, ...]
    told: tuple[str, ...]
    read: Callable[[Given, dict[str, Any]], InferredRequest]
    check: Callable[[dict[str, Any]], object]


def matrix_of(name: str, array: Array) -> tuple[int, int]:
    """Return the rows and columns of an argument. A vector is one row, an array without axes one element."""
    if array.ndim > 2:
        raise ValueError(
            f"{name}: a matrix or a row, not an array of shape {array.shape}; "
            f"{name}.reshape(-1, {array.shape[-1]}) makes one matrix of it"
        )
    rows, columns = (1, 1, *array.shape)[-2:]
    return rows, columns


def leading_of(name: str, array: Array, transposed: bool) -> dict[str, int]:
    """Return the keyword of a leading dimension, unless it is the dense one."""
    if array.ndim != 2:
        return {}
    leading = orders_of(array, array.itemsize).get("F" if transposed else "C")
    return {} if leading is None else {f"ld{name}": leading}


def all_transposed(arrays: Sequence[Array]) -> bool:
    """Whether all matrices have contiguous columns, and some do not have contiguous rows."""
    orders = [orders_of(each, each.itemsize) for each in arrays if each.ndim == 2]
    return bool(orders) and all("F" in each for each in orders) and not all("C" in each for each in orders)


GRADIENTS = "dx", "dw", "db"
"""The gradients of a layer by its data, weights and bias."""
GRADIENT_TYPES = "f32", "f64", "bf16", "f16"
"""The types of which they are computed."""


def wanted_of(wanted: str | Sequence[str]) -> tuple[str, ...]:
    """Return the names of the gradients that a call asks for."""
    asked = wanted.split() if isinstance(wanted, str) else wanted
    if not asked or not set(asked) <= set(GRADIENTS):
        raise ValueError(f"wanted: some of {', '.join(GRADIENTS)}, as one string or as a list, not {wanted!r}")
    return tuple(asked)


def check_gradient_types(types: Mapping[str, str]) -> None:
    """Refuse arrays of several types, or of one without gradients. The types are by the arrays' names."""
    if len(set(types.values())) > 1 or not set(types.values()) <= set(GRADIENT_TYPES):
        name = "x" if "x" in types else next(iter(types))
        raise UnsupportedError(
            f"{', '.join(types)}: of one type, {', '.join(GRADIENT_TYPES)}, not {', '.join(types.values())}; convert "
            f"them, {name}.astype(np.float32)"
        )


def one_or_all(wanted: str | Sequence[str], made: tuple[T, ...]) -> T | tuple[T, ...]:
    """Return the gradients of a call; one that is asked for by its name alone, by itself."""
    return made[0] if isinstance(wanted, str) and len(made) == 1 else made

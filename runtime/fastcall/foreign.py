"""Convert arrays of other libraries to numpy arrays, and numpy's integers to ints, to retry the machine-code path."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.deferred import lazy
from ..arguments import foreign_arrays
from ..arguments.arrays import is_array, plain

if TYPE_CHECKING:
    from . import dlpack

dlpack = lazy(__package__, ".dlpack")


_tensors: set[type] = set()
"""The types of torch's tensors that were met."""
_INTEGERS = frozenset(np.dtype(code).type for code in "bBhHiIlLqQ")


def plain_arrays(args: tuple[Any, ...], numbers: tuple[int, ...] = ()) -> list[Any] | None:
    """Return the arguments with every array of another library, or of a subclass, replaced by an ndarray of the same
    memory, and numpy integers in the positions `numbers` replaced by ints. Return None if there is nothing to convert,
    or if something cannot be converted; then the checks explain it. Types that emitted code can accept directly are
    registered for the next call."""
    found: list[Any] = []
    changed = False
    for value in args:
        kind = type(value)
        if kind is not np.ndarray and kind is not int:
            value = int(value) if kind in _INTEGERS and len(found) in numbers else _plain(value)
            if value is None:
                return None
            changed = True
        found.append(value)
    return found if changed else None


def of_tensor(name: str, value: Any) -> Any:
    """Return an array of the same memory for a tensor of torch, and any other value as it is. Emitted code accepts such
    tensors from the next call on. Raises TypeError, beginning with `name`, for a tensor that cannot be an operand."""
    found = tensor_or_refusal(name, value)
    if isinstance(found, foreign_arrays.Refused):
        raise found.error(name)
    return found


def all_accepted_tensors(values: Iterable[Any]) -> bool:
    """Whether all values are tensors of a kind that emitted code accepts, because `of_tensor` has seen one."""
    return all(type(value) in _tensors for value in values)


def tensor_or_refusal(name: str, value: Any) -> Any:
    """Like `of_tensor`, but return an object of `Refused` instead of raising."""
    kind = type(value)
    if kind not in _tensors:
        if kind is np.ndarray or not foreign_arrays.is_tensor(value):
            return value
        dlpack.register(kind)
        _tensors.add(kind)
    return foreign_arrays.memory_of_tensor(name, value)


def _plain(value: Any) -> Any:
    """Return the ndarray behind an array of another library, or None if the value is not one."""
    if is_array(value):
        return None if hasattr(value, "mask") else plain(value)
    if hasattr(type(value), "__dlpack__"):  # not the type of an array itself, nor an object that has every attribute
        dlpack.register(type(value))
        found = foreign_arrays.memory_of("", value)
        return None if isinstance(found, foreign_arrays.Refused) else found
    return None

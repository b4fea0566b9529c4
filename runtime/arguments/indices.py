"""Arguments that name places of other arrays. Their elements are checked before the call, unless the kernel does it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...microkernels.operands import BagEnds, CheckedIndex, Interface, Operand
from .arrays import Array, as_array


def check_index(index: CheckedIndex, arrays: Mapping[str, Array]) -> None:
    """Raise IndexError for an element that is out of range."""
    found, size = arrays[index.name], arrays[index.table].shape[index.axis]
    if not index.ends:
        below(index.name, found, size, f"{index.table} has {size} {index.what}, counted from 0")
        return
    below(index.name, found, size + 1, f"{index.name} are from 0 to {size}, the length of the {index.table}")
    if (found[1:] < found[:-1]).any():
        place = int((found[1:] < found[:-1]).argmax())
        raise IndexError(
            f"{index.name}: must not decrease, but entry {place + 1} is {found[place + 1]}, below the one before it"
        )


def below(name: str, index: Array, size: int, limit: str) -> None:
    """Require that every element lies between 0 and size - 1. `limit` explains the range."""
    if not index.size or index.view(f"u{index.itemsize}").max() < size:  # as unsigned numbers, negative ones are large
        return
    place = ((index < 0) | (index >= size)).ravel().argmax()
    raise IndexError(f"{name}: entry {place} is {index.ravel()[place]}; {limit}")


def with_last(interface: Interface, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the arguments with the last offset, the end of the index, if the call leaves it out."""
    ends = interface.ends
    if ends is None:
        return args
    places = {each.name: place for place, each in enumerate(interface.arguments)}
    place = places[ends.name]
    offsets, index = (as_array(name, args[places[name]]) for name in (ends.name, ends.entries))
    if offsets.ndim != 1 or offsets.dtype != np.int64:
        return args  # the check of arrays refuses it
    if any(each.operand == ends.name for extent in interface.extents for each in extent.places):
        result = args[places[ends.result]] if len(args) > places[ends.result] else None
        rows = None if result is None else as_array(ends.result, result).shape[:1]
        lacks = _lacks_last(ends, offsets, index.size, rows[0] if rows else None)
    else:
        offset = interface.arguments[place]
        assert isinstance(offset, Operand)
        lacks = _lacks_last_of(ends, len(offsets), offset.columns - 1)
    return (*args[:place], np.append(offsets, index.size), *args[place + 1 :]) if lacks else args


def _lacks_last_of(ends: BagEnds, given: int, bags: int) -> bool:
    """Whether offsets for a fixed number of bags lack the last one. Raises ValueError for another number of offsets."""
    asked = ends.complete
    if given == bags + (asked is not False):
        return asked is False
    if given == bags and asked is None:
        return True
    forms = {
        True: f"{bags + 1} entries",
        False: f"{bags} entries without the end of the last bag",
        None: f"{bags + 1} entries, or {bags} without the end of the last bag",
    }
    raise ValueError(
        f"{ends.name}: must have {forms[asked]}, for {bags} bags and include_last_offset={asked}, not {given}"
    )


def _lacks_last(ends: BagEnds, offsets: Array, count: int, rows: int | None) -> bool:
    """Whether offsets for any number of bags lack the last one. `count` is the length of the index, `rows` that of the
    result if the call gives it. Raises ValueError if nothing tells."""
    if ends.complete is not None:
        return not ends.complete
    if rows is not None:
        return len(offsets) == rows
    if len(offsets) and offsets[-1] >= count:  # one beyond the index is refused by the check of offsets
        return False
    end = offsets[-1] if len(offsets) else "nothing"
    raise ValueError(
        f"{ends.name}: end with {end}, and the {ends.entries} has {count} entries, so the last offset may "
        f"be missing; give {ends.result}, or make the kernel with include_last_offset=False (torch's "
        "default: the last bag ends with the index) or True (it ends with the last offset)"
    )

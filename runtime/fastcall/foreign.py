"""Arrays of other libraries as plain numpy arrays, and numpy's integers as ints: on the way back to machine code."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from ...encoder.deferred import deferred
from ..arguments import others
from ..arguments.arrays import is_array, plain


@deferred
def _dlpack() -> ModuleType:
    from . import dlpack

    return dlpack


_INTEGERS = frozenset(np.dtype(code).type for code in "bBhHiIlLqQ")


def plain_arrays(args: tuple[Any, ...], numbers: tuple[int, ...] = ()) -> list[Any] | None:
    """The arguments with every array of another library, or of a subclass, as an ndarray of the same memory, and
    integers of numpy in the positions `numbers` as ints.

    None if there is nothing to convert, or something that cannot be: then the checks say what is wrong. Types that
    emitted code can take as they are it takes from the next call on.
    """
    found: list[Any] = []
    changed = False
    try:
        for value in args:
            kind = type(value)
            if kind is not np.ndarray and kind is not int:
                value = int(value) if kind in _INTEGERS and len(found) in numbers else _plain(value)
                if value is None:
                    return None
                changed = True
            found.append(value)
    except Exception:
        return None
    return found if changed else None


def _plain(value: Any) -> Any:
    """The ndarray behind an array of another library, None if it is none."""
    if is_array(value):
        return None if hasattr(value, "mask") else plain(value)
    if hasattr(value, "__dlpack__"):
        _dlpack().register(type(value))
        return others.as_ndarray("", value)
    return None

"""Arrays of other libraries as plain numpy arrays, and numpy's integers as ints: on the way back to machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .dlpack import viewer

_views: dict[type, Callable[[Any], Any] | None] = {}
"""Of types of torch tensors: what makes an ndarray of one."""
_VIEW = np.ndarray.view  # numpy's own, whatever a subclass calls so
_INTEGERS = frozenset(np.dtype(code).type for code in "bBhHiIlLqQ")


def plain_arrays(args: tuple[Any, ...], numbers: tuple[int, ...] = ()) -> list[Any] | None:
    """The arguments with every array of another library, or of a subclass, as an ndarray of the same memory, and
    integers of numpy in the positions `numbers` as ints.

    None if there is nothing to convert, or something that cannot be: then the checks say what is wrong.
    """
    found: list[Any] = []
    changed = False
    try:
        for value in args:
            kind = type(value)
            if kind is not np.ndarray and kind is not int:
                view = _views.get(kind)
                if view is not None:
                    # memory that is part of a gradient, or means its negative, is refused
                    value = None if value.requires_grad or value.is_neg() else view(value)
                elif kind in _INTEGERS and len(found) in numbers:
                    value = int(value)
                else:
                    value = _plain(value)
                if value is None:
                    return None
                changed = True
            found.append(value)
    except Exception:
        return None
    return found if changed else None


def _plain(value: Any) -> Any:
    """The ndarray behind an array of another library, None if it is none."""
    kind = type(value)
    if issubclass(kind, np.ndarray):
        return None if hasattr(value, "mask") else _VIEW(value, np.ndarray)
    if kind.__module__ == "torch":
        if kind not in _views:
            _views[kind] = viewer(kind)  # type: ignore[arg-type]  # types are hashable
        return value.numpy()  # three times as fast as DLPack, and as careful
    return np.from_dlpack(value) if hasattr(value, "__dlpack__") else None

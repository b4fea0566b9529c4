"""Arrays of other libraries as plain numpy arrays, quickly: on the way back to machine code."""

from __future__ import annotations

from typing import Any

import numpy as np

from .exchange import viewer


def plain_arrays(args: tuple[Any, ...]) -> list[Any] | None:
    """The arguments with every array of another library, or of a subclass, as an ndarray of the same memory.

    None if there is nothing to convert, or something that cannot be: then the checks say what is wrong.
    """
    found = []
    changed = False
    for value in args:
        kind = type(value)
        if kind is not np.ndarray and kind is not int:
            value = _plain(value)
            if value is None:
                return None
            changed = True
        found.append(value)
    return found if changed else None


def _plain(value: Any) -> Any:
    """The ndarray behind an array of another library, None if it is none."""
    try:
        if isinstance(value, np.ndarray):
            return None if isinstance(value, np.ma.MaskedArray) else value.view(np.ndarray)
        if type(value).__module__ == "torch":
            return _tensor(value)
        if hasattr(value, "__dlpack__"):
            return np.from_dlpack(value)
    except Exception:
        return None
    return None


def _tensor(value: Any) -> Any:
    """The ndarray of a torch tensor; None if it is not just memory of the CPU, or part of a gradient."""
    view = viewer(type(value))
    if view is None:
        return value.numpy()  # three times as fast as DLPack, and as careful
    return None if value.requires_grad or value.is_neg() else view(value)

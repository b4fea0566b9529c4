"""Scratch memory of products: taken for a call, kept for the next one, given back by `trim`."""

from __future__ import annotations

import threading

import numpy as np

from ..arguments.arrays import Array, address_of

KEPT = 2
"""Pieces that are kept: as many calls at a time allocate nothing."""
_ALIGNMENT = 4096
_lock = threading.Lock()
_kept: list[Array] = []


class Scratch:
    """A piece of memory for one call: `with Scratch(size) as address`."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._piece: Array | None = None

    def __enter__(self) -> int:
        if not self.size:
            return 0
        with _lock:
            fitting = [at for at, each in enumerate(_kept) if each.nbytes >= self.size + _ALIGNMENT]
            piece = _kept.pop(fitting[0]) if fitting else None
        self._piece = np.empty(self.size + _ALIGNMENT, np.uint8) if piece is None else piece
        return -(-address_of(self._piece) // _ALIGNMENT) * _ALIGNMENT

    def __exit__(self, *exception: object) -> None:
        if self._piece is None:
            return
        with _lock:
            _kept.append(self._piece)
            _kept.sort(key=lambda each: -each.nbytes)
            del _kept[KEPT:]


def kept_bytes() -> int:
    """Bytes of scratch memory that are kept for the next call."""
    with _lock:
        return sum(each.nbytes for each in _kept)


def drop() -> int:
    """Give all kept scratch memory back to the system; returns how many bytes."""
    with _lock:
        dropped = sum(each.nbytes for each in _kept)
        _kept.clear()
    return dropped

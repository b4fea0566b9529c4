"""Arrays whose rows lie gigabytes apart: memory without swap space, of which only the pages that are written exist."""

from __future__ import annotations

from typing import Any
from weakref import finalize

import numpy as np

from tilesmith.runtime.system import libc

Array = np.ndarray[Any, Any]


class _Pages:
    """A mapping that is freed with its last view. Pages that were only read are the system's page of zeros."""

    def __init__(self, size: int) -> None:
        protection, flags = libc.PROT_READ | libc.PROT_WRITE, libc.MAP_PRIVATE | libc.MAP_ANONYMOUS | libc.MAP_NORESERVE
        address = libc.mmap(0, size, protection, flags, -1, 0)
        self.__array_interface__ = {"data": (address, False), "shape": (size,), "typestr": "|u1", "version": 3}
        finalize(self, libc.munmap, address, size)


def sparse(shape: tuple[int, ...], dtype: Any = np.float32, distance: int | None = None, order: str = "C") -> Array:
    """Return zeros. `distance` is the number of elements from row to row, or from column to column in order "F"."""
    size = np.dtype(dtype).itemsize
    if distance is None:
        whole = np.asarray(_Pages(int(np.prod(shape, dtype=np.int64)) * size))
        return whole.view(dtype).reshape(shape, order=order)  # type: ignore[arg-type]
    rows, columns = shape if order == "C" else shape[::-1]
    whole = np.asarray(_Pages(((rows - 1) * distance + columns) * size))
    strides = (distance * size, size) if order == "C" else (size, distance * size)
    return np.ndarray(shape, dtype, whole, 0, strides)


def placed(array: Array, distance: int, order: str = "C") -> Array:
    """Return a copy of a matrix whose rows, or columns, lie this many elements apart."""
    made = sparse(array.shape, array.dtype, distance, order)
    made[...] = array
    return made

"""Where operands of benchmarks lie: in memory, and in which cache."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments.arrays import Array, address_of, numpy_dtype

LINE, PAGE = 64, 4096
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


def nearest_cache(size: int) -> str:
    """The name of the nearest cache that holds so many bytes, or "memory". L3 counts with half of its size: what other
    processors keep there is not known."""
    return next((f"L{level}" for level, held in sorted(_caches().items())
                 if size <= (held // 2 if level == 3 else held)), "memory")  # fmt: skip


@functools.cache
def _caches() -> dict[int, int]:
    """The bytes of each level, of those that hold data, as Linux tells them."""
    found = {}
    for folder in _CACHES.glob("index*"):
        kind, level, size = ((folder / name).read_text().strip() for name in ("type", "level", "size"))
        if kind != "Instruction":
            found[int(level)] = int(size.removesuffix("K")) << 10
    return found


def placed(shape: tuple[int, int], dtype: str, place: int) -> Array:
    """Zeros from a cache line on. Arrays of different places do not begin equally far into a page: a load would wait
    for a store to the same place of another page that is not done yet."""
    element: Any = np.dtype(numpy_dtype(dtype))
    size = shape[0] * shape[1] * element.itemsize
    whole = np.zeros(size + 2 * PAGE, np.uint8)
    start = -address_of(whole) % PAGE + 5 * LINE * place
    array: Array = whole[start : start + size].view(element).reshape(shape)
    return array

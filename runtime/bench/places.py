"""The placement of benchmark operands in memory, and the cache that holds them."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np

from ...microkernels.operands import CACHE_LINE
from ..arguments.arrays import Array, address_of, numpy_dtype

PAGE = 4096
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


def nearest_cache(size: int) -> str:
    """Return the name of the nearest cache that holds `size` bytes, or "memory". Only half of L3 counts, since other
    processors use it as well."""
    return next((f"L{level}" for level, held in sorted(_caches().items())
                 if size <= (held // 2 if level == 3 else held)), "memory")  # fmt: skip


@functools.cache
def _caches() -> dict[int, int]:
    """Return the bytes of each cache level that holds data, as Linux reports them."""
    found = {}
    for folder in _CACHES.glob("index*"):
        kind, level, size = ((folder / name).read_text().strip() for name in ("type", "level", "size"))
        if kind != "Instruction":
            found[int(level)] = int(size.removesuffix("K")) << 10
    return found


def placed(shape: tuple[int, int], dtype: str, place: int) -> Array:
    """Return zeros that begin at a cache line. Arrays of different places begin at different offsets in a page:
    otherwise a load would wait for an unfinished store to the same offset of another page."""
    element: Any = np.dtype(numpy_dtype(dtype))
    size = shape[0] * shape[1] * element.itemsize
    whole = np.zeros(size + 2 * PAGE, np.uint8)
    start = -address_of(whole) % PAGE + 5 * CACHE_LINE * place
    array: Array = whole[start : start + size].view(element).reshape(shape)
    return array

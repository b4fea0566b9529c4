"""Operands of benchmarks: where they lie in memory, which cache holds them, and kernels called on them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ...microkernels.operands import CACHE_LINE
from ..arguments.arrays import Array, address_of, numpy_dtype
from ..kernel.callable import Kernel
from .measure import NativeCall

PAGE = 4096
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


def nearest_cache(size: int) -> str:
    """Return the name of the nearest cache that holds `size` bytes, or "memory". Only half of L3 counts, since other
    processors use it as well."""
    return next(
        (f"L{level}" for level, held in sorted(_caches().items()) if size <= (held // 2 if level == 3 else held)),
        "memory",
    )


@functools.cache
def _caches() -> dict[int, int]:
    """Return the bytes of each cache level that holds data, as Linux reports them."""
    found = {}
    for folder in _CACHES.glob("index*"):
        kind, level, size = ((folder / name).read_text().strip() for name in ("type", "level", "size"))
        if kind != "Instruction":
            found[int(level)] = int(size.removesuffix("K")) << 10
    return found


def at(shape: Sequence[int], dtype: DTypeLike, offset: int, period: int = PAGE) -> Array:
    """Return zeros that begin `offset` bytes after a multiple of `period` bytes."""
    element = np.dtype(numpy_dtype(dtype) if isinstance(dtype, str) else dtype)
    size = int(np.prod(shape)) * element.itemsize
    whole = np.zeros(size + period + offset, np.uint8)
    start = -address_of(whole) % period + offset
    array: Array = whole[start : start + size].view(element).reshape(shape)
    return array


def placed(shape: Sequence[int], dtype: DTypeLike, place: int) -> Array:
    """Return zeros that begin at a cache line. Arrays of different places begin at different offsets in a page:
    otherwise a load would wait for an unfinished store to the same offset of another page. Results should get smaller
    places than operands: loads are then 54 lines after such offsets, not 10 (copies on a Cascade Lake: 340 GB/s and
    240)."""
    return at(shape, dtype, 5 * CACHE_LINE * place)


def aligned(shape: Sequence[int], dtype: DTypeLike) -> Array:
    """Return zeros that begin at a cache line."""
    return at(shape, dtype, 0, CACHE_LINE)


def filled(array: Array, rng: np.random.Generator, low: int = 1, high: int = 9) -> Array:
    """Fill an array with normally distributed numbers, or with small whole ones, and return it."""
    whole = array.dtype.kind in "iu"
    array[...] = rng.integers(low, high, array.shape) if whole else rng.standard_normal(array.shape)
    return array


def arguments_of(kernel: Kernel) -> Sequence[Any]:
    """Return the operands of a kernel's request, in the order of its arguments."""
    found: Sequence[Any] = getattr(kernel.spec, "arguments", None) or kernel.spec.operands  # type: ignore[attr-defined]
    return found


def native(kernel: Kernel, arrays: Sequence[Array] | None = None, *more: int) -> NativeCall:
    """Return the call of the machine code on these arrays, or on aligned zeros; `more` are further arguments."""
    held = arrays if arrays is not None else [aligned(each.shape, each.dtype) for each in arguments_of(kernel)]
    assert kernel.address is not None
    return NativeCall(kernel.address, (*map(address_of, held), *more), (kernel, held))

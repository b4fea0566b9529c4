"""Calls whose operands lie where the lower half of each address is a NaN, read as a float.

    with at_nan_addresses():
        spec, call = next(every_call(kernel.spec, kernel.kind)[1])

A result into which an address goes, times zero, is right for most addresses; for these it is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import pytest

from tilesmith.emulation.core.memory import address_of
from tilesmith.runtime.verify import operands

Array = np.ndarray[Any, Any]
_NAN, _STEP = 0x7FC00000, 1 << 16


@cache
def _space() -> tuple[Array, int]:
    """Memory of every lower half of an address, of which pages exist once they are written; where the first NaN is."""
    space = np.zeros((1 << 32) + (1 << 23), np.uint8)
    return space, (_NAN - address_of(space)) % (1 << 32)


@contextmanager
def at_nan_addresses() -> Iterator[None]:
    """Operands that are made meanwhile lie there, one behind the other."""
    space, place = _space()

    def placed(shape: tuple[int, ...], dtype: np.dtype[Any], strides: tuple[int, ...], size: int) -> Array:
        nonlocal place
        place += _STEP
        made: Array = np.ndarray(shape, dtype, space, place - dtype.itemsize, strides)
        place += size // _STEP * _STEP
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(operands, "_placed", placed)
        yield

"""Calls whose operands lie at addresses whose lower half is a NaN if it is read as a float.

    with at_nan_addresses():
        spec, call = next(every_call(kernel.spec, kernel.kind)[1])

If a wrong kernel adds an address times zero to a result, the result is right for most addresses, but not for these.
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
    """Return memory that covers every lower half of an address, and the position of the first NaN in it. Its pages
    exist only once they are written."""
    space = np.zeros((1 << 32) + (1 << 23), np.uint8)
    return space, (_NAN - address_of(space)) % (1 << 32)


@contextmanager
def at_nan_addresses() -> Iterator[None]:
    """Place the operands that the body makes at such addresses, one after the other."""
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

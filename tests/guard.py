"""The guard pages of `tilesmith.testing`, and the mark that runs a test on both sides of them."""

from __future__ import annotations

import numpy as np
import numpy.random  # numpy imports it at its first use, which would be in each child process again
import pytest

from tilesmith.runtime.testing.guard import GUARD as GUARD
from tilesmith.runtime.testing.guard import PAGE as PAGE
from tilesmith.runtime.testing.guard import SIDES as SIDES
from tilesmith.runtime.testing.guard import TIMEOUT as TIMEOUT
from tilesmith.runtime.testing.guard import Array as Array
from tilesmith.runtime.testing.guard import address as address
from tilesmith.runtime.testing.guard import check_canary as check_canary
from tilesmith.runtime.testing.guard import guarded as guarded
from tilesmith.runtime.testing.guard import guarded_pair as guarded_pair
from tilesmith.runtime.testing.guard import run_forked as run_forked


def laid_out(x: Array, order: str, gap: int, side: str, writable: bool = True) -> Array:
    """Return a copy of a matrix between guard pages, in an order, with a gap of so many elements behind each row or
    column."""
    lines = x if order == "C" else x.T
    found = np.empty((lines.shape[0], lines.shape[1] + gap), x.dtype)[:, : lines.shape[1]]
    found[...] = lines
    return guarded(found if order == "C" else found.T, side, writable)


both_sides = pytest.mark.parametrize("side", SIDES)

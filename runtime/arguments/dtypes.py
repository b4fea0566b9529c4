"""Element types as numpy dtypes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ...microkernels.dtypes import DTYPES

if TYPE_CHECKING:
    import ml_dtypes
    import numpy as np

ml_dtypes = lazy(None, "ml_dtypes")
np = lazy(None, "numpy")


@cache
def numpy_dtype(name: str) -> np.dtype[Any]:
    """Return an element type as a numpy dtype. ml_dtypes, for other 16- and 8-bit floats, is imported when needed."""
    spelled = DTYPES[name].numpy
    made: np.dtype[Any] = np.dtype(getattr(np if hasattr(np, spelled) else ml_dtypes, spelled))
    return made

"""Element types as numpy's."""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from ...encoder.deferred import deferred
from ...microkernels.dtypes import DTYPES


@deferred
def _ml_dtypes() -> ModuleType:
    import ml_dtypes

    return ml_dtypes


@cache
def numpy_dtype(name: str) -> np.dtype[Any]:
    """An element type as numpy's; ml_dtypes, which has the other 16- and 8-bit floats, is imported when needed."""
    spelled = DTYPES[name].numpy
    made: np.dtype[Any] = np.dtype(getattr(np if hasattr(np, spelled) else _ml_dtypes(), spelled))
    return made

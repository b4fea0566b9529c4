"""Reductions for `tilesmith info --coverage`: their operands, and results by definition."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...microkernels.reduce.spec import reduce_spec
from ..arguments.arrays import Array, numpy_dtype
from ..verify.definition.evaluate import computed
from .trial import CoverageTrial

M, N = 5, 37
AXES = (0, 1, None)
NAMES = tuple(
    ("reduce", name) for name in ("sum", "mean", "squares", "product", "max", "min", "absmax", "argmax", "argmin")
)
"""Kinds and names of the rows of the table."""


def trials(name: str, dtype: str) -> Iterator[CoverageTrial]:
    """Yield a trial call for each axis. Raises UnsupportedError if no kernel takes such elements."""
    for axis in AXES:
        squared = name == "squares"
        spec = reduce_spec("sum" if squared else name, M, N, axis=axis, dtype=dtype, squared=squared)
        operands = {"x": _numbers(name, dtype), "y": np.zeros(spec.count, numpy_dtype(spec.out))}
        yield CoverageTrial(spec, list(operands.values()), computed(spec, operands)["y"])


def _numbers(name: str, dtype: str) -> Array:
    """Return small whole numbers, whose sums are exact in every order. In products, few factors differ from 1 and
    -1."""
    rng = np.random.default_rng(1)
    least = 0 if dtype in ("u8", "u16") else -8
    x = rng.integers(least, 9, (M, N)).astype(np.float64)
    if name == "product":
        x = np.where(rng.integers(0, 12, x.shape) == 0, 2, np.where((x < 0) & (least < 0), -1, 1))
    return np.asarray(x.astype(numpy_dtype(dtype)))

"""Reductions for `tilesmith info --coverage`: their operands, and numpy's results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...microkernels.reduce.spec import ReduceSpec, reduce_spec
from ..arguments.arrays import Array, numpy_dtype
from .trial import CoverageTrial

M, N = 5, 37
AXES = (0, 1, None)
_DEFINITIONS: dict[str, Callable[..., Any]] = {
    "sum": np.sum,
    "mean": np.mean,
    "squares": lambda x, axis: np.sum(x * x, axis=axis),
    "product": np.prod,
    "max": np.max,
    "min": np.min,
    "absmax": lambda x, axis: np.max(np.abs(x), axis=axis),
    "argmax": np.argmax,
    "argmin": np.argmin,
}
NAMES = tuple(("reduce", name) for name in _DEFINITIONS)
"""Kinds and names of the rows of the table."""


def trials(name: str, dtype: str) -> Iterator[CoverageTrial]:
    """Yield a trial call for each axis. Raises UnsupportedError if no kernel takes such elements."""
    for axis in AXES:
        squared = name == "squares"
        spec = reduce_spec("sum" if squared else name, M, N, axis=axis, dtype=dtype, squared=squared)
        x = _numbers(name, dtype)
        yield CoverageTrial(spec, [x, np.zeros(spec.count, numpy_dtype(spec.out))], _wanted(spec, name, x))


def _numbers(name: str, dtype: str) -> Array:
    """Return small whole numbers, whose sums are exact in every order. In products, few factors differ from 1 and
    -1."""
    rng = np.random.default_rng(1)
    least = 0 if dtype in ("u8", "u16") else -8
    x = rng.integers(least, 9, (M, N)).astype(np.float64)
    if name == "product":
        x = np.where(rng.integers(0, 12, x.shape) == 0, 2, np.where((x < 0) & (least < 0), -1, 1))
    return np.asarray(x.astype(numpy_dtype(dtype)))


def _wanted(spec: ReduceSpec, name: str, x: Array) -> Array:
    found = np.atleast_1d(_DEFINITIONS[name](x.astype(np.float64), axis=spec.axis))
    return np.asarray(found.astype(numpy_dtype(spec.out)))

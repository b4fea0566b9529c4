"""Products with a fixed sparse matrix for `tilesmith info --coverage`: their operands, and results by definition."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...microkernels.baked.spec import baked_spec, sums_type
from ..arguments.arrays import numpy_dtype
from ..sparse.fixed import fixed
from ..verify.definition.evaluate import computed
from .trial import CoverageTrial

NAMES = ("sparse", "left"), ("sparse", "right")
"""Kinds and names of the rows of the table."""


def trials(name: str, dtype: str) -> Iterator[CoverageTrial]:
    """Yield a trial call with small whole numbers, whose sums are exact in every type. Raises UnsupportedError if the
    kernel does not take such elements."""
    rng = np.random.default_rng(1)
    a = rng.integers(-3, 4, (5, 7)) * (rng.random((5, 7)) < 1 / 2)
    packed = 1 if name == "left" else 5
    spec = baked_spec(fixed(a, sums_type(dtype)), 11, side=name, dtype=dtype, packed=packed)
    b, c = spec.arguments
    operands = {
        "b": rng.integers(-4, 5, b.shape).astype(numpy_dtype(dtype)),
        "c": np.zeros(c.shape, numpy_dtype(c.dtype)),
    }
    yield CoverageTrial(spec, list(operands.values()), computed(spec, operands)["c"])

"""Gathers, scatters and embedding bags for `tilesmith info --coverage`: their operands, and results by definition."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...microkernels.gather.bag_spec import bag_spec
from ...microkernels.gather.spec import WAYS, gather_spec
from ..arguments.arrays import Array, numpy_dtype
from ..verify.definition.evaluate import computed
from .trial import CoverageTrial

NAMES = (*(("gather", by) for by in WAYS), *(("scatter", by) for by in WAYS), ("bag", "sum"), ("bag", "weighted"))
"""Kinds and names of the rows of the table."""
M, N, SIZE, STEP = 5, 37, 50, 3


def trials(kind: str, name: str, dtype: str) -> Iterator[CoverageTrial]:
    """Yield a trial call. Raises UnsupportedError if the kernel does not take such elements."""
    rng = np.random.default_rng(1)
    yield _bag(name == "weighted", dtype, rng) if kind == "bag" else _moved(kind, name, dtype, rng)


def _moved(kind: str, name: str, dtype: str, rng: np.random.Generator) -> CoverageTrial:
    step, size = (STEP, None) if name == "stride" else (None, SIZE)
    spec = gather_spec(kind, name, M, N, dtype=dtype, step=step, size=size)
    shapes = {each.name: each.shape for each in (spec.wide, spec.narrow)}
    operands = {"x": _words(shapes["x"], dtype, rng)}
    if spec.indices is not None:
        operands["index"] = rng.integers(0, SIZE, spec.indices.shape).astype(numpy_dtype(spec.index))
    operands["y"] = _words(shapes["y"], dtype, rng)
    return CoverageTrial(spec, list(operands.values()), computed(spec, operands)["y"])


def _bag(weighted: bool, dtype: str, rng: np.random.Generator) -> CoverageTrial:
    """Return a trial with small whole numbers, whose sums are exact in every type and order."""
    bags, count = 3, 12
    spec = bag_spec(bags, N, size=SIZE, count=count, dtype=dtype, weights=weighted)
    sums = numpy_dtype(spec.acc_dtype)
    operands = {"x": rng.integers(-8, 9, (SIZE, N)).astype(numpy_dtype(dtype)), "index": rng.integers(0, SIZE, count)}
    operands |= {"weights": rng.integers(-4, 5, count).astype(sums)} if weighted else {}
    operands |= {"offsets": np.array([0, 5, 5, count]), "y": np.ones((bags, N), sums)}
    return CoverageTrial(spec, list(operands.values()), computed(spec, operands)["y"])


def _words(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    """Return elements of random bits."""
    to = numpy_dtype(dtype)
    return rng.integers(0, 256, (*shape[:-1], shape[-1] * to.itemsize), np.uint8).view(to)

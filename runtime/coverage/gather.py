"""Gathers, scatters and embedding bags for `tilesmith info --coverage`: their operands, and numpy's results."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...microkernels.gather.bag_spec import bag_spec
from ...microkernels.gather.spec import WAYS, gather_spec
from ..arguments.arrays import Array, numpy_dtype
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
    wide, narrow = (_words(operand.shape, dtype, rng) for operand in (spec.wide, spec.narrow))
    places: tuple[Any, ...] = (slice(None), slice(None, None, STEP))
    index = []
    if spec.indices is not None:
        # without repetitions if there are enough places, so that numpy's order of stores does not matter
        count = int(np.prod(spec.indices.shape))
        chosen = rng.permutation(SIZE)[:count] if count <= SIZE else rng.integers(0, SIZE, count)
        index = [chosen.astype(numpy_dtype(spec.index)).reshape(spec.indices.shape)]
        places = {"rows": (index[0],), "columns": (slice(None), index[0]), "offsets": (index[0],)}[name]
    if kind == "gather":
        return CoverageTrial(spec, [wide, *index, np.zeros_like(narrow)], wide[places].copy())
    wanted = wide.copy()
    if name == "offsets":
        for place, value in zip(index[0].ravel(), narrow.ravel()):
            wanted[place] = value
    else:
        wanted[places] = narrow
    return CoverageTrial(spec, [narrow, *index, wide.copy()], wanted)


def _bag(weighted: bool, dtype: str, rng: np.random.Generator) -> CoverageTrial:
    """Return a trial with small whole numbers, whose sums are exact in every type and order."""
    bags, count = 3, 12
    spec = bag_spec(bags, N, size=SIZE, count=count, dtype=dtype, weights=weighted)
    sums = numpy_dtype(spec.acc_dtype)
    x = rng.integers(-8, 9, (SIZE, N)).astype(numpy_dtype(dtype))
    index, offsets = rng.integers(0, SIZE, count), np.array([0, 5, 5, count])
    weights = [rng.integers(-4, 5, count).astype(sums)] if weighted else []
    rows = x[index].astype(sums) * (weights[0][:, None] if weighted else sums.type(1))
    wanted = np.stack([rows[first:last].sum(axis=0, dtype=sums) for first, last in zip(offsets, offsets[1:])])
    return CoverageTrial(spec, [x, index, *weights, offsets, np.ones_like(wanted)], wanted)


def _words(shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Array:
    """Return elements of random bits."""
    to = numpy_dtype(dtype)
    return rng.integers(0, 256, (*shape[:-1], shape[-1] * to.itemsize), np.uint8).view(to)

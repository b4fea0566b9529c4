"""Grouped products by compressed weights: the rows of each member are one product, by the matrix of that member."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import Array, numpy_dtype
from ..arguments.factors import types_of
from ..compressed.immutable import ImmutableWeights
from ..ops.matmul import matmul

if TYPE_CHECKING:
    from ...microkernels.compressed.bitmask import BitmaskForm
    from ...microkernels.compressed.form import CompressedForm
    from .operands import AskedEpilogue

    Weights = ImmutableWeights[CompressedForm] | ImmutableWeights[BitmaskForm]


def weights_of(b: object) -> Sequence[Weights] | None:
    """Return the compressed weights of all members; None if b is something else."""
    if not isinstance(b, (list, tuple)) or not b or not isinstance(b[0], ImmutableWeights):
        return None
    strange = next((each for each in b if not isinstance(each, ImmutableWeights)), None)
    if strange is not None:
        raise TypeError(f"b: compressed weights for each member, not also {type(strange).__name__}")
    if len(shapes := {each.shape for each in b}) > 1:
        raise ValueError(f"b: matrices of one shape, not {' and '.join(map(str, sorted(shapes)))}")
    return b


def by_weights(
    x: Array,
    weights: Sequence[Weights],
    ends_of: Callable[[int, int], Array],
    z: Array | None,
    asked: AskedEpilogue,
    threads: int,
) -> Array:
    """Compute a (T, K) by compressed weights of G members, each (K, N), with the bits of ts.matmul.

    ends_of   returns the ends of so many members in so many rows, checked
    """
    k, n = weights[0].shape
    if x.ndim != 2 or x.shape[1] != k:
        raise ValueError(f"a, b: must be (T, {k}) and weights of {k} rows, not {x.shape}")
    ends = ends_of(x.shape[0], len(weights))
    type_of_b = weights[0].form.dtype
    like = np.empty((1, 1), x.dtype if type_of_b is None else numpy_dtype(type_of_b))
    of_c = types_of(x, like, z, asked.dtype, "ts.grouped_matmul({}, offsets)")[2]
    if z is not None and z.shape != (len(x), n):
        raise ValueError(f"out: must have shape {(len(x), n)}, not {z.shape}")
    made = np.empty((len(x), n), numpy_dtype(of_c))
    for name, each in asked.operands.items():
        if each.ndim > 3 or (each.ndim == 3 and (each.shape[0] not in (1, len(weights)) or each.shape[1] != 1)):
            raise UnsupportedError(f"operands: {name} of the result's shape, or (G, 1, N), not {each.shape}")
    for member, (begin, end) in enumerate(zip((0, *ends[:-1].tolist()), ends.tolist())):
        if begin == end:
            continue
        own = {
            name: each[member if len(each) > 1 else 0]
            if each.ndim == 3
            else each[begin:end]
            if each.ndim == 2 and len(each) > 1
            else each
            for name, each in asked.operands.items()
        }
        matmul(
            x[begin:end],
            weights[member],
            made[begin:end],
            epilogue=asked.epilogue,
            operands=own or None,
            threads=threads,
        )
    if z is None:
        return made
    z[...] = made
    return z

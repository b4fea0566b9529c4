"""`sparse_attention`: block-sparse attention, of products at the places of a matrix, their softmax, and a product."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import Array, as_array, numpy_dtype
from ..arguments.factors import native
from ..arguments.foreign_arrays import returned
from ..arguments.infer import type_of
from ..arguments.tracebacks import shortening
from ..fastcall.foreign import of_tensor
from .functions import spmm
from .handle import Sparse, sparse
from .sampled import FLOATS, sddmm
from .softmax import sparse_softmax

if TYPE_CHECKING:
    from ..api.typed import ArrayLike


@shortening
def sparse_attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    pattern: ArrayLike,
    *,
    scale: float | None = None,
    added: ArrayLike = None,
    causal: bool = False,
    mask: ArrayLike = None,
    threads: int | None = None,
) -> ArrayLike:
    """Return attention of the queries to the keys whose blocks a sparse matrix stores: softmax(q @ k.T) @ v.

    q, k, v   (..., queries, size), (..., keys, size), (..., keys, width), of one type. The axes before the last two, as
              of samples and heads, are broadcast; all of these share the pattern
    pattern   a sparse matrix (queries, keys), as in `ts.sddmm`; its values are not read
    scale     a factor of q @ k.T; None: size ** -0.5
    added     a sparse matrix of the places of the pattern, which is added to the scaled scores: -inf masks one
    causal    whether query i attends to the keys up to i alone, of the stored ones
    mask      (queries, keys) of bools, False of what is masked, or of floats, which are added; read at stored places
    threads   the number of threads; None: ts.num_threads(). Any number gives the same bits

    It is `ts.spmm(ts.sparse_softmax(ts.sddmm(q, k.T, pattern), scale=), v)` for each sample and head, whose parts have
    gradients of their own. A query without a block gets zeros. One whose stored keys are all masked gets NaN, as in a
    dense attention.
    """
    x, keys, values = (native(name, as_array(name, of_tensor(name, each))) for name, each in zip("qkv", (q, k, v)))
    for name, each in zip("qkv", (x, keys, values)):
        if each.ndim < 2:
            raise ValueError(f"{name}: a matrix for each sample and head, not shape {each.shape}")
    if type_of("q", x) not in FLOATS:
        raise UnsupportedError(f"q, k, v: floats, {', '.join(sorted(FLOATS))}, not {type_of('q', x)}")
    places = sparse(pattern) if isinstance(pattern, Sparse) else sparse(pattern, x.dtype)
    more = _added(places, added, causal, mask, x)
    factor = int(keys.shape[-1]) ** -0.5 if scale is None else scale
    try:
        outer = np.broadcast_shapes(*(each.shape[:-2] for each in (x, keys, values)))
    except ValueError:
        raise ValueError(
            f"q, k, v: axes before the last two that are broadcast, not {x.shape}, {keys.shape} and {values.shape}"
        ) from None
    heads = [np.broadcast_to(each, (*outer, *each.shape[-2:])) for each in (x, keys, values)]
    made = np.empty((*outer, x.shape[-2], values.shape[-1]), x.dtype)
    for at in np.ndindex(*outer):
        one, other, value = (each[at] for each in heads)
        scores = sddmm(one, other.T, places, threads=threads)
        spmm(sparse_softmax(scores, scale=factor, added=more, threads=threads), value, made[at], threads=threads)
    return returned(made, (q, k, v))


def _added(places: Sparse, added: ArrayLike, causal: bool, mask: ArrayLike, like: Array) -> Sparse | None:
    """Return what is added to the scores at the places of a pattern; None for nothing."""
    if not causal and mask is None:
        return None if added is None else sparse(added)
    (down, across), (m, n) = places.block, places.shape
    line, block = places.places.T[:, :, None, None]
    row, column = line * down + np.arange(down)[:, None], block * across + np.arange(across)
    row, column = np.broadcast_arrays(row, column)
    total = np.zeros(row.shape, numpy_dtype("f64" if like.dtype == np.float64 else "f32"))
    if added is not None:
        given = sparse(added)
        if given.values.shape != total.shape:
            raise ValueError("added: a matrix with the places of the pattern; pattern.with_values(...) makes one")
        total += given.values
    if mask is not None:
        whole = native("mask", as_array("mask", of_tensor("mask", mask)))
        if whole.shape != (m, n):
            raise ValueError(f"mask: shape {(m, n)}, not {whole.shape}")
        found = whole[np.minimum(row, m - 1), np.minimum(column, n - 1)]
        total += np.where(found, 0, -np.inf) if found.dtype == bool else found.astype(total.dtype)
    if causal:
        total[column > row] = -np.inf
    return places.with_values(total.astype(like.dtype))

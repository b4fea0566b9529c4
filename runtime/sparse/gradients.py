"""`spmm_backward`: the gradients of a sparse product by its factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...microkernels.errors import UnsupportedError
from ..arguments.infer import GRADIENT_TYPES, type_of
from ..arguments.tracebacks import shortening
from ..threads.policy import workers_of
from .functions import by_rows, dense_of, spmm
from .handle import Sparse, is_sparse, sparse
from .sampled import sampled

if TYPE_CHECKING:
    from ..api.typed import ArrayLike

_NAMES = "da", "db"


@shortening
def spmm_backward(
    dc: ArrayLike, a: ArrayLike, b: ArrayLike, *, wanted: str = "da db", threads: int | None = None
) -> ArrayLike:
    """Return the gradients of c = ts.spmm(a, b) from that by c: (da, db), or one of them by its name.

    dc       an array of the shape of the product
    a, b     the factors of the call, one of which is sparse
    wanted   "da", "db" or both
    threads  the number of threads; None: ts.num_threads(). Any number gives the same bits

    The gradient of the sparse factor is a handle with its places: elements that are not stored have none. da is
    dc @ b.T and db is a.T @ dc, as of a dense product.
    """
    asked = wanted.split()
    if not asked or not set(asked) <= set(_NAMES):
        raise ValueError(f"wanted: some of {', '.join(_NAMES)}, not {wanted!r}")
    left = is_sparse(a)
    if left == is_sparse(b):
        raise TypeError("a, b: one of them sparse, as in ts.spmm")
    handle = sparse(a if left else b)
    dense, given = dense_of("b" if left else "a", b if left else a), dense_of("dc", dc)
    types = {type_of("dc", given), type_of("b" if left else "a", dense), handle.dtype}
    if len(types) > 1 or not types <= set(GRADIENT_TYPES):
        raise UnsupportedError(f"dc, a, b: of one type, {', '.join(GRADIENT_TYPES)}, not {', '.join(sorted(types))}")
    x = dense[:, None] if left and dense.ndim == 1 else dense[None] if dense.ndim == 1 else dense
    dy = given[:, None] if left and dense.ndim == 1 else given[None] if dense.ndim == 1 else given
    shape = (handle.shape[0], x.shape[1]) if left else (x.shape[0], handle.shape[1])
    if dy.shape != shape:
        raise ValueError(f"dc: shape {shape if dense.ndim == 2 else max(shape, key=len)}, not {given.shape}")
    found = []
    for name in asked:
        if (name == "da") == left:
            found.append(_by_values(handle, dy, x, left, threads))
        else:
            found.append(spmm(handle.T, given, threads=threads) if left else spmm(given, handle.T, threads=threads))
    return tuple(found) if len(found) > 1 else found[0]


def _by_values(handle: Sparse, dy: ArrayLike, x: ArrayLike, left: bool, threads: int | None) -> Sparse:
    """Return the gradient of the stored elements."""
    rows, columns = (dy, x) if left else (x.T, dy.T)
    if rows.shape[0] != handle.shape[0] or columns.shape[0] != handle.shape[1]:
        raise ValueError(f"a, b: shapes that multiply {handle.shape[0]} x {handle.shape[1]}")
    types = handle.dtype, handle.dtype, handle.dtype
    workers = workers_of(threads, None)
    return sampled(handle, by_rows(rows, workers), by_rows(columns, workers), types, workers)

"""The public function of products with a fixed sparse matrix, and how such a matrix is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.errors import shown
from ...microkernels.baked.spec import MOST_ENTRIES, FixedMatrix, baked_spec, sums_type
from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import numpy_dtype
from ..kernel.callable import Kernel, shared
from ..kernel.request_cache import remembered

if TYPE_CHECKING:
    from typing import Literal

    from .typed import DTypeLike, MatrixLike, Order, TargetLike


@remembered
def sparse_kernel(
    a: MatrixLike,
    n: int,
    *,
    side: Literal["left", "right"] = "left",
    packed: int = 1,
    beta: float = 0,
    dtype: DTypeLike | tuple[DTypeLike, DTypeLike] = "f32",
    order: Order = "C",
    ldb: int | None = None,
    ldc: int | None = None,
    target: TargetLike = None,
    release_gil: bool | None = None,
) -> Kernel:
    """A kernel k(b, c) of a product with a fixed sparse matrix: its pattern is code, its values are constants.

        side "left":  c = a @ b    a (rows, columns), b (columns, n), c (rows, n)
        side "right": c = b @ a    a (rows, columns), b (n, rows), c (n, columns)

    a         a matrix of numpy, whose zeros are left out, or of scipy.sparse, whose duplicates are summed. The kernel
              has a copy
    n         columns of b and c, or their rows if a is on the right
    packed    neighbours that each element of b and c consists of, as of several simulations: b (columns, n, packed)
    beta      0, or 1 to add to c
    dtype     of b and c: "f32", "f64", "bf16", "f16", or two of them. Sums and the entries of a are f32, or f64 for f64
    order     of b and c: rows ("C") or columns ("F") are contiguous. Neighbours in memory have to be multiplied by the
              same entry: with a on the right, columns are contiguous, or `packed` is more than 1
    ldb, ldc  elements from one row (or column) to the next, or such groups of `packed`; None: dense
    target, release_gil   as for other kernels

    The terms of a sum are added in the order of k. Elements of b beside a zero of a are not multiplied: Inf and NaN
    there do not reach c. More entries than make 24 KiB of code are a loop; print(k.plan) says which way was taken.

    Raises TypeError or ValueError naming the argument, UnsupportedError with the reason and what would work.
    """
    made = a if isinstance(a, FixedMatrix) else fixed(a, sums_type(dtype))
    spec = baked_spec(made, n, side=side, packed=packed, beta=beta, dtype=dtype, order=order, ldb=ldb, ldc=ldc)
    return shared(spec, target, release_gil)


def fixed(a: Any, dtype: str) -> FixedMatrix:
    """Return a matrix of numpy or scipy.sparse by its entries, in an element type."""
    if callable(getattr(a, "tocoo", None)):
        places, values, shape = _of_sparse(a)
    else:
        array = np.asarray(a)
        if array.ndim != 2:
            raise ValueError(f"a: a matrix of two axes, not of {array.ndim}")
        places, shape = np.argwhere(array), array.shape
        values = array[tuple(places.T)]
    if values.dtype.kind not in "biuf" and not np.can_cast(values.dtype, np.float64):
        raise TypeError(f"a: real numbers, not {values.dtype}")
    if len(values) > MOST_ENTRIES:
        raise UnsupportedError(
            f"a: at most {MOST_ENTRIES} entries, not {len(values)}, because they are constants of the kernel; ts.spmm "
            "takes them from memory"
        )
    entries = values.astype(numpy_dtype(dtype))
    kept = entries != 0
    places, entries = places[kept], entries[kept]
    rows, columns = (int(each) for each in shape)
    ends = np.searchsorted(places[:, 0], np.arange(rows + 1))
    return FixedMatrix(rows, columns, tuple(ends.tolist()), tuple(places[:, 1].tolist()), entries.tobytes().hex())


def _of_sparse(a: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], tuple[int, ...]]:
    """Return the places and values of a matrix of scipy.sparse, row by row, after a check of its indices."""
    made, shape = a.tocoo(), tuple(a.shape)
    if len(shape) != 2:
        raise ValueError(f"a: a matrix of two axes, not of {len(shape)}")
    rows, columns, values = (np.asarray(each) for each in (made.row, made.col, made.data))
    for name, given, length in (("row", rows, shape[0]), ("column", columns, shape[1])):
        if given.size and (given.min() < 0 or given.max() >= length):
            raise ValueError(
                f"a: its {name}s are from 0 to {length - 1}, not {shown([int(given.min()), int(given.max())])}"
            )
    flat = rows.astype(np.int64) * shape[1] + columns
    each, inverse = np.unique(flat, return_inverse=True)
    wide = values.astype(np.float64) if values.dtype.kind in "biuf" else values
    sums = np.zeros(each.shape, wide.dtype)
    np.add.at(sums, inverse, wide)
    return np.stack([each // shape[1], each % shape[1]], axis=1), sums, shape

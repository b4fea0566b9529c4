"""The public function of products with a fixed sparse matrix, and how such a matrix is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from ...encoder.errors import shown
from ...microkernels.baked.spec import FixedMatrix, baked_spec, sums_type
from ...microkernels.operands import RUNTIME
from ..arguments.arrays import numpy_dtype
from ..arguments.foreign_arrays import is_tensor
from ..kernel.callable import Kernel, shared
from ..kernel.request_cache import remembered
from .handle import is_sparse, sparse

if TYPE_CHECKING:
    from typing import Literal

    from ...microkernels.operands import Leading
    from ..api.typed import ArrayLike, DType, DTypeLike, Order, TargetLike


@remembered
def sparse_kernel(
    a: ArrayLike,
    n: int,
    *,
    side: Literal["left", "right"] = "left",
    packed: int = 1,
    values: Leading | None = None,
    beta: float = 0,
    dtype: DTypeLike | tuple[DTypeLike, DTypeLike] = "f32",
    order: Order = "C",
    ldb: int | None = None,
    ldc: int | None = None,
    target: TargetLike = None,
    release_gil: bool | None = None,
) -> Kernel:
    """A kernel k(b, c) of a product with a fixed sparse matrix: its pattern is code, its values are constants, or, with
    values=ts.RUNTIME, an argument of each call: k(values, b, c).

        side "left":  c = a @ b    a (rows, columns), b (columns, n), c (rows, n)
        side "right": c = b @ a    a (rows, columns), b (n, rows), c (n, columns)

    a         a matrix of numpy, whose zeros are left out, or a sparse one of scipy, torch or `ts.sparse`, whose entries
              of the same place are summed. The kernel has a copy
    values    None: those of a; ts.RUNTIME: of a only the pattern counts, and a call gives the values of its entries row
              by row, by ascending columns: x[a != 0] of an array x, the data of scipy's CSR with sorted indices. They
              may be 0 then, and multiply b all the same
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
    if values is not None and values is not RUNTIME:
        raise TypeError(f"values: None (those of a), or ts.RUNTIME (an argument of each call), not {shown(values)}")
    if values is RUNTIME and getattr(a, "format", "") == "csr" and not getattr(a, "has_canonical_format", True):
        reason = "columns of a row do not ascend, or a place has two entries, so its data are not in the values' order"
        raise ValueError(f"values: {reason}; call a.sum_duplicates() before")
    made = a if isinstance(a, FixedMatrix) else fixed(a, sums_type(dtype), values is RUNTIME)
    if values is RUNTIME:
        if not made.places:
            raise ValueError("values: a has no entry, so a call has no values to give; leave values= out")
        made = made._replace(values="")
    spec = baked_spec(made, n, side=side, packed=packed, beta=beta, dtype=dtype, order=order, ldb=ldb, ldc=ldc)
    return shared(spec, target, release_gil)


def fixed(a: ArrayLike, dtype: str, zeros: bool = False) -> FixedMatrix:
    """Return a matrix by its entries, in an element type. Entries that are 0 in that type are left out. zeros: those
    that a sparse matrix holds are entries all the same, as are the elements of an array that are 0 only in that type"""
    if is_sparse(a) or is_tensor(a):
        made = sparse(a, cast("DType", dtype), blocks=1)
        shape, columns, values = made.shape, made.indices, made.values[:, 0, 0]
        rows = np.repeat(np.arange(shape[0]), np.diff(made.indptr))
    else:
        array = np.asarray(a)
        if array.ndim != 2:
            raise ValueError(f"a: a matrix of two axes, not of {array.ndim}")
        if array.dtype.kind not in "biuf" and not np.can_cast(array.dtype, np.float64):
            raise TypeError(f"a: real numbers, not {array.dtype}")
        shape, (rows, columns) = array.shape, np.nonzero(array)
        values = array[rows, columns].astype(numpy_dtype(dtype))
    kept = (values != 0) | zeros
    ends = np.searchsorted(rows[kept], np.arange(shape[0] + 1))
    places, text = tuple(columns[kept].tolist()), values[kept].tobytes().hex()
    return FixedMatrix(int(shape[0]), int(shape[1]), tuple(ends.tolist()), places, text)

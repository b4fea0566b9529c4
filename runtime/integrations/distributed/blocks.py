"""Products of arrays of Dask, which may be larger than memory or spread over machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ....microkernels.dtypes import DTYPES, element_type
from ....microkernels.errors import UnsupportedError
from ...arguments.arrays import Array
from ...ops.matmul import matmul as product
from ...threads.policy import threads as on_threads

try:
    import dask.array as da
except ImportError as error:
    raise ImportError(
        "tilesmith.integrations.dask needs Dask, which is not installed: pip install 'dask[array]'"
    ) from error

if TYPE_CHECKING:
    from ...api.typed import DType

Blocks: TypeAlias = "da.Array"


def matmul(a: Blocks, b: Blocks, *, dtype: DType | None = None, threads: int = 1) -> Blocks:
    """Return the product of two matrices of Dask by `ts.matmul`, block by block.

    a, b      of one type, cut as they may be; the blocks of b along k are made those of a
    dtype     as that of ts.matmul; None is the type of a and b
    threads   of each block. Dask computes several blocks at once, so it is 1 unless its scheduler is synchronous

    A block of the result is the sum of products in the order of the blocks along k, so its bits depend on the blocks
    alone. The sum takes one pair of blocks at a time, as SUMMA does: no worker needs a whole row of blocks. Results of
    16-bit floats are sums in f32, which are rounded once
    """
    for name, each in (("a", a), ("b", b)):
        if not isinstance(each, da.Array):
            raise TypeError(f"{name}: an array of Dask, not {type(each).__name__}; da.from_array makes one of an array")
        if each.ndim != 2:
            raise UnsupportedError(
                f"{name}: a matrix, not of shape {each.shape}; da.map_blocks applies ts.matmul to stacks"
            )
    if a.shape[1] != b.shape[0]:
        raise ValueError(f"b: ({a.shape[1]}, n), not {b.shape}")
    if a.dtype != b.dtype:
        raise TypeError(f"b: {a.dtype}, the type of a, not {b.dtype}; b.astype({a.dtype.name!r}) converts it")
    b = b.rechunk({0: a.chunks[1]})
    name = element_type("a", a.dtype)
    narrow = dtype is None and DTYPES[name].real and DTYPES[name].bytes < 4 and a.numblocks[1] > 1
    of_type = "f32" if narrow else dtype  # one rounding of the whole sum
    meta = _product(np.ones((1, 1), a.dtype), np.ones((1, 1), b.dtype), of_type=of_type, threads=1)
    total: Blocks = None
    for number in range(a.numblocks[1]):
        total = _step(total, a.blocks[:, number], b.blocks[number, :], meta, of_type, threads)
    return total.astype(a.dtype) if narrow else total


def _step(total: Blocks, left: Blocks, right: Blocks, meta: Array, of_type: object, threads: int) -> Blocks:
    """Add the products of a column and a row of blocks."""
    operands: Sequence[object] = (left, "ik", right, "kj") if total is None else (total, "ij", left, "ik", right, "kj")
    function = _product if total is None else _sum
    return da.blockwise(
        function, "ij", *operands, dtype=meta.dtype, meta=meta, concatenate=True, of_type=of_type, threads=threads
    )


def _product(left: Array, right: Array, *, of_type: object, threads: int) -> Array:
    with on_threads(threads):
        made: Array = product(left, right, dtype=of_type)
    return made


def _sum(total: Array, left: Array, right: Array, *, of_type: object, threads: int) -> Array:
    made = _product(left, right, of_type=of_type, threads=threads)
    return np.add(total, made, out=made)

"""`tilesmith matmul`: multiply the arrays of two files, and show the kernels that computed the product."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...microkernels.operands import LARGEST
from ..arguments.arrays import Array
from ..arguments.factors import native, types_of
from ..kernel.callable import Kernel
from ..loops.code import calls
from ..ops.gemm import gemm
from ..ops.matmul import matmul
from ..ops.product_shapes import layout_of, shapes_of


def product(a: Array, b: Array, target: str | None) -> tuple[Array, list[Kernel]]:
    """Return a @ b, and each kernel once. Vectors, batches, empty and very long arrays work on this host only.

    Types that cannot be multiplied raise ValueError: here the arrays come from files, so it is not the caller's type
    error that `matmul` reports.
    """
    try:
        return _product(native("a", a), native("b", b), target)
    except TypeError as error:
        raise ValueError(str(error)) from error


def _product(a: Array, b: Array, target: str | None) -> tuple[Array, list[Kernel]]:
    shapes = shapes_of(a.shape, b.shape, None)
    dtype: Any = types_of(a, b, None, None)
    if a.ndim != 2 or b.ndim != 2 or not (a.size and b.size) or max(*a.shape, *b.shape) > LARGEST:
        return matmul(a, b), []
    a, b = (each if layout_of(each) else np.ascontiguousarray(each) for each in (a, b))
    (of_a, lda), (of_b, ldb) = (layout_of(each) or ("C", each.shape[1]) for each in (a, b))
    more: dict[str, Any] = {"order": of_a + of_b + "C", "lda": lda, "ldb": ldb, "target": target}
    nest = gemm(shapes.m, shapes.n, shapes.k, dtype=dtype, beta=0.0, **more)
    return nest(a, b), list(dict.fromkeys(call.kernel for call in calls(nest.job.blob.nodes)))

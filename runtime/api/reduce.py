"""The public function of reductions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ...microkernels.operands import ROWS, RUNTIME
from ...microkernels.reduce.spec import reduce_spec
from ..kernel.callable import Kernel, shared
from ..kernel.request_cache import remembered

if TYPE_CHECKING:
    from .typed import DTypeLike, ExtentLike, LeadingLike, ReductionName, TargetLike


@remembered
def reduce(
    name: ReductionName,
    m: ExtentLike,
    n: int,
    *,
    axis: Literal[0, 1, -1, -2] | None = None,
    dtype: DTypeLike = "f32",
    out: DTypeLike | None = None,
    compute: DTypeLike | None = None,
    squared: bool | Literal["both"] = False,
    init: bool = False,
    keepdims: bool = False,
    ldx: LeadingLike = None,
    target: TargetLike = None,
    release_gil: bool | None = None,
) -> Kernel:
    """A kernel k(x, y) that reduces x (m, n): y (n,) down columns, (m,) along rows, (1,) of all elements.

    name     "sum", "mean", "product", "max", "min" or "absmax"; NaN gives NaN. "argmax" or "argmin": the position (row,
             column, or number row by row) of the first largest or least element, or of the first NaN, as in numpy; y is
             int32 (int64 if f64 is compared)
    m        a number, or ts.RUNTIME for any number of rows, as the arrays have, along which axis=1 reduces
    axis     0: y[j] of column j; 1 or -1: y[i] of row i; None: one result. keepdims: y (1, n), (m, 1) or (1, 1)
    dtype    the type of x: "f64", "f32", "bf16", "f16", "f8e5m2", "f8e4m3", "i64", "i32", "i16", "u16", "i8" or "u8";
             out: the type of y; None: that of x, but i32 for sums and products of narrow integers, and f32 for those of
             8-bit floats. Integer sums and products wrap
    compute  "f32", "f64", "i32" or "i64" (no products, squares, means): the type of the arithmetic; None: f32 for
             shorter floats, i32 for shorter integers, the type of y if that is f64 or, for integers, i64. A mean is a
             sum divided by the count, for narrow integers in f32, for i32 in f64
    squared  True: y = the sum (mean, product, max, argmax...) of squares; "both": k(x, y, y2), the reductions of the
             elements and of their squares (not argmax, argmin)
    init     True: k(x, init, y), where init counts as one more element and may be y itself (squared="both": k(x, init,
             init2, y, y2))
    ldx      None (dense), elements between neighbouring rows, or ts.RUNTIME
    target   a name from ts.targets(), None for this host; release_gil as in `brgemm`

    The order in which elements are combined depends on the target. Sums of k elements in f32 have an error of at most
    k/2 ulp of the sum of their magnitudes. Raises UnsupportedError with the reason and what would work, TypeError or
    ValueError naming the argument. Source: Georganas et al., Tensor Processing Primitives, table 1.
    """
    spec = reduce_spec(
        name,
        ROWS if m is RUNTIME else m,
        n,
        axis=axis,
        dtype=dtype,
        out=out,
        compute=compute,
        squared=squared,
        init=init,
        ldx=ldx,
        keepdims=keepdims,
    )
    return shared(spec, target, release_gil)

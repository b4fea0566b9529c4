"""The public functions of gathers and scatters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from ...microkernels.expr.graph import Expr
from ...microkernels.expr.indexing import gathered, scattered
from ...microkernels.gather.bag_spec import bag_spec
from ...microkernels.gather.spec import gather_spec
from ..kernel.callable import Kernel, shared
from ..kernel.request_cache import remembered

if TYPE_CHECKING:
    from .typed import Bounds, By, DTypeLike, ExtentLike, IndexDType, LeadingLike, TargetLike

Spread: TypeAlias = Literal["scalar", "row", "col"]


@overload
def gather(by: Expr, m: Expr) -> Expr: ...


@overload
def gather(
    by: By,
    m: ExtentLike,
    n: int,
    *,
    size: ExtentLike | None = None,
    step: int | None = None,
    dtype: DTypeLike = "f32",
    index: IndexDType = "i64",
    bounds: Bounds = "call",
    ldx: LeadingLike = None,
    ldy: LeadingLike = None,
    out: DTypeLike | None = None,
    scale: Spread | None = None,
    bias: Spread | None = None,
    prefetch: int = 0,
    target: TargetLike = None,
    release_gil: bool | None = None,
) -> Kernel: ...


@remembered
def gather(
    by: Any,
    m: Any,
    n: Any = None,
    *,
    size: ExtentLike | None = None,
    step: int | None = None,
    dtype: DTypeLike = "f32",
    index: IndexDType = "i64",
    bounds: Bounds = "call",
    ldx: LeadingLike = None,
    ldy: LeadingLike = None,
    out: DTypeLike | None = None,
    scale: Spread | None = None,
    bias: Spread | None = None,
    prefetch: int = 0,
    target: TargetLike = None,
    release_gil: bool | None = None,
) -> Any:
    """A kernel k(x, index, y) that gathers elements of x into y (m, n).

    by      "rows": y[i, j] = x[index[i], j], x (size, n), index (m,)
            "columns": y[i, j] = x[i, index[j]], x (m, size), index (n,)
            "offsets": y[i, j] = x[index[i, j]], x (size,), index (m, n)
            "stride": y[i, j] = x[i, step * j], x (m, step * (n - 1) + 1); k(x, y) without index

    m       a number, or ts.RUNTIME: any number, as the arrays have
    size    the rows, columns or elements of x, or ts.RUNTIME; step: the distance of neighbouring elements
    dtype   the type of the elements, any of at most 8 bytes ("f32"); index: "i64" or "i32"
    bounds  "call": a call from Python copies the index, checks every element, and raises IndexError before anything is
            written; a C program must do the same. "kernel": k(x, index, y, bad), and the kernel checks: elements with
            an index out of range become 0, and bad (1,) int64 is the number of the first such index, counted along
            rows, or -1. Negative indices are out of range
    ldx, ldy   None (dense), elements between neighbouring rows, or ts.RUNTIME: taken from the arrays at the call
    out     for by="rows": the type of y; None: that of x. Elements are rounded once, to nearest even
    scale, bias   for by="rows": y[i, j] = scale * x[index[i], j] + bias, fused, in f32 (f64 if x or y is), and the
            kernel is k(x, index, scale, bias, y). "scalar": one number (1,), "row": one for each column (n,), "col":
            one for each row of x (size,)
    prefetch   for by="rows": how many indices ahead rows are prefetched; 0 for none
    target  a name from ts.targets(), None for this host; release_gil as for other kernels

    Inside a function given to ts.equation, `ts.gather(table, index)` is an expression: the rows of a table (size, n)
    that an index (m,) names. Both are parameters.

    Raises TypeError or ValueError naming the argument. Source: Georganas et al., Tensor Processing Primitives, table 1.
    """
    if isinstance(by, Expr):
        return gathered(by, m)
    spec = gather_spec(
        "gather",
        by,
        m,
        n,
        size=size,
        step=step,
        dtype=dtype,
        index=index,
        bounds=bounds,
        ldx=ldx,
        ldy=ldy,
        out=out,
        scale=scale,
        bias=bias,
        prefetch=prefetch,
    )
    return shared(spec, target, release_gil)


@overload
def scatter(by: Expr, m: Expr, n: int, *, add: bool = False) -> Expr: ...


@overload
def scatter(
    by: By,
    m: ExtentLike,
    n: int,
    *,
    size: ExtentLike | None = None,
    step: int | None = None,
    dtype: DTypeLike = "f32",
    index: IndexDType = "i64",
    bounds: Bounds = "call",
    ldx: LeadingLike = None,
    ldy: LeadingLike = None,
    target: TargetLike = None,
    release_gil: bool | None = None,
) -> Kernel: ...


@remembered
def scatter(
    by: Any,
    m: Any,
    n: Any,
    *,
    size: ExtentLike | None = None,
    step: int | None = None,
    dtype: DTypeLike = "f32",
    index: IndexDType = "i64",
    bounds: Bounds = "call",
    ldx: LeadingLike = None,
    ldy: LeadingLike = None,
    target: TargetLike = None,
    release_gil: bool | None = None,
    add: bool | None = None,
) -> Any:
    """A kernel k(x, index, y) that scatters the elements of x (m, n) into y, and leaves the other elements unchanged.

    by      "rows": y[index[i], j] = x[i, j], y (size, n); "columns": y[i, index[j]] = x[i, j], y (m, size);
            "offsets": y[index[i, j]] = x[i, j], y (size,); "stride": y[i, step * j] = x[i, j]

    Elements are written in the order of i, then j: if an index repeats, the last one stays. With bounds="kernel",
    elements with an index out of range are not written. Everything else is as in `gather`.

    Inside a function given to ts.equation, `ts.scatter(x, index, rows)` is a result with that number of rows: row
    index[i] is row i of x, or with add=True has row i added, one row after the other. Other rows keep their contents.
    """
    if isinstance(by, Expr):
        return scattered(by, m, n, add or False)
    if add is not None:
        raise TypeError(
            "add: only possible inside a function given to ts.equation: ts.scatter(x, index, rows, add=True)"
        )
    spec = gather_spec(
        "scatter", by, m, n, size=size, step=step, dtype=dtype, index=index, bounds=bounds, ldx=ldx, ldy=ldy
    )
    return shared(spec, target, release_gil)


@remembered
def embedding_bag(
    bags: ExtentLike,
    n: int,
    *,
    size: ExtentLike,
    count: ExtentLike,
    dtype: DTypeLike = "f32",
    index: IndexDType = "i64",
    weights: bool = False,
    prefetch: int = 8,
    bounds: Bounds = "call",
    ldx: int | None = None,
    ldy: int | None = None,
    name: Literal["sum", "mean", "max", "min"] = "sum",
    include_last_offset: bool | None = None,
    target: TargetLike = None,
    release_gil: bool | None = None,
) -> Kernel:
    """A kernel k(x, index, offsets, y) for y[b] = sum of x[index[p]] for p from offsets[b] to offsets[b + 1] - 1.

    name     "sum", "mean" (the sum divided by the number of indices), "max" or "min" (NaN gives NaN)
    size, count   the rows of x (size, n), and the length of the index (count,); offsets (bags + 1,) int64, y (bags, n).
             Each of bags, size and count is a number or ts.RUNTIME: any number, as the arrays have
    include_last_offset   as in torch: False if offsets (bags,) lack the last one, the end of the index. None: both are
             taken, and the number of bags tells them apart. If neither the request nor y has it, offsets have to end
             with the length of the index
    dtype    the type of x: a float, "i32" or a narrower integer; y is f64 for f64, i32 for i32 without weights (sums
             wrap), else f32, also for means of i32. index: "i64" or "i32"
    weights  True: k(x, index, weights, offsets, y), each row times weights[p] (count,), of y's type, in fused sums
    prefetch how many indices ahead rows are prefetched; 0 for none
    bounds   "call": index and offsets are copied and checked, with IndexError before anything is written. "kernel":
             k(x, index, offsets, y, bad): rows out of range are skipped, offsets below 0 or beyond the index mean its
             end, a bag that ends before it starts is empty, and bad (1,) int64 is the least p of a bag whose index is
             out of range, or -1
    ldx, ldy None (dense) or elements between neighbouring rows; target, release_gil as in `gather`

    Terms are added in the order of p. A bag without an index is 0. With bounds="kernel", the maximum or minimum of a
    bag whose indices are all out of range is the initial value of the comparison: an infinity (for i32 an end of the
    range). Raises TypeError or ValueError naming the argument.
    """
    spec = bag_spec(
        bags,
        n,
        size=size,
        count=count,
        dtype=dtype,
        index=index,
        weights=weights,
        prefetch=prefetch,
        bounds=bounds,
        ldx=ldx,
        ldy=ldy,
        name=name,
        include_last_offset=include_last_offset,
    )
    return shared(spec, target, release_gil)

"""The public functions of gathers and scatters."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from ...microkernels.expr.graph import Expr
from ...microkernels.expr.indexing import gathered, scattered
from ...microkernels.gather.bag_spec import bag_spec
from ...microkernels.gather.counted import counted
from ...microkernels.gather.spec import gather_spec
from ..kernel.callable import Kernel, shared
from ..kernel.request_cache import remembered

if TYPE_CHECKING:
    from .typed import Bounds, By, DTypeLike, ExtentLike, IndexDType, LeadingLike, TargetLike

Spread: TypeAlias = Literal["scalar", "row", "col"]


@overload
def gather(by: Expr, m: Expr) -> Expr: ...


@overload
def gather(by: By, m: ExtentLike, n: int, *, size: ExtentLike | None = None, step: int | None = None,
           dtype: DTypeLike = "f32", index: IndexDType = "i64", bounds: Bounds = "call", ldx: LeadingLike = None,
           ldy: LeadingLike = None, out: DTypeLike | None = None, scale: Spread | None = None,
           bias: Spread | None = None, prefetch: int = 0, target: TargetLike = None,
           release_gil: bool | None = None) -> Kernel: ...  # fmt: skip


@remembered
def gather(by: Any, m: Any, n: Any = None, *, size: ExtentLike | None = None, step: int | None = None,
           dtype: DTypeLike = "f32", index: IndexDType = "i64", bounds: Bounds = "call", ldx: LeadingLike = None,
           ldy: LeadingLike = None, out: DTypeLike | None = None, scale: Spread | None = None,
           bias: Spread | None = None, prefetch: int = 0, target: TargetLike = None,
           release_gil: bool | None = None) -> Any:  # fmt: skip
    """A kernel k(x, index, y) that brings elements of x together in y (m, n).

    by      "rows": y[i, j] = x[index[i], j], x (size, n), index (m,)
            "columns": y[i, j] = x[i, index[j]], x (m, size), index (n,)
            "offsets": y[i, j] = x[index[i, j]], x (size,), index (m, n)
            "stride": y[i, j] = x[i, step * j], x (m, step * (n - 1) + 1); k(x, y) without index
    m       a number, or ts.RUNTIME: the arrays say how many
    size    rows, columns or elements of x, or ts.RUNTIME; step: elements from one to the next
    dtype   of the elements, any of at most 8 bytes ("f32"); index: "i64" or "i32"
    bounds  "call": a call from Python copies the index, looks at every one, and raises IndexError before anything is
            written; a C program must do it. "kernel": k(x, index, y, bad), the kernel checks: elements of an index
            outside become 0, and bad (1,) int64 is the number of the first such index, counted along rows, or -1.
            Negative indices are outside
    ldx, ldy None (dense), elements between neighbouring rows, or ts.RUNTIME: taken from the arrays at the call
    out     of by="rows": the type of y, None for that of x; elements are rounded to nearest even, once
    scale, bias   of by="rows": y[i, j] = scale * x[index[i], j] + bias, fused, in f32 (f64 where x or y is), and the
            kernel is k(x, index, scale, bias, y). "scalar": one number (1,), "row": one for each column (n,), "col":
            one for each row of x (size,)
    prefetch   of by="rows": indices by which rows are asked for before they are needed; 0 for none
    target  a name from ts.targets(), None for this host; release_gil as for other kernels

    Inside a function given to ts.equation `ts.gather(table, index)` is an expression: the rows of a table (size, n)
    that an index (m,) names, both of them parameters.

    Raises TypeError or ValueError naming the argument. Source: Georganas et al., Tensor Processing Primitives, table 1.
    """
    if isinstance(by, Expr):
        return gathered(by, m)
    make = partial(gather_spec, "gather", by, n=n, step=step, dtype=dtype, index=index, bounds=bounds, ldx=ldx,
                   ldy=ldy, out=out, scale=scale, bias=bias, prefetch=prefetch)  # fmt: skip
    spec = counted(make, {"m": m, "size": size})
    return shared(spec, target, release_gil)


@overload
def scatter(by: Expr, m: Expr, n: int, *, add: bool = False) -> Expr: ...


@overload
def scatter(by: By, m: ExtentLike, n: int, *, size: ExtentLike | None = None, step: int | None = None,
            dtype: DTypeLike = "f32", index: IndexDType = "i64", bounds: Bounds = "call", ldx: LeadingLike = None,
            ldy: LeadingLike = None, target: TargetLike = None,
            release_gil: bool | None = None) -> Kernel: ...  # fmt: skip


@remembered
def scatter(by: Any, m: Any, n: Any, *, size: ExtentLike | None = None, step: int | None = None,
            dtype: DTypeLike = "f32", index: IndexDType = "i64", bounds: Bounds = "call", ldx: LeadingLike = None,
            ldy: LeadingLike = None, target: TargetLike = None, release_gil: bool | None = None,
            add: bool | None = None) -> Any:  # fmt: skip
    """A kernel k(x, index, y) that puts the elements of x (m, n) at places of y, and leaves the others as they are.

    by      "rows": y[index[i], j] = x[i, j], y (size, n); "columns": y[i, index[j]] = x[i, j], y (m, size);
            "offsets": y[index[i, j]] = x[i, j], y (size,); "stride": y[i, step * j] = x[i, j]
    In the order of i, then j: where an index repeats, the last one stays. With bounds="kernel" what an index outside
    belongs to is not written. Everything else as in `gather`.

    Inside a function given to ts.equation `ts.scatter(x, index, rows)` is a result of so many rows: row index[i] is
    row i of x, or with add=True has that added, one row after the other; other rows keep what they hold.
    """
    if isinstance(by, Expr):
        return scattered(by, m, n, add or False)
    if add is not None:
        raise TypeError("add: only inside a function given to ts.equation: ts.scatter(x, index, rows, add=True)")
    make = partial(gather_spec, "scatter", by, n=n, step=step, dtype=dtype, index=index, bounds=bounds, ldx=ldx,
                   ldy=ldy)  # fmt: skip
    spec = counted(make, {"m": m, "size": size})
    return shared(spec, target, release_gil)


@remembered
def embedding_bag(bags: ExtentLike, n: int, *, size: ExtentLike, count: ExtentLike, dtype: DTypeLike = "f32",
                  index: IndexDType = "i64", weights: bool = False, prefetch: int = 8, bounds: Bounds = "call",
                  ldx: int | None = None, ldy: int | None = None,
                  name: Literal["sum", "mean", "max", "min"] = "sum", target: TargetLike = None,
                  release_gil: bool | None = None) -> Kernel:  # fmt: skip
    """A kernel k(x, index, offsets, y) for y[b] = sum of x[index[p]] for p from offsets[b] to offsets[b + 1] - 1.

    name     "sum", "mean" (the sum divided by the number of indices), "max" or "min" (NaN gives NaN)
    size, count   rows of x (size, n), and length of the index (count,); offsets (bags + 1,) int64, y (bags, n). Each
             of bags, size and count is a number or ts.RUNTIME: the arrays say how many
    dtype    of x: a float, "i32" or a narrower integer; y is f64 for f64, i32 for i32 without weights (sums wrap), else
             f32, means of i32 too. index: "i64" or "i32"
    weights  True: k(x, index, weights, offsets, y), each row times weights[p] (count,), of y's type, in sums fused
    prefetch indices by which rows are asked for before they are added; 0 for none
    bounds   "call": index and offsets are copied and looked at: IndexError before anything is written. "kernel":
             k(x, index, offsets, y, bad): rows outside are left out, offsets below 0 or beyond the index mean its end,
             a bag that ends before it begins is empty, bad (1,) int64 is the least p of a bag whose index is outside,
             or -1
    ldx, ldy None (dense) or elements between neighbouring rows; target, release_gil as in `gather`

    Terms are added in the order of p; a bag without an index is 0. With bounds="kernel" the greatest and least of
    a bag whose indices are all outside are the infinities (of i32 the ends of the range) that comparing starts with.
    Raises TypeError or ValueError naming the argument.
    """
    make = partial(bag_spec, n=n, dtype=dtype, index=index, weights=weights, prefetch=prefetch, bounds=bounds, ldx=ldx,
                   ldy=ldy, name=name)  # fmt: skip
    spec = counted(make, {"bags": bags, "size": size, "count": count})
    return shared(spec, target, release_gil)

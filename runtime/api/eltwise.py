"""The public functions of elementwise kernels: each makes a spec of its arguments and asks the cache for the kernel."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, cast

from ..host import detect as host
from ..kernel.accuracy import Accuracy, default_accuracy
from ..kernel.callable import Kernel, shared
from ..kernel.request_cache import remembered
from .equations import Asked
from .primitives import formulas, rowwise_request
from .primitives import primitives as primitives

if TYPE_CHECKING:
    from .typed import (
        Algorithm,
        Binary,
        BinaryName,
        Bounds,
        Broadcast,
        DTypeLike,
        DTypes,
        ExtentLike,
        MatrixOrders,
        Numerics,
        Order,
        TargetLike,
        Ternary,
        TernaryName,
        Unary,
        UnaryName,
    )


@remembered
def unary(name: UnaryName, m: ExtentLike, n: int, *, dtype: DTypeLike = "f32", out: DTypes | None = None,
          accuracy: Accuracy | None = None, bcast: Broadcast | None = None, compute: DTypeLike | None = None,
          algorithm: Algorithm | None = None, order: MatrixOrders = "C", numerics: Numerics = "exact",
          target: TargetLike = None,
          release_gil: bool | None = None, **more: Any) -> Unary:  # fmt: skip
    """A kernel k(x, y) for y = name(x), element by element: x and y (m, n).

    name     "identity" copies or converts. All of them:
    {formulas}
    dtype    of x: "f64", "f32", "bf16", "f16", "f8e5m2", "f8e4m3", "i64", "i32", "i16", "u16", "i8" or "u8"; out: of y,
             None for that of x
    accuracy of exp, tanh and the like: "standard" (at most 4 ulp), "accurate" (1 ulp, 2 where stated) or "fast" (the
             error of each is in its docstring: help(ts.exp)); None: what `default_accuracy` says, "standard"
    algorithm of a fast form by its name, instead of the machine's: "table" (tanh, sigmoid, silu and gelu in f32, where
             one instruction looks up 16 f32), "pade" (tanh) or "exp" (sigmoid, silu, gelu)
    bcast    None, or what x has one of: "row" (1, n), "col" (m, 1), "scalar" (1, 1)
    compute  "f32", "f64", "i32" or "i64": the type of the arithmetic; None: the widest of the inputs', f32 for shorter
             floats, i32 for shorter integers. Wider inputs are rounded to it once, results from it once
    numerics "exact", or "fast": where the target has VCVTNE2PS2BF16, results of type bf16 are rounded by it, so that
             denormals become zeros of their sign
    order    "C" (rows contiguous) or "F" (columns contiguous), or two of them for x and y: "FC" reads an array of
             contiguous columns and writes one of contiguous rows, by shuffles in registers. docs/elementwise.md
    ldx, ldy None (dense), elements between neighbouring rows (columns for "F"), or ts.RUNTIME
    rate     of "dropout" and its relatives, from 0 to 1. These, "uniform", "random" and "round_stochastic" take the
             seed, a whole number, after x: k(x, seed, y). What comes depends on the seed and an element's place only
    scale, zero   of "quantize" and "dequantize", which as binary and ternary take them as operands
    origin   ts.RUNTIME for those: k(x, seed, row, column, y), the place of x[0, 0] in the matrix that x is a tile of
    m        a number, or ts.RUNTIME: any number of rows, the arrays say how many
    target   a name from ts.targets(), None for this host; release_gil as in `brgemm`
    y may be x itself where both have the same type and leading dimension.

    Raises UnsupportedError with the reason and what would work, TypeError or ValueError naming the argument. Source:
    Georganas et al., Tensor Processing Primitives, table 1.
    """
    spec = rowwise_request(
        "unary", name, m, n, bcast=(bcast,), dtype=dtype, out=out, accuracy=accuracy, compute=compute,
        algorithm=algorithm, order=order, numerics=numerics, **more,
    )  # fmt: skip
    return cast("Unary", shared(spec, host.resolve(target), release_gil))


@remembered
def binary(name: BinaryName, m: ExtentLike, n: int, *, bcast: Broadcast | Sequence[Broadcast | None] | None = None,
           dtype: DTypes = "f32", out: DTypes | None = None, accuracy: Accuracy | None = None,
           compute: DTypeLike | None = None, order: MatrixOrders = "C", numerics: Numerics = "exact",
          target: TargetLike = None,
           release_gil: bool | None = None, **more: Any) -> Binary:  # fmt: skip
    """A kernel k(x0, x1, y) for y = name(x0, x1), element by element; y (m, n).

    name     one of those below. Comparisons give bits: y (m, ceil(n / 8)) of uint8, element 8 j + i in bit i of
             byte j, unused bits 0. "_inv" is a gradient, for backward passes: its operands are g, the gradient of the
             result, then x
    {formulas}
    bcast    for each input None, "row", "col" or "scalar"
    order    for all, or a letter for each input and y: "CFC" for y = f(x0, x.T). One matrix may differ from the rest
    dtype    of the inputs, or one for each; everything else, and the errors, as in `unary`. Source: table 2 there.
    """
    spec = rowwise_request("binary", name, m, n, bcast=bcast, dtype=dtype, out=out, accuracy=accuracy, compute=compute,
                   order=order, numerics=numerics, **more)  # fmt: skip
    return cast("Binary", shared(spec, host.resolve(target), release_gil))


@remembered
def ternary(name: TernaryName, m: ExtentLike, n: int, *, bcast: Broadcast | Sequence[Broadcast | None] | None = None,
            dtype: DTypes = "f32", out: DTypes | None = None, accuracy: Accuracy | None = None,
            compute: DTypeLike | None = None, order: MatrixOrders = "C", numerics: Numerics = "exact",
          target: TargetLike = None,
            release_gil: bool | None = None, **more: Any) -> Ternary:  # fmt: skip
    """A kernel k(x0, x1, x2, y) for y = name(x0, x1, x2), element by element; y (m, n).

    name     one of
    {formulas}
    Everything else as in `binary`. Source: table 3 there.
    """
    spec = rowwise_request("ternary", name, m, n, bcast=bcast, dtype=dtype, out=out, accuracy=accuracy, compute=compute,
                   order=order, numerics=numerics, **more)  # fmt: skip
    return cast("Ternary", shared(spec, host.resolve(target), release_gil))


@remembered
def equation(function: Callable[..., Any], *, dtype: DTypes | Mapping[str, DTypeLike | Literal["bits"]] = "f32",
             out: DTypes | None = None, accuracy: Accuracy | None = None, compute: DTypeLike | None = None,
             order: MatrixOrders | Mapping[str, Order] = "C", numerics: Numerics = "exact",
             bounds: Bounds | None = None, target: TargetLike = None, release_gil: bool | None = None,
             **operands: Any) -> Kernel:  # fmt: skip
    """A kernel for a Python function of matrices, element by element: k(x, g, ..., y) in the order of its parameters.

    ts.equation(lambda x, g, b: ts.tanh(x) + g * b, x=(m, n), g=(1, n), b=(1, n), dtype="f32")

    function  is called once with expressions. They have Python's operators, and `ts.tanh` and others take them. It
              returns an expression, or a tuple of them for several outputs (then named y0, y1...)
    operands  the shape of each parameter: that of the output, or one row, column or element of it ((n,) is a row, the
              rows of (b, m, n) are b * m, ts.RUNTIME any number). A parameter without a shape keeps its default
              (eps=1e-5). And leading dimensions, ldx=... for a parameter x. dtype: of all, or {name: type}; order: a
              letter for all, for each parameter and y, or {name: letter}; everything else as in `unary`
              With `ts.dropout(x, rate)` or `ts.uniform()` in it: k(x, ..., seed, y), and `origin` as in `unary`

    With reductions along rows in it, `ts.sum(x, axis=1)` and max, min, mean, prod, absmax, ts.softmax, ts.layernorm...,
    one kernel computes all of it row by row. A result of reductions alone has the shape (m, 1).

    With `ts.gather(table, index)` in it, rows of the table by an index, a parameter of the shape (m,) and type "i64" or
    "i32"; with `ts.scatter(x, index, rows, add=False)` as a result, rows that an index puts into a matrix of so many.
    bounds: "call" or "kernel", who looks at indices, as in `ts.gather`

    With products of matrices, `x @ w` or `x @ w.T` where w is a parameter, shapes are those of the operands themselves:
    ts.equation(lambda x, w1, b, w2: ts.gelu(x @ w1 + b) @ w2 + x, x=(m, n), w1=(n, h), b=(1, h), w2=(h, n)). One kernel
    computes bands of rows, and what lies between two products stays in scratch memory. docs/fused.md
    """
    if not callable(function):
        raise TypeError(f"equation: a Python function of expressions, not {function!r}")
    asked = Asked(function, order, bounds, {"dtype": dtype, "out": out, "compute": compute, "numerics": numerics,
                                            "accuracy": accuracy or default_accuracy()})  # fmt: skip
    return shared(asked.request(operands), host.resolve(target), release_gil)


for _kind, _function in {"unary": unary, "binary": binary, "ternary": ternary}.items():
    if _function.__doc__:
        _function.__doc__ = inspect.cleandoc(_function.__doc__).replace("{formulas}", formulas(_kind))

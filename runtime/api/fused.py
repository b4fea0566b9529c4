"""Kernels with reductions along rows: `ts.fused`, and the functions for use inside a traced function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...microkernels.eltwise.spec import eltwise_spec
from ...microkernels.errors import UnsupportedError
from ...microkernels.expr import along as reductions
from ...microkernels.expr.graph import FLOATS, Expr, real
from ...microkernels.fused.composites import COMPOSITES
from ...microkernels.fused.spec import fused_spec
from ...microkernels.names import nearest
from ...microkernels.operands import extent
from ..host import detect as host
from ..kernel.accuracy import default_accuracy
from ..kernel.callable import Kernel, shared
from ..kernel.request_cache import remembered


def _refuse_axis(name: str, axis: Any) -> None:
    if axis not in (1, -1):
        raise UnsupportedError(f"{name}: axis={axis!r} inside a traced function; fused kernels have axis=1, rows: "
                               "transpose the operands, or reduce in a kernel of its own, ts.reduce")  # fmt: skip


def _along(name: str, x: Any, axis: Any) -> Expr:
    if not isinstance(x, Expr):
        raise TypeError(f"{name}: an expression, inside a function given to ts.equation, not {type(x).__name__}; for "
                        f'arrays make a kernel: k = ts.reduce("{name}", m, n, axis=1); k(x, y)')  # fmt: skip
    _refuse_axis(name, axis)
    value = real(x)
    if value.dtype not in FLOATS:
        raise TypeError(f"{name}: an expression of floats, not of {x.dtype}")
    return reductions.along(name, value)


def sum(x: Expr, axis: int | None = None) -> Expr:
    """The sum along each row (axis=1), which has one column and so broadcasts; inside a function given to ts.equation.

    Rows are added by several accumulators whose number depends on the machine, in rounding to nearest.
    """
    return _along("sum", x, axis)


def prod(x: Expr, axis: int | None = None) -> Expr:
    """The product along each row, as `sum`."""
    return _along("product", x, axis)


def max(x: Expr, axis: int | None = None) -> Expr:
    """The largest element of each row, NaN if one is, as `sum`."""
    return _along("max", x, axis)


def min(x: Expr, axis: int | None = None) -> Expr:
    """The smallest element of each row, NaN if one is, as `sum`."""
    return _along("min", x, axis)


def mean(x: Expr, axis: int | None = None) -> Expr:
    """The mean of each row: the sum divided by the number of columns, as `sum`."""
    return _along("mean", x, axis)


def absmax(x: Expr, axis: int | None = None) -> Expr:
    """The largest magnitude of each row, NaN if one is, as `sum`."""
    return _along("absmax", x, axis)


def _composite(name: str) -> Callable[..., Expr]:
    """The composite inside a traced function."""
    composite = COMPOSITES[name]

    def function(*inputs: Expr, axis: int | None = None, **options: float) -> Expr:
        _refuse_axis(name, axis)
        return composite.function(*inputs, **options)

    function.__name__, function.__qualname__ = name, name
    function.__doc__ = f"{composite.formula}; along rows (axis=1), inside a function given to ts.equation."
    return function


softmax, log_softmax, layernorm, rmsnorm = map(_composite, ("softmax", "log_softmax", "layernorm", "rmsnorm"))


def composites() -> dict[str, str]:
    """The names that `fused` takes, and their formulas."""
    return {name: each.formula for name, each in COMPOSITES.items()}


@remembered
def fused(name: str, m: Any, n: Any, *, dtype: Any = "f32", out: Any = None, accuracy: Any = None, compute: Any = None,
          target: Any = None, release_gil: bool | None = None, **more: Any) -> Kernel:  # fmt: skip
    """A kernel for a composite of rows: k(x, y) for softmax and log_softmax, k(g, p, y) for softmax_inv, k(x, gamma,
    beta, y) for layernorm, k(x, gamma, y) for rmsnorm. x and y (m, n); gamma and beta (n,).

    name    of `composites()`, which gives the formulas
    eps     of layernorm (1e-5) and rmsnorm (1e-6): added to the variance, or to the mean of squares
    dtype, out, compute, accuracy, target, ldx=...   as in `equation`

    A row is read from memory once where the nearest cache holds it. The variance is that of x - mean, so that a large
    mean loses nothing. Source: Georganas et al., Tensor Processing Primitives, section 4.
    """
    if name not in COMPOSITES:
        near = nearest(str(name), COMPOSITES)
        hint = f"; did you mean {near}?" if near else ""
        raise ValueError(f"fused: one of {', '.join(COMPOSITES)}, not {name!r}{hint}")
    composite = COMPOSITES[name]
    options = {option: float(more.pop(option)) for option in composite.options if option in more}
    rows, columns = extent("m", m), extent("n", n)
    shapes = {each: (1 if each in composite.rows else rows, columns) for each in composite.inputs}

    def function(*inputs: Expr) -> Expr:
        return composite.function(*inputs, **options)

    spec = eltwise_spec(function, name, shapes, dtype=dtype, out=out, compute=compute, leading=more, by_name=False,
                        accuracy=accuracy or default_accuracy(), extents=(rows, columns))  # fmt: skip
    return shared(fused_spec(spec), host.resolve(target), release_gil)

"""Pointwise operators: an expression each, of numbers in the type of the arithmetic and of masks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import factorial, inf, pi, sqrt

from ...microkernels.expr import graph as expr
from ...microkernels.expr.graph import Expr, constant
from ...microkernels.expr.ops import FLOATS, MASKS
from ...microkernels.functions import activations
from ...microkernels.functions.catalogue import BINARY
from ..api import functions as ts
from .operators import broadcast, common, type_name
from .values import Attribute, Builds, DType, Expression, Given, GraphValue, Operator, TensorType, add


def _float(name: str, function: Callable[..., Expr]) -> Expression:
    """Return an expression that takes floats only."""

    def made(x: Expr, *more: Expr, **options: Attribute) -> Expr:
        if x.dtype not in FLOATS:
            raise TypeError(f"{name} takes floats")
        return function(x, *more, **options)

    return made


def where(mask: Expr, a: Expr, b: Expr) -> Expr:
    """a where the mask is true, else b."""
    if mask.dtype not in MASKS:
        mask = mask != 0
    return (mask & a) | (~mask & b) if a.dtype in MASKS else ts.select(mask, a, b)


def _mask(x: Expr) -> Expr:
    return x if x.dtype in MASKS else x != 0


def _equal(a: Expr, b: Expr) -> Expr:
    return ~(a ^ b) if a.dtype in MASKS else a == b


def _clip(x: Expr, low: float | None = None, high: float | None = None) -> Expr:
    x = x if low is None else ts.maximum(x, low)
    return x if high is None else ts.minimum(x, high)


def _erf(x: Expr) -> Expr:
    # (-1)^n / (n! (2n + 1)), by which x^(2n + 1) makes erf(x) sqrt(pi) / 2: below 1/2 the rest is less than 2^-40
    series = [(-1) ** n / (factorial(n) * (2 * n + 1)) for n in range(9)]
    near = constant(series[-1], x.dtype)
    for term in reversed(series[:-1]):
        near = near * (x * x) + term
    one, scaled = constant(1.0, x.dtype), x * sqrt(2.0)
    far = ts.select(abs(x) < 4.0, 2.0 * (ts.gelu(scaled) / scaled) - 1.0, ts.select(x > 0, one, -one))
    return ts.select(abs(x) < 0.5, x * near * (2 / sqrt(pi)), ts.select(x == x, far, x))


def _sign(x: Expr) -> Expr:
    one, zero = constant(1, x.dtype), constant(0, x.dtype)
    signed = ts.select(x > 0, one, ts.select(x < 0, -one, zero))
    return ts.select(x == x, signed, x) if x.dtype in FLOATS else signed


def _elu(x: Expr, alpha: float = 1.0) -> Expr:
    return ts.elu(x) if alpha == 1.0 else ts.select(x > 0, x, ts.elu(x) * alpha)


def _hard_sigmoid(x: Expr, alpha: float = 1 / 6, beta: float = 0.5) -> Expr:
    return ts.clamp(x * alpha + beta, 0.0, 1.0)


def _selu(x: Expr, alpha: float = 1.6732632423543772, gamma: float = 1.0507009873554805) -> Expr:
    return ts.select(x > 0, x, ts.elu(x) * alpha) * gamma


def _bits(name: str) -> Expression:
    """Return an operation on bits of integers, or on booleans."""

    def made(a: Expr, b: Expr) -> Expr:
        if a.dtype in FLOATS:
            raise TypeError(f"{name} takes integers or booleans")
        return {"and": lambda: a & b, "or": lambda: a | b, "xor": lambda: a ^ b}[name]()

    return made


def _row(name: str, expression: Expression, wraps: bool = False, takes: str = "") -> Operator:
    return Operator(name, "pointwise", expression=expression, wraps=wraps, takes=takes)


def _cast_kind(given: Given, /, dtype: DType, **_: Attribute) -> tuple[TensorType, ...]:
    (x,) = given
    assert x is not None
    type_name(x.dtype), type_name(dtype)
    return (TensorType(x.shape, dtype),)


def _no_cast(build: Builds, x: GraphValue, dtype: DType) -> GraphValue | None:
    """The operand itself if it has the type."""
    return x if x.dtype == dtype else None


def _where_kind(given: Given, /, **_: Attribute) -> tuple[TensorType, ...]:
    """The condition may be of any type; the other two have the type of the result."""
    dtype = common("where", given[1:])
    return (TensorType(broadcast([each.shape for each in given if each is not None]), dtype),)


add(
    _row("add", lambda a, b: a + b, True),
    _row("subtract", lambda a, b: a - b, True),
    _row("multiply", lambda a, b: a * b, True),
    _row("divide", _float("divide", lambda a, b: a / b)),
    _row("maximum", ts.maximum),
    _row("minimum", ts.minimum),
    _row("negative", lambda x: -x, True),
    _row("absolute", abs, True),
    _row("sign", _sign),
    _row("reciprocal", _float("reciprocal", lambda x: 1.0 / x)),
    _row("sqrt", _float("sqrt", ts.sqrt)),
    _row("rsqrt", _float("rsqrt", lambda x: 1.0 / ts.sqrt(x))),
    _row("square", lambda x: x * x, True),
    *(_row(name, _float(name, getattr(ts, name))) for name in ("floor", "ceil", "rint", "trunc")),
    *(_row(name, _float(name, partial(expr.call, name))) for name in activations.CATALOGUE if name != "elu"),
    *(
        _row(f"{name}_backward", _float(name, BINARY[f"{name}_inv"].function))
        for name in ("relu", *activations.CATALOGUE)
    ),
    _row("relu", lambda x: ts.maximum(x, 0)),
    _row("elu", _float("elu", _elu), takes="alpha"),
    _row("leaky_relu", _float("leaky_relu", lambda x, slope=0.01: ts.select(x > 0, x, x * slope)), takes="slope"),
    _row(
        "leaky_relu_backward",
        _float("leaky_relu_backward", lambda g, x, slope=0.01: ts.select(x > 0, g, g * slope)),
        takes="slope",
    ),
    _row("clip", _clip, takes="low high"),
    _row("erf", _float("erf", _erf)),
    _row("selu", _float("selu", _selu), takes="alpha gamma"),
    _row("celu", _float("celu", lambda x, alpha=1.0: ts.select(x > 0, x, ts.elu(x / alpha) * alpha)), takes="alpha"),
    _row("mish", _float("mish", lambda x: x * ts.tanh(ts.softplus(x)))),
    _row("softsign", _float("softsign", lambda x: x / (1.0 + abs(x)))),
    _row("hard_sigmoid", _float("hard_sigmoid", _hard_sigmoid), takes="alpha beta"),
    _row("hard_swish", _float("hard_swish", lambda x: x * _hard_sigmoid(x))),
    _row("isnan", _float("isnan", lambda x: x != x)),
    _row("isinf", _float("isinf", lambda x: abs(x) == inf)),
    _row("equal", _equal),
    _row("not_equal", lambda a, b: ~_equal(a, b)),
    _row("less", lambda a, b: a < b),
    _row("less_equal", lambda a, b: a <= b),
    _row("greater", lambda a, b: b < a),
    _row("greater_equal", lambda a, b: b <= a),
    _row("logical_and", lambda a, b: _mask(a) & _mask(b)),
    _row("logical_or", lambda a, b: _mask(a) | _mask(b)),
    _row("logical_xor", lambda a, b: _mask(a) ^ _mask(b)),
    _row("logical_not", lambda a: ~_mask(a)),
    _row("bitwise_and", _bits("and")),
    _row("bitwise_or", _bits("or")),
    _row("bitwise_xor", _bits("xor")),
    Operator("where", "pointwise", _where_kind, where),
    Operator("cast", "pointwise", _cast_kind, expand=_no_cast, takes="dtype"),
)

"""ATen's elementwise operators, as operators of the graph compiler. The arguments of a row are those of its schema."""

from __future__ import annotations

import math
from collections.abc import Callable

from ....graph.values import GraphValue
from .lowering import AtenLowering
from .rows import AtenRow, Lowered, Types

_LN2, _LN10 = math.log(2), math.log(10)


def _unary(operator: str) -> AtenRow:
    return AtenRow(lambda g, x: g(operator, x))


def _binary(operator: str, of_masks: str = "") -> AtenRow:
    """Return the row of an operator; `of_masks` is that of booleans, which have no arithmetic."""

    def lower(g: AtenLowering, x: GraphValue | float, y: GraphValue | float, alpha: float = 1) -> Lowered:
        if g.result.kind == "b":
            g.need(bool(of_masks) and alpha == 1, "arithmetic of booleans")
            return g(of_masks, x, y)
        return g(operator, x, g.scaled(y, alpha))

    return AtenRow(lower)


def _add(g: AtenLowering, x: GraphValue, y: GraphValue | float, alpha: float) -> Lowered:
    joined = g.united(x, y) if isinstance(y, GraphValue) and alpha == 1 else None
    return _binary("add", "logical_or").lower(g, x, y, alpha) if joined is None else joined


def _comparison(operator: str) -> AtenRow:
    return AtenRow(lambda g, x, y: g(operator, x, y), Types.COMMON)


def _logical(operator: str) -> AtenRow:
    return AtenRow(lambda g, x, y: g(operator, g.truth(x), g.truth(y)), Types.KEPT)


def _bitwise(operator: str) -> AtenRow:
    def lower(g: AtenLowering, x: GraphValue, y: GraphValue) -> Lowered:
        g.need(g.result.kind == "b", f"bits of {g.result}")
        return g(operator, x, y)

    return AtenRow(lower)


def _where(condition: Callable[..., GraphValue]) -> Callable[..., Lowered]:
    """Return the derivative g where a condition of x and numbers holds, else 0."""

    def lower(g: AtenLowering, gradient: GraphValue, x: GraphValue, *numbers: float) -> Lowered:
        return g("where", condition(g, x, *numbers), gradient, 0)

    return lower


def _elu(g: AtenLowering, x: GraphValue, alpha: float, scale: float, inner: float) -> Lowered:
    g.need(inner > 0, "elu whose inner scale is not positive")
    negative = g.scaled(g("elu", g("minimum", g.scaled(x, inner), 0)), alpha * scale)
    return g("where", g("greater", x, 0), g.scaled(x, scale), negative)


def _elu_backward(
    g: AtenLowering, gradient: GraphValue, alpha: float, scale: float, inner: float, of_result: bool, x: GraphValue
) -> Lowered:
    if of_result:
        slope = g.scaled(g("add", x, alpha * scale), inner)
    else:
        slope = g.scaled(g("exp", g("minimum", g.scaled(x, inner), 0)), inner * alpha * scale)
    negative = g("multiply", gradient, slope)
    return g("where", g("less_equal", x, 0), negative, g.scaled(gradient, scale))


def _softplus(g: AtenLowering, x: GraphValue, beta: float, threshold: float) -> Lowered:
    inner = g.scaled(x, beta)
    soft = g.scaled(g("softplus", inner), 1 / beta)
    return g("where", g("greater", inner, threshold), x, soft)


def _softplus_backward(g: AtenLowering, gradient: GraphValue, x: GraphValue, beta: float, threshold: float) -> Lowered:
    inner = g.scaled(x, beta)
    return g("where", g("greater", inner, threshold), gradient, g("multiply", gradient, g("sigmoid", inner)))


def _hardswish_backward(g: AtenLowering, gradient: GraphValue, x: GraphValue) -> Lowered:
    slope = g("add", g("multiply", x, 1 / 3), 0.5)
    inside = g("where", g("less", x, 3), g("multiply", gradient, slope), gradient)
    return g("where", g("less_equal", x, -3), 0, inside)


def _isinf(g: AtenLowering, x: GraphValue) -> Lowered:
    if x.dtype.kind in "iub":
        return g.full(x.shape, 0)
    return g("equal", g("absolute", x), math.inf)


def _hardtanh(g: AtenLowering, x: GraphValue, low: float, high: float) -> Lowered:
    """Bounds of integers are truncated, as torch's are."""
    return g.clipped(x, *((math.trunc(each) for each in (low, high)) if g.result.kind in "iu" else (low, high)))


def _sixth(g: AtenLowering, x: GraphValue) -> GraphValue:
    """Return hardsigmoid: a line between 0 at -3 and 1 at 3."""
    return g("multiply", g.clipped(g("add", x, 3), 0, 6), 1 / 6)


def _log_sigmoid(g: AtenLowering, x: GraphValue) -> Lowered:
    result = g("negative", g("softplus", g("negative", x)))
    return result, None if len(g.shapes[1]) != len(x.shape) else g("exp", g("negative", g("absolute", x)))


def _pow(g: AtenLowering, x: GraphValue, exponent: float) -> Lowered:
    if exponent == 1:
        return x
    if exponent == 0:
        return g.full(x.shape, 1)
    named = {2: "square", 0.5: "sqrt", -0.5: "rsqrt", -1: "reciprocal"}.get(exponent)
    g.need(g.result.kind == "f" or exponent in (2, 3) or g.result.kind == "V", "a power of integers")
    return g(named, x) if named else g("power", x, float(exponent))


def _division(g: AtenLowering, x: GraphValue, y: GraphValue | float, rounding: str | None) -> Lowered:
    g.need(g.result.kind not in "iu" and rounding != "floor", "a quotient of integers or rounded down")
    quotient = g("divide", x, y)
    return g("trunc", quotient) if rounding else quotient


def _lerp(g: AtenLowering, x: GraphValue, end: GraphValue, weight: GraphValue | float) -> Lowered:
    way = g("subtract", end, x)
    if isinstance(weight, (int, float)):
        near = abs(weight) < 0.5
        return g("add", x, g.scaled(way, weight)) if near else g("subtract", end, g.scaled(way, 1 - weight))
    near_end = g("subtract", end, g("multiply", way, g("subtract", 1, weight)))
    return g("where", g("less", g("absolute", weight), 0.5), g("add", x, g("multiply", way, weight)), near_end)


def _chosen(g: AtenLowering, mask: GraphValue, x: GraphValue | float, y: GraphValue | float) -> Lowered:
    """Return x where a mask holds, else y, both in the type of the result."""
    one, other = (each if isinstance(each, (int, float)) else g.cast(each, g.result) for each in (x, y))
    made = g("where", g.truth(mask), one, other)
    return g.broadcast(made, g.shapes[0])


def _prelu_backward(g: AtenLowering, gradient: GraphValue, x: GraphValue, weight: GraphValue) -> Lowered:
    positive = g("greater", x, 0)
    by_x = g("where", positive, gradient, g("multiply", weight, gradient))
    return by_x, g("where", positive, 0, g("multiply", x, gradient))


_UNARY = """
    relu sqrt rsqrt reciprocal exp exp2 expm1 log log1p tanh sigmoid silu erf erfc floor ceil trunc sin cos tan asin
    acos atan sinh cosh asinh acosh atanh lgamma digamma erfinv
"""
"""Operators of one operand that have their names here, too; the graph compiler refuses those that it lacks."""
ELEMENTWISE: dict[str, AtenRow] = {
    # one operand
    **{name: _unary(name) for name in _UNARY.split()},
    "abs": _unary("absolute"),
    "neg": _unary("negative"),
    "round": _unary("rint"),
    "log2": AtenRow(lambda g, x: g("multiply", g("log", x), 1 / _LN2)),
    "log10": AtenRow(lambda g, x: g("multiply", g("log", x), 1 / _LN10)),
    "frac": AtenRow(lambda g, x: g("subtract", x, g("trunc", x))),
    "sign": AtenRow(lambda g, x: g("where", g("greater", x, 0), 1, g("where", g("less", x, 0), -1, 0))),
    "isnan": AtenRow(lambda g, x: g("not_equal", x, x), Types.KEPT),
    "isinf": AtenRow(_isinf, Types.KEPT),
    "logical_not": AtenRow(lambda g, x: g("logical_not", g.truth(x)), Types.KEPT),
    "bitwise_not": AtenRow(lambda g, x: (g.need(g.result.kind == "b", "bits of numbers"), g("logical_not", x))[1]),
    "deg2rad": AtenRow(lambda g, x: g("multiply", x, math.pi / 180)),
    "rad2deg": AtenRow(lambda g, x: g("multiply", x, 180 / math.pi)),
    # activations
    "gelu": AtenRow(lambda g, x, approximate: g("gelu" if approximate == "none" else "gelu_tanh", x)),
    "leaky_relu": AtenRow(lambda g, x, slope: g("where", g("greater", x, 0), x, g("multiply", x, slope))),
    "elu": AtenRow(_elu),
    "softplus": AtenRow(_softplus),
    "mish": AtenRow(lambda g, x: g("multiply", x, g("tanh", g("softplus", x)))),
    "hardtanh": AtenRow(_hardtanh),
    "hardsigmoid": AtenRow(_sixth),
    "hardswish": AtenRow(lambda g, x: g("multiply", x, _sixth(g, x))),
    "threshold": AtenRow(lambda g, x, limit, value: g("where", g("less_equal", x, limit), value, x)),
    "log_sigmoid_forward": AtenRow(_log_sigmoid),
    "_prelu_kernel": AtenRow(lambda g, x, weight: g("where", g("greater", x, 0), x, g("multiply", weight, x))),
    # their derivatives
    "gelu_backward": AtenRow(
        lambda g, gradient, x, approximate: g(
            "gelu_backward" if approximate == "none" else "gelu_tanh_backward", gradient, x
        )
    ),
    "silu_backward": AtenRow(lambda g, gradient, x: g("silu_backward", gradient, x)),
    "sigmoid_backward": AtenRow(lambda g, gradient, y: g("multiply", gradient, g("multiply", y, g("subtract", 1, y)))),
    "tanh_backward": AtenRow(lambda g, gradient, y: g("multiply", gradient, g("subtract", 1, g("multiply", y, y)))),
    "threshold_backward": AtenRow(lambda g, gradient, x, limit: g("where", g("less_equal", x, limit), 0, gradient)),
    "leaky_relu_backward": AtenRow(
        lambda g, gradient, x, slope, of_result: g(
            "where", g("greater", x, 0), gradient, g("multiply", gradient, slope)
        )
    ),
    "elu_backward": AtenRow(_elu_backward),
    "softplus_backward": AtenRow(_softplus_backward),
    "hardtanh_backward": AtenRow(_where(lambda g, x, low, high: g.between(x, low, high))),
    "hardsigmoid_backward": AtenRow(
        lambda g, gradient, x: g("where", g.between(x, -3, 3), g("multiply", gradient, 1 / 6), 0)
    ),
    "hardswish_backward": AtenRow(_hardswish_backward),
    "log_sigmoid_backward": AtenRow(
        lambda g, gradient, x, buffer: g("multiply", gradient, g("sigmoid", g("negative", x))), Types.RESULT
    ),
    "_prelu_kernel_backward": AtenRow(_prelu_backward),
    # arithmetic
    "add.Tensor": AtenRow(_add),
    "add.Scalar": _binary("add", "logical_or"),
    **{f"sub.{kind}": _binary("subtract") for kind in ("Tensor", "Scalar")},
    "rsub.Tensor": AtenRow(lambda g, x, y, alpha: g("subtract", y, g.scaled(x, alpha))),
    "rsub.Scalar": AtenRow(lambda g, x, y, alpha: g("subtract", y, g.scaled(x, alpha))),
    **{f"mul.{kind}": _binary("multiply", "logical_and") for kind in ("Tensor", "Scalar")},
    **{f"div.{kind}": _binary("divide") for kind in ("Tensor", "Scalar")},
    "div.Tensor_mode": AtenRow(_division),
    "maximum": _binary("maximum", "logical_or"),
    "minimum": _binary("minimum", "logical_and"),
    "pow.Tensor_Scalar": AtenRow(_pow),
    "pow.Scalar": AtenRow(lambda g, base, x: (g.need(base == 2, f"powers of {base}"), g("exp2", x))[1]),
    "pow.Tensor_Tensor": _binary("power"),
    **{f"{name}.{kind}": _binary(name) for name in ("remainder", "fmod") for kind in ("Tensor", "Scalar")},
    "atan2": _binary("atan2"),
    "addcmul": AtenRow(lambda g, x, a, b, value: g("add", x, g.scaled(g("multiply", a, b), value))),
    "addcdiv": AtenRow(lambda g, x, a, b, value: g("add", x, g.scaled(g("divide", a, b), value))),
    "lerp.Scalar": AtenRow(_lerp),
    "lerp.Tensor": AtenRow(_lerp),
    "clamp": AtenRow(lambda g, x, low, high: g.clipped(x, low, high)),
    "clamp.Tensor": AtenRow(lambda g, x, low, high: g.clipped(x, low, high)),
    "clamp_min": AtenRow(lambda g, x, low: g.clipped(x, low, None)),
    "clamp_min.Tensor": AtenRow(lambda g, x, low: g.clipped(x, low, None)),
    "clamp_max": AtenRow(lambda g, x, high: g.clipped(x, None, high)),
    "clamp_max.Tensor": AtenRow(lambda g, x, high: g.clipped(x, None, high)),
    # comparisons and masks
    **{
        f"{name}.{kind}": _comparison(operator)
        for name, operator in (
            ("eq", "equal"),
            ("ne", "not_equal"),
            ("lt", "less"),
            ("le", "less_equal"),
            ("gt", "greater"),
            ("ge", "greater_equal"),
        )
        for kind in ("Tensor", "Scalar")
    },
    "logical_and": _logical("logical_and"),
    "logical_or": _logical("logical_or"),
    "logical_xor": _logical("not_equal"),
    "bitwise_and.Tensor": _bitwise("logical_and"),
    "bitwise_or.Tensor": _bitwise("logical_or"),
    "bitwise_xor.Tensor": _bitwise("not_equal"),
    "where.self": AtenRow(_chosen, Types.KEPT),
    "where.ScalarOther": AtenRow(_chosen, Types.KEPT),
    "where.ScalarSelf": AtenRow(_chosen, Types.KEPT),
    "masked_fill.Scalar": AtenRow(lambda g, x, mask, value: _chosen(g, mask, value, x), Types.KEPT),
    "masked_fill.Tensor": AtenRow(lambda g, x, mask, value: _chosen(g, mask, value, x), Types.KEPT),
    # conversions and copies
    "_to_copy": AtenRow(lambda g, x, *_: g.cast(x, g.result), Types.KEPT),
    "clone": AtenRow(lambda g, x, memory_format: x, Types.KEPT),
    "copy": AtenRow(lambda g, x, source, non_blocking: g.broadcast(g.cast(source, g.result), x.shape), Types.KEPT),
    "alias": AtenRow(lambda g, x: x, Types.KEPT),
    "detach": AtenRow(lambda g, x: x, Types.KEPT),
    "lift_fresh_copy": AtenRow(lambda g, x: x, Types.KEPT),
    # numbers repeated
    "full": AtenRow(lambda g, shape, value, *_: g.full(shape, value)),
    "full_like": AtenRow(lambda g, x, value, *_: g.full(x.shape, value), Types.KEPT),
    "zeros_like": AtenRow(lambda g, x, *_: g.full(x.shape, 0), Types.KEPT),
    "ones_like": AtenRow(lambda g, x, *_: g.full(x.shape, 1), Types.KEPT),
    "zeros": AtenRow(lambda g, shape, *_: g.full(shape, 0)),
    "ones": AtenRow(lambda g, shape, *_: g.full(shape, 1)),
    "new_full": AtenRow(lambda g, x, shape, value, *_: g.full(shape, value), Types.KEPT),
    "new_zeros": AtenRow(lambda g, x, shape, *_: g.full(shape, 0), Types.KEPT),
    "new_ones": AtenRow(lambda g, x, shape, *_: g.full(shape, 1), Types.KEPT),
    "fill.Scalar": AtenRow(lambda g, x, value: g.full(x.shape, value), Types.KEPT),
    "fill.Tensor": AtenRow(lambda g, x, value: g.broadcast(g.cast(value, g.result), x.shape), Types.KEPT),
    "empty_like": AtenRow(lambda g, x, *_: g.full(x.shape, 0), Types.KEPT),
    "new_empty": AtenRow(lambda g, x, shape, *_: g.full(shape, 0), Types.KEPT),
    "empty.memory_format": AtenRow(lambda g, shape, *_: g.full(shape, 0)),
    "scalar_tensor": AtenRow(lambda g, value, *_: g.full((), value)),
}

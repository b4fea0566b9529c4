"""Softmax and the norms along rows, and their derivatives. `over` replaces the reduction, such as by one down columns.

Source: Georganas et al., Tensor Processing Primitives, section 4; Ba, Kiros, Hinton, Layer Normalization, 2016; Zhang,
Sennrich, Root Mean Square Layer Normalization, 2019.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf

from ..expr.along import DOWN, along, down
from ..expr.graph import Expr, call, constant, fma, fma_or_twice, rebuilt, select, sqrt, with_args
from ..functions import threefry
from ..functions.double_word import any_sum
from ..functions.exp import shift_of
from ..functions.forms import by_accuracy
from ..functions.power_parts import BELOW, FEW_ADDITIONS, FEW_ROWS, SHIFTED, is_power, parts

Reduction = Callable[[str, Expr], Expr]


def powers_and_total(x: Expr, over: Reduction = along) -> tuple[Expr, Expr]:
    """Return e^(x - max x), times a factor that is the same for the whole row, and the sum of these powers."""
    powers = call(SHIFTED, x, *shift_of(over("max", x)))
    return powers, over("sum", powers)


def softmax(x: Expr, over: Reduction = along) -> Expr:
    """e^(x - max x) / sum(e^(x - max x))."""
    powers, total = powers_and_total(x, over)
    rests = call("exp_shifted_rest", *powers.args)
    return by_accuracy(_divided(powers, rests, over), powers * (1.0 / total))


def _divided(powers: Expr, rests: Expr, over: Reduction) -> Expr:
    """Divide each power by the sum of all powers and rests, kept in two numbers.

    The error is the rounding of the power and that of the result.
    """
    *multiples, remainder = parts(powers, FEW_ADDITIONS if over is along else None)
    high, low = over("sum", multiples[0]), over("sum", remainder + rests)
    for each in multiples[1:]:
        high, error = any_sum(high, over("sum", each))
        low = low + error
    total = any_sum(high, low)
    first = 1.0 / total.high
    rest = fma(-first, total.high, constant(1.0, powers.dtype)) - first * total.low
    return fma(powers, first, powers * (rest * first))


def with_exact_column_sums(results: Sequence[Expr], rows: int | None) -> tuple[Expr, ...]:
    """Replace each sum of powers down the columns by the sum of the sums of their parts. `rows` is None if the call
    gives their number.

    Rows are added one after the other: with a single sum, softmax of 4096 rows was off by 3,400 ulp. Along rows,
    compensated additions do the same at less cost (compensated.py).
    """
    if rows is not None and rows <= FEW_ROWS:
        return tuple(results)

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        if expr.op == DOWN and expr.value == "sum" and is_power(args[0]):
            *multiples, total = (down("sum", each) for each in parts(args[0], rows))
            for each in reversed(multiples):
                total = each + total
            return total
        return with_args(expr, args)

    return rebuilt(results, change)


def softmax_inv(g: Expr, p: Expr) -> Expr:
    """The derivative: p (g - sum(g p)), of the result p and the gradient g."""
    return p * (g - along("sum", g * p))


def log_softmax(x: Expr, over: Reduction = along) -> Expr:
    """x - max x - log(sum of e^(x - max x))."""
    shifted = x - over("max", x)
    return shifted - call("log", over("sum", call(BELOW, shifted)))


def log_softmax_inv(g: Expr, y: Expr) -> Expr:
    """The derivative: g - e^y sum g, of the result y and the gradient g."""
    return fma_or_twice(call("exp", y), -along("sum", g), g)


def centred(x: Expr, eps: float, over: Reduction = along) -> tuple[Expr, Expr]:
    """(x - mean x, 1 / sqrt(mean (x - mean x)^2 + eps)).

    If the mean is much larger than the deviation, so is its rounding error. Under "accurate", the mean of the remainder
    is subtracted as well.
    """
    near = x - over("mean", x)
    rest, scale = _rest_and_scale(near, eps, over)
    return by_accuracy(near - rest, near), scale


def statistics(x: Expr, eps: float, over: Reduction = along) -> tuple[Expr, Expr]:
    """(mean x, 1 / sqrt(mean (x - mean x)^2 + eps)), with the same care.

    An infinite mean leaves a remainder that is no number, or infinite, and counts by itself.
    """
    mean = over("mean", x)
    rest, scale = _rest_and_scale(x - mean, eps, over)
    exact = select(abs(rest) < constant(inf, rest.dtype), mean + rest, mean)
    return by_accuracy(exact, mean), scale


def _rest_and_scale(near: Expr, eps: float, over: Reduction) -> tuple[Expr, Expr]:
    """The mean of what subtracting a mean left, and the inverse deviation."""
    rest = over("mean", near)
    squares = over("mean", near * near)
    exact = fma(-rest, rest, squares)  # the second mean is an ulp of the first: nothing cancels
    return rest, 1.0 / sqrt(by_accuracy(exact, squares) + eps)


def layernorm(x: Expr, gamma: Expr, beta: Expr, eps: float = 1e-5, over: Reduction = along) -> Expr:
    """gamma (x - mean x) / sqrt(mean (x - mean x)^2 + eps) + beta."""
    middle, scale = centred(x, eps, over)
    return fma_or_twice(middle * scale, gamma, beta)


def layernorm_inv(g: Expr, x: Expr, gamma: Expr, eps: float = 1e-5) -> tuple[Expr, Expr, Expr]:
    """By x, gamma, beta: (h - mean h - z mean(h z)) / deviation; sums of g z and of g down the columns.

    The deviation is sqrt(mean (x - mean x)^2 + eps), z = (x - mean x) / deviation and h = g gamma.
    """
    middle, scale = centred(x, eps)
    z, h = middle * scale, g * gamma
    gx = (h - along("mean", h) - z * along("mean", h * z)) * scale
    return gx, down("sum", g * z), down("sum", g)


def rmsnorm(x: Expr, gamma: Expr, eps: float = 1e-6, over: Reduction = along) -> Expr:
    """gamma x / sqrt(mean x^2 + eps)."""
    scale = 1.0 / sqrt(over("mean", x * x) + eps)
    return x * scale * gamma


def rmsnorm_inv(g: Expr, x: Expr, gamma: Expr, eps: float = 1e-6) -> tuple[Expr, Expr]:
    """By x, gamma: (h - z mean(h z)) / size, h = g gamma, z = x / size; the sum of g z down the columns.

    The size is sqrt(mean x^2 + eps).
    """
    scale = 1.0 / sqrt(along("mean", x * x) + eps)
    z, h = x * scale, g * gamma
    return (h - z * along("mean", h * z)) * scale, down("sum", g * z)


def bias_dropout_residual_layernorm(
    x: Expr, bias: Expr, residual: Expr, gamma: Expr, beta: Expr, rate: float = 0.1, eps: float = 1e-5
) -> tuple[Expr, Expr, Expr]:
    """y = layernorm(sum), sum = residual + dropout(x + bias); mask has a bit for each element that was not dropped."""
    dropped, mask = threefry.dropout_mask(x + bias, rate=rate)
    total = residual + dropped
    return layernorm(total, gamma, beta, eps), total, mask

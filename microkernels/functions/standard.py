"""The standard forms: at most 4 ulp for every result, in single numbers where the accurate forms have double words.

    e^x = 2^n p                        n and r as in functions/exp.py, p = e^r as one number
    sigmoid(x) = 2^n / (2^n + e^-r)    x = n log 2 + r: the tail needs no case of its own, and 1 is reached exactly
    silu(x) = 2^n (x / (2^n + e^-r))   and gelu_tanh(x) the same with the exponent 2 u(x) as a double word
    gelu(x) = max(x, 0) - y e^(-y^2/2) P(y) / Q(y),   y = |x|, y^2 exact, P and Q with positive coefficients
    gelu'(-y) = e^(-y^2/2) (y0 - y) P(y) / Q(y),   y0 the root as two numbers, so that the error is relative there too
    tanh(x) = t / (t + 2),   t = e^2y - 1
    sigmoid'(x) = E / (1 + E)^2,   silu'(-y) = E (1 + E - y) / (1 + E)^2,   E = e^-y

Functions that are missing here (elu and others) are fast enough in their accurate form, which is also the standard one.
So are exp and exp2 on machines with an FMA instruction; without one, their last product is rounded separately here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..expr.graph import Expr, clamp, constant, fma, fma_nearly, fma_or_twice, lookup, maximum, minimum, rint, select
from . import coefficients_standard
from . import exp as powers
from .accuracies import ACCURATE, STANDARD
from .double_word import Pair, any_sum, exact_product, exact_sum, ratio, scaled
from .exp import down, exp_pair, power
from .float_fields import log_ends, with_sign_of
from .limits import LIMITS, coefficients
from .log import reduced
from .logistic import positive_part
from .midpoints_f16 import MIDPOINTS
from .polynomials import INTERVALS, horner, looked_up, quarter_octave
from .tanh import tanh as accurate_tanh

Form = Callable[[Expr, int], Expr]


def constant_of(name: str, dtype: str) -> Any:
    """Return a constant of coefficients_standard.py for a type."""
    return getattr(coefficients_standard, f"{name}_{dtype.upper()}")


def exp_parts(x: Expr, low: Expr | None = None) -> tuple[Expr, Expr]:
    """Return (p, n) with e^(x + low) = 2^n p, p to less than an ulp; low is below 2^-14."""
    c = coefficients(x.dtype)
    n = rint(x * c.LOG2E)
    r = fma_or_twice(n, -c.LN2_SHORT[1], fma_or_twice(n, -c.LN2_SHORT[0], x))
    return horner(c.EXP, r if low is None else r + low), n


def falling_parts(x: Expr, low: Expr | None = None) -> tuple[Expr, Expr]:
    """Return (p, n) with e^-(x + low) = p / 2^n."""
    c = coefficients(x.dtype)
    n = rint(x * c.LOG2E)
    r = fma_or_twice(n, c.LN2_SHORT[1], fma_or_twice(n, c.LN2_SHORT[0], -x))
    return horner(c.EXP, r if low is None else r - low), n


def two_to(n: Expr) -> Expr:
    """2^n, through denormals to 0; NaN for NaN."""
    return down(fma_or_twice(n, 0.0, 1.0), n)


def exp(x: Expr, tables: int) -> Expr:
    """e^x."""
    return powers.exp(x, accuracy=STANDARD, tables=tables)


def exp2(x: Expr, tables: int) -> Expr:
    """2^x."""
    return powers.exp2(x, accuracy=STANDARD, tables=tables)


def exp2_slope(x: Expr, tables: int) -> Expr:
    """log 2 2^x."""
    return powers.exp2_slope(x, accuracy=STANDARD, tables=tables)


def sigmoid(x: Expr, tables: int) -> Expr:
    """1 / (1 + e^-x)."""
    at = LIMITS[x.dtype]
    p, n = falling_parts(clamp(x, at.low, at.saturated))
    scale = two_to(n)
    return scale / (scale + p)


def share(x: Expr, end: float, p: Expr, n: Expr) -> Expr:
    """x / (1 + p / 2^n), which is negligible for x below -end."""
    return down(maximum(x, -end) / (two_to(n) + p), n)


def silu(x: Expr, tables: int) -> Expr:
    """x sigmoid(x)."""
    at = LIMITS[x.dtype]
    return share(x, at.vanished, *falling_parts(clamp(x, -at.vanished, at.saturated)))


def gelu_tanh(x: Expr, tables: int) -> Expr:
    """x sigmoid(2 u(x))."""
    c, at = coefficients(x.dtype), LIMITS[x.dtype]
    near = clamp(x, -at.vanished_gelu_tanh, at.saturated_gelu_tanh)
    line, rest = constant_of("LINE_SHORT", x.dtype)
    square = near * near
    factor = fma(square, c.CUBE[0], line)
    # the first part's remainder of the factor is exact; then come the square's remainder and the short parts
    less = fma(square, c.CUBE[0], line - factor)
    lost = fma_or_twice(fma(near, near, -square), c.CUBE[0], less) + fma_or_twice(square, c.CUBE[1], rest)
    w = near * factor
    low = fma_or_twice(near, lost, fma(near, factor, -w))
    return share(x, at.vanished_gelu_tanh, *falling_parts(w, low))


def bell(y: Expr) -> tuple[Expr, Expr]:
    """Return (p, n) with e^(-y^2/2) = 2^n p."""
    square = y * y
    return exp_parts(square * -0.5, fma(y, y, -square) * -0.5)


def in_quarters(name: str, y: Expr) -> Expr:
    """A function of 0 <= y < 15 by its polynomial on one of 16 quarters of octaves of y + 1."""
    place = quarter_octave(y + 1.0)
    centres, values, slopes = (constant_of(f"{name}_{what}", y.dtype) for what in ("CENTRES", "VALUES", "SLOPES"))
    h = y - lookup(centres, place)
    return fma_or_twice(h, horner(looked_up(slopes, place), h), lookup(values, place))


def polynomial(coefficients: Sequence[float], y: Expr, square: Expr) -> Pair:
    """Evaluate a polynomial with positive coefficients, even and odd powers separately, with the error of the last
    sum."""
    even, odd = (horner(coefficients[first::2], square) for first in (0, 1))
    high = fma_or_twice(y, odd, even)
    return Pair(high, fma_or_twice(y, odd, even - high))


def weighted(name: str, first: Expr | Pair, p: Expr, y: Expr, tables: int) -> Expr:
    """first p P(y) / Q(y), with the ratio from tables if there are any."""
    if tables >= INTERVALS:
        return (first.rounded() if isinstance(first, Pair) else first) * p * in_quarters(name, y)
    square = y * y
    above, below = (polynomial(constant_of(f"{name}_{part}", y.dtype), y, square) for part in ("ABOVE", "BELOW"))
    product = scaled(first, p) if isinstance(first, Pair) else exact_product(first, p)
    high, low = exact_product(product.high, above.high)
    low = fma_or_twice(product.high, above.low, fma_or_twice(product.low, above.high, low))
    return ratio(Pair(high, low), below, ACCURATE)


def gelu(x: Expr, tables: int) -> Expr:
    """x Phi(x)."""
    at = LIMITS[x.dtype]
    y = abs(clamp(x, -at.vanished_gelu, at.normal_gelu))
    p, n = bell(y)
    return select(x < 0.0, -0.0, x) - down(weighted("MILLS", y, p, y, tables), n)


def gelu_slope(x: Expr, tables: int) -> Expr:
    """Phi(x) + x phi(x)."""
    y = minimum(abs(x), LIMITS[x.dtype].vanished_gelu)
    p, n = bell(y)
    root, rest = constant_of("SLOPE_ROOT", x.dtype)
    distance = any_sum(constant(root, x.dtype), -y)
    left = down(weighted("SLOPE", Pair(distance.high, distance.low + rest), p, y, tables), n)
    return select(x < 0.0, left, 1.0 - left)


def tanh(x: Expr, tables: int) -> Expr:
    """(e^x - e^-x) / (e^x + e^-x)."""
    c, at = coefficients(x.dtype), LIMITS[x.dtype]
    if tables >= INTERVALS:
        return accurate_tanh(x, accuracy=ACCURATE, tables=tables)
    y = minimum(abs(x), at.one) * 2.0
    n = rint(y * c.LOG2E)
    r = fma_or_twice(n, -c.LN2_SHORT[1], fma_or_twice(n, -c.LN2_SHORT[0], y))
    scale = power(n)
    rise = fma_or_twice(scale, fma_or_twice(horner(c.EXP_TAIL, r), r * r, r), scale - 1.0)
    return with_sign_of(rise / (rise + 2.0), x)


def hill(y: Expr, factor: float) -> Expr:
    """factor E / (1 + E)^2, E = e^-y."""
    p, n = exp_parts(-y)
    e = down(p, n)
    return down(p * factor / fma_or_twice(e, e + 2.0, 1.0), n)


def tanh_slope(x: Expr, tables: int) -> Expr:
    """1 - tanh(x)^2."""
    return hill(minimum(abs(x), LIMITS[x.dtype].vanished / 2) * 2.0, 4.0)


def sigmoid_slope(x: Expr, tables: int) -> Expr:
    """sigmoid(x) sigmoid(-x)."""
    return hill(minimum(abs(x), -LIMITS[x.dtype].low), 1.0)


def silu_slope(x: Expr, tables: int) -> Expr:
    """sigmoid(x) (1 + x sigmoid(-x))."""
    y = minimum(abs(x), LIMITS[x.dtype].vanished)
    e, n = exp_pair(-y)
    scale, left = power(n), x < 0.0
    near = Pair(e.high * scale, e.low * scale)
    # 1 + E as two numbers: it is squared below, and near the root its difference from y is exact
    one, lost = exact_sum(1.0, near.high)
    low = lost + near.low
    below = fma_nearly(one, one, one * 2.0 * low)
    total = one - y
    falling = fma_nearly(e.high, total, fma_or_twice(e.low, total, e.high * low))
    above = select(left, falling, fma_or_twice(near.high, y + 1.0, 1.0))
    return down(above / below, select(left, n, constant(0.0, n.dtype)))


def softplus(x: Expr, tables: int) -> Expr:
    """log(1 + e^x) = max(x, 0) + log(1 + e^-y)."""
    at = LIMITS[x.dtype]
    e = down(*exp_parts(-abs(clamp(x, at.low, at.normal))))
    if x.dtype == "f32":
        return fma_or_twice(horner(constant_of("LOG1P", x.dtype), e), e, positive_part(x))
    # 2 atanh(s) with 2 s = 2 E / (2 + E)
    twice = e * 2.0 / (e + 2.0)
    square = twice * twice * 0.25
    return fma_or_twice(twice * square, horner(coefficients(x.dtype).LOG1P_TAIL, square), twice + positive_part(x))


def log(x: Expr, tables: int) -> Expr:
    """The natural logarithm."""
    return log_ends(log_of(*reduced(x)), x)


def log_of(e: Expr, f: Expr) -> Expr:
    """log(2^e (1 + f))."""
    c = coefficients(f.dtype)
    if f.dtype == "f32":
        near = fma_or_twice(-f * f, horner(c.LOG_TAIL, f), fma_or_twice(e, c.LN2[1], f))
    else:
        s = f / fma_or_twice(f, 2.0, 4.0)
        whole, square = f * f, s * s
        series = fma_or_twice(square, horner(c.LOG_QUOTIENT, square), whole)
        near = fma_or_twice(s, series, fma_or_twice(whole, -0.5, fma_or_twice(e, c.LN2[1], f)))
    return fma_or_twice(e, c.LN2[0], near)


_BOTH: dict[str, Form] = {
    "log": log,
    "tanh": tanh,
    "sigmoid": sigmoid,
    "silu": silu,
    "gelu_tanh": gelu_tanh,
    "softplus": softplus,
    "tanh_inv": tanh_slope,
    "sigmoid_inv": sigmoid_slope,
    "silu_inv": silu_slope,
    "softplus_inv": sigmoid,
}
_POWERS: dict[str, Form] = {
    "exp": exp,
    "exp2": exp2,
    "exp_inv": exp,
    "exp2_inv": exp2_slope,
    "elu_inv": lambda x, tables: exp(minimum(x, 0.0), tables),
}
FORMS: dict[str, dict[str, Form]] = {
    "f32": {**_BOTH, "gelu": gelu, "gelu_inv": gelu_slope},
    "f64": {**_BOTH, **_POWERS},
}
"""For each type: the function or, with "_inv", the slope by its name. Its arguments are x and the number of f32 that
one instruction looks up. In f64 the accurate gelu is faster than other libraries' and is used as it is."""


def off_midpoints(name: str, value: Expr, x: Expr, tables: int) -> Expr:
    """Return the standard form's value of x for a result that is then rounded to f16, correct for every f16 argument.

    An f32 within an ulp or two of the function may lie on the other side of the midpoint of two f16, or on it. All
    65,536 arguments were tried. The few that are affected have their values, rounded to odd, in a table.
    """
    for at, better in MIDPOINTS.get((name, tables >= INTERVALS), ()):
        value = select(x == at, better, value)
    return value

"""Activations made of e^-y, y = |x|: sigmoid, silu, tanh, softplus, and their slopes.

    t = e^-y / (1 + e^-y),   sigmoid(x) = t for x < 0, 1 - t for x >= 0,   tanh(x) = (1 - 2 t(2 y)) sign(x)
    silu(x) = max(x, 0) - y t,   softplus(x) = max(x, 0) + log(1 + e^-y)

e^-y is never above 1, so nothing overflows and every tail keeps its relative accuracy. The accurate forms carry t as a
pair of numbers; the last addition rounds, and denormal results are rounded once more.
"""

from __future__ import annotations

from typing import NamedTuple

from .activations_constants import LOG1P_FAST, LOG1P_TAIL
from .activations_exp import FAR, LOW, exp_near, exp_pair
from .expr import Expr, bits, clamp, constant_bits, fma, from_bits, ldexp, maximum, minimum, select
from .pairs import Pair, chosen, exact_sum, minus, plus, quotient, scaled, times
from .polynomials import horner

NORMAL = 87.0
"""e^-87 and e^87 are normal numbers: the fast forms stop there."""
REACH = 126
VANISHED = 112.0
"""y e^-y is below half the smallest denormal."""


class Tail(NamedTuple):
    """t = 2^n part, whatever its size; `near` is t itself where it is above 2^-60, and as good as 0 elsewhere."""

    part: Pair
    n: Expr
    near: Pair

    def down(self, value: Expr) -> Expr:
        """2^n value, through denormals to 0."""
        return ldexp(value, self.n, FAR)


def tail(e: Pair, n: Expr) -> Tail:
    """t = E / (1 + E) of E = 2^n e <= 1."""
    # 2^-60 stands for all that is less: 1 + E is the same
    scale = ldexp(exact_one(n), maximum(n, -60.0), REACH)
    part = quotient(e, plus(1.0, Pair(e.high * scale, e.low * scale)))
    return Tail(part, n, Pair(part.high * scale, part.low * scale))


def exact_one(like: Expr) -> Expr:
    """1, of an expression's type."""
    return (like - like) + 1.0

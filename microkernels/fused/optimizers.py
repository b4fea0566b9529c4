"""Optimizer steps. They work in place: the new weights and states may overwrite the old ones.

Quantities that change from step to step are operands of one element: the rate, and Adam's corrections c1 = 1 - beta1^t
and c2 = 1 - beta2^t. Constants are options of the request. `decay` is the weight decay; sgd, momentum and adam add it
to the gradient, adamw applies it to the weights.

Sources: Georganas et al., Tensor Processing Primitives, section 5 (split SGD); Kingma, Ba, Adam, 2015; Loshchilov,
Hutter, Decoupled Weight Decay Regularization, 2019.
"""

from __future__ import annotations

from ..errors import UnsupportedError
from ..expr.along import along, down
from ..expr.graph import Expr, call, constant, fma_or_twice, minimum, sqrt
from ..functions import bf16_split

_TINY = 2.0**-36
"""The least eps sqrt(1 - beta2) beside which 2^-62 is less than 1/4 ulp."""


def _decayed(g: Expr, w: Expr, decay: float) -> Expr:
    """Return the gradient plus that of decay / 2 w^2."""
    return fma_or_twice(w, decay, g) if decay else g


def sgd(w: Expr, g: Expr, rate: Expr, decay: float = 0.0) -> Expr:
    """w - rate (g + decay w)."""
    return fma_or_twice(_decayed(g, w, decay), -rate, w)


def momentum(w: Expr, v: Expr, g: Expr, rate: Expr, momentum: float = 0.9, decay: float = 0.0) -> tuple[Expr, Expr]:
    """v' = momentum v + g + decay w, w' = w - rate v'."""
    v = fma_or_twice(v, momentum, _decayed(g, w, decay))
    return fma_or_twice(v, -rate, w), v


def split_sgd(high: Expr, low: Expr, g: Expr, rate: Expr) -> tuple[Expr, Expr]:
    """w - rate g, for f32 weights split into their upper 16 bits (high, a bf16) and their lower 16 bits (low, a
    u16)."""
    if high.dtype != "f32":
        raise UnsupportedError(
            "split_sgd: high and low are halves of f32 and cannot be computed in "
            f"{high.dtype}; the gradient must be an f32, bf16 or f16"
        )
    high, low = bf16_split.unpack(fma_or_twice(g, -rate, bf16_split.pack(high, low)), out=("bf16", "u16"))
    return high, low


def adam(
    w: Expr,
    m: Expr,
    v: Expr,
    g: Expr,
    rate: Expr,
    c1: Expr,
    c2: Expr,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
    decay: float = 0.0,
) -> tuple[Expr, Expr, Expr]:
    """m' = beta1 m + (1 - beta1) g, v' = beta2 v + (1 - beta2) g^2, w' = w - rate / c1 m' / (sqrt(v' / c2) + eps)."""
    return _adam(w, m, v, _decayed(g, w, decay), rate, c1, c2, beta1, beta2, eps)


def adamw(
    w: Expr,
    m: Expr,
    v: Expr,
    g: Expr,
    rate: Expr,
    c1: Expr,
    c2: Expr,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
    decay: float = 0.01,
) -> tuple[Expr, Expr, Expr]:
    """As adam, with w' = w (1 - rate decay) - rate / c1 m' / (sqrt(v' / c2) + eps)."""
    return _adam(fma_or_twice(rate * -decay, w, w), m, v, g, rate, c1, c2, beta1, beta2, eps)


def _adam(
    decayed: Expr,
    m: Expr,
    v: Expr,
    g: Expr,
    rate: Expr,
    c1: Expr,
    c2: Expr,
    beta1: float,
    beta2: float,
    eps: float,
) -> tuple[Expr, Expr, Expr]:
    """One square root and one division: m' / (sqrt(v' / c2) + eps) = m' sqrt(c2) / (sqrt(v') + eps sqrt(c2)).

    c2 is at least 1 - beta2. If eps sqrt(c2) is not tiny, the roots of denormal v' do not count beside it.
    """
    m = fma_or_twice(m, beta1, g * (1 - beta1))
    v = fma_or_twice(v, beta2, g * g * (1 - beta2))
    root = sqrt(c2)
    step = rate * root / c1
    size = call("sqrt_nearly", v) if eps * eps * (1 - beta2) > _TINY**2 else sqrt(v)
    return fma_or_twice(m / fma_or_twice(root, eps, size), -step, decayed), m, v


def clip_norm(g: Expr, squares: Expr, most: float = 1.0) -> Expr:
    """g min(1, most / sqrt(squares)), squares the sum of the squares of all gradients; 0 gives g."""
    return g * minimum(constant(1.0, g.dtype), constant(most, g.dtype) / sqrt(squares))


def clip_own_norm(g: Expr, most: float = 1.0) -> tuple[Expr, Expr]:
    """g min(1, most / norm), norm = sqrt(sum of the squares of all elements of g), and the norm; 0 gives g."""
    norm = sqrt(down("sum", along("sum", g * g)))
    return g * minimum(constant(1.0, g.dtype), constant(most, g.dtype) / norm), norm

"""Optimizer steps. They work in place: the new weights and states may overwrite the old ones.

Quantities that change from step to step are operands of one element: the rate, and Adam's corrections c1 = 1 - beta1^t
and c2 = 1 - beta2^t. Constants are options of the request. `decay` is the weight decay; sgd, momentum, adam,
adagrad and rmsprop add it to the gradient, adamw and lion apply it to the weights.

Sources: Georganas et al., Tensor Processing Primitives, section 5 (split SGD); Kingma, Ba, Adam, 2015; Loshchilov,
Hutter, Decoupled Weight Decay Regularization, 2019; Reddi et al., On the Convergence of Adam and Beyond, 2018; You et
al., Large Batch Optimization for Deep Learning: Training BERT in 76 minutes, 2020, algorithm 2; Duchi et al., Adaptive
Subgradient Methods, 2011; Tieleman, Hinton, Lecture 6.5 (RMSProp), 2012; Chen et al., Symbolic Discovery of
Optimization Algorithms, 2023 (Lion).
"""

from __future__ import annotations

from ...encoder.records import NamedTuple
from ..errors import UnsupportedError
from ..expr.along import along, down
from ..expr.graph import Expr, call, constant, fma_or_twice, maximum, minimum, select, sqrt
from ..functions import bf16_split

NUMBERS = "rate", "c1", "c2"
"""The operands of one element. They have the type of the arithmetic, as sums have."""


class StepOperands(NamedTuple):
    """What the function of a step reads, in order, and what of it its first results are written over; then it has as
    many sums over all elements."""

    read: tuple[str, ...]
    written: tuple[str, ...]
    sums: int = 0

    @property
    def places(self) -> tuple[int, ...]:
        """The operands that are written, by their places."""
        return tuple(map(self.read.index, self.written))


def _step(read: str, written: str, sums: int = 0) -> StepOperands:
    return StepOperands(tuple(read.split()), tuple(written.split()), sums)


STEPS = {
    "sgd": _step("w g rate", "w"),
    "momentum": _step("w v g rate", "w v"),
    "split_sgd": _step("high low g rate", "high low"),
    "split_momentum": _step("high low v g rate", "high low v"),
    "adam": _step("w m v g rate c1 c2", "w m v"),
    "adamw": _step("w m v g rate c1 c2", "w m v"),
    "amsgrad": _step("w m v most g rate c1 c2", "w m v most"),
    "adagrad": _step("w v g rate", "w v"),
    "rmsprop": _step("w v g rate", "w v"),
    "rmsprop_centered": _step("w v a g rate", "w v a"),
    "rmsprop_momentum": _step("w v b g rate", "w v b"),
    "rmsprop_centered_momentum": _step("w v a b g rate", "w v a b"),
    "lion": _step("w m g rate", "w m"),
    "lamb_moments": _step("w m v g c1 c2", "m v", 2),
    "lamb": _step("w m v rate c1 c2", "w"),
}
"""The functions of this module that are steps of whole parameters, by name."""

_TINY = 2.0**-36
"""The least eps sqrt(1 - beta2) beside which 2^-62 is less than 1/4 ulp."""


def _decayed(g: Expr, w: Expr, decay: float) -> Expr:
    """Return the gradient plus that of decay / 2 w^2."""
    return fma_or_twice(w, decay, g) if decay else g


def sgd(w: Expr, g: Expr, rate: Expr, decay: float = 0.0) -> Expr:
    """w - rate (g + decay w)."""
    return fma_or_twice(_decayed(g, w, decay), -rate, w)


def momentum(
    w: Expr,
    v: Expr,
    g: Expr,
    rate: Expr,
    momentum: float = 0.9,
    decay: float = 0.0,
    dampening: float = 0.0,
    nesterov: bool = False,
) -> tuple[Expr, Expr]:
    """v' = momentum v + g + decay w, w' = w - rate v'.

    dampening   the share of the gradient that v does not take
    nesterov    whether w' = w - rate (g + decay w + momentum v')
    """
    return _with_momentum(w, v, g, rate, momentum, decay, dampening, nesterov)


def _with_momentum(
    w: Expr, v: Expr, g: Expr, rate: Expr, momentum: float, decay: float, dampening: float, nesterov: bool
) -> tuple[Expr, Expr]:
    g = _decayed(g, w, decay)
    v = fma_or_twice(v, momentum, g * (1 - dampening) if dampening else g)
    return fma_or_twice(fma_or_twice(v, momentum, g) if nesterov else v, -rate, w), v


def split_sgd(high: Expr, low: Expr, g: Expr, rate: Expr, decay: float = 0.0) -> tuple[Expr, Expr]:
    """w - rate g, for f32 weights split into their upper 16 bits (high, a bf16) and their lower 16 bits (low, a
    u16)."""
    w = joined(high, low)
    return halves(fma_or_twice(_decayed(g, w, decay), -rate, w))


def split_momentum(
    high: Expr,
    low: Expr,
    v: Expr,
    g: Expr,
    rate: Expr,
    momentum: float = 0.9,
    decay: float = 0.0,
    dampening: float = 0.0,
    nesterov: bool = False,
) -> tuple[Expr, Expr, Expr]:
    """As momentum, for weights that are split as those of split_sgd."""
    w, v = _with_momentum(joined(high, low), v, g, rate, momentum, decay, dampening, nesterov)
    return *halves(w), v


def joined(high: Expr, low: Expr) -> Expr:
    """The f32 of these halves."""
    if high.dtype != "f32":
        raise UnsupportedError(
            "split_sgd: high and low are halves of f32 and cannot be computed in "
            f"{high.dtype}; the gradient must be an f32, bf16 or f16"
        )
    return bf16_split.pack(high, low)


def halves(w: Expr) -> tuple[Expr, Expr]:
    """The upper 16 bits of an f32 as a bf16, and its lower 16 bits as a u16."""
    high, low = bf16_split.unpack(w, out=("bf16", "u16"))
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


def amsgrad(
    w: Expr,
    m: Expr,
    v: Expr,
    most: Expr,
    g: Expr,
    rate: Expr,
    c1: Expr,
    c2: Expr,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
    decay: float = 0.0,
    decoupled: bool = False,
) -> tuple[Expr, Expr, Expr, Expr]:
    """As adam, or as adamw if `decoupled`, with the greatest v' so far in place of v'."""
    decayed = fma_or_twice(rate * -decay, w, w) if decoupled else w
    m, v = _moments(m, v, g if decoupled else _decayed(g, w, decay), beta1, beta2)
    most = maximum(most, v)
    return _moved(decayed, m, most, rate, c1, c2, beta2, eps), m, v, most


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
    m, v = _moments(m, v, g, beta1, beta2)
    return _moved(decayed, m, v, rate, c1, c2, beta2, eps), m, v


def adagrad(w: Expr, v: Expr, g: Expr, rate: Expr, eps: float = 1e-10, decay: float = 0.0) -> tuple[Expr, Expr]:
    """g' = g + decay w, v' = v + g'^2, w' = w - rate g' / (sqrt(v') + eps)."""
    g = _decayed(g, w, decay)
    v = fma_or_twice(g, g, v)
    return fma_or_twice(g / (sqrt(v) + eps), -rate, w), v


def rmsprop(
    w: Expr, v: Expr, g: Expr, rate: Expr, alpha: float = 0.99, eps: float = 1e-8, decay: float = 0.0
) -> tuple[Expr, ...]:
    """g' = g + decay w, v' = alpha v + (1 - alpha) g'^2, w' = w - rate g' / (sqrt(v') + eps)."""
    return _rmsprop(w, v, None, None, g, rate, alpha, eps, decay)


def rmsprop_centered(w: Expr, v: Expr, a: Expr, g: Expr, rate: Expr, **constants: float) -> tuple[Expr, ...]:
    """As rmsprop, with v' - a'^2 in place of v' in the root, where a' = alpha a + (1 - alpha) g'."""
    return _rmsprop(w, v, a, None, g, rate, **constants)


def rmsprop_momentum(w: Expr, v: Expr, b: Expr, g: Expr, rate: Expr, **constants: float) -> tuple[Expr, ...]:
    """As rmsprop, where b' = momentum b + the direction of rmsprop, w' = w - rate b'."""
    return _rmsprop(w, v, None, b, g, rate, **constants)


def rmsprop_centered_momentum(
    w: Expr, v: Expr, a: Expr, b: Expr, g: Expr, rate: Expr, **constants: float
) -> tuple[Expr, ...]:
    """As rmsprop_momentum with the direction of rmsprop_centered."""
    return _rmsprop(w, v, a, b, g, rate, **constants)


def _rmsprop(
    w: Expr,
    v: Expr,
    a: Expr | None,
    b: Expr | None,
    g: Expr,
    rate: Expr,
    alpha: float,
    eps: float,
    decay: float,
    momentum: float = 0.0,
) -> tuple[Expr, ...]:
    """Return w', v', and a' and b' if there are such. a: the mean of gradients; b: the direction with momentum."""
    g = _decayed(g, w, decay)
    v = fma_or_twice(v, alpha, g * g * (1 - alpha))
    a = a if a is None else fma_or_twice(a, alpha, g * (1 - alpha))
    direction = g / (sqrt(v if a is None else v - a * a) + eps)
    b = b if b is None else fma_or_twice(b, momentum, direction)
    kept = (each for each in (a, b) if each is not None)
    return fma_or_twice(direction if b is None else b, -rate, w), v, *kept


def lion(
    w: Expr, m: Expr, g: Expr, rate: Expr, beta1: float = 0.9, beta2: float = 0.99, decay: float = 0.0
) -> tuple[Expr, Expr]:
    """w' = w - rate (sign(beta1 m + (1 - beta1) g) + decay w), m' = beta2 m + (1 - beta2) g."""
    u = fma_or_twice(m, beta1, g * (1 - beta1))
    sign = select(u > 0.0, 1.0, select(u < 0.0, -1.0, u))  # of a NaN, the NaN
    return fma_or_twice(_decayed(sign, w, decay), -rate, w), fma_or_twice(m, beta2, g * (1 - beta2))


def _moments(m: Expr, v: Expr, g: Expr, beta1: float, beta2: float) -> tuple[Expr, Expr]:
    return fma_or_twice(m, beta1, g * (1 - beta1)), fma_or_twice(v, beta2, g * g * (1 - beta2))


def _moved(decayed: Expr, m: Expr, v: Expr, rate: Expr, c1: Expr, c2: Expr, beta2: float, eps: float) -> Expr:
    """One square root and one division: m' / (sqrt(v' / c2) + eps) = m' sqrt(c2) / (sqrt(v') + eps sqrt(c2)).

    c2 is at least 1 - beta2. If eps sqrt(c2) is not tiny, the roots of denormal v' do not count beside it.
    """
    root = sqrt(c2)
    step = rate * root / c1
    size = call("sqrt_nearly", v) if eps * eps * (1 - beta2) > _TINY**2 else sqrt(v)
    return fma_or_twice(m / fma_or_twice(root, eps, size), -step, decayed)


def lamb_moments(
    w: Expr, m: Expr, v: Expr, g: Expr, c1: Expr, c2: Expr, beta1: float, beta2: float, eps: float, decay: float
) -> tuple[Expr, Expr, Expr, Expr]:
    """LAMB's m' and v', which are Adam's, and the sums of the squares of w and of the direction of `lamb`."""
    m, v = _moments(m, v, g, beta1, beta2)
    u = _lamb_direction(w, m, v, c1, c2, eps, decay)
    return m, v, down("sum", along("sum", w * w)), down("sum", along("sum", u * u))


def lamb(w: Expr, m: Expr, v: Expr, rate: Expr, c1: Expr, c2: Expr, eps: float, decay: float) -> Expr:
    """w - rate (m / c1 / (sqrt(v / c2) + eps) + decay w). rate: that of the step times |w| / |direction|."""
    return fma_or_twice(_lamb_direction(w, m, v, c1, c2, eps, decay), -rate, w)


def _lamb_direction(w: Expr, m: Expr, v: Expr, c1: Expr, c2: Expr, eps: float, decay: float) -> Expr:
    return _decayed(m / c1 / (sqrt(v / c2) + eps), w, decay)


def clip_norm(g: Expr, squares: Expr, most: float = 1.0) -> Expr:
    """g min(1, most / sqrt(squares)), squares the sum of the squares of all gradients; 0 gives g."""
    return g * minimum(constant(1.0, g.dtype), constant(most, g.dtype) / sqrt(squares))


def clip_own_norm(g: Expr, most: float = 1.0) -> tuple[Expr, Expr]:
    """g min(1, most / norm), norm = sqrt(sum of the squares of all elements of g), and the norm; 0 gives g."""
    norm = sqrt(down("sum", along("sum", g * g)))
    return g * minimum(constant(1.0, g.dtype), constant(most, g.dtype) / norm), norm

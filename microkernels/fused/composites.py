"""Composites: softmax, norms and their like, written with reductions along rows.

Each is a Python function of expressions, for traced functions and for kernels of its own (`ts.fused`). Source of the
formulas: Georganas et al., Tensor Processing Primitives, section 4, and the papers that it names.
"""

from __future__ import annotations

from collections.abc import Callable

from ...encoder.records import NamedTuple
from ..expr.along import along
from ..expr.graph import Expr, call, fma, sqrt
from ..functions.exp import shift_of


def softmax(x: Expr) -> Expr:
    """e^(x - max x) / sum of the same."""
    powers = call("exp_shifted", x, *shift_of(along("max", x)))
    return powers * (1.0 / along("sum", powers))


def log_softmax(x: Expr) -> Expr:
    """x - max x - log(sum of e^(x - max x))."""
    shifted = x - along("max", x)
    return shifted - call("log", along("sum", call("exp", shifted)))


def softmax_inv(g: Expr, p: Expr) -> Expr:
    """The derivative: p (g - sum(g p)), of the result p and the gradient g."""
    return p * (g - along("sum", g * p))


def layernorm(x: Expr, gamma: Expr, beta: Expr, eps: float = 1e-5) -> Expr:
    """gamma (x - mean x) / sqrt(mean (x - mean x)^2 + eps) + beta."""
    centred = x - along("mean", x)
    scale = 1.0 / sqrt(along("mean", centred * centred) + eps)
    return fma(centred * scale, gamma, beta)


def rmsnorm(x: Expr, gamma: Expr, eps: float = 1e-6) -> Expr:
    """gamma x / sqrt(mean x^2 + eps)."""
    scale = 1.0 / sqrt(along("mean", x * x) + eps)
    return x * scale * gamma


class Composite(NamedTuple):
    """A function of expressions; rows: inputs of one row, all others are matrices."""

    function: Callable[..., Expr]
    inputs: tuple[str, ...]
    rows: tuple[str, ...] = ()
    options: tuple[str, ...] = ()

    @property
    def formula(self) -> str:
        """One line."""
        return (self.function.__doc__ or "").rstrip(".")


COMPOSITES = {
    "softmax": Composite(softmax, ("x",)),
    "softmax_inv": Composite(softmax_inv, ("g", "p")),
    "log_softmax": Composite(log_softmax, ("x",)),
    "layernorm": Composite(layernorm, ("x", "gamma", "beta"), ("gamma", "beta"), ("eps",)),
    "rmsnorm": Composite(rmsnorm, ("x", "gamma"), ("gamma",), ("eps",)),
}

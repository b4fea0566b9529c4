"""The elementwise primitives by name: each is an expression, most of them of one node.

Unary functions take (x), binary (a, b), ternary (a, b, c). Activations are nodes of "call", which are expanded when the
kernel's accuracy and machine are known (`graph.call`, `graph.expand`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..expr.graph import FLOATS, Expr, apply, call, constant, fma, maximum, minimum, select, sqrt
from . import activations, bf16_split, quantize, threefry

LEAK = 0.01
"""Slope of leaky_relu below zero, as in PyTorch."""


def identity(x: Expr) -> Expr:
    """y = x, converted to the type of y."""
    return x


def zero(x: Expr) -> Expr:
    """y = 0; x is not read."""
    return constant(0, x.dtype)


def square(x: Expr) -> Expr:
    """y = x * x."""
    return x * x


def increment(x: Expr) -> Expr:
    """y = x + 1."""
    return x + 1


def decrement(x: Expr) -> Expr:
    """y = x - 1."""
    return x - 1


def negate(x: Expr) -> Expr:
    """y = -x."""
    return -x


def absolute(x: Expr) -> Expr:
    """y = |x|."""
    return abs(x)


def reciprocal(x: Expr) -> Expr:
    """y = 1 / x, rounded once."""
    return 1 / x


def rsqrt(x: Expr) -> Expr:
    """y = 1 / sqrt(x), both rounded."""
    return 1 / sqrt(x)


def relu(x: Expr) -> Expr:
    """y = max(x, 0)."""
    return maximum(x, 0)


def relu_mask(x: Expr) -> tuple[Expr, Expr]:
    """y0 = max(x, 0), y1 = bit for x > 0."""
    return maximum(x, 0), x > 0


def relu_inv(g: Expr, x: Expr) -> Expr:
    """The gradient of relu: g where x > 0, else 0."""
    return select(x > 0, g, constant(0, g.dtype))


def relu_mask_inv(g: Expr, mask: Expr) -> Expr:
    """The gradient of relu by its mask: g where the bit is set, else 0."""
    return select(mask, g, constant(0, g.dtype))


def leaky_relu(x: Expr) -> Expr:
    """y = x if x > 0, else x / 100."""
    return select(x > 0, x, x * LEAK)


def leaky_relu_inv(g: Expr, x: Expr) -> Expr:
    """The gradient of leaky_relu: g where x > 0, else g / 100."""
    return select(x > 0, g, g * LEAK)


def muladd(a: Expr, b: Expr, c: Expr) -> Expr:
    """y = a * b + c; floats are rounded once."""
    return fma(a, b, c) if a.dtype in FLOATS else a * b + c


def nmuladd(a: Expr, b: Expr, c: Expr) -> Expr:
    """y = c - a * b; floats are rounded once."""
    return fma(-a, b, c) if a.dtype in FLOATS else c - a * b


def blend(a: Expr, b: Expr, mask: Expr) -> Expr:
    """y = b where the bit is set, else a."""
    return select(mask, b, a)


def _by_node(op: str, swapped: bool = False) -> Callable[[Expr, Expr], Expr]:
    def function(a: Expr, b: Expr) -> Expr:
        return apply(op, b, a) if swapped else apply(op, a, b)

    return function


def _by_call(name: str) -> Callable[..., Expr]:
    """A function that is expanded when the accuracy and the machine are known."""

    def function(*operands: Expr) -> Expr:
        return call(name, *operands)

    return function


UNARY: dict[str, Callable[..., Any]] = {
    "identity": identity, "zero": zero, "square": square, "sqrt": sqrt, "increment": increment,
    "decrement": decrement, "negate": negate, "abs": absolute, "reciprocal": reciprocal, "rsqrt": rsqrt,
    "relu": relu, "leaky_relu": leaky_relu, "relu_mask": relu_mask,
    "dropout": threefry.dropout, "dropout_mask": threefry.dropout_mask, "round_stochastic": threefry.round_stochastic,
    "random": threefry.random, "uniform": threefry.uniform,
    "quantize": quantize.quantize_by, "dequantize": quantize.dequantize_by,
    "unpack": bf16_split.unpack, "split2": bf16_split.split2, "split3": bf16_split.split3,
    "replicate_columns": identity,
    **{name: _by_call(name) for name in activations.FUNCTIONS},
}  # fmt: skip
BINARY: dict[str, Callable[..., Any]] = {
    "add": _by_node("add"), "sub": _by_node("sub"), "mul": _by_node("mul"), "div": _by_node("div"),
    "max": maximum, "min": minimum, "lt": _by_node("lt"), "le": _by_node("le"), "gt": _by_node("lt", True),
    "ge": _by_node("le", True), "eq": _by_node("eq"), "ne": _by_node("ne"),
    "relu_inv": relu_inv, "leaky_relu_inv": leaky_relu_inv, "relu_mask_inv": relu_mask_inv,
    "dropout_inv": threefry.dropout_inv, "quantize": quantize.quantize, "dequantize": quantize.dequantize,
    "pack": bf16_split.pack,
    **{name: _by_call(name) for name in activations.GRADIENTS},
}  # fmt: skip
TERNARY: dict[str, Callable[..., Any]] = {"muladd": muladd, "nmuladd": nmuladd, "blend": blend,
           "quantize": quantize.quantize, "dequantize": quantize.dequantize}  # fmt: skip
MASKED = {"relu_mask_inv": 1, "dropout_inv": 1, "blend": 2}
"""Functions with an operand that is a mask of bits -> the position of that operand."""
USUAL: dict[str, dict[str, Any]] = {
    "unpack": {"out": ("bf16", "u16")}, "split2": {"out": "bf16"}, "split3": {"out": "bf16"},
    "pack": {"dtype": ("bf16", "u16"), "out": "f32"}, "replicate_columns": {"bcast": "col"},
}  # fmt: skip
"""Defaults of a request's arguments, for functions whose defaults are special."""
ONLY: dict[str, tuple[tuple[str, ...], ...]] = {"pack": (("bf16", "u16"), ("u16", "u16"))}
"""The types of operands that a function takes, where those are not all types."""
MADE = {"random": "i32", "uniform": "f32"}
"""Functions of no operand -> the default type of their result."""

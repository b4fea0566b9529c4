"""Gated activations and rotary positions, element by element, with their derivatives.

Sources: Shazeer, GLU Variants Improve Transformer, 2020 (swiglu, geglu); Su et al., RoFormer, 2021 (rope).
"""

from __future__ import annotations

from ..expr.graph import Expr, call, fma_or_twice


def swiglu(a: Expr, b: Expr) -> Expr:
    """silu(a) b; a and b may be halves of the rows of one matrix, lda=2 * n, ldb=2 * n."""
    return call("silu", a) * b


def geglu(a: Expr, b: Expr) -> Expr:
    """gelu(a) b; a and b may be halves of the rows of one matrix, lda=2 * n, ldb=2 * n."""
    return call("gelu", a) * b


def swiglu_inv(g: Expr, a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """The derivatives: ga = g b silu'(a), gb = g silu(a)."""
    return call("silu_inv", g * b, a), g * call("silu", a)


def geglu_inv(g: Expr, a: Expr, b: Expr) -> tuple[Expr, Expr]:
    """The derivatives: ga = g b gelu'(a), gb = g gelu(a)."""
    return call("gelu_inv", g * b, a), g * call("gelu", a)


def rope(x0: Expr, x1: Expr, cos: Expr, sin: Expr) -> tuple[Expr, Expr]:
    """y0 = x0 cos - x1 sin, y1 = x1 cos + x0 sin; x0 and x1 are the halves of the rows of a matrix (m, 2 n)."""
    return fma_or_twice(x0, cos, -(x1 * sin)), fma_or_twice(x1, cos, x0 * sin)


def rope_inv(x0: Expr, x1: Expr, cos: Expr, sin: Expr) -> tuple[Expr, Expr]:
    """The inverse rotation, which is the derivative too: y0 = x0 cos + x1 sin, y1 = x1 cos - x0 sin."""
    return fma_or_twice(x0, cos, x1 * sin), fma_or_twice(x1, cos, -(x0 * sin))

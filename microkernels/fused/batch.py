"""Batch normalisation of matrices with a channel in each column (images as rows of pixels, channels last).

Statistics of columns are known when the last row was read, so a layer is three kernels: `batch_mean`, `batch_variance`
around it, and `batchnorm`. What depends on columns alone, the inverse deviation 1 / sqrt(variance + eps) and running
means, is a kernel of one row: ts.equation(lambda v: 1.0 / ts.sqrt(v + 1e-5), v=(1, n)). The derivative is two kernels:
`batchnorm_sums`, then `batchnorm_inv`.

Source: Ioffe, Szegedy, Batch Normalization, 2015; Georganas et al., Tensor Processing Primitives, section 4.
"""

from __future__ import annotations

from ..expr.along import down
from ..expr.graph import Expr, fma


def batch_mean(x: Expr) -> Expr:
    """The mean of each column."""
    return down("mean", x)


def batch_variance(x: Expr, mean: Expr) -> Expr:
    """mean (x - mean)^2 of each column."""
    near = x - mean
    return down("mean", near * near)


def batchnorm(x: Expr, mean: Expr, inverse: Expr, gamma: Expr, beta: Expr) -> Expr:
    """gamma (x - mean) inverse + beta, inverse = 1 / sqrt(variance + eps)."""
    return fma((x - mean) * inverse, gamma, beta)


def batchnorm_sums(g: Expr, x: Expr, mean: Expr, inverse: Expr) -> tuple[Expr, Expr]:
    """By gamma, beta: sums of g z and of g down the columns, z = (x - mean) inverse."""
    return down("sum", g * ((x - mean) * inverse)), down("sum", g)


def batchnorm_inv(
    g: Expr, x: Expr, mean: Expr, inverse: Expr, gamma: Expr, ggamma: Expr, gbeta: Expr, share: Expr
) -> Expr:
    """By x: gamma inverse (g - share gbeta - z share ggamma), share = 1 / m, z = (x - mean) inverse."""
    z = (x - mean) * inverse
    return (g - share * gbeta - z * (share * ggamma)) * (gamma * inverse)

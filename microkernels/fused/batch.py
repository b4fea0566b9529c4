"""Batch normalisation of matrices with a channel in each column (images as rows of pixels, channels last).

`batchnorm_training` and `batchnorm_training_inv` sweep over the rows several times in one kernel. The other composites
are these sweeps as separate kernels, for batches whose rows are spread over processes or arrive in parts: `batch_mean`,
`batch_variance` around that mean, then `batchnorm`; for the derivative `batchnorm_sums`, then `batchnorm_inv`. Values
that depend only on the column, such as the inverse deviation 1 / sqrt(variance + eps) and running means, take a kernel
of one row: ts.equation(lambda v: 1.0 / ts.sqrt(v + 1e-5), v=(1, n)).

Source: Ioffe, Szegedy, Batch Normalization, 2015; Georganas et al., Tensor Processing Primitives, section 4.
"""

from __future__ import annotations

from ..expr.along import down
from ..expr.graph import Expr, fma_or_twice
from .normalized import statistics


def batchnorm_training(x: Expr, gamma: Expr, beta: Expr, eps: float = 1e-5) -> tuple[Expr, Expr, Expr]:
    """gamma (x - mean) inverse + beta, and mean, inverse = 1 / sqrt(mean (x - mean)^2 + eps) of each column."""
    mean, inverse = statistics(x, eps, down)
    return batchnorm(x, mean, inverse, gamma, beta), mean, inverse


def batchnorm_training_inv(g: Expr, x: Expr, mean: Expr, inverse: Expr, gamma: Expr) -> tuple[Expr, Expr, Expr]:
    """By x, gamma, beta: gamma inverse (g - mean g - z mean(g z)); sums of g z and of g down the columns.

    z = (x - mean) inverse.
    """
    z = (x - mean) * inverse
    gx = (g - down("mean", g) - z * down("mean", g * z)) * (gamma * inverse)
    return gx, down("sum", g * z), down("sum", g)


def batch_mean(x: Expr) -> Expr:
    """The mean of each column."""
    return down("mean", x)


def batch_variance(x: Expr, mean: Expr) -> Expr:
    """mean (x - mean)^2 of each column."""
    near = x - mean
    return down("mean", near * near)


def batchnorm(x: Expr, mean: Expr, inverse: Expr, gamma: Expr, beta: Expr) -> Expr:
    """gamma (x - mean) inverse + beta, inverse = 1 / sqrt(variance + eps)."""
    return fma_or_twice((x - mean) * inverse, gamma, beta)


def batchnorm_sums(g: Expr, x: Expr, mean: Expr, inverse: Expr) -> tuple[Expr, Expr]:
    """By gamma, beta: sums of g z and of g down the columns, z = (x - mean) inverse."""
    return down("sum", g * ((x - mean) * inverse)), down("sum", g)


def batchnorm_inv(
    g: Expr, x: Expr, mean: Expr, inverse: Expr, gamma: Expr, ggamma: Expr, gbeta: Expr, share: Expr
) -> Expr:
    """By x: gamma inverse (g - share gbeta - z share ggamma), share = 1 / m, z = (x - mean) inverse."""
    z = (x - mean) * inverse
    return (g - share * gbeta - z * (share * ggamma)) * (gamma * inverse)

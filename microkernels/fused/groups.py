"""Group normalisation of images whose channels lie one behind the other: (images, channels, pixels).

A group of channels is one run of memory, so a matrix with a group in each row has its statistics in one walk:
`group_stats`. gamma and beta are of channels, so the same memory with a channel in each row is scaled by `groupnorm`,
which takes the mean and inverse of its group for each channel: np.repeat(mean, channels_of_a_group, axis=0). Image by
image, the second kernel reads what the first one left in the cache.

    z = (x - mean) inverse,  y = gamma z + beta
    gx = inverse (g gamma - mean of g gamma - z mean of g gamma z),  means over the group

The derivative's means are sums over channels of gamma times what `groupnorm_sums` found for each: with n elements in a
group, share_g = sum(gamma gbeta) / n and share_gz = sum(gamma ggamma) / n. One group is layer norm, one channel in a
group instance norm.

Source: Wu, He, Group Normalization, 2018; Georganas et al., Tensor Processing Primitives, section 5.1.2.
"""

from __future__ import annotations

from ..expr.along import along
from ..expr.graph import Expr, fma_or_twice
from .normalized import statistics


def group_stats(x: Expr, eps: float = 1e-5) -> tuple[Expr, Expr]:
    """A group in each row: mean x, inverse = 1 / sqrt(mean (x - mean x)^2 + eps)."""
    return statistics(x, eps)


def groupnorm(x: Expr, mean: Expr, inverse: Expr, gamma: Expr, beta: Expr) -> Expr:
    """A channel in each row: gamma (x - mean) inverse + beta, mean and inverse those of its group."""
    return fma_or_twice(x - mean, inverse * gamma, beta)


def groupnorm_sums(g: Expr, x: Expr, mean: Expr, inverse: Expr) -> tuple[Expr, Expr]:
    """By gamma, beta, a channel in each row: sums of g z and of g along it, z = (x - mean) inverse."""
    return along("sum", g * (x - mean)) * inverse, along("sum", g)


def groupnorm_inv(g: Expr, x: Expr, mean: Expr, inverse: Expr, gamma: Expr, share_g: Expr, share_gz: Expr) -> Expr:
    """By x, a channel in each row: inverse (g gamma - share_g - z share_gz), shares as means over the group.

    share_g is the mean of g gamma, share_gz that of g gamma z.
    """
    z = (x - mean) * inverse
    return (fma_or_twice(g, gamma, -share_g) - z * share_gz) * inverse

"""Group normalisation of images whose channels lie one behind the other: (images, channels, pixels).

    z = (x - mean) inverse,  y = gamma z + beta
    gx = inverse (g gamma - mean of g gamma - z mean of g gamma z),  means over the group

A matrix has a channel of an image in each row, so gamma and beta are columns. `groupnorm_training` and
`groupnorm_training_inv` are written for the rows of one group; `ts.fused` makes one kernel of all groups of all images
(microkernels/grouped). One group is layer norm, one channel in a group instance norm.

The other composites are parts of these as kernels of their own, where groups do not come at once. A group of channels
is one run of memory, so a matrix with a group in each row has its statistics in one walk: `group_stats`. gamma and beta
are of channels, so the same memory with a channel in each row is scaled by `groupnorm`, which takes the mean and
inverse of its group for each channel: np.repeat(mean, channels_of_a_group, axis=0). The derivative's means are sums
over channels of gamma times what `groupnorm_sums` found for each: with n elements in a group, share_g =
sum(gamma gbeta) / n and share_gz = sum(gamma ggamma) / n; then `groupnorm_inv`.

Source: Wu, He, Group Normalization, 2018; Georganas et al., Tensor Processing Primitives, section 5.1.2.
"""

from __future__ import annotations

from ..expr.along import along, down
from ..expr.graph import Expr, fma_or_twice
from .normalized import centred, statistics


def of_all(name: str, x: Expr) -> Expr:
    """A reduction of all elements."""
    return down(name, along(name, x))


def groupnorm_training(x: Expr, gamma: Expr, beta: Expr, eps: float = 1e-5) -> tuple[Expr, Expr, Expr]:
    """gamma (x - mean) inverse + beta, and mean, inverse = 1 / sqrt(mean (x - mean)^2 + eps) of each group."""
    middle, scale = centred(x, eps, of_all)
    mean, inverse = statistics(x, eps, of_all)
    return fma_or_twice(middle * scale, gamma, beta), mean, inverse


def groupnorm_training_inv(g: Expr, x: Expr, mean: Expr, inverse: Expr, gamma: Expr) -> tuple[Expr, Expr, Expr]:
    """By x, gamma, beta: inverse (h - mean h - z mean(h z)), h = g gamma, means over the group; sums of g z and of g.

    z = (x - mean) inverse; sums are those of each channel, over all samples.
    """
    z = (x - mean) * inverse
    share_g, share_gz = (down("mean", gamma * along("mean", each)) for each in (g, g * z))
    gx = (fma_or_twice(g, gamma, -share_g) - z * share_gz) * inverse
    return gx, along("sum", g * z), along("sum", g)


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

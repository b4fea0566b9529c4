"""Group normalisation of images with channels first: (images, channels, pixels).

    z = (x - mean) inverse,  y = gamma z + beta
    gx = inverse (g gamma - mean of g gamma - z mean of g gamma z),  means over the group

Each row of the matrix is one channel of one image, so gamma and beta are columns. `groupnorm_training` and
`groupnorm_training_inv` describe the rows of one group; `ts.fused` makes one kernel for all groups of all images
(microkernels/grouped). With a single group this is layer norm, with one channel per group instance norm.

The other composites are parts of these as separate kernels, for groups that are not available at once. The channels of
a group are contiguous, so the same memory, viewed as a matrix with one group per row, gives the statistics in one pass:
`group_stats`. gamma and beta belong to channels, so `groupnorm` scales the view with one channel per row and takes the
mean and inverse of the group for each channel: np.repeat(mean, channels_of_a_group, axis=0). The derivative needs means
over the group, which are sums over its channels of gamma times the results of `groupnorm_sums`: with n elements in a
group, share_g = sum(gamma gbeta) / n and share_gz = sum(gamma ggamma) / n. `groupnorm_inv` takes both.

Source: Wu, He, Group Normalization, 2018; Georganas et al., Tensor Processing Primitives, section 5.1.2.
"""

from __future__ import annotations

from ..expr.along import along, down
from ..expr.graph import Expr, fma_or_twice
from .normalized import centred, statistics


def of_all(name: str, x: Expr) -> Expr:
    """Return the reduction of all elements."""
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
    """mean x and inverse = 1 / sqrt(mean (x - mean x)^2 + eps) of each row, which holds one group."""
    return statistics(x, eps)


def groupnorm(x: Expr, mean: Expr, inverse: Expr, gamma: Expr, beta: Expr) -> Expr:
    """gamma (x - mean) inverse + beta; each row holds one channel, mean and inverse are those of its group."""
    return fma_or_twice(x - mean, inverse * gamma, beta)


def groupnorm_sums(g: Expr, x: Expr, mean: Expr, inverse: Expr) -> tuple[Expr, Expr]:
    """By gamma, beta: sums of g z and of g along each row, which holds one channel; z = (x - mean) inverse."""
    return along("sum", g * (x - mean)) * inverse, along("sum", g)


def groupnorm_inv(g: Expr, x: Expr, mean: Expr, inverse: Expr, gamma: Expr, share_g: Expr, share_gz: Expr) -> Expr:
    """By x: inverse (g gamma - share_g - z share_gz); each row holds one channel.

    share_g is the mean of g gamma over the group, share_gz the mean of g gamma z.
    """
    z = (x - mean) * inverse
    return (fma_or_twice(g, gamma, -share_g) - z * share_gz) * inverse

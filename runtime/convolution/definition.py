"""Convolutions by their definition, as places of memory: what the proof of a layer compares its calls with."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as every

import numpy as np

from ..arguments.arrays import Array
from ..arguments.layouts import MemoryLayout
from ..verify.terms import ABSENT, FILL, SumOfProducts
from .geometry import Geometry


def defined(
    g: Geometry, backwards: bool, x: MemoryLayout, y: MemoryLayout, more: Sequence[MemoryLayout], fill: int
) -> SumOfProducts:
    """Return a convolution, or the gradient of one by its data, by its definition. `x` and `y` are how the arrays lie
    that are read and written, `more` those of the further operands.

        y[n, k, p] = sum over c, t of x[n, c, stride p + dilation t - before] w[k, c, t]
        x[n, c, i] = sum over k, t of y[n, k, p] w[k, c, t],  where stride p = i + before - dilation t
    """
    shape, read, channels = (g.x, g.y, (g.c, g.k)) if backwards else (g.y, g.x, (g.k, g.c))
    n, channel, *places = (each.ravel() for each in np.indices(shape))
    each_group, summed = (count // g.groups for count in channels)
    group, inside = np.divmod(channel, each_group)
    terms = list(every(range(summed), *map(range, g.taps)))
    of_c = np.array([each[0] for each in terms])
    taps = np.array([each[1:] for each in terms]).reshape(len(terms), -1).T

    def of_a(chosen: Array) -> Array:
        """Return the elements of what is read, each of which is counted from 1."""
        found = 1 + n[chosen, None] * x.strides[0] + (group[chosen, None] * summed + of_c) * x.strides[1]
        absent, outside = np.zeros(found.shape, bool), np.zeros(found.shape, bool)
        for axis, (before, _) in enumerate(g.padding):
            step, apart = g.stride[axis], g.dilation[axis]
            if backwards:
                at, rest = np.divmod(places[axis][chosen, None] + before - apart * taps[axis], step)
                absent |= rest != 0
            else:
                at = places[axis][chosen, None] * step + apart * taps[axis] - before
            outside |= (at < 0) | (at >= read[2 + axis])
            found = found + at * x.strides[2 + axis]
        return np.where(absent, ABSENT, np.where(outside, FILL, found))

    def of_b(chosen: Array) -> Array:
        """Return the elements of the weights (k, c / groups, *taps) as an array without gaps, counted from 1."""
        if backwards:
            of_k, of_own = group[chosen, None] * summed + of_c, inside[chosen, None]
        else:
            of_k, of_own = channel[chosen, None], of_c[None]
        flat = of_k * (g.c // g.groups) + of_own
        for axis, count in enumerate(g.taps):
            flat = flat * count + taps[axis]
        return np.asarray(1 + flat)

    axes = (n, channel, *places)
    return SumOfProducts(
        _place(y, axes),
        np.ravel_multi_index((n, group, *places), (g.n, g.groups, *shape[2:])),
        channel,
        of_a,
        of_b,
        tuple(_place(each, axes if len(each.strides) > 1 else axes[1:2]) for each in more),
        fill,
    )


def _place(lying: MemoryLayout, axes: Sequence[Array]) -> Array:
    total = np.zeros(len(axes[0]), int)
    for axis, stride in zip(axes, lying.strides, strict=True):
        total = total + axis * stride
    return np.asarray(total)

"""Gradients by the weights of dilated sequences of few channels, by phases.

Every d-th place of a sequence of dilation d is a sequence of dilation 1. If the places of x and dy are copied so that
those of a phase lie side by side, channels last, then the taps and the channels of x are neighbours: one product has
columns of all taps, where in place it would have the few channels of one tap. The phases are further images.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.tuning.contractions import CONTRACTIONS
from ..arguments.arrays import Array, address_of
from ..arguments.infer import type_of
from ..arguments.layouts import MemoryLayout, like, lying, new
from ..contraction.arrays import Summed, summed
from ..walks.permute import copy
from . import forms
from .geometry import Geometry
from .layouts import order_of, readable

if TYPE_CHECKING:
    from ...encoder.features import Target


class PhasedGradient:
    """The gradient by the weights of a sequence of stride 1: the phases of as many places as there are whole ones, and
    the rest, whose sums are added to it."""

    def __init__(self, g: Geometry, dy: Array, x: Array, target: Target) -> None:
        self.geometry, self.target, self.dtype, phases = g, target, type_of("x", x), g.dilation[0]
        places, rest = divmod(g.outputs[0], phases)
        self.whole = places * phases
        sums = "f32" if rest and ELEMENT_BYTES[self.dtype] == 2 else self.dtype
        self.result = like((g.k, g.c, *g.taps), (0, 2, 1), sums)
        sequence = g._replace(padding=((0, 0),))
        length = places + g.taps[0] - 1
        dense = sequence._replace(n=g.n * phases, inputs=(length,), outputs=(places,), dilation=(1,))
        self.main = self._summed(dense, *(like(each, (0, 2, 1), self.dtype) for each in (dense.y, dense.x)))
        self.rest = None
        if rest:
            kept = [each[..., self.whole :] for each in (readable(dy), self._padded(readable(x)))]
            last = sequence._replace(inputs=kept[1].shape[2:], outputs=(rest,))
            self.rest = self._summed(last, *map(lying, kept))

    def _summed(self, g: Geometry, dy: MemoryLayout, x: MemoryLayout) -> Summed:
        return summed(forms.by_weights(g, dy, x, self.result), self.target, "conv_by_weights")

    def _padded(self, x: Array) -> Array:
        before, behind = self.geometry.padding[0]
        if not before and not behind:
            return x
        shape = (*x.shape[:2], x.shape[2] + before + behind)
        made = new(shape, like(shape, order_of(x), self.dtype))
        made[...] = 0
        made[..., before : before + x.shape[2]] = x
        return made

    def _phased(self, array: Array, places: int, workers: int) -> Array:
        """Return a copy of sequences whose phases are images, with channels last."""
        of_phases = (*array.shape[:2], places, self.geometry.dilation[0])
        view = array[..., : places * of_phases[-1]].reshape(of_phases).transpose(0, 3, 2, 1)
        made = np.empty(view.shape, view.dtype)
        copy(view, made, workers, self.target)
        return made

    def __call__(self, dy: Array, x: Array, w: Array, workers: int) -> Array:
        """Return the gradient."""
        slope, data = readable(dy), self._padded(readable(x))
        places = self.whole // self.geometry.dilation[0]
        phased = [
            self._phased(each, count, workers) for each, count in ((slope, places), (data, places + w.shape[2] - 1))
        ]
        made = new(w.shape, self.result)
        self.main.at([*map(address_of, phased), address_of(made)], workers)
        if self.rest is not None:
            more = new(w.shape, self.result)
            self.rest.at([*(address_of(each[..., self.whole :]) for each in (slope, data)), address_of(more)], workers)
            made += more
        return made if made.dtype == w.dtype else np.asarray(made.astype(w.dtype))


def worth(g: Geometry, dy: Array, x: Array, target: Target) -> bool:
    """Whether the gradient by the weights is to be computed by phases: it is a sequence of few channels, and images of
    x and dy have channels or places as neighbours."""
    lanes, least = target.vector_bits // (8 * max(4, ELEMENT_BYTES[type_of("x", x)])), CONTRACTIONS.phased_weights
    if len(g.inputs) > 1 or g.groups > 1 or g.stride != (1,) or g.dilation == (1,) or g.taps == (1,):
        return False
    few = g.c < CONTRACTIONS.phased_vectors * lanes and g.taps[0] * g.k >= least
    long = g.outputs[0] >= g.dilation[0] * g.taps[0]
    return few and long and all(1 in lying(readable(each)).strides[1:] for each in (dy, x))

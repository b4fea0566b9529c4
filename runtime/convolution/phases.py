"""Gradients by the weights of dilated sequences of few channels, by phases.

Every d-th place of a sequence of dilation d is a sequence of dilation 1. If the places of x and dy are copied so that
those of a phase lie side by side, channels last, then the taps and the channels of x are neighbours: one product has
columns of all taps, where in place it would have the few channels of one tap. The phases are further images.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.tuning.contractions import CONTRACTIONS
from ..arguments.arrays import Array, address_of
from ..arguments.infer import type_of
from ..contraction.arrays import Summed
from ..contraction.moves import MoveKernels
from ..loops.code import Address, Call, Node, Share, blocks_of, index
from ..loops.job import Job, job_of
from . import forms
from .geometry import Geometry
from .layouts import like, lying, new, order_of, readable

if TYPE_CHECKING:
    from ...encoder.features import Target


class PhaseCopy(NamedTuple):
    """A copy of sequences (n, channels, places * phases), with these strides, to (n, phases, places, channels)."""

    n: int
    channels: int
    places: int
    phases: int
    strides: tuple[int, ...]
    dtype: str

    def nodes(self, target: Target) -> tuple[Node, ...]:
        """Return the loops: a kernel moves a place of all phases."""
        image, channel, step = self.strides
        far, moves = self.places * self.channels, MoveKernels(self.dtype, target)
        if channel == 1:
            kernel = moves.copy(self.phases, self.channels, step, far)
        else:
            kernel = moves.turn(self.channels, self.phases, channel, far)
        size = ELEMENT_BYTES[self.dtype]
        source = index("n") * image + index("place") * (self.phases * step)
        to = index("n") * (self.phases * far) + index("place") * self.channels
        headers = blocks_of("n", self.n, 1), blocks_of("place", self.places, 1)
        return (Share(headers, (Call(kernel, (Address(0, source * size), Address(1, to * size))),)),)

    def job(self, target: Target) -> Job:
        """Return the machine code."""
        return job_of((self,), lambda: self.nodes(target), target, "phases")

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the copy, phases as images."""
        return (self.n * self.phases, self.places, self.channels)


class PhasedGradient:
    """The gradient by the weights of a sequence of stride 1: the phases of as many places as there are whole ones, and
    the rest, whose sums are added to it."""

    def __init__(self, g: Geometry, dy: Array, x: Array, target: Target) -> None:
        self.geometry, dtype, phases = g, type_of("x", x), g.dilation[0]
        self.dtype, places = dtype, g.outputs[0] // phases
        rest = g.outputs[0] - places * phases
        sums = "f32" if rest and ELEMENT_BYTES[dtype] == 2 else dtype
        self.result = like((g.k, g.c, *g.taps), (0, 2, 1), sums)
        slope, data = readable(dy), self._padded(readable(x))
        self.whole = places * phases
        self.of_y = PhaseCopy(g.n, g.k, places, phases, lying(slope).strides, dtype)
        self.of_x = PhaseCopy(g.n, g.c, places + g.taps[0] - 1, phases, lying(data).strides, dtype)
        self.copies = self.of_y.job(target), self.of_x.job(target)
        zero, one = ((0, 0),), (1,)
        dense = Geometry(g.n * phases, g.c, g.k, (self.of_x.places,), g.taps, (places,), one, zero, one, 1)
        kept = [like(each, (0, 2, 1), dtype) for each in (dense.y, dense.x)]
        self.main = Summed(forms.by_weights(dense, kept[0], kept[1], self.result), target, "conv_by_weights")
        self.rest = None
        if rest:
            length = data.shape[2] - self.whole
            last = Geometry(g.n, g.c, g.k, (length,), g.taps, (rest,), one, zero, g.dilation, 1)
            kept = [lying(each[..., self.whole :]) for each in (slope, data)]
            self.rest = Summed(forms.by_weights(last, kept[0], kept[1], self.result), target, "conv_by_weights")

    def _padded(self, x: Array) -> Array:
        before, behind = self.geometry.padding[0]
        if not before and not behind:
            return x
        shape = (*x.shape[:2], x.shape[2] + before + behind)
        made = new(shape, like(shape, order_of(x), self.dtype))
        made[...] = 0
        made[..., before : before + x.shape[2]] = x
        return made

    def __call__(self, dy: Array, x: Array, w: Array, workers: int) -> Array:
        """Return the gradient."""
        slope, data = readable(dy), self._padded(readable(x))
        phased = []
        for job, of, array in zip(self.copies, (self.of_y, self.of_x), (slope, data)):
            to = np.empty(of.shape, x.dtype)
            job.run((address_of(array), address_of(to)), workers, cycles=to.size)
            phased.append(to)
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

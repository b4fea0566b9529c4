"""Convolutions as contractions: `forward`, and its gradient by the data, which transposed convolutions are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product as every
from math import gcd

from ..arguments.layouts import MemoryLayout
from ..contraction.form import Contraction, IndexedArray, IndexedAxis
from ..loops.code import Affine, affine, index
from .geometry import Geometry

ROWS, TAPS = ("o", "p", "q"), ("t", "r", "s")
"""The loops over the places of the result and over the taps, of volumes; images have the last two, sequences the last
one."""
N, G, K, C = "n", "g", "k", "c"


def _loops(names: Sequence[str], dims: int) -> tuple[str, ...]:
    return tuple(names[-dims:])


def _channels(groups: int, each: int, loop: str) -> Affine:
    """Return the index of a channel."""
    return index(G) * each + index(loop) if groups > 1 else index(loop)


def forward(
    geometry: Geometry, x: MemoryLayout, w: MemoryLayout, y: MemoryLayout, more: Sequence[MemoryLayout], fill: int
) -> Contraction:
    """Return a convolution. Of the further operands of its epilogue, those that lie like y have strides for all of its
    axes, and those with an element for each channel only one."""
    g, dims = geometry, len(geometry.inputs)
    places, taps = _loops(ROWS, dims), _loops(TAPS, dims)
    c, k = g.c // g.groups, g.k // g.groups
    read = [
        index(p) * step + index(r) * apart - before
        for p, r, step, apart, (before, _) in zip(places, taps, g.stride, g.dilation, g.padding)
    ]
    a = _operand(x, g.x, (index(N), _channels(g.groups, c, C), *read), fill)
    b = _operand(w, (g.k, c, *g.taps), (_channels(g.groups, k, K), index(C), *map(index, taps)))
    to = (index(N), _channels(g.groups, k, K), *map(index, places))
    loops = ((N, g.n), (G, g.groups), (K, k), *zip(places, g.outputs), *zip(taps, g.taps), (C, c))
    return Contraction(loops, a, b, _operand(y, g.y, to), tuple(_more(each, g.y, to) for each in more))


def by_data(
    geometry: Geometry, y: MemoryLayout, w: MemoryLayout, x: MemoryLayout, more: Sequence[MemoryLayout]
) -> Iterator[Contraction]:
    """Yield the parts of the gradient of a convolution by its data, x from y: the places of x that are reached by the
    same taps, those of equal remainder by the stride. `more` are further operands that lie like x."""
    g = geometry
    for remainders in every(*(range(min(step, extent)) for step, extent in zip(g.stride, g.inputs))):
        yield _phase(g, y, w, x, more, remainders)


def by_weights(geometry: Geometry, y: MemoryLayout, x: MemoryLayout, w: MemoryLayout) -> Contraction:
    """Return the gradient of a convolution by its weights: sums over all images and places of y and x."""
    g, dims = geometry, len(geometry.inputs)
    whole = forward(g, x, w, y, (), 0)
    places, taps = _loops(ROWS, dims), _loops(TAPS, dims)
    loops = ((G, g.groups), (K, g.k // g.groups), *zip(taps, g.taps), (C, g.c // g.groups), (N, g.n))
    return Contraction((*loops, *zip(places, g.outputs)), whole.c, whole.a, whole.b)


def _phase(
    g: Geometry,
    y: MemoryLayout,
    w: MemoryLayout,
    x: MemoryLayout,
    more: Sequence[MemoryLayout],
    remainders: Sequence[int],
) -> Contraction:
    """Return the part whose places of x are stride * place + remainder."""
    dims = len(g.inputs)
    places, taps = _loops(ROWS, dims), _loops(TAPS, dims)
    c, k = g.c // g.groups, g.k // g.groups
    loops: list[tuple[str, int]] = [(N, g.n), (G, g.groups), (C, c)]
    summed: list[tuple[str, int]] = []
    read, written, chosen = list[Affine](), list[Affine](), list[Affine]()
    for place, remainder in enumerate(remainders):
        step, apart, before = g.stride[place], g.dilation[place], g.padding[place][0]
        reached = [tap for tap in range(g.taps[place]) if (remainder + before - apart * tap) % step == 0]
        loops.append((places[place], -(-(g.inputs[place] - remainder) // step)))
        written.append(index(places[place]) * step + remainder)
        if not reached:  # no tap reaches these places: one outside of y adds nothing
            read.append(index(places[place]) - loops[-1][1])
            chosen.append(affine(0))
            continue
        every_tap = step // gcd(step, apart)  # the taps that reach lie so far apart
        last = reached[-1]
        summed.append((taps[place], len(reached)))
        # the last of them first, so that the places that are read ascend
        read.append(
            index(places[place])
            + index(taps[place]) * (every_tap * apart // step)
            + (remainder + before - apart * last) // step
        )
        chosen.append(index(taps[place]) * -every_tap + last)
    a = _operand(y, g.y, (index(N), _channels(g.groups, k, K), *read))
    b = _operand(w, (g.k, c, *g.taps), (_channels(g.groups, k, K), index(C), *chosen))
    to = (index(N), _channels(g.groups, c, C), *written)
    part = Contraction((*loops, *summed, (K, k)), a, b, _operand(x, g.x, to))
    return Contraction(part.loops, part.a, part.b, part.c, tuple(_more(each, g.x, to) for each in more))


def _operand(lying: MemoryLayout, shape: Sequence[int], places: Sequence[Affine], fill: int = 0) -> IndexedArray:
    axes = tuple(IndexedAxis(extent, stride, place) for extent, stride, place in zip(shape, lying.strides, places))
    return IndexedArray(lying.dtype, axes, fill)


def _more(lying: MemoryLayout, shape: Sequence[int], places: Sequence[Affine]) -> IndexedArray:
    """Return a further operand: an element for each channel, or one for each element of the result."""
    if len(lying.strides) == 1:
        return _operand(lying, shape[1:2], places[1:2])
    return _operand(lying, shape, places)

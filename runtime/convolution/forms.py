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


def forward(
    geometry: Geometry, x: MemoryLayout, w: MemoryLayout, y: MemoryLayout, more: Sequence[MemoryLayout], fill: int
) -> Contraction:
    """Return a convolution. Of the further operands of its epilogue, those that lie like y have strides for all of its
    axes, and those with an element for each channel only one."""
    g, dims = geometry, len(geometry.inputs)
    places, taps = ROWS[-dims:], TAPS[-dims:]
    read = [
        index(p) * step + index(r) * apart - before
        for p, r, step, apart, (before, _) in zip(places, taps, g.stride, g.dilation, g.padding)
    ]
    loops = (*zip(places, g.outputs), *zip(taps, g.taps))
    return _contraction(g, False, (x, w, y, *more), loops, (read, [*map(index, taps)], [*map(index, places)]), fill)


def by_data(
    geometry: Geometry, y: MemoryLayout, w: MemoryLayout, x: MemoryLayout, more: Sequence[MemoryLayout]
) -> Iterator[Contraction]:
    """Yield the parts of the gradient of a convolution by its data, x from y: the places of x that are reached by the
    same taps, those of equal remainder by the stride. `more` are further operands that lie like x."""
    g = geometry
    for remainders in every(*(range(min(step, extent)) for step, extent in zip(g.stride, g.inputs))):
        yield _phase(g, (y, w, x, *more), remainders)


def by_weights(geometry: Geometry, y: MemoryLayout, x: MemoryLayout, w: MemoryLayout) -> Contraction:
    """Return the gradient of a convolution by its weights: sums over all images and places of y and x."""
    g, dims = geometry, len(geometry.inputs)
    whole = forward(g, x, w, y, (), 0)
    loops = ((G, g.groups), (K, g.k // g.groups), *zip(TAPS[-dims:], g.taps), (C, g.c // g.groups), (N, g.n))
    return Contraction((*loops, *zip(ROWS[-dims:], g.outputs)), whole.c, whole.a, whole.b)


def _phase(g: Geometry, lie: Sequence[MemoryLayout], remainders: Sequence[int]) -> Contraction:
    """Return the part whose places of x are stride * place + remainder."""
    dims = len(g.inputs)
    places, taps = ROWS[-dims:], TAPS[-dims:]
    loops, summed = list[tuple[str, int]](), list[tuple[str, int]]()
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
        at = index(places[place]) + index(taps[place]) * (every_tap * apart // step)
        read.append(at + (remainder + before - apart * last) // step)
        chosen.append(index(taps[place]) * -every_tap + last)
    return _contraction(g, True, lie, (*loops, *summed), (read, chosen, written), 0)


def _contraction(
    g: Geometry,
    backwards: bool,
    lie: Sequence[MemoryLayout],
    loops: Sequence[tuple[str, int]],
    places: tuple[Sequence[Affine], Sequence[Affine], Sequence[Affine]],
    fill: int,
) -> Contraction:
    """Return the contraction over images, channels and these loops.

    lie      how what is read, the weights, the result and further operands lie
    places   which are read, which taps of the weights, and which are written
    """
    extents = {C: g.c // g.groups, K: g.k // g.groups}
    channels = {name: index(G) * each + index(name) if g.groups > 1 else index(name) for name, each in extents.items()}
    (summed, of_a), (kept, of_c) = ((K, g.y), (C, g.x)) if backwards else ((C, g.x), (K, g.y))
    to = (index(N), channels[kept], *places[2])
    a, b, c, *more = lie
    # further operands have an element for each channel, or one for each element of the result
    axes = [(each, slice(1, 2) if len(each.strides) == 1 else slice(None)) for each in more]
    return Contraction(
        ((N, g.n), (G, g.groups), (kept, extents[kept]), *loops, (summed, extents[summed])),
        _operand(a, of_a, (index(N), channels[summed], *places[0]), fill),
        _operand(b, (g.k, extents[C], *g.taps), (channels[K], index(C), *places[1])),
        _operand(c, of_c, to),
        tuple(_operand(each, of_c[some], to[some]) for each, some in axes),
    )


def _operand(lying: MemoryLayout, shape: Sequence[int], places: Sequence[Affine], fill: int = 0) -> IndexedArray:
    axes = tuple(IndexedAxis(extent, stride, place) for extent, stride, place in zip(shape, lying.strides, places))
    return IndexedArray(lying.dtype, axes, fill)

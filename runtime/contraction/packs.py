"""Copies that operands need where their strides fit no role: a band of A in a worker's scratch memory, and panels of B.

A *band* holds the elements of A that one tile of C reads, summed channels innermost, with what lies outside of A filled
in. Its rows then overlap as the roles want them, whatever the layout of A is, and no kernel knows of padding. Copies
take about 1 % of the time of a convolution of 3 x 3 taps (docs/log/convolution.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from ...encoder.records import dataclass
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.tuning.contractions import CONTRACTIONS
from ..arguments.arrays import Array
from ..loops.code import Address, Affine, Node, affine
from ..walks.permute import dealt
from ..walks.walk import Side, copied, dealt_out, filled
from .form import Contraction, IndexedArray, IndexedAxis, moved, span
from .roles import Roles

if TYPE_CHECKING:
    from ...encoder.features import Target


T = TypeVar("T")


@dataclass(frozen=True)
class BandAxis:
    """An axis of A in a band.

    axis     the axis of A
    origin   the index in A of the band's first element: it depends on the loops that are dealt
    length   the elements along the axis
    stride   elements of the band from one to the next
    step     how far they are apart in A: what no loop of a tile moves to is left out, as between distant taps
    """

    axis: IndexedAxis
    origin: Affine
    length: int
    stride: int
    step: int

    @property
    def apart(self) -> int:
        """Elements of A's memory from one element of the band to the next."""
        return self.axis.stride * self.step


@dataclass(frozen=True)
class InputBand:
    """A copy of the elements of A that a tile reads. `elements` counts those between its axes' neighbours, too."""

    operand: IndexedArray
    axes: tuple[BandAxis, ...]
    start: Affine
    elements: int

    @property
    def size(self) -> int:
        """Bytes, in whole lines."""
        return -(-self.elements * ELEMENT_BYTES[self.operand.dtype] // 64) * 64

    def stride(self, loop: str) -> int:
        """Return the elements of the band that a step of a loop moves."""
        return sum(each.stride * (each.axis.factor(loop) // each.step) for each in self.axes)

    def at(self, indices: Mapping[str, Affine]) -> Affine:
        """Return the element that the tile's loops read at these values, and 0 of others. It is behind others even
        there, if a loop steps backwards."""
        first = sum((e.axis.index.constant - e.origin.constant) // e.step * e.stride for e in self.axes)
        return moved({name: self.stride(name) for name in indices}, indices) + first

    def clips(self, values: Mapping[str, int]) -> tuple[tuple[int, int], ...]:
        """Return the part of each axis that lies inside of A at these values of the dealt loops."""
        made = []
        for each in self.axes:
            first = each.origin.value(values)
            low, high = max(0, -(first // each.step)), -((first - each.axis.extent) // each.step)
            made.append((min(low, each.length), max(0, min(each.length, high))))
        return tuple(made)

    def clipping(self, ranges: Mapping[str, range]) -> tuple[str, ...]:
        """Return the dealt loops whose values say which part of the band lies inside of A."""
        found: dict[str, None] = {}
        for each in self.axes:
            least = each.origin.constant + sum(f * _ends(ranges[name], f)[0] for name, f in each.origin.terms)
            most = each.origin.constant + sum(f * _ends(ranges[name], f)[1] for name, f in each.origin.terms)
            if least < 0 or most + each.step * (each.length - 1) >= each.axis.extent:
                found.update(dict.fromkeys(name for name, _ in each.origin.terms))
        return tuple(found)


def _ends(values: range, factor: int) -> tuple[int, int]:
    """Return the values at which factor * value is least and greatest."""
    return (values[0], values[-1]) if factor > 0 else (values[-1], values[0])


def band_of(
    operand: IndexedArray, extents: Mapping[str, int], local: Mapping[str, int], summed: Sequence[str], cut: str
) -> InputBand:
    """Return the band of a tile, in which the loops of `local` have so many iterations. All other loops are dealt, and
    so are the first iterations of the loop that is `cut` into tiles. Axes are in the order of the operand's, but the
    last one, of loops of `summed`."""
    inner = [
        axis
        for axis, (least, most) in zip(operand.axes, operand.reaches(extents))
        if any(name in local for name, _ in axis.index.terms) or not 0 <= least <= most < axis.extent
    ]
    last = _innermost(inner, local, summed)
    ordered = [axis for axis in inner if axis is not last]
    stride, axes = 1, list[BandAxis]()
    size = ELEMENT_BYTES[operand.dtype]
    for place, axis in enumerate([last, *reversed(ordered)] if last else []):
        within = Affine(0, tuple(each for each in axis.index.terms if each[0] in local))
        terms = tuple(each for each in axis.index.terms if each[0] not in local or each[0] == cut)
        outside = Affine(axis.index.constant, terms)
        least, most = span(within, local)
        step = math.gcd(*(factor for _, factor in within.terms)) or 1
        length = (most - least) // step + 1
        axes.insert(0, BandAxis(axis, outside + least, length, stride, step))
        stride *= length
        if place == 0 and stride * size % CONTRACTIONS.sets == 0:
            stride += CONTRACTIONS.apart // size
    start = affine(operand.offset)
    for axis in operand.axes:
        if axis not in inner:
            start += axis.index * axis.stride
    return InputBand(operand, tuple(axes), start, stride if axes else 1)


def _innermost(axes: Sequence[IndexedAxis], local: Mapping[str, int], summed: Sequence[str]) -> IndexedAxis | None:
    """Return the axis whose elements are neighbours in the band: one that is only summed over, such as channels; else
    the last one."""
    inside = {axis: [name for name, _ in axis.index.terms if name in local] for axis in axes}
    pure = [axis for axis in axes if inside[axis] and all(name in summed for name in inside[axis])]
    near = [axis for axis in pure if axis.stride == 1]
    if pure:
        return near[0] if near else max(pure, key=lambda axis: axis.extent)
    return axes[-1] if axes else None


def refused(band: InputBand) -> str:
    """Return why no kernel copies such a band; an empty string if one does."""
    if not band.axes:
        return "a tile reads a single element"
    if any(len(each.origin.terms) > 1 for each in band.axes):
        return "an axis moves with several loops that are dealt"
    if min((each.axis.stride for each in band.axes), default=0) < 0:
        return "an axis runs backwards in memory"
    return ""


@dataclass(frozen=True)
class Copying:
    """The nodes that fill a band.

    source   the operand's place in the table; `to` is the address of the band
    target   the target of the kernels
    """

    band: InputBand
    source: int
    to: Address
    target: Target

    def nodes(self, clips: Sequence[tuple[int, int]]) -> list[Node]:
        """Return the nodes that fill the band, of whose axes these parts lie inside of A."""
        return [*self._filling(clips), *copied(*self._inside(clips), self.target)]

    def dealt(self) -> tuple[Node, ...]:
        """Return the nodes that fill a band without loops that are dealt, by all workers."""
        clips = self.band.clips({})
        return (*dealt_out(self._filling(clips)), *dealt(*self._inside(clips), self.target))

    def _inside(self, clips: Sequence[tuple[int, int]]) -> tuple[list[int], Side, Side]:
        """Return the extents of what is copied, and its places in A and in the band."""
        offset = self.band.start
        for each, (low, _) in zip(self.band.axes, clips):
            offset += each.origin * each.axis.stride + low * each.apart
        dtype = self.band.operand.dtype
        steps = tuple(each.apart for each in self.band.axes)
        source = Side(self.source, dtype, offset * ELEMENT_BYTES[dtype], steps)
        return [high - low for low, high in clips], source, self._part([low for low, _ in clips])

    def _filling(self, clips: Sequence[tuple[int, int]]) -> list[Node]:
        """Return the nodes that fill what lies outside of A: before and behind the inside of each axis, along the whole
        of the further ones."""
        made: list[Node] = []
        fill, lengths = self.band.operand.fill, [each.length for each in self.band.axes]
        before, inside = list[int](), list[int]()
        for place, (low, high) in enumerate(clips):
            for first, count in ((0, low), (high, lengths[place] - high)):
                part = self._part([*before, first])
                made += filled([*inside, count, *lengths[place + 1 :]], part, fill, self.target)
            before.append(low)
            inside.append(high - low)
        return made

    def _part(self, first: Sequence[int]) -> Side:
        """Return the band from these elements of its first axes on."""
        axes, dtype = self.band.axes, self.band.operand.dtype
        begin = sum(number * each.stride for number, each in zip(first, axes))
        steps = tuple(each.stride for each in axes)
        return Side(self.to.operand, dtype, self.to.offset + begin * ELEMENT_BYTES[dtype], steps)


# Panels of B


@dataclass(frozen=True)
class PackedPanels:
    """B packed for the kernels: for each product and each panel of `width` columns, all of the batch and of the depth.

    group   neighbours along the depth that lie side by side: 1, or those that an instruction multiplies at once
    shape   products apart, loops across, panels, pairs of the batch, groups of the depth
    """

    dtype: str
    width: int
    group: int
    apart: int
    across: int
    columns: int
    batch: int
    depth: int

    @property
    def panels(self) -> int:
        """The number of panels beside each other."""
        return -(-self.columns // self.width)

    @property
    def groups(self) -> int:
        """Groups of the depth."""
        return -(-self.depth // self.group)

    @property
    def elements(self) -> int:
        """Elements of a panel."""
        return self.batch * self.groups * self.width * self.group

    @property
    def panel(self) -> int:
        """Bytes of a panel."""
        return self.elements * ELEMENT_BYTES[self.dtype]

    @property
    def size(self) -> int:
        """Bytes of all panels."""
        return self.apart * self.across * self.panels * self.panel


def panels_of(contraction: Contraction, apart: Sequence[str], roles: Roles, width: int, group: int) -> PackedPanels:
    """Return the panels of B for these roles. Each iteration of the loops `apart`, outermost first, has its own."""
    return PackedPanels(
        contraction.b.dtype,
        width,
        group,
        math.prod(contraction.extents[name] for name in apart),
        math.prod(each.extent for each in roles.across),
        roles.columns.extent,
        math.prod(each.extent for each in roles.batch),
        roles.depth.extent,
    )


def packed(contraction: Contraction, loops: Sequence[str], panels: PackedPanels, b: Array, to: Array) -> None:
    """Write the panels of B to these bytes, which are zero. `loops` are those of B in the panels' order."""
    products, width, group = panels.apart * panels.across, panels.width, panels.group
    blocks = to.view(b.dtype).reshape(products, panels.panels, panels.batch, panels.groups, width, group)
    source = laid(contraction, loops, b).reshape(products, panels.columns, panels.batch, panels.depth)
    for panel, first in enumerate(range(0, panels.columns, width)):
        for inside in range(group):
            part = source[:, first : first + width, :, inside::group].transpose(0, 2, 3, 1)
            blocks[:, panel, :, : part.shape[2], : part.shape[3], inside] = part


def laid(contraction: Contraction, loops: Sequence[str], b: Array) -> Array:
    """Return B as an array whose axes are these loops, with zeros for what lies behind it."""
    axes, extents = contraction.b.axes, contraction.extents
    behind = [max(0, most + 1 - axis.extent) for axis, (_, most) in zip(axes, contraction.b.reaches(extents))]
    if any(behind):
        b = np.pad(b, [(0, each) for each in behind])
    first = b[tuple(slice(axis.index.constant, None) for axis in axes)]
    steps = [sum(axis.factor(name) * step for axis, step in zip(axes, b.strides)) for name in loops]
    return np.lib.stride_tricks.as_strided(first, [extents[name] for name in loops], steps, writeable=False)


def segments(values: range, key: Callable[[int], T]) -> Iterator[tuple[int, int, T]]:
    """Yield the first and the last value of each run of values with equal keys, and the key. Keys do not come back, so
    that few of many values are asked for."""
    place = 0
    while place < len(values):
        found, last, step = key(values[place]), place, 1
        while last + step < len(values) and key(values[last + step]) == found:
            last, step = last + step, 2 * step
        while step := step // 2:
            last += step * (last + step < len(values) and key(values[last + step]) == found)
        yield values[place], values[last], found
        place = last + 1

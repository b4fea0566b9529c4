"""Values behind views, and the spaces over which nodes compute: axes, and strides along them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Literal

from ...encoder.records import NamedTuple
from ..arguments.arrays import address_of
from .values import GraphNode, GraphValue, Shape
from .views import NoView, contiguous, fake, reshaped

Level = Literal["full", "row", "column", "all"]
"""Which elements of a region a value has: all, one for each row, one for each column, or one."""
Strides = tuple[int, ...]


class SeenValue(NamedTuple):
    """A value behind views: the elements of `base` from `offset` on, by strides in its order."""

    base: GraphValue
    offset: int
    shape: Shape
    strides: Strides

    def over(self, shape: Shape) -> Strides:
        """Return the strides over a shape to which the value is broadcast."""
        ahead = len(shape) - len(self.shape)
        return (*(0,) * ahead, *(step if extent > 1 else 0 for extent, step in zip(self.shape, self.strides)))


def seen_as(value: GraphValue, base: GraphValue, strides: Strides, chain: Sequence[GraphNode]) -> tuple[int, Strides]:
    """Return where a chain of views of a value begins and its strides, in elements; `strides` are those of the base.
    Raises NoView."""
    array = fake(base.shape, strides, base.dtype)
    first = address_of(array)
    for node in chain:
        assert node.operator.view is not None
        array = node.operator.view(array, **node.attributes)
    size = base.dtype.itemsize
    return (address_of(array) - first) // size, tuple(step // size for step in array.strides)


def behind(value: GraphValue) -> tuple[GraphValue, list[GraphNode]]:
    """Return the value behind a value's views, and the views, innermost first."""
    chain: list[GraphNode] = []
    while value.constant is None and value.node is not None and value.node.operator.kind == "view":
        chain.insert(0, value.node)
        (value,) = value.node.operands
    return value, chain


def seen(value: GraphValue) -> SeenValue:
    """Return a value as its views show the elements of the one behind it; the longest part of them that has strides."""
    base, chain = behind(value)
    while True:
        try:
            return SeenValue(base, *_shown(value, base, chain))
        except NoView:
            base, chain = chain[0].results[0], chain[1:]


def _shown(value: GraphValue, base: GraphValue, chain: Sequence[GraphNode]) -> tuple[int, Shape, Strides]:
    offset, strides = seen_as(value, base, contiguous(base.shape), chain)
    return offset, value.shape, strides


# Spaces


def cuts_of(shape: Shape, inner: int = 1) -> frozenset[int]:
    """Return how many elements each axis and those inside of it have, times `inner`."""
    return frozenset(prod(shape[axis:]) * inner for axis in range(len(shape) + 1)) | {1}


def axes_between(cuts: Iterable[int]) -> tuple[int, ...] | None:
    """Return the axes between cuts, outermost first; None if they do not divide each other, or one is 0."""
    ordered = sorted(cuts)
    if 0 in ordered or any(outer % inner for inner, outer in zip(ordered, ordered[1:])):
        return None
    return tuple(outer // inner for inner, outer in zip(ordered, ordered[1:]))[::-1]


def refined(shape: Shape, strides: Strides, axes: tuple[int, ...]) -> Strides | None:
    """Return the strides of an array over finer axes of the same elements; None if they are not finer."""
    try:
        return reshaped(shape, strides, axes)
    except NoView:
        return None


def places_of(axes: tuple[int, ...], strides: Strides) -> Strides:
    """Return strides with 0 for axes of one element."""
    return tuple(step if extent > 1 else 0 for extent, step in zip(axes, strides))


def merges(axes: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether axes are one axis in memory."""
    inside = [(extent, step) for extent, step in zip(axes, strides) if extent > 1]
    return all(outer[1] == inner[1] * inner[0] for outer, inner in zip(inside, inside[1:]))


def boundary(axes: tuple[int, ...], columns: int) -> int:
    """Return the number of axes before the columns."""
    split = len(axes)
    inside = 1
    while inside < columns:
        split -= 1
        inside *= axes[split]
    return split


def steps_of(axes: tuple[int, ...], columns: int | None, level: Level) -> Strides:
    """Return the strides of a value that the region computes, in its own elements."""
    steps = contiguous(axes)
    if level == "full":
        return steps
    assert columns is not None
    split = boundary(axes, columns)
    if level == "row":
        return (*(step // columns for step in steps[:split]), *(0,) * (len(axes) - split))
    return (*(0,) * split, *(steps[split:] if level == "column" else (0,) * (len(axes) - split)))

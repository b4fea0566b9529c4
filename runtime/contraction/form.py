"""Contractions: C[...] = sum of A[...] * B[...] over loops, with indices that are affine in the loops.

A convolution is one, its gradients are, and so is every sum of products that `einsum` names. Nothing here knows which:

    y[n, k, p, q] = sum over c, r, s of x[n, c, 2 p + r - 1, 2 q + s - 1] * w[k, c, r, s]

has the loops n, k, p, q, c, r, s, and the axes of each operand have an index, such as 2 p + r - 1 for the third of x.
Where an index of A lies outside of its axis, the element is `fill`: that is what padding is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...encoder.records import cached_property, dataclass
from ..arguments.arrays import Array
from ..loops.code import Affine, index


@dataclass(frozen=True)
class IndexedAxis:
    """An axis of an array.

    extent   the number of its elements
    stride   elements of memory from one to the next
    index    the element that the contraction reads or writes, by the names of the loops
    """

    extent: int
    stride: int
    index: Affine

    def factor(self, loop: str) -> int:
        """Return how far a step of a loop moves along the axis."""
        return dict(self.index.terms).get(loop, 0)


@dataclass(frozen=True)
class IndexedArray:
    """An array of a contraction. Elements outside of its axes are `fill`.

    offset   elements of memory from where its address points to its first element
    """

    dtype: str
    axes: tuple[IndexedAxis, ...]
    fill: int = 0
    offset: int = 0

    @cached_property
    def steps(self) -> dict[str, int]:
        """The elements of memory that a step of each loop moves on which the operand depends."""
        found: dict[str, int] = {}
        for axis in self.axes:
            for name, factor in axis.index.terms:
                found[name] = found.get(name, 0) + axis.stride * factor
        return found

    def stride(self, loop: str) -> int:
        """Return the elements of memory that a step of a loop moves."""
        return self.steps.get(loop, 0)

    def has(self, loop: str) -> bool:
        """Whether the operand's elements depend on a loop."""
        return loop in self.steps

    def at(self, indices: Mapping[str, Affine]) -> Affine:
        """Return the place of the element at these values of loops, and 0 of others, as `address` counts it."""
        return moved(self.steps, indices) + self.address.constant

    @property
    def address(self) -> Affine:
        """The place of an element, in elements from where the operand's address points."""
        total = Affine(self.offset)
        for axis in self.axes:
            total += axis.index * axis.stride
        return total

    def places(self, loops: Sequence[tuple[str, int]], begin: int) -> Array:
        """Return the place of the element for all iterations of these loops, the last of which is innermost, if that
        of their first ones is `begin`."""
        found = np.full(1, begin)
        for name, extent in loops:
            found = np.add.outer(found, np.arange(extent) * self.stride(name)).ravel()
        return found

    @property
    def span(self) -> int:
        """The elements of memory from the first one to the last one."""
        return 1 + sum(abs(axis.stride) * (axis.extent - 1) for axis in self.axes)

    def reaches(self, extents: Mapping[str, int]) -> list[tuple[int, int]]:
        """Return the least and the greatest index of each axis."""
        return [span(axis.index, extents) for axis in self.axes]

    def is_outside(self, extents: Mapping[str, int]) -> bool:
        """Whether an index is never inside of its axis, so that all elements are `fill`."""
        reached = zip(self.axes, self.reaches(extents))
        return any(most < 0 or least >= axis.extent for axis, (least, most) in reached)

    def is_inside(self, extents: Mapping[str, int]) -> bool:
        """Whether no index leaves its axis."""
        reached = zip(self.axes, self.reaches(extents))
        return all(least >= 0 and most < axis.extent for axis, (least, most) in reached)


def moved(steps: Mapping[str, int], indices: Mapping[str, Affine]) -> Affine:
    """Return how far these values of loops move, each of which moves so many elements."""
    total = Affine()
    for name, value in indices.items():
        total += value * steps.get(name, 0)
    return total


def span(index: Affine, extents: Mapping[str, int]) -> tuple[int, int]:
    """Return the least and the greatest value of an index over all iterations of these loops."""
    moves = [factor * (extents[name] - 1) for name, factor in index.terms]
    return index.constant + sum(min(each, 0) for each in moves), index.constant + sum(max(each, 0) for each in moves)


@dataclass(frozen=True)
class Contraction:
    """C = sum of A * B, and perhaps a function of that sum and of the elements of `more`, further operands that have no
    loops but those of C. The loops are in the order of C's axes, then those that are summed, outermost first."""

    loops: tuple[tuple[str, int], ...]
    a: IndexedArray
    b: IndexedArray
    c: IndexedArray
    more: tuple[IndexedArray, ...] = ()

    @property
    def extents(self) -> dict[str, int]:
        """The iterations of each loop."""
        return dict(self.loops)

    @property
    def terms(self) -> int:
        """The number of products in each sum."""
        total = 1
        for name, extent in self.loops:
            total *= 1 if self.c.has(name) else extent
        return total

    @property
    def flops(self) -> int:
        """The number of additions and multiplications."""
        total = 2
        for _, extent in self.loops:
            total *= extent
        return total

    def trimmed(self) -> Contraction:
        """Return the same contraction without loops of one iteration."""
        gone = {name for name, extent in self.loops if extent == 1}
        loops = tuple(each for each in self.loops if each[0] not in gone)

        def left(at: Affine) -> Affine:
            return Affine(at.constant, tuple(each for each in at.terms if each[0] not in gone))

        a, b, c, *more = (_indexed(each, left) for each in (self.a, self.b, self.c, *self.more))
        return Contraction(loops, a, b, c, tuple(more))

    def forwards(self) -> Contraction:
        """Return the same contraction in which no loop of the sum goes backwards in A: those that do are run from their
        last iteration to the first. Arrays that run backwards in memory stay as they are."""
        back = {name: self.extents[name] for name, step in self.a.steps.items() if step < 0 and not self.c.has(name)}
        if not back or any(axis.stride < 0 for each in (self.a, self.b) for axis in each.axes):
            return self

        def turned(at: Affine) -> Affine:
            last = sum(factor * (back[name] - 1) for name, factor in at.terms if name in back)
            return Affine(at.constant + last, tuple((n, -factor if n in back else factor) for n, factor in at.terms))

        return Contraction(self.loops, _indexed(self.a, turned), _indexed(self.b, turned), self.c, self.more)

    def in_groups(self, group: int) -> Contraction:
        """Return the same contraction with the last loop of the sum in whole groups. What is added lies outside of A
        and of B, where B counts as 0. A loop of which other elements would be read stays as it is."""
        name, extent = self.loops[-1] if self.loops else ("", 0)
        longer = -(-extent // group) * group
        if not name or self.c.has(name) or not (_is_along(self.a, name, extent) and _is_along(self.b, name, extent)):
            return self
        return Contraction((*self.loops[:-1], (name, longer)), self.a, self.b, self.c, self.more)


def _is_along(operand: IndexedArray, loop: str, extent: int) -> bool:
    """Whether a loop, and no other, goes along the whole of an axis."""
    moved = [axis for axis in operand.axes if axis.factor(loop)]
    return len(moved) == 1 and moved[0].extent == extent and moved[0].index == index(loop)


def _indexed(operand: IndexedArray, change: Callable[[Affine], Affine]) -> IndexedArray:
    """Return the operand with other indices."""
    return replace(operand, axes=tuple(replace(axis, index=change(axis.index)) for axis in operand.axes))

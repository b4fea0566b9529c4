"""The addresses of a matrix in a layout: strides in bytes and in leading dimensions."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ...encoder.records import NamedTuple, new
from ..contract.shuffle_network import Label
from .layouts import Layout

_LARGE = 1 << 12  # rows and columns of a nominal matrix


class Stride(NamedTuple):
    """A distance in memory: bytes, and a multiple of the leading dimension."""

    bytes: int
    leading: int

    def times(self, count: int) -> Stride:
        """Return the distance multiplied."""
        return Stride(self.bytes * count, self.leading * count)

    def plus(self, other: Stride) -> Stride:
        """Return the sum of two distances."""
        return new(Stride, (self.bytes + other.bytes, self.leading + other.leading))


_NO_DISTANCE = Stride(0, 0)


class StridedMatrix:
    """An m x n matrix in a layout: elements of `size` bytes, which are moved in units of `unit` bytes.

    A unit is at most one element. It is a whole element if elements are converted to another size between memory and
    registers. `extents` are the rows ("i") and columns ("j") in memory, padding included.
    """

    def __init__(self, layout: Layout, m: int, n: int, size: int, unit: int) -> None:
        self.layout, self.size, self.unit = layout, size, unit
        self.digits = layout.strides(m, n)
        self.extents = {"i": layout.padded("i", m), "j": layout.padded("j", n)}
        self._offsets: dict[tuple[Label, ...], list[Stride]] = {}

    def __repr__(self) -> str:
        return f"{self.layout.name} {self.digits}"

    def stride(self, dim: str, distance: int) -> Stride:
        """Return the distance between two indices of a dimension that differ by `distance`, a power of two."""
        for digit, stride in self.digits:
            within = digit.step <= distance and (not digit.radix or distance < digit.step * digit.radix)
            if digit.dim == dim and within:
                count = distance // digit.step
                return Stride(stride * count * self.size, 0) if stride else Stride(0, count)
        raise ValueError(f"{dim} has no digit of {distance}")

    def offset(self, labels: tuple[Label, ...], number: int) -> Stride:
        """Return the sum of the strides of the address bits that are set in a number. Bit k stands for labels[k]."""
        return self.offsets(labels)[number]

    def offsets(self, labels: tuple[Label, ...]) -> list[Stride]:
        """Return the offset of every number of these address bits."""
        found = self._offsets.get(labels)
        if found is None:
            sums = [(0, 0)]
            for label in labels:
                distance, leading = self._label_stride(label)
                sums += [(each + distance, rows + leading) for each, rows in sums]
            found = self._offsets[labels] = [new(Stride, each) for each in sums]
        return found

    def _label_stride(self, label: Label) -> Stride:
        if label.startswith("_"):
            return _NO_DISTANCE
        if label[0] == "e":
            return Stride(self.unit << int(label[1:]), 0)
        return self.stride(label[0], 1 << int(label[1:]))

    def contiguous(self, count: int) -> tuple[Label, ...]:
        """Return the labels of the `count` lowest bits of an address, in units. One load brings these into a
        register."""
        return _lowest_labels(self.layout, max(1, self.size // self.unit), count)


@lru_cache(maxsize=256)
def _lowest_labels(layout: Layout, units: int, count: int) -> tuple[Label, ...]:
    """Return the lowest labels for elements of `units` units."""
    labels = [f"e{k}" for k in range(units.bit_length() - 1)]
    for digit in reversed(layout.digits):
        bit = digit.step.bit_length() - 1
        while len(labels) < count and (not digit.radix or 1 << bit < digit.step * digit.radix):
            labels.append(f"{digit.dim}{bit}")
            bit += 1
    return tuple(labels[:count])


def alike(matrix: StridedMatrix) -> StridedMatrix:
    """Return one shared object for all matrices with the same distances between elements, so that results that depend
    only on these are cached. A distance counts leading dimensions, it does not contain their value."""
    key = type(matrix), tuple(matrix.digits), matrix.size, matrix.unit
    found = _alike.get(key)
    if found is None:
        if len(_alike) >= _KEPT:
            _alike.clear()
        found = _alike.setdefault(key, matrix)
    return found


_KEPT = 256
_alike: dict[tuple[Any, ...], StridedMatrix] = {}


def nominal(matrix: StridedMatrix) -> StridedMatrix:
    """Return a large matrix of the same layout. Costs do not depend on where rows begin, so they are cached for this
    one."""
    return _nominal(matrix.layout, matrix.size, matrix.unit)


@lru_cache(maxsize=64)
def _nominal(layout: Layout, size: int, unit: int) -> StridedMatrix:
    return StridedMatrix(layout, _LARGE, _LARGE, size, unit)

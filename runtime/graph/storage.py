"""Where values lie: blocks of memory, and arrays in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...encoder.records import NamedTuple
from ..arguments.arrays import Array, address_of, array_at
from ..executor.packing import PackingJob
from ..executor.steps import OperandArray, SlotAddress
from .values import GraphNode, GraphValue, Shape, TensorType
from .views import contiguous


class ConstantSource(NamedTuple):
    """How an array is made of one that is known: its elements from `offset` bytes on, in this shape and with these
    strides, in elements, are packed by a job, or copied without gaps if there is none."""

    of: GraphValue | ConstantSource
    offset: int
    shape: Shape
    strides: tuple[int, ...]
    packing: PackingJob | None = None


def constant_of(array: Array, offset: int, shape: Shape, strides: tuple[int, ...], packing: PackingJob | None) -> Array:
    """Return the array that is made of one: see `ConstantSource`."""
    steps = tuple(each * array.itemsize for each in strides)
    seen = array_at(address_of(array) + offset, shape, steps, array.dtype)
    return as_constant(np.ascontiguousarray(seen) if packing is None else packing.panels(seen))


def as_constant(array: Array) -> Array:
    """Return an array as steps read constants: its elements are aligned, and no axis runs backwards."""
    whole = array.flags.aligned and not any(step % array.itemsize for step in array.strides)
    return array if whole and min(array.strides, default=0) >= 0 else np.ascontiguousarray(array)


class Storage:
    """A block of memory: a part of the arena, or what a slot holds.

    slot          the slot; None: the arena, in which `offset` is found when all lives are known
    first, last   the steps that write it first and use it last
    constant      an array that it is
    source        the value whose array that is, or how it is made of one
    """

    __slots__ = ("bytes", "constant", "first", "last", "offset", "slot", "source")
    source: GraphValue | ConstantSource | None

    def __init__(self, size: int, slot: int | None = None, constant: Array | None = None) -> None:
        self.bytes, self.slot, self.constant = size, slot, constant
        self.source = None
        self.first = self.last = -1
        self.offset = 0

    def used(self, step: int) -> None:
        """Note that a step uses it."""
        self.first = step if self.first < 0 else self.first
        self.last = step

    def at(self, offset: int) -> SlotAddress:
        """Return a place in it, once slots and offsets are known."""
        return SlotAddress(self.slot or 0, self.offset + offset)


def extent_of(kind: TensorType, strides: Sequence[int]) -> int:
    """Return the bytes from the first element of an array to behind the last one; strides in elements."""
    if not kind.size:
        return 0
    return (1 + sum((extent - 1) * abs(step) for extent, step in zip(kind.shape, strides))) * kind.dtype.itemsize


class ValuePlace(NamedTuple):
    """An array in memory: its block, the bytes before its first element, and its strides in elements."""

    storage: Storage
    offset: int
    kind: TensorType
    strides: tuple[int, ...]

    @property
    def steps(self) -> tuple[int, ...]:
        """The strides in bytes."""
        return tuple(each * self.kind.dtype.itemsize for each in self.strides)

    @property
    def is_contiguous(self) -> bool:
        """Whether it lies in C order without gaps."""
        return all(
            extent == 1 or step == wanted
            for extent, step, wanted in zip(self.kind.shape, self.strides, contiguous(self.kind.shape))
        )

    def moved(self, offset: int) -> ValuePlace:
        """Return the place so many elements further on."""
        return self._replace(offset=self.offset + offset * self.kind.dtype.itemsize)

    def on(self, address: int) -> Array:
        """Return the array, in a block that begins at an address."""
        return array_at(address + self.offset, self.kind.shape, self.steps, self.kind.dtype, writable=True)


def operand_array(place: ValuePlace | int) -> OperandArray | None:
    """Return the elements of an operand of a step; None for a number."""
    if not isinstance(place, ValuePlace):
        return None
    return OperandArray(place.kind.shape, place.steps, place.kind.dtype.itemsize)


def dense(kind: TensorType, order: Sequence[int] | None = None) -> tuple[int, ...]:
    """Return the strides of an array without gaps whose axes have this order in memory; None: C order."""
    if order is None:
        return contiguous(kind.shape)
    steps = [0] * len(kind.shape)
    for axis, step in zip(order, contiguous([kind.shape[axis] for axis in order])):
        steps[axis] = step
    return tuple(steps)


def parts_of(node: GraphNode, to: ValuePlace) -> list[ValuePlace]:
    """Return the parts of a concatenation's result, for each of its operands."""
    axis = int(node.attributes.get("axis", 0)) % len(to.kind.shape)  # type: ignore[call-overload]
    found, start = [], 0
    for value in node.operands:
        part = to.moved(start * to.strides[axis])
        found.append(part._replace(kind=TensorType(value.shape, to.kind.dtype)))
        start += value.shape[axis]
    return found

"""Convert Python arguments to the integers of a C function, for requests whose arguments are matrices and numbers.

k(x0, x1, ..., y) takes the arguments in the order of the interface. A matrix may be any array of the operand's type,
shape and strides. An output must not share memory with anything else, except that it may be exactly an input that the
interface lists as its alias. Extents that the call gives are read from the arrays. Nothing is called and nothing is
written if any argument is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ...microkernels.operands import DEEP, EXACT, GivenExtent, Interface, Number, Operand, runtime_leading
from .arrays import Array, Made, address_of, as_array, numpy_dtype
from .indices import check_index, with_last
from .matrices import (
    chosen_leading,
    empty,
    integer,
    leading_keywords,
    matrix,
    miscounted,
    no_overlap,
    runtime_operands,
    scalar,
    writable,
)

_RECENT = 64
"""The number of calls' extents whose checks are kept."""


class ArrayCall:
    """Checks and converts the arguments of calls with one interface. It keeps no state of a call, so threads may share
    it."""

    def __init__(self, interface: Interface) -> None:
        self.interface, self.arguments, self.new = interface, interface.arguments, interface.new
        self.dtype: np.dtype[Any] = numpy_dtype([each.dtype for each in interface.operands if each.output][-1])
        self._of = lru_cache(_RECENT)(lambda *numbers: _Checks(interface.of(numbers)))

    def __call__(self, *args: Any, **leading: Any) -> tuple[list[int], list[Any]]:
        """Return the integers for the C function, and the objects to keep alive during the call."""
        count = len(self.arguments)
        if len(args) != count:
            raise miscounted(self.arguments, self.new, len(args))
        args = with_last(self.interface, args)
        numbers = self._extents(args)
        integers, arrays = self._of(*numbers)(args, leading)
        return [*integers[:count], *numbers, *integers[count:]], arrays

    def with_output(self, args: tuple[Any, ...]) -> tuple[Made, tuple[Any, ...]]:
        """Return the new outputs or None, and the arguments including them. Outputs are new if the call left them, its
        last arguments, out."""
        inputs = len(self.arguments) - len(self.new)
        given = args[inputs:]
        if not self.new or len(args) < inputs or len(given) > len(self.new) or any(each is not None for each in given):
            return None, args
        shapes = with_last(self.interface, args[:inputs]) if self.interface.extents else ()
        wanted = self.interface.of(self._extents(shapes)).new
        made = tuple(empty(output) for output in wanted)
        return made if len(made) > 1 else made[0], (*args[:inputs], *made)

    def _extents(self, args: Sequence[Any]) -> list[int]:
        """Return the extents that the arrays have."""
        if not self.interface.extents:
            return []
        arrays = {
            each.name: as_array(each.name, value)
            for each, value in zip(self.arguments, args)
            if isinstance(each, Operand)
        }
        return [self._extent(each, arrays) for each in self.interface.extents]

    def _extent(self, extent: GivenExtent, arrays: dict[str, Array]) -> int:
        operands = {each.name: each for each in self.interface.operands}
        lengths = {
            place.operand: _length(operands[place.operand], arrays[place.operand], place.axis, self.interface)
            for place in extent.places
            if place.operand in arrays
        }
        found = {
            place.operand: length - place.more
            for place in extent.places
            if (length := lengths.get(place.operand)) is not None
        }
        if not found:
            raise ValueError(
                f"{extent.name}: give an array as {' or '.join(each.operand for each in extent.places)}; "
                f"{extent.name} is read from its shape"
            )
        first, number = next(iter(found.items()))
        for name, other in found.items():
            if other != number:
                raise ValueError(
                    f"{first}, {name}: must agree on {extent.name}, but {first} has {number} and {name} {other}"
                )
        if number < 0:
            raise ValueError(f"{first}: shape {arrays[first].shape} is too small, it leaves {number} {extent.name}")
        return number


def _length(operand: Operand, array: Array, axis: int, interface: Interface) -> int | None:
    """Return the length of an axis of an operand's array; None if the array has another number of axes. Where other
    arrays stand for a matrix, all axes but the last are rows, and one axis is a row, or a column."""
    if operand.axes:
        return array.shape[0] if array.ndim in (2, len(operand.axes)) else None
    if interface.axes == EXACT:
        return array.shape[axis] if array.ndim == len(operand.shape) else None
    one = array.ndim == 1 and (operand.columns == 1 or operand.vector)
    length: int = array.shape[0] if one else prod(array.shape[:-1])
    return length


class _Checks:
    """The checks of calls whose extents are known."""

    def __init__(self, interface: Interface) -> None:
        self.interface, self.arguments = interface, interface.arguments
        self.outputs = [each for each in interface.operands if each.output]
        self.runtime = runtime_operands(interface.operands)
        self.runtime_names = runtime_leading(self.arguments)

    def __call__(self, args: Sequence[Any], leading: dict[str, Any]) -> tuple[list[int], list[Any]]:
        given = leading_keywords(leading, self.runtime)
        found: dict[str, int | None] = {}
        arrays: dict[str, Array] = {}
        integers = {}
        for argument, value in zip(self.arguments, args):
            name = argument.name
            if isinstance(argument, Number):
                integers[name] = number_of(argument, value)
            else:
                shaped = value if self.interface.axes == EXACT else self._shaped(argument, value)
                asked = name not in self.interface.contiguous
                arrays[name], found[name] = matrix(argument, shaped, asked=asked)
                integers[name] = address_of(arrays[name])
        self._check_outputs(arrays)
        strides = [chosen_leading(f"ld{name}", given.get(f"ld{name}"), found[name]) for name in self.runtime_names]
        for each in self.interface.indices:  # a copy, which nobody can change after it was checked
            arrays[each.name] = arrays[each.name].copy()
            integers[each.name] = address_of(arrays[each.name])
        for each in self.interface.indices:
            check_index(each, arrays)
        return [*integers.values(), *strides], list(arrays.values())

    def _shaped(self, operand: Operand, value: Any) -> Any:
        """Return an array with fewer or more axes as the operand's matrix, if it has the same elements: (n,) for one
        row, (b, m, n) for b * m rows, and a matrix for an array of more axes. A Python number stands for an operand of
        one element."""
        if isinstance(value, (int, float)):
            return scalar(operand, value)
        array = as_array(operand.name, value)
        rows, columns = operand.rows, operand.columns
        line = array.ndim < 2 and 1 in (rows, columns) and array.size == rows * columns
        deep = self.interface.axes == DEEP and array.ndim > 2 and array.shape[-1] == columns
        deep |= bool(operand.axes) and array.shape == (rows, columns)
        if not line and not (deep and array.size == rows * columns):
            return array
        shaped = array.reshape(operand.shape)
        # a copy would not be the array that was passed
        return shaped if address_of(shaped) == address_of(array) else array

    def _check_outputs(self, arrays: dict[str, Array]) -> None:
        aliasing = self.interface.aliasing
        for output in self.outputs:
            array = arrays[output.name]
            writable(output.name, array)
            others = {
                name: other
                for name, other in arrays.items()
                if name != output.name and not ((name, output.name) in aliasing and _same(other, array))
            }
            no_overlap(output.name, array, **others)


def _same(x: Array, y: Array) -> bool:
    """Whether two arrays consist of the same elements at the same addresses."""
    return address_of(x) == address_of(y) and x.shape == y.shape and x.strides == y.strides and x.itemsize == y.itemsize


def number_of(argument: Number, value: Any) -> int:
    """Return an integer argument of a call."""
    number = integer(argument.name, value)
    if number < argument.least or argument.most is not None and number > argument.most:
        most = " or more" if argument.most is None else f" to {argument.most}"
        raise ValueError(f"{argument.name}: {argument.least}{most}, not {number}")
    return number

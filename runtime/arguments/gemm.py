"""Check the Python arguments of a BRGEMM call and convert them to the integers of its C function.

    fixed batch   mm(a, b, c)                            a (m,k), b (k,n); (batch,m,k), (batch,k,n) with a batch count
                  with strides=RUNTIME the arrays determine how far their matrices lie apart;
                  of levels: a (*counts,m,k), b (*counts,k,n), or a vector of the memory in which the matrices lie
    STRIDE        mm(a, b, c, count, a_stride, b_stride)  bytes; a, b the first matrices or the whole arrays
    OFFSET        mm(a, b, c, a_offsets, b_offsets)       int64, bytes from the first element of a and b
    ADDRESS       mm(a_addresses, b_addresses, c)         uint64

Leading dimensions given at the call are read from the arrays' strides. ADDRESS has no arrays for a and b and takes the
keywords lda and ldb. Nothing is called and nothing is written if any argument is wrong.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...microkernels.gemm.spec import ADDRESS, OFFSET, STRIDE, GemmSpec
from ...microkernels.operands import RUNTIME, Axes
from .arrays import Array, Made, address_of, array_at, as_array, byte_bounds, numpy_dtype, overlap, owner_bounds
from .matrices import (
    chosen_leading,
    empty,
    integer,
    leading_keywords,
    matrix,
    no_overlap,
    runtime_operands,
    stacked,
    writable,
)

_ONE = Axes()


class GemmCall:
    """Checks and converts the arguments of one spec's kernel. It keeps no state of a call, so threads may share it."""

    def __init__(self, spec: GemmSpec) -> None:
        self.spec = spec
        self.dtype = numpy_dtype(spec.dtype)  # the type of c
        self.operands = {operand.name: operand for operand in spec.operands}
        self.runtime = runtime_operands(self.operands.values())
        fixed = Binding.by_array_strides if spec.strides is RUNTIME else Binding.fixed
        self._bind: Callable[..., list[int]] = {
            STRIDE: Binding.strided,
            OFFSET: Binding.offsets,
            ADDRESS: Binding.addresses,
        }.get(spec.batch, fixed)  # type: ignore[arg-type]

    def __call__(self, *args: Any, **leading: Any) -> tuple[list[int], list[Any]]:
        """Return the integers for the C function, and the objects to keep alive during the call."""
        binding = Binding(self, leading)
        integers = self._bind(binding, *args)
        integers += [binding.chosen_leading(name) for name in self.runtime]
        return integers, binding.keep

    def with_output(self, args: tuple[Any, ...]) -> tuple[Made, tuple[Any, ...]]:
        """Return the new output or None, and the arguments including it. The output is new if the kernel never reads c
        and the call left it out."""
        if self.spec.beta == 0 and (len(args) == 2 or (len(args) > 2 and args[2] is None)):
            made = empty(self.operands["c"])
            return made, (*args[:2], made, *args[3:])
        return None, args


def adds_to_c(spec: GemmSpec) -> str:
    """Explain why a kernel needs C, and how to get one that returns it."""
    how = "adds to c" if spec.beta == 1 else f"adds to {spec.beta:g} * c"
    return f"beta is {spec.beta:g}, so this kernel {how}: pass it as c or out=, or make the kernel with beta=0"


class Binding:
    """The arguments of one call."""

    def __init__(self, call: GemmCall, given: dict[str, Any]) -> None:
        self.spec, self.operands = call.spec, call.operands
        self.keep: list[Any] = []
        self.found: dict[str, int] = {}  # leading dimensions from the strides of arrays
        self.given = leading_keywords(given, call.runtime)  # leading dimensions from keywords

    def chosen_leading(self, keyword: str) -> int:
        """Return a leading dimension that is given at the call."""
        return chosen_leading(keyword, self.given.get(keyword), self.found.get(keyword))

    # The four batch modes

    def fixed(self, *args: Any) -> list[int]:
        """Convert mm(a, b, c)."""
        a, b, c = self.count(args, "a", "b", "c")
        a, b = (self.matrix(name, value, self.spec.axes(name)) for name, value in (("a", a), ("b", b)))
        c = self.matrix("c", c)
        self.output(c, a=a, b=b)
        return [address_of(a), address_of(b), address_of(c)]

    def by_array_strides(self, *args: Any) -> list[int]:
        """Convert mm(a, b, c), with the distances between matrices read from the arrays."""
        a, b, c = self.count(args, "a", "b", "c")
        arrays, strides = [], []
        for name, value in (("a", a), ("b", b)):
            array, stride = self.matrices(name, as_array(name, value), self.spec.batch)
            arrays.append(array)
            strides.append(stride)
        c = self.matrix("c", c)
        self.output(c)
        for name, array, stride in zip("ab", arrays, strides):
            places = range(0, len(array) * stride, stride) if stride else range(bool(len(array)))
            self._no_overlap(name, name, address_of(array), places if stride >= 0 else places[::-1], c)
        return [*map(address_of, (*arrays, c)), *strides]

    def matrices(self, name: str, array: Array, count: Any, one: str = "") -> tuple[Array, int]:
        """Return the array of so many matrices, and the bytes from one to the next. one: what a single matrix would
        stand for, for the message."""
        operand = self.operands[name]
        if array.shape != (count, *operand.shape):
            shared = f", or {operand.shape} for {one}" if one else ""
            raise ValueError(f"{name}: shape {(count, *operand.shape)}{shared}, not {array.shape}")
        self.keep.append(array)
        stride, leading = stacked(operand, array, self.spec.layout_of(name))
        if leading is not None:
            self.found[f"ld{name}"] = leading
        return array, stride

    def strided(self, *args: Any) -> list[int]:
        """Convert mm(a, b, c, count, a_stride, b_stride)."""
        a, b, c, count, *strides = self.count(args, "a", "b", "c", "count", "a_stride", "b_stride")
        a, b, c = self._first("a", a), self._first("b", b), self.matrix("c", c)
        self.output(c)
        count = integer("count", count)
        if count < 0:
            raise ValueError(f"count: 0 or more, not {count}")
        integers = [address_of(a), address_of(b), address_of(c), count]
        for name, array, stride in zip("ab", (a, b), strides):
            stride = integer(f"{name}_stride", stride)
            size = self._dtype(name).itemsize
            if stride % size:
                raise ValueError(f"{name}_stride: a multiple of {size} bytes, not {stride}")
            places = range(0, count * stride, stride) if stride else range(bool(count))
            self._batch(f"{name}_stride", name, array, places if stride >= 0 else places[::-1], c)
            integers.append(stride)
        return integers

    def offsets(self, *args: Any) -> list[int]:
        """Convert mm(a, b, c, a_offsets, b_offsets)."""
        a, b, c, a_offsets, b_offsets = self.count(args, "a", "b", "c", "a_offsets", "b_offsets")
        a, b, c = self._first("a", a), self._first("b", b), self.matrix("c", c)
        tables = self._tables(c, np.dtype(np.int64), a_offsets=a_offsets, b_offsets=b_offsets)
        for name, array, table in zip("ab", (a, b), tables):
            self._batch(f"{name}_offsets", name, array, np.sort(table), c)
        return [address_of(a), address_of(b), address_of(c), *map(address_of, tables), len(tables[0])]

    def addresses(self, *args: Any) -> list[int]:
        """Convert mm(a_addresses, b_addresses, c)."""
        a, b, c = self.count(args, "a_addresses", "b_addresses", "c")
        c = self.matrix("c", c)
        tables = self._tables(c, np.dtype(np.uint64), a_addresses=a, b_addresses=b)
        for name, table in zip("ab", tables):
            if not table.all():
                raise ValueError(f"{name}_addresses: entry {int(np.argmin(table))} is null")
            self._no_overlap(f"{name}_addresses", name, 0, np.sort(table), c)
        return [*map(address_of, tables), address_of(c), len(tables[0])]

    # Parts

    def count(self, args: tuple[Any, ...], *names: str) -> tuple[Any, ...]:
        if len(args) != len(names):
            raise TypeError(
                f"this kernel takes {len(names)} arguments ({', '.join(names)}), not {len(args)}"
                + self._without_c(len(args))
            )
        return args

    def _without_c(self, count: int) -> str:
        """Return the error text for a call that leaves out a C which is read."""
        return f"; {adds_to_c(self.spec)}" if count == 2 and self.spec.beta != 0 else ""

    def _first(self, name: str, value: Any) -> Array:
        """Return the first matrix: the array itself, or the first of an array of matrices."""
        array = as_array(name, value)
        if array.ndim != len(self.operands[name].shape) + 1:
            return self.matrix(name, array)
        if not len(array):
            raise ValueError(f"{name}: an array of at least one matrix, not of shape {array.shape}")
        return self.matrix(name, array[0])

    def matrix(self, name: str, value: Any, batch: Axes = _ONE) -> Array:
        """Return an array of the operand's type, shape and strides."""
        array, leading = matrix(self.operands[name], value, batch, self.spec.layout_of(name))
        if leading is not None:
            self.found[f"ld{name}"] = leading
        self.keep.append(array)
        return array

    def _dtype(self, name: str) -> np.dtype[Any]:
        return numpy_dtype(self.operands[name].dtype)

    def _matrix_strides(self, name: str) -> tuple[int, ...]:
        """Return the strides in bytes of a matrix of the batch."""
        operand, size = self.operands[name], self._dtype(name).itemsize
        view, place = operand.view, size * operand.group
        leading = view.leading if isinstance(view.leading, int) else self.chosen_leading(f"ld{name}")
        outer = (leading * place, place) if view.order == "C" else (place, leading * place)
        return (*outer, size) if operand.group > 1 else outer

    def _extent(self, name: str) -> int:
        """Return the bytes from the first to behind the last element of a matrix of the batch."""
        steps = zip(self.operands[name].shape, self._matrix_strides(name))
        return sum((n - 1) * stride for n, stride in steps) + self._dtype(name).itemsize

    def _batch(self, argument: str, name: str, array: Array, places: Sequence[int] | Array, c: Array) -> None:
        """Require that matrices at these ascending distances from `array` lie in its owner's memory, and not on c."""
        if len(places):
            start, (first, behind) = address_of(array), owner_bounds(array)
            low, high = start + int(places[0]) - first, start + int(places[-1]) + self._extent(name) - first
            if low < 0 or high > behind - first:
                raise ValueError(
                    f"{argument}: matrices must lie inside the memory of {name}, {behind - first} bytes, "
                    f"not reach from byte {low} to {high}"
                )
            self._no_overlap(argument, name, start, places, c)

    def _no_overlap(self, argument: str, name: str, start: int, places: Sequence[int] | Array, c: Array) -> None:
        """Require that no matrix at these ascending distances from an address shares an element with c."""
        low, high = byte_bounds(c)
        first, behind = low - self._extent(name) - start, high - start
        near = places[bisect_right(places, first) : bisect_left(places, behind)]
        for place in near:
            shape, strides = self.operands[name].shape, self._matrix_strides(name)
            matrix = array_at(start + int(place), shape, strides, self._dtype(name))
            if overlap(c, matrix):
                raise ValueError(
                    f"c: must not overlap the batch of {name} ({argument}); "
                    "the result would depend on the order of writes"
                )

    def _tables(self, c: Array, dtype: np.dtype[Any], **named: Any) -> list[Array]:
        """Return copies of both tables for the kernel to read, so that later writes of other threads have no effect.

        c must not overlap the tables themselves.
        """
        given = {name: as_array(name, value) for name, value in named.items()}
        copies = [self._table(name, table, dtype) for name, table in given.items()]
        if len(copies[0]) != len(copies[1]):
            names, lengths = (" and ".join(map(str, pair)) for pair in (named, map(len, copies)))
            raise ValueError(f"{names}: must have equal lengths, not {lengths}")
        self.output(c, **given)
        self.keep += copies
        return copies

    def _table(self, name: str, table: Array, dtype: np.dtype[Any]) -> Array:
        """Return a copy of a table whose entries are whole elements."""
        if table.dtype != dtype or table.ndim != 1:
            raise TypeError(f"{name}: a one-dimensional {dtype} array, not {table.dtype} of shape {table.shape}")
        if not (table.flags.c_contiguous and table.flags.aligned):
            raise ValueError(
                f"{name}: contiguous and aligned, not with strides {table.strides} at {address_of(table):#x}"
            )
        copy: Array = table.copy()
        size = self._dtype(name[0]).itemsize
        wrong = np.flatnonzero(copy % dtype.type(size))
        if wrong.size:
            raise ValueError(
                f"{name}: multiples of {size} bytes (elements must be aligned), entry {wrong[0]} is {copy[wrong[0]]}"
            )
        return copy

    def output(self, c: Array, **inputs: Array) -> None:
        writable("c", c)
        no_overlap("c", c, **inputs)

"""From the Python arguments of a BRGEMM call to the integers of its C function, every one checked first.

    fixed batch   mm(a, b, c)                            a (m,k), b (k,n); (batch,m,k), (batch,k,n) with a batch count
    STRIDE        mm(a, b, c, count, a_stride, b_stride)  bytes; a, b the first matrices or the whole arrays
    OFFSET        mm(a, b, c, a_offsets, b_offsets)       int64, bytes from the first element of a and b
    ADDRESS       mm(a_addresses, b_addresses, c)         uint64

Leading dimensions given at the call are read from the arrays' strides; ADDRESS has no arrays for a and b and takes
keywords lda and ldb. Nothing is called and nothing written if any argument is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..microkernels.gemm_spec import ADDRESS, OFFSET, RUNTIME, STRIDE, GemmSpec, View, dense
from .arrays import Array, address_of, as_array, byte_bounds, overlap, owner_bounds

_NUMPY = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64)}


class GemmCall:
    """Checks and converts the arguments of one spec's kernel."""

    def __init__(self, spec: GemmSpec) -> None:
        self.spec = spec
        self.dtype = _NUMPY[spec.dtype]
        self.shapes = {name: (rows, columns) for name, rows, columns, _ in spec.operands}
        self.views = {name: view for name, _, _, view in spec.operands}
        self._bind: Callable[..., list[int]] = {
            STRIDE: self._strided, OFFSET: self._offsets, ADDRESS: self._addresses,
        }.get(spec.batch, self._fixed)  # type: ignore[call-overload,arg-type]  # fmt: skip

    def __call__(self, *args: Any, **leading: Any) -> tuple[list[int], list[Any]]:
        """(integers for the C function, objects to keep alive during the call)."""
        runtime = [f"ld{name}" for name, value in zip("abc", self.spec.leading) if value is RUNTIME]
        for name in leading:
            if name not in runtime:
                raise TypeError(
                    f"{name}: not an argument of this kernel; it takes {', '.join(runtime) or 'no keywords'}"
                )
        self.leading: dict[str, int] = {}
        self.keep: list[Any] = []
        integers = self._bind(*args)
        for name in runtime:
            integers.append(self._chosen_leading(name, leading))
        return integers, self.keep

    def _chosen_leading(self, name: str, given: dict[str, Any]) -> int:
        found = self.leading.get(name)
        if name not in given:
            if found is None:
                raise TypeError(f"{name}: give it as a keyword, addresses have no strides to read it from")
            return found
        value = int(given[name])
        least = dense(self.views[name[2]].order, *self.shapes[name[2]])
        if value < least or (found is not None and found != value):
            expected = f"{found}, as in the strides of {name[2]}" if found is not None else f"at least {least}"
            raise ValueError(f"{name}: {expected}, not {value}")
        return value

    # The four batch modes

    def _fixed(self, *args: Any) -> list[int]:
        a, b, c = self._count(args, "a", "b", "c")
        batch = () if self.spec.batch is None else (self.spec.batch,)
        a, b, c = self._matrix("a", a, batch), self._matrix("b", b, batch), self._matrix("c", c, ())
        self._output(c, a=a, b=b)
        return [address_of(a), address_of(b), address_of(c)]

    def _strided(self, *args: Any) -> list[int]:
        a, b, c, count, a_stride, b_stride = self._count(args, "a", "b", "c", "count", "a_stride", "b_stride")
        a, b, c = self._first("a", a), self._first("b", b), self._matrix("c", c, ())
        count = _integer("count", count)
        if count < 0:
            raise ValueError(f"count: 0 or more, not {count}")
        integers = [count]
        for name, array, stride in (("a", a, a_stride), ("b", b, b_stride)):
            value = _integer(f"{name}_stride", stride)
            if value % self.dtype.itemsize:
                raise ValueError(f"{name}_stride: a multiple of {self.dtype.itemsize} bytes, not {value}")
            last = (count - 1) * value if count else 0
            self._inside(name, array, min(0, last), max(0, last), c)
            integers.append(value)
        self._output(c)
        return [address_of(a), address_of(b), address_of(c), *integers]

    def _offsets(self, *args: Any) -> list[int]:
        a, b, c, a_offsets, b_offsets = self._count(args, "a", "b", "c", "a_offsets", "b_offsets")
        a, b, c = self._first("a", a), self._first("b", b), self._matrix("c", c, ())
        tables = self._tables(("a_offsets", a_offsets), ("b_offsets", b_offsets), dtype=np.dtype(np.int64))
        for name, array, table in zip("ab", (a, b), tables):
            if len(table):
                self._inside(name, array, int(table.min()), int(table.max()), c)
        self._output(c)
        return [address_of(a), address_of(b), address_of(c), *map(address_of, tables), len(tables[0])]

    def _addresses(self, *args: Any) -> list[int]:
        a, b, c = self._count(args, "a_addresses", "b_addresses", "c")
        c = self._matrix("c", c, ())
        tables = self._tables(("a_addresses", a), ("b_addresses", b), dtype=np.dtype(np.uint64))
        self._output(c)
        low, high = byte_bounds(c)
        for name, table in zip("ab", tables):
            extent = self._extent(name)
            if len(table) and not table.all():
                raise ValueError(f"{name}_addresses: entry {int(np.argmin(table))} is null")
            if len(table) and bool(np.any((table < np.uint64(high)) & (table > np.uint64(max(low - extent, 0))))):
                raise ValueError(
                    f"{name}_addresses: a matrix overlaps c; the result would depend on the order of writes"
                )
        return [*map(address_of, tables), address_of(c), len(tables[0])]

    # Parts

    def _count(self, args: tuple[Any, ...], *names: str) -> tuple[Any, ...]:
        if len(args) != len(names):
            raise TypeError(f"this kernel takes {len(names)} arguments ({', '.join(names)}), not {len(args)}")
        return args

    def _first(self, name: str, value: Any) -> Array:
        """The first matrix: the array itself, or the first of an array of matrices."""
        array = as_array(name, value)
        if array.ndim != 3:
            return self._matrix(name, array, ())
        if not len(array):
            raise ValueError(f"{name}: an array of at least one matrix, not of shape {array.shape}")
        return self._matrix(name, array[0], ())

    def _matrix(self, name: str, value: Any, batch: tuple[Any, ...]) -> Array:
        """An array of the operand's type, shape and strides."""
        array = as_array(name, value)
        shape = (*batch, *self.shapes[name])
        if array.dtype != self.dtype or not array.dtype.isnative:
            raise TypeError(f"{name}: dtype {self.dtype} in native byte order, not {array.dtype.newbyteorder('=')}"
                            + ("" if array.dtype.isnative else " in the other byte order"))  # fmt: skip
        if array.shape != shape:
            raise ValueError(f"{name}: shape {shape}, not {array.shape}")
        if address_of(array) % self.dtype.itemsize:
            raise ValueError(f"{name}: elements aligned to {self.dtype.itemsize} bytes, not at {address_of(array):#x}")
        self._strides(name, array, self.views[name])
        self.keep.append(array)
        return array

    def _strides(self, name: str, array: Array, view: View) -> None:
        """Strides must be those of the spec; the stride of a dimension of one element does not matter."""
        size, shape = self.dtype.itemsize, self.shapes[name]
        leading, least = view.leading, dense(view.order, *shape)
        outer = 0 if view.order == "C" else 1  # the dimension that the leading dimension steps along
        if leading is RUNTIME:
            leading = array.strides[array.ndim - 2 + outer] // size if shape[outer] > 1 else least
            if leading < least:
                raise ValueError(
                    f"{name}: a leading dimension of at least {least} elements, strides are {array.strides}"
                )
            self.leading[f"ld{name}"] = leading
        expected = [size, size]
        expected[outer] = leading * size
        if array.ndim == 3:
            expected.insert(0, leading * size * shape[outer])
        wrong = [
            axis for axis, (n, stride, want) in enumerate(zip(array.shape, array.strides, expected))
            if n > 1 and stride != want
        ]  # fmt: skip
        if wrong and array.size:
            raise ValueError(f'{name}: strides {tuple(expected)} (order "{view.order}", leading dimension {leading}), '
                             f"not {array.strides}")  # fmt: skip

    def _extent(self, name: str) -> int:
        """Bytes from the first to behind the last element of a matrix."""
        view, (rows, columns) = self.views[name], self.shapes[name]
        leading = view.leading if isinstance(view.leading, int) else self.leading.get(f"ld{name}")
        leading = dense(view.order, rows, columns) if leading is None else leading
        outer, inner = (rows, columns) if view.order == "C" else (columns, rows)
        return ((outer - 1) * leading + inner) * self.dtype.itemsize

    def _inside(self, name: str, array: Array, first: int, last: int, c: Array) -> None:
        """Matrices from `first` to `last` bytes away must lie in the memory that the array is a view of, not on c."""
        start = address_of(array)
        low, high = start + first, start + last + self._extent(name)
        owner = owner_bounds(array)
        if low < owner[0] or high > owner[1]:
            raise ValueError(f"{name}: the batch covers bytes {low - owner[0]} to {high - owner[0]} of memory of "
                             f"{owner[1] - owner[0]} bytes")  # fmt: skip
        c_low, c_high = byte_bounds(c)
        if low < c_high and c_low < high:
            raise ValueError(f"c: must not overlap the batch of {name}; the result would depend on the order of writes")

    def _tables(self, *named: tuple[str, Any], dtype: np.dtype[Any]) -> list[Array]:
        tables = []
        for name, value in named:
            table = as_array(name, value)
            if table.dtype != dtype or table.ndim != 1 or not table.flags.c_contiguous:
                raise TypeError(f"{name}: a contiguous one-dimensional {dtype} array, not {table.dtype} {table.shape}")
            if len(table) and bool(np.any(table % dtype.type(self.dtype.itemsize))):
                raise ValueError(f"{name}: multiples of {self.dtype.itemsize} bytes (elements must be aligned)")
            tables.append(table)
        if len(tables[0]) != len(tables[1]):
            raise ValueError(
                f"{named[0][0]} and {named[1][0]}: equal lengths, not {len(tables[0])} and {len(tables[1])}"
            )
        self.keep += tables
        return tables

    def _output(self, c: Array, **inputs: Array) -> None:
        if not c.flags.writeable:
            raise ValueError("c: a writable array, this one is read-only")
        for name, array in inputs.items():
            if array.size and overlap(c, array):
                raise ValueError(f"c: must not overlap {name}; the result would depend on the order of writes")


def _integer(name: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name}: an integer, not {value!r}")
    return int(value.__index__())

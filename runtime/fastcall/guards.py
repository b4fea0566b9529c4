"""What must hold of a call's arguments before machine code may take it: data, the same for every architecture.

A request is turned into an Entry, the *structure* of a call, and the numbers of this kernel, its constants
(guards_array, guards_gemm). Kernels of one structure share one emitted entry, which reads the constants of the kernel
that is called.

Constants are 8 bytes each; guards name them by index. Values are the parameters of the kernel's C function, by name.
A guard that does not hold sends the call to the slow path, which decides: so guards may refuse what is right, never
accept what is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...encoder.records import NamedTuple

if TYPE_CHECKING:
    import numpy as np

FUNCTION, ARRAY_TYPE, INT_TYPE, INT64_TYPE, RELEASE_ABOVE = range(5)
"""Indexes of the constants that every kernel has: its address, three types, the largest count that keeps the GIL."""

FAR = 1 << 46
"""Distances and extents in bytes stay below this, so that sums of them with addresses do not overflow."""


class Leading(NamedTuple):
    """A leading dimension read from a stride: a multiple of `unit` bytes, a power of two; at least constant `least`."""

    to: str
    axis: int
    least: int
    unit: int
    matrix: int | None = None  # constant: axis 0 must step this many times as far


class Array(NamedTuple):
    """An exact ndarray of this type; its data pointer becomes the value `to`.

    The dtype is the object in constant `dtype`, or has this type number and byte order. The last axes must have
    `dimensions` elements and `strides` bytes, both constants; None: any stride. With `rank` None one more axis may come
    first (an array of matrices, the first of which is meant). With a `line` the array may have that axis alone; it has
    no gaps then.
    """

    position: int
    to: str
    dtype: int
    number: int
    byte_order: int
    rank: int | None
    dimensions: tuple[int, ...]
    strides: tuple[int | None, ...]
    flags: int
    size: int  # bytes of an element
    leading: Leading | None = None
    line: int | None = None


class Table(NamedTuple):
    """A contiguous, one-dimensional ndarray of one of two 64-bit types; not empty, and as long as the count before.

    The dtype is the object in constant `dtype`, or has one of these type numbers in native byte order.
    """

    position: int
    to: str
    dtype: int
    numbers: tuple[int, int]
    counts: bool  # its length is the value "count", else it must equal it


class Int(NamedTuple):
    """An exact int or numpy.int64, up to 2**30 either way: at least `least`, a multiple of `multiple`."""

    position: int
    to: str
    least: int | None
    multiple: int


class Number(NamedTuple):
    """A value that is a constant."""

    to: str
    constant: int


class Extent(NamedTuple):
    """The bytes of a matrix at a value, from its first to behind its last element: constant `fixed` + value `leading` *
    constant `factor`."""

    value: str
    fixed: int
    leading: str | None = None
    factor: int = 0


class Apart(NamedTuple):
    """The memory of an output and of another array do not touch; with `same` they may also begin at one place."""

    output: Extent
    other: Extent
    same: bool = False


class Steps(NamedTuple):
    """Matrices, `stride` bytes apart, from an array on: inside its owner's memory and apart from outputs. There are
    `products` of them, a constant, or as many as the value "count" says."""

    array: Array
    stride: str
    extent: Extent
    output: Extent
    products: int | None = None
    others: tuple[Extent, ...] = ()  # outputs that no call leaves out


class Offsets(NamedTuple):
    """Matrices at a table's offsets: whole elements, in the owner's memory; apart from outputs, as the table is."""

    array: Array
    table: str
    extent: Extent
    output: Extent
    others: tuple[Extent, ...] = ()


class Addresses(NamedTuple):
    """Matrices at a table's addresses: not null, whole elements; apart from outputs, as the table is."""

    table: str
    extent: Extent
    output: Extent
    size: int
    others: tuple[Extent, ...] = ()


class Rows(NamedTuple):
    """The first axis of the array `to` has `more` elements above the value `counted`, which the first of these guards
    sets (`known` is false there), at least one; they are constant `step` bytes apart. None: the array has no gaps."""

    position: int
    to: str
    counted: str
    known: bool
    step: int | None
    more: int = 0


class Stack(NamedTuple):
    """Independent matrices, one for each product: the first axis of an array has `products` elements, a constant, or
    as many as the value "count" says, which the first of these guards sets (`known` is false there). The value `stride`
    becomes the bytes from one to the next: 0 or more whole elements."""

    array: Array
    stride: str
    extent: Extent
    products: int | None
    known: bool


class StackApart(NamedTuple):
    """The matrices of an output are apart from each other, and from all memory that another stack spans."""

    output: Stack
    other: Stack


Guard = Array | Table | Int | Number | Rows | Apart | Steps | Offsets | Addresses | Stack | StackApart


class Entry(NamedTuple):
    """The structure of a call: what is checked, in order, and what is passed on."""

    arguments: int
    guards: tuple[Guard, ...]
    parameters: tuple[str, ...]
    release: str  # "never", "always", or "count": when the value `counted` is above a constant
    allocates: Array | None = None  # an argument that may be None, or left out if it comes last: it is a new array then
    fortran: bool = False
    counted: str = "count"
    dtype: np.dtype[Any] | None = None  # of that new array

    @property
    def numbers(self) -> tuple[int, ...]:
        """Positions of arguments that are whole numbers."""
        return tuple(guard.position for guard in self.guards if isinstance(guard, Int))

    @property
    def batched(self) -> bool:
        """Whether guards walk over matrices or tables."""
        return any(isinstance(guard, (Table, Steps)) for guard in self.guards)


class Runtime(NamedTuple):
    """Where the process has what entries need: offsets in the callable object, addresses of functions and objects."""

    slow: int  # offset of the slow path's function
    constants: int  # offset of the pointer to the constants
    vectorcall: int
    none: int
    save_thread: int
    restore_thread: int
    inc_ref: int = 0
    empty: int = 0  # numpy's PyArray_Empty
    dtype: int = 0  # of a new array
    allocate: int = 0  # of memory for long tables: PyMem_RawMalloc, PyMem_RawFree
    free: int = 0
    dec_ref: int = 0
    foreign: int = 0  # of a word: the code that calls go on in before the slow path, 0 where there is none
    clear: int = 0  # of errors: PyErr_Clear

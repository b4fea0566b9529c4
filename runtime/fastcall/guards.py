"""The conditions on a call's arguments under which machine code may handle it, as data for every architecture.

A request is turned into a `CallEntry`, the *structure* of a call, and the numbers of this kernel, its constants
(guards_array, guards_rows, guards_stack). Kernels of the same structure share one emitted entry, which reads the
constants of the called kernel.

Constants are 8 bytes each; guards name them by index. Values are the parameters of the kernel's C function, by name. A
guard that fails sends the call to the slow path, which decides. So guards may refuse a valid call, but must never
accept an invalid one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...encoder.records import NamedTuple

if TYPE_CHECKING:
    import numpy as np

FUNCTION, ARRAY_TYPE, INT_TYPE, INT64_TYPE, RELEASE_ABOVE = range(5)
"""The indexes of the constants of every kernel: its address, three types, the largest count that keeps the GIL."""

FAR = 1 << 46
"""Distances and extents in bytes stay below this, so that their sums with addresses cannot overflow."""


class LeadingDimension(NamedTuple):
    """A leading dimension read from a stride. The stride is a multiple of `unit` bytes, a power of two, and at least
    constant `least`."""

    to: str
    axis: int
    least: int
    unit: int
    matrix: int | None = None  # constant: the stride of axis 0 must be this many times as large


class ExactArray(NamedTuple):
    """An exact ndarray of this type. Its data pointer becomes the value `to`.

    The dtype is the object in constant `dtype`, or has this type number and byte order. The last axes must have the
    extents `dimensions`, but for the axis `free`, and the byte strides `strides`, both constants; a stride of None
    accepts any. If `rank` is None, one more axis may come first (an array of matrices, of which the first is used).
    With a `line`, the array may have only that axis, without gaps.
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
    size: int  # the element size in bytes
    leading: LeadingDimension | None = None
    line: int | None = None
    free: int | None = None

    @property
    def dynamic(self) -> bool:
        """Whether the first axis is of any length, which `DynamicRows` checks."""
        return self.rank is not None and self.rank > len(self.dimensions)


class IndexArray(NamedTuple):
    """A contiguous, one-dimensional ndarray of one of two 64-bit types. It is not empty, and as long as the count
    before.

    The dtype is the object in constant `dtype`, or has one of these type numbers in native byte order.
    """

    position: int
    to: str
    dtype: int
    numbers: tuple[int, int]
    counts: bool  # its length becomes the value "count"; otherwise it must equal that value


class Int(NamedTuple):
    """An exact int or numpy.int64 of at most 2**30 in magnitude, at least `least`, at most the constant `most` if there
    is one, and a multiple of `multiple`."""

    position: int
    to: str
    least: int | None
    multiple: int
    most: int | None = None


class WordArgument(NamedTuple):
    """An exact int from 0 to 2**60 - 1, such as an address. Nobody looks at what is there."""

    position: int
    to: str


class ConstantValue(NamedTuple):
    """A value that is a constant."""

    to: str
    constant: int


class Threads(NamedTuple):
    """The number of threads that operations use, from the two words whose address is a constant: that number, or 0 if
    Python must be asked, and the cycles of work after which it must be asked again. The call takes the constant
    `cycles` of them."""

    to: str
    words: int
    cycles: int


class ScratchSlot(NamedTuple):
    """Scratch memory: from the first of the constant `slots` (runtime/loops/scratch.py) that has enough of it.

    The values `to` and `slot` become the addresses of the memory and of its slot, to which the call returns it. The
    call needs the constant `shared` and, for each of the value `workers`, the constant `own` bytes.
    """

    to: str
    slot: str
    workers: str
    slots: int
    number: int  # the number of slots, not a constant
    shared: int
    own: int


class Extent(NamedTuple):
    """The bytes of a matrix at a value, from the first to behind the last element: constant `fixed`, and each value of
    `terms` times its constant."""

    value: str
    fixed: int
    terms: tuple[tuple[str, int], ...] = ()


class NoAlias(NamedTuple):
    """The memory of an output and of another array must not overlap. With `same`, they may start at the same
    address."""

    output: Extent
    other: Extent
    same: bool = False


class StridedMatrices(NamedTuple):
    """Matrices that lie `stride` bytes apart, starting at an array: inside its owner's memory and apart from outputs.
    Their number is the constant `products`, or the value "count"."""

    array: ExactArray
    stride: str
    extent: Extent
    output: Extent
    products: int | None = None
    others: tuple[Extent, ...] = ()  # outputs that no call leaves out


class Offsets(NamedTuple):
    """Matrices at a table's offsets: whole elements, inside the owner's memory. They and the table are apart from
    outputs."""

    array: ExactArray
    table: str
    extent: Extent
    output: Extent
    others: tuple[Extent, ...] = ()


class Addresses(NamedTuple):
    """Matrices at a table's addresses: not null, whole elements. They and the table are apart from outputs."""

    table: str
    extent: Extent
    output: Extent
    size: int
    others: tuple[Extent, ...] = ()


class DynamicRows(NamedTuple):
    """An axis of the array `to` has the value `rows` in groups of `group`, and `more` elements more. The value is at
    least one, and a multiple of `multiple`. The first of these guards sets it (`known` is false there). The elements
    are constant `step` bytes apart; None: the guard of the array says how they lie. `leading` is a leading dimension
    that becomes the length of the axis."""

    position: int
    to: str
    rows: str
    known: bool
    step: int | None
    more: int = 0
    axis: int = 0
    leading: str | None = None
    group: int = 1
    multiple: int = 1


class Stack(NamedTuple):
    """Independent matrices, one for each product. The first axis of an array has `products` elements, a constant, or as
    many as the value "count", which the first of these guards sets (`known` is false there). The value `stride` becomes
    the byte distance between matrices: 0 or more whole elements."""

    array: ExactArray
    stride: str
    extent: Extent
    products: int | None
    known: bool


class StackNoAlias(NamedTuple):
    """The matrices of an output are apart from each other, and from all memory that another stack spans."""

    output: Stack
    other: Stack


class CopiedIndices(NamedTuple):
    """The arrays whose elements name places of others are copied and checked (`copied_indices`). This guard comes after
    all others.

    checks     the first constant of the checks
    read       the places, among the parameters, of what the checks read
    copied     the values that become the addresses of copies
    """

    checks: int
    read: tuple[int, ...]
    copied: tuple[str, ...]


Guard = (
    ExactArray
    | IndexArray
    | Int
    | WordArgument
    | ConstantValue
    | Threads
    | ScratchSlot
    | DynamicRows
    | NoAlias
    | StridedMatrices
    | Offsets
    | Addresses
    | Stack
    | StackNoAlias
    | CopiedIndices
)


class CallEntry(NamedTuple):
    """The structure of a call: the checks, in order, and the parameters that are passed on."""

    arguments: int
    guards: tuple[Guard, ...]
    parameters: tuple[str, ...]
    release: str  # "never", "always", or "count": if the value `rows` exceeds a constant
    # an argument that may be None, or left out if it is the last; it is a new array then
    allocates: ExactArray | None = None
    fortran: bool = False
    rows: str = "count"
    dtype: np.dtype[Any] | None = None  # the type of that new array

    @property
    def numbers(self) -> tuple[int, ...]:
        """Positions of arguments that are integers."""
        return tuple(guard.position for guard in self.guards if isinstance(guard, Int))

    @property
    def indices(self) -> CopiedIndices | None:
        """The guard that copies and checks indices."""
        return next((guard for guard in self.guards if isinstance(guard, CopiedIndices)), None)

    @property
    def batched(self) -> bool:
        """Whether guards walk over matrices or tables."""
        return any(isinstance(guard, (IndexArray, StridedMatrices)) for guard in self.guards)


class Runtime(NamedTuple):
    """Locations that entries need: offsets in the callable object, addresses of functions and objects."""

    slow: int  # offset of the slow path's function
    constants: int  # offset of the pointer to the constants
    vectorcall: int
    none: int
    save_thread: int
    restore_thread: int
    inc_ref: int = 0
    empty: int = 0  # numpy's PyArray_Empty
    dtype: int = 0  # the dtype object of a new array
    allocate: int = 0  # memory for long tables: PyMem_RawMalloc, PyMem_RawFree
    free: int = 0
    dec_ref: int = 0
    foreign: int = 0  # the address of a word that holds the code to try before the slow path, or 0
    copies: int = 0  # the function that copies and checks indices: see `copied_indices`
    refused: int = 0  # NotImplemented, the result of a call that an object of `entry.refusing` does not take

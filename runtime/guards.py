"""What must hold of a call's arguments before machine code may take it: data, the same for every architecture.

`gemm_entry(spec, ...)` turns a request into an Entry, the *structure* of a call, and the numbers of this kernel, its
constants. Kernels of one structure share one emitted entry, which reads the constants of the kernel that is called.

Constants are 8 bytes each; guards name them by index. Values are the parameters of the kernel's C function, by name.
A guard that does not hold sends the call to the slow path, which decides: so guards may refuse what is right, never
accept what is wrong.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..microkernels.dtypes import ELEMENT_BYTES
from ..microkernels.gemm_frame import parameters
from ..microkernels.gemm_spec import ADDRESS, OFFSET, STRIDE, GemmSpec
from ..microkernels.operands import RUNTIME, dense
from . import cpython

FUNCTION, ARRAY_TYPE, INT_TYPE, DTYPE, RELEASE_ABOVE = range(5)
"""Indexes of the constants that every kernel has: its address, two types, the usual dtype object, the largest count
that keeps the GIL."""

_DTYPES: dict[str, np.dtype[Any]] = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64)}
_SIGNED, _UNSIGNED = ((np.dtype(a).num, np.dtype(b).num) for a, b in (("l", "q"), ("L", "Q")))
FAR = 1 << 46
"""Distances and extents in bytes stay below this, so that sums of them with addresses do not overflow."""


class Leading(NamedTuple):
    """A leading dimension read from a stride: positive, whole elements, at least constant `least` bytes."""

    to: str
    axis: int
    least: int
    matrix: int | None = None  # constant: axis 0 must step this many times as far


class Array(NamedTuple):
    """An exact ndarray of this type number in native order; its data pointer becomes the value `to`.

    The last axes must have `dimensions` elements and `strides` bytes, both constants; None: any stride. With `rank`
    None one more axis may come first (an array of matrices, the first of which is meant).
    """

    position: int
    to: str
    number: int
    rank: int | None
    dimensions: tuple[int, ...]
    strides: tuple[int | None, ...]
    flags: int
    size: int  # bytes of an element
    leading: Leading | None = None


class Table(NamedTuple):
    """A contiguous, one-dimensional ndarray of one of two 64-bit types; not empty, and as long as the count before."""

    position: int
    to: str
    numbers: tuple[int, ...]
    counts: bool  # its length is the value "count", else it must equal it


class Int(NamedTuple):
    """An exact int of at most 30 bits: at least `least`, a multiple of `multiple`."""

    position: int
    to: str
    least: int | None
    multiple: int


class Number(NamedTuple):
    """A value that is a constant."""

    to: str
    constant: int


class Extent(NamedTuple):
    """Bytes from the first to behind the last element: constant `fixed` + value `leading` * constant `factor`."""

    fixed: int
    leading: str | None = None
    factor: int = 0


class Apart(NamedTuple):
    """The memory of c and of another value's elements do not touch."""

    other: str
    extent: Extent
    c_extent: Extent


class Steps(NamedTuple):
    """`count` matrices, `stride` bytes apart, from value `array`: inside its owner's memory and apart from c."""

    array: Array
    stride: str
    extent: Extent
    c_extent: Extent


class Offsets(NamedTuple):
    """Matrices at the offsets in a table: whole elements, in the owner's memory, apart from c, as is the table."""

    array: Array
    table: str
    extent: Extent
    c_extent: Extent
    size: int


class Addresses(NamedTuple):
    """Matrices at the addresses in a table: not null, aligned, apart from c, as is the table."""

    table: str
    extent: Extent
    c_extent: Extent
    size: int


Guard = Array | Table | Int | Number | Apart | Steps | Offsets | Addresses


class Entry(NamedTuple):
    """The structure of a call: what is checked, in order, and what is passed on."""

    arguments: int
    guards: tuple[Guard, ...]
    parameters: tuple[str, ...]
    release: str  # "never", "always", or "count": when it is above a constant
    allocates: Array | None = None  # the last argument, which may be left out: then it is a new array of this shape
    fortran: bool = False

    @property
    def batched(self) -> bool:
        """Whether guards walk over matrices or tables."""
        return any(isinstance(guard, (Table, Int)) for guard in self.guards)


def gemm_entry(spec: GemmSpec, release: str, release_above: int) -> tuple[Entry, list[int]] | None:
    """(structure, constants but the function's address) for kernels of this request; None: no call can pass."""
    if spec.batch == 0 or (spec.batch is ADDRESS and RUNTIME in spec.leading[:2]):
        return None  # nothing to read, or leading dimensions that are keywords
    builder = _Builder(spec)
    builder.constants[RELEASE_ABOVE] = release_above
    {STRIDE: builder.strided, OFFSET: builder.offsets, ADDRESS: builder.addresses}.get(spec.batch, builder.fixed)()  # type: ignore[arg-type]
    if max(builder.constants[RELEASE_ABOVE + 1 :]) >= FAR:
        return None  # no array is as large
    last = builder.arrays["c"]
    allocates = (
        spec.beta == 0 and spec.batch not in (STRIDE, OFFSET) and spec.leading[2] in (RUNTIME, builder.least("c"))
    )
    names = tuple(name for _, name in parameters(spec))
    entry = Entry(builder.arguments, tuple(builder.guards), names, release, last if allocates else None,
                  spec.order[2] == "F")  # fmt: skip
    return entry, builder.constants


class _Builder:
    """Collects guards and constants."""

    def __init__(self, spec: GemmSpec) -> None:
        self.spec, self.size = spec, ELEMENT_BYTES[spec.dtype]
        self.operands = {each.name: (each.rows, each.columns, each.view) for each in spec.operands}
        self.constants = [0, id(np.ndarray), id(int), id(_DTYPES[spec.dtype]), 0]
        self.guards: list[Guard] = []
        self.arrays: dict[str, Array] = {}
        self.arguments = 3

    def constant(self, value: int) -> int:
        """The index of a new constant: a structure must not depend on which of them happen to be equal."""
        self.constants.append(value)
        return len(self.constants) - 1

    # The batch modes

    def fixed(self) -> None:
        batch = self.spec.batch
        depth = batch if isinstance(batch, int) else 0
        for position, name in enumerate("abc"):
            self._array(position, name, 0 if name == "c" else depth)
        for name in "ab":
            self.guards.append(Apart(name, self._extent(name, depth), self._extent("c")))

    def strided(self) -> None:
        self.arguments = 6
        self._first_and_c()
        self.guards.append(Int(3, "count", 1, 1))
        for position, name in enumerate("ab", 4):
            self.guards.append(Int(position, f"{name}_stride", None, self.size))
        for name in "ab":
            extents = self._extent(name), self._extent("c")
            self.guards.append(Steps(self.arrays[name], f"{name}_stride", *extents))

    def offsets(self) -> None:
        self.arguments = 5
        self._first_and_c()
        for position, name in enumerate("ab", 3):
            self.guards.append(Table(position, f"{name}_offsets", _SIGNED, counts=name == "a"))
        for name in "ab":
            extents = self._extent(name), self._extent("c")
            self.guards.append(Offsets(self.arrays[name], f"{name}_offsets", *extents, self.size))

    def addresses(self) -> None:
        for position, name in enumerate("ab"):
            self.guards.append(Table(position, name, _UNSIGNED, counts=name == "a"))
        self._array(2, "c", 0)
        for name in "ab":
            self.guards.append(Addresses(name, self._extent(name), self._extent("c"), self.size))

    # Parts

    def _first_and_c(self) -> None:
        for position, name in enumerate("ab"):
            self._array(position, name, None)
        self._array(2, "c", 0)

    def _array(self, position: int, name: str, depth: int | None) -> None:
        """An operand's array: `depth` matrices, 0 for one without a batch axis, None for either form of a first one."""
        rows, columns, view = self.operands[name]
        shape = ((depth,) if depth else ()) + (rows, columns)
        outer = len(shape) - (2 if view.order == "C" else 1)
        flags = cpython.ALIGNED | (cpython.WRITEABLE if name == "c" else 0)
        strides: list[int | None] = [None] * len(shape)
        leading = None
        contiguous = cpython.C_CONTIGUOUS if view.order == "C" else cpython.F_CONTIGUOUS
        if view.leading == self.least(name) and depth is not None and (not depth or view.order == "C"):
            flags |= contiguous
        else:
            strides, leading = self._strides(name, shape, outer)
        dimensions = tuple(self.constant(n) for n in shape)
        array = Array(position, name, _DTYPES[self.spec.dtype].num, None if depth is None else len(shape), dimensions,
                      tuple(strides), flags, self.size, leading)  # fmt: skip
        self.arrays[name] = array
        self.guards.append(array)
        if view.leading is RUNTIME and leading is None:
            self.guards.append(Number(f"ld{name}", self.constant(self.least(name))))

    def _strides(self, name: str, shape: tuple[int, ...], outer: int) -> tuple[list[int | None], Leading | None]:
        """Constants of the strides; of an axis of one element any will do."""
        _, _, view = self.operands[name]
        wanted: list[int | None] = [None] * len(shape)
        inner = 2 * len(shape) - 3 - outer
        if shape[inner] > 1:
            wanted[inner] = self.constant(self.size)
        if isinstance(view.leading, int):
            if shape[outer] > 1:
                wanted[outer] = self.constant(view.leading * self.size)
            if len(shape) == 3 and shape[0] > 1:
                wanted[0] = self.constant(view.leading * self.size * shape[outer])
            return wanted, None
        matrix = len(shape) == 3 and shape[0] > 1
        if shape[outer] == 1:
            if matrix:
                wanted[0] = self.constant(self.least(name) * self.size)
            return wanted, None
        least = self.constant(self.least(name) * self.size)
        return wanted, Leading(f"ld{name}", outer, least, self.constant(shape[outer]) if matrix else None)

    def least(self, name: str) -> int:
        """The leading dimension without gaps."""
        rows, columns, view = self.operands[name]
        return dense(view.order, rows, columns)

    def _extent(self, name: str, depth: int = 0) -> Extent:
        rows, columns, view = self.operands[name]
        outer = rows if view.order == "C" else columns
        outer, inner = outer * max(1, depth), self.least(name)
        if view.leading is RUNTIME:
            return Extent(self.constant(inner * self.size), f"ld{name}", self.constant((outer - 1) * self.size))
        assert isinstance(view.leading, int)
        return Extent(self.constant(((outer - 1) * view.leading + inner) * self.size))

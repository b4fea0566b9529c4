"""The memory layout of CPython's and numpy's objects, checked on sample objects before any machine code relies on it.

    object          0 reference count      8 type                                             (64-bit builds with a GIL)
    ndarray        16 data    24 rank (int32)    32 dimensions    40 strides    48 base    56 dtype    64 flags (int32)
    dtype          26 byte order (char)    28 type number (int32)
    int, to 3.11   16 digits, with the sign (int64)            24 lowest digit, 30 bits (uint32)
    int, from 3.12 16 digits << 3 | (0 plus, 1 zero, 2 minus)  24 lowest digit
    numpy.int64    16 value (int64)

Sources: CPython's Include/cpython/{object,longintrepr}.h, numpy's numpy/ndarraytypes.h, which is the same in numpy 1.26
and 2.x. `refusal()` reads all of this back from real objects and reports any difference; then nothing here is used.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from . import libc
from .environment import ENTRY, calls_through_python
from .interpreters import in_subinterpreter
from .libc import ffi

if TYPE_CHECKING:
    import numpy as np

np = lazy(None, "numpy")

TYPE = 8
DATA, RANK, DIMENSIONS, STRIDES, BASE, DTYPE, FLAGS = 16, 24, 32, 40, 48, 56, 64
BYTE_ORDER, TYPE_NUMBER = 26, 28
VECTORCALL_OFFSET = 56  # in a type: the offset of an object's vectorcall
INT_TAG, INT_DIGIT = 16, 24
TUPLE_SIZE, TUPLE_ITEMS = 16, 24
INT64_VALUE = 16
INT_BASE = 1 << 30
NATIVE = ord("=")

C_CONTIGUOUS, F_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x2, 0x100, 0x400  # numpy/ndarraytypes.h

SIGNED_SIZES = sys.version_info < (3, 12)
"""Whether the sign of an int is stored in its digit count, as in older versions, or in a tag."""
COUNTED_NONE = sys.version_info < (3, 12)
"""Whether None is reference-counted; from 3.12 on it is immortal."""

ARRAY_EMPTY = 184  # PyArray_Empty in numpy's function table: numpy/core/code_generators/numpy_api.py
_CAPSULE = "_ARRAY_API"
OLDEST, NEWEST = (3, 10), (3, 14)
"""Versions of CPython in which machine code has been tested. Not everything that it relies on can be read back."""


def word(address: int) -> int:
    """Return eight bytes of memory."""
    value: int = ffi.cast("int64_t *", address)[0]
    return value


def int32(address: int) -> int:
    """Return four bytes of memory."""
    value: int = ffi.cast("int32_t *", address)[0]
    return value


@functools.cache
def symbol(name: str) -> int:
    """Return the address of a function of this process, or 0 if there is none."""
    return libc.address(name)


def refusal() -> str:
    """Return the reason why machine code may not take calls in this process, or an empty text."""
    return f"{ENTRY}=cffi" if calls_through_python() else difference()


@functools.cache
def difference() -> str:
    """Return why machine code must not read objects: how they differ from the layout above, or that this interpreter
    is not the one whose GIL it acquires; an empty text if it may."""
    if sys.implementation.name != "cpython":
        return f"{sys.implementation.name} has no CPython objects"
    if "t" in getattr(sys, "abiflags", ""):
        return "this CPython is free-threaded: its objects are laid out differently"
    if in_subinterpreter():
        return "machine code acquires the GIL for the main interpreter, and this is a subinterpreter"
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        versions = (".".join(map(str, version)) for version in (sys.version_info[:2], OLDEST, NEWEST))
        return "CPython {} is not one of {} to {}, which machine code has been tested in".format(*versions)
    if sys.maxsize != (1 << 63) - 1 or sys.byteorder != "little":
        return "not a 64-bit little-endian build"
    return next(_differences(), "")


def _differences() -> Iterator[str]:
    """Yield the differences of this process's objects. Each check reads only what the checks before it have
    confirmed."""
    for sample in (None, 5, np.zeros(1), np.dtype("f4")):
        if word(id(sample) + TYPE) != id(type(sample)):
            yield f"the type of {sample!r} is not at {TYPE}"
            return
    if np.ndarray.__basicsize__ < FLAGS + 4 or type(np.dtype("f4")).__basicsize__ < TYPE_NUMBER + 4:
        yield "ndarray or dtype objects are smaller than expected"
        return
    yield from (f"int {n} reads as {compact_int(n)}" for n in _INTEGERS if compact_int(n) != _expected_int(n))
    for n in _INT64:
        scalar = np.int64(n)
        if word(id(scalar) + TYPE) != id(np.int64) or word(id(scalar) + INT64_VALUE) != n:
            yield f"numpy.int64 {n} reads as {word(id(scalar) + INT64_VALUE)}"
    for array in _arrays():
        found = _array_facts(array)
        expected = {
            "data": array.__array_interface__["data"][0],
            "rank": array.ndim,
            "dtype": id(array.dtype),
            "base": id(array.base) if array.base is not None else 0,
            "flags": array.flags.num,
        }
        yield from (f"ndarray: {name} is not where it should be" for name in expected if found[name] != expected[name])
        for name, offset, values in (("dimensions", DIMENSIONS, array.shape), ("strides", STRIDES, array.strides)):
            if _words(word(id(array) + offset), array.ndim) != values:
                yield f"ndarray: {name} are not at {offset}"
    for dtype in map(np.dtype, ("f4", "f8", "i8", "u8", "q", "Q", ">f4", ">i8", "u1", "f2", "c8")):
        order = ffi.cast("char *", id(dtype) + BYTE_ORDER)[0].decode("latin-1")
        if (int32(id(dtype) + TYPE_NUMBER), order) != (dtype.num, dtype.byteorder):
            yield f"dtype {dtype.str}: type number or byte order are not where they should be"


def _words(address: int, count: int) -> tuple[int, ...] | None:
    """Return words at an address that may not be a pointer at all, or None if they cannot be read."""
    try:
        memory = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)
        try:
            data = os.pread(memory, 8 * count, address) if count else b""
        finally:
            os.close(memory)
    except (OSError, OverflowError, ValueError):
        return None
    return tuple(int.from_bytes(data[i : i + 8], "little", signed=True) for i in range(0, len(data), 8))


_INTEGERS = (0, 1, -1, 7, -300, INT_BASE - 1, 1 - INT_BASE, INT_BASE, -INT_BASE, 1 << 59, 1 << 64, -(1 << 90))
_INT64 = (0, 1, -1, INT_BASE, -300, (1 << 63) - 1, -(1 << 63))


def _expected_int(number: int) -> int | None:
    return number if abs(number) < INT_BASE else None


def compact_int(number: int) -> int | None:
    """Return the value of an int of at most one digit, read as the entry reads it; None for longer ones."""
    tag, digit = word(id(number) + INT_TAG), int32(id(number) + INT_DIGIT)
    if SIGNED_SIZES:
        return digit * tag if -1 <= tag <= 1 else None
    return (1 - (tag & 3)) * digit if 0 <= tag < 16 else None


def _arrays() -> list[np.ndarray[Any, Any]]:
    whole = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
    frozen = np.zeros((2, 3))
    frozen.flags.writeable = False
    shifted = np.ndarray((2,), np.float64, np.zeros(24, np.uint8), 1)
    return [whole, whole.T, whole[1, ::-2, 1:3], frozen, shifted, np.zeros(()), np.zeros((0, 3)), np.zeros(3, ">f4")]


def _array_facts(array: np.ndarray[Any, Any]) -> dict[str, int]:
    at = id(array)
    return {
        "data": word(at + DATA),
        "rank": int32(at + RANK),
        "dtype": word(at + DTYPE),
        "base": word(at + BASE),
        "flags": int32(at + FLAGS),
    }


def empty_array_function(call: Callable[..., int]) -> int:
    """Return the address of numpy's PyArray_Empty, or 0 if its function table is not as expected."""
    table = numpy_functions(call)
    return word(table + 8 * ARRAY_EMPTY) if table else 0


def numpy_functions(call: Callable[..., int]) -> int:
    """Return the address of numpy's function table, or 0 if it is not as expected. `call` holds the GIL."""
    core = sys.modules.get("numpy._core._multiarray_umath") or sys.modules.get("numpy.core._multiarray_umath")
    capsule = getattr(core, _CAPSULE, None)
    if capsule is None or int(np.__version__.partition(".")[0]) not in (1, 2):
        return 0
    table = call(symbol("PyCapsule_GetPointer"), id(capsule), 0)
    # entries 2 and 3 are PyArray_Type and PyArrayDescr_Type
    if not table or word(table + 16) != id(np.ndarray) or word(table + 24) != id(np.dtype):
        return 0
    return table

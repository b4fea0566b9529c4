"""DLPack in Python's protocol: the numbers of types and devices, and the arrays in capsules.

`read(value, dtypes)` makes ndarrays that numpy itself does not make, of types that only ml_dtypes has. The capsule is
not consumed: the ndarray keeps it, and it releases its memory when nobody refers to it any more, like an unused
capsule.

    capsule               16 pointer    24 name (char *)
    DLManagedTensor        0 DLTensor
    ...Versioned           0 major, minor version (uint32)    24 flags (bit 0: read-only)    32 DLTensor
    DLTensor               0 data   8 device type (int32)   16 rank (int32)   20 code, bits (uint8), lanes (uint16)
                          24 shape (int64 *)   32 strides, in elements (int64 *), may be NULL   40 byte offset

Sources: dlpack.h 1.3; CPython's Objects/capsule.c.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...encoder.errors import raised_here
from . import cpython
from .cpython import int32, word
from .libc import ffi

CPU = 1
DEVICES = {2: "CUDA", 3: "CUDA, host memory", 4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", 13: "CUDA, managed"}
CODES = {
    "f64": 2,
    "f32": 2,
    "f16": 2,
    "bf16": 4,
    "f8e5m2": 12,
    "f8e4m3": 10,
    "i64": 0,
    "i32": 0,
    "i16": 0,
    "i8": 0,
    "u64": 1,
    "u32": 1,
    "u16": 1,
    "u8": 1,
    "c64": 5,
    "c128": 5,
}
"""DLPack's codes of element types."""
_POINTER, _NAME = 16, 24
_VERSION = 1, 3
_READ_ONLY = 1


def read(value: Any, dtypes: Mapping[tuple[int, int], np.dtype[Any]]) -> np.ndarray[Any, Any] | None:
    """Return the ndarray of an array's memory on the CPU, if its type is in `dtypes`, keyed by code and bits. Return
    None if not, or if this interpreter's capsules cannot be read."""
    if not _readable():
        return None
    try:
        capsule = value.__dlpack__(max_version=_VERSION)
    except TypeError as error:  # a library before version 1
        if not (raised_here(error, "__dlpack__") or "max_version" in str(error)):
            raise
        capsule = value.__dlpack__()
    return _array(capsule, dtypes)


@functools.cache
def _readable() -> bool:
    """Whether capsules of this interpreter have the expected layout. Numpy's own capsule is read to find out."""
    array = np.arange(12, dtype=np.int16).reshape(3, 4)[1:, ::2]
    if cpython.difference():
        return False
    found = _array(array.__dlpack__(), {(0, 16): array.dtype})
    if found is None or found.__array_interface__["data"][0] != array.__array_interface__["data"][0]:
        return False
    return found.shape == array.shape and found.strides == array.strides


def _array(capsule: Any, dtypes: Mapping[tuple[int, int], np.dtype[Any]]) -> np.ndarray[Any, Any] | None:
    if type(capsule).__name__ != "PyCapsule":
        return None
    managed, name = word(id(capsule) + _POINTER), ffi.string(ffi.cast("char *", word(id(capsule) + _NAME)))
    if name == b"dltensor_versioned" and word(managed) & 0xFFFF_FFFF == 1:
        tensor, frozen = managed + 32, bool(word(managed + 24) & _READ_ONLY)
    elif name == b"dltensor":
        tensor, frozen = managed, True  # nothing says that it is writable
    else:
        return None
    kind, rank = int32(tensor + 20) & 0xFFFF_FFFF, int32(tensor + 16)
    dtype = dtypes.get((kind & 0xFF, kind >> 8 & 0xFF))
    if dtype is None or kind >> 16 != 1 or int32(tensor + 8) != CPU:
        return None
    shape = _words(word(tensor + 24), rank)
    steps = word(tensor + 32)
    strides = tuple(step * dtype.itemsize for step in _words(steps, rank)) if steps else None
    memory = _CapsuleMemory(word(tensor) + word(tensor + 40), shape, strides, dtype.itemsize, frozen, capsule)
    return np.asarray(memory).view(dtype)


def _words(address: int, count: int) -> tuple[int, ...]:
    return tuple(ffi.cast("int64_t *", address)[i] for i in range(count))


class _CapsuleMemory:
    """Bytes in groups of an element's size. Numpy's view refers to this object, which refers to the capsule."""

    def __init__(
        self,
        address: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...] | None,
        size: int,
        frozen: bool,
        capsule: Any,
    ) -> None:
        self.__array_interface__ = {
            "version": 3,
            "data": (address, frozen),
            "shape": shape,
            "strides": strides,
            "typestr": f"|V{size}",
        }
        self.capsule = capsule

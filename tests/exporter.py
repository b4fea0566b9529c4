"""A library of arrays that offers DLPack's C functions as torch does: its class wraps numpy arrays.

The functions are cffi callbacks. `Tensor.described` counts the requests of emitted code, `imported` holds the imported
tensors, and `refusing` says how the next import fails.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from tilesmith.runtime.arguments.dtypes import numpy_dtype
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.system import dlpack
from tilesmith.runtime.system.cpython import symbol, word
from tilesmith.runtime.system.libc import ffi

Array = np.ndarray[Any, Any]
_KINDS = {numpy_dtype(name): dlpack.CODES[name] for name in dlpack.CODES}
_alive: WeakValueDictionary[int, Tensor] = WeakValueDictionary()


class Tensor:
    """An array that is not an ndarray and does not support DLPack's Python protocol."""

    described = 0
    device = 1
    broken = False  # whether describing fails
    refusing = ""
    imported: list[tuple[Tensor, int]] = []

    def __init__(self, x: Array, offset: int = 0, dense: bool = False) -> None:
        self.x, self.offset = x, offset
        self.shape = ffi.new("int64_t[]", [*x.shape, 0])
        self.steps = None if dense else ffi.new("int64_t[]", [*(s // x.itemsize for s in x.strides), 0])
        _alive[id(self)] = self

    def __dlpack__(self, **options: Any) -> object:
        raise BufferError("emitted code only")

    def __dlpack_device__(self) -> tuple[int, int]:
        return type(self).device, 0

    def __del__(self) -> None:
        release(self)


def release(tensor: Tensor) -> None:
    """Release the memory that an imported tensor has taken over, as its library would."""
    managed, tensor.__dict__["managed"] = tensor.__dict__.get("managed", 0), 0
    if managed:
        ffi.cast("void(*)(intptr_t)", word(managed + 16))(managed)


def _write(place: Any, tensor: Tensor) -> None:
    x = tensor.x
    words, halves = ffi.cast("int64_t *", place), ffi.cast("int32_t *", place)
    words[0] = x.__array_interface__["data"][0] - tensor.offset
    halves[2], halves[3], halves[4] = Tensor.device, 0, x.ndim
    halves[5] = _KINDS.get(x.dtype, 3) | 8 * x.itemsize << 8 | 1 << 16
    words[3] = int(ffi.cast("intptr_t", tensor.shape))
    words[4] = int(ffi.cast("intptr_t", tensor.steps)) if tensor.steps is not None else 0
    words[5] = tensor.offset


@ffi.callback("int(intptr_t, void *)", error=-1)
def _describe(value: int, place: Any) -> int:
    Tensor.described += 1
    if Tensor.broken:
        return -1
    _write(place, _alive[value])
    return 0


@ffi.callback("int(intptr_t, intptr_t *)", error=-1)
def _import(managed: int, made: Any) -> int:
    if Tensor.refusing == "after releasing":
        ffi.cast("void(*)(intptr_t)", word(managed + 16))(managed)
    if Tensor.refusing:
        return -1
    tensor = Tensor.__new__(Tensor)
    tensor.managed = managed  # type: ignore[attr-defined]
    rank = word(managed + 48) & 0xFFFF_FFFF
    code, bits = word(managed + 48) >> 32 & 0xFF, word(managed + 48) >> 40 & 0xFF
    dtype = next(each for each, found in _KINDS.items() if (found, 8 * each.itemsize) == (code, bits))
    shape, steps = (tuple(word(word(managed + at) + 8 * i) for i in range(rank)) for at in (56, 64))
    memory = ffi.buffer(ffi.cast("char *", word(managed + 32)), max(1, int(np.prod(shape))) * dtype.itemsize)
    tensor.x = np.lib.stride_tricks.as_strided(
        np.frombuffer(memory, dtype), shape, [step * dtype.itemsize for step in steps]
    )
    entry.with_gil(symbol("Py_IncRef"), id(tensor))
    made[0] = id(tensor)
    return 0


_TABLE = ffi.new(
    "int64_t[7]", [1 | 3 << 32, 0, 0, 0, *(int(ffi.cast("intptr_t", each)) for each in (_import, _describe)), 0]
)
_NAME = ffi.new("char[]", b"dlpack_exchange_api")


def capsule(table: Any, name: Any = _NAME) -> object:
    """Return a PyCapsule, which Python code cannot make by itself."""
    found: list[object] = []
    made = entry.with_gil(symbol("PyCapsule_New"), int(ffi.cast("intptr_t", table)), int(ffi.cast("intptr_t", name)), 0)
    entry.with_gil(symbol("PyList_Append"), id(found), made)
    entry.with_gil(symbol("Py_DecRef"), made)
    return found[0]


Tensor.__dlpack_c_exchange_api__ = capsule(_TABLE)  # type: ignore[attr-defined]

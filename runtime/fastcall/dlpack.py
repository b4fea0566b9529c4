"""Types of other libraries' arrays that calls take as they are, through the C functions that a type offers.

`register(kind)` enters a type in the table that emitted code searches (`dlpack_code`), if the type has a table of
functions (DLPack 1.2 and later: `__dlpack_c_exchange_api__`, torch from 2.10 on). From the first one on, calls that
entries cannot take go on in that code before they go to Python.
"""

from __future__ import annotations

import functools
import sys
from threading import Lock
from typing import Any

import numpy as np

from ...microkernels.dtypes import DTYPES
from ..arguments.arrays import numpy_dtype
from ..scalar.native import scalar_machine
from ..system import cpython, torch_tensors
from ..system import dlpack as protocol
from ..system.cpython import symbol, word
from ..system.libc import ffi
from . import dlpack_code, dlpack_result, entry

_ATTRIBUTE, _CAPSULE = "__dlpack_c_exchange_api__", "dlpack_exchange_api"
_IMPORT, _DESCRIBE = 32, 40  # offsets of functions in DLPackExchangeAPI
_GETSET, _GET, _CLOSURE = 40, 8, 32  # in a getset_descriptor, and in the PyGetSetDef that it points to
_MOST_TYPES = 16
_MESSAGE = b"DLPack: the library of the first array refuses to take over the result, and does not say why"


def kinds() -> tuple[tuple[int, int, np.dtype[Any]], ...]:
    """(type as DLPack's four bytes, element's bytes, dtype) of all element types."""
    codes, dtypes = protocol.CODES, {name: numpy_dtype(name) for name in DTYPES}
    return tuple((codes[name] | 8 * each.itemsize << 8 | 1 << 16, each.itemsize, each) for name, each in dtypes.items())


def register(kind: type) -> bool:
    """Whether emitted code takes arrays of exactly this type, from now on at the latest."""
    if kind in _registered:
        return True
    if not _one_at_a_time.acquire(blocking=False):  # a child process may have been forked while it was held
        return False
    try:
        return _register(kind)
    finally:
        _one_at_a_time.release()


def _register(kind: type) -> bool:
    offered = _offered(kind)
    if offered is None or len(_registered) == _MOST_TYPES - 1 or not _install():
        return False
    checks = _torch_checks(kind) if _is_torch(kind) else (0, 0, 0, 0, 0)
    if checks is None:
        return False
    place = len(dlpack_code.EXPORTER) * len(_registered)
    table = _exporters()
    for offset, value in enumerate((*offered, *checks), 1):
        table[place + offset] = value
    table[place] = id(kind)  # from this store on it is found
    entry.keep(kind)
    _registered.add(kind)
    return True


_registered: set[type] = set()
_one_at_a_time = Lock()


def _offered(kind: type) -> tuple[int, int] | None:
    """The functions that describe an array and that make one; None where the type does not offer them."""
    if _is_torch(kind) and not _own_memory(kind):
        return None
    capsule = getattr(kind, _ATTRIBUTE, None)
    if entry.refusal() or type(capsule).__name__ != "PyCapsule":
        return None
    name = ffi.new("char[]", _CAPSULE.encode())
    table = entry.with_gil(symbol("PyCapsule_GetPointer"), id(capsule), int(ffi.cast("uintptr_t", name)))
    if not table or word(table) & 0xFFFF_FFFF != 1 or not word(table + _DESCRIBE):  # version 1.x
        return None
    entry.keep(capsule)
    return word(table + _DESCRIBE), word(table + _IMPORT)


def _is_torch(kind: type) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and issubclass(kind, getattr(torch, "Tensor", ()))


def _own_memory(kind: type) -> bool:
    """Not so of subclasses that wrap tensors: what they inherit speaks of memory that they do not have."""
    torch: Any = sys.modules["torch"]
    return kind is torch.Tensor or kind is torch.nn.Parameter


def _torch_checks(kind: type) -> tuple[int, int, int, int, int] | None:
    """What tells plain tensors from others: 1, the keys of plain ones, what asks for gradients. None: nothing does."""
    keys = torch_tensors.plain_keys()
    getter = next((vars(each)["requires_grad"] for each in kind.__mro__ if "requires_grad" in vars(each)), None)
    if keys is None or type(getter).__name__ != "getset_descriptor":
        return None
    described = word(id(getter) + _GETSET)
    if ffi.string(ffi.cast("char *", word(described))) != b"requires_grad":
        return None
    entry.keep(getter)
    return (dlpack_code.READ if _torch_types() else 1), *keys, word(described + _GET), word(described + _CLOSURE)


@functools.cache
def _exporters() -> Any:
    table = ffi.new("int64_t[]", len(dlpack_code.EXPORTER) * _MOST_TYPES)
    entry.keep(table)
    return table


@functools.cache
def _install() -> bool:
    """Let calls go on in the emitted code; False where this process lacks what it needs."""
    address = {name: symbol(name) for name in (
        "Py_DecRef", "PyErr_Clear", "PyErr_Occurred", "PyErr_SetString", "PyErr_NoMemory", "PyMem_RawMalloc",
        "PyMem_RawFree", "Py_IsInitialized", "PyGILState_Ensure", "PyGILState_Release", "PyExc_BufferError",
    )}  # fmt: skip
    native = entry.native_type(_Probe)
    if not all(address.values()) or native is None:
        return False
    if word(id(native.type) + cpython.VECTORCALL_OFFSET) != native.vectorcall or native.slow != native.vectorcall + 8:
        return False
    release = dlpack_result.Release(
        address["Py_IsInitialized"], address["PyGILState_Ensure"], address["PyGILState_Release"], address["Py_DecRef"],
        address["PyMem_RawFree"],
    )  # fmt: skip
    message, dtypes = ffi.new("char[]", _MESSAGE), kinds()
    entry.keep(message, *(each for _, _, each in dtypes))
    functions = dlpack_result.Functions(
        exporters=int(ffi.cast("uintptr_t", _exporters())), vectorcall=entry.vectorcall(),
        dec_ref=address["Py_DecRef"], clear=address["PyErr_Clear"], occurred=address["PyErr_Occurred"],
        set_string=address["PyErr_SetString"], no_memory=address["PyErr_NoMemory"],
        allocate=address["PyMem_RawMalloc"], free=address["PyMem_RawFree"],
        released=entry.stay(dlpack_result.deleter(release, scalar_machine())),
        exception=word(address["PyExc_BufferError"]), message=int(ffi.cast("uintptr_t", message)),
        array_type=id(np.ndarray), none=id(None), false=id(False),
        torch_types=int(ffi.cast("uintptr_t", _types())),
        dtypes=tuple((number, size, id(dtype)) for number, size, dtype in dtypes),
    )  # fmt: skip
    entry.foreign_word()[0] = entry.stay(dlpack_code.emit(functions, scalar_machine()))
    return True


@functools.cache
def _types() -> Any:
    """By torch's number of a type: DLPack's four bytes << 32, the bytes of an element."""
    table = ffi.new("int64_t[]", 2 * torch_tensors.DTYPES)
    entry.keep(table)
    return table


def _torch_types() -> bool:
    """Fill the table; False where tensors cannot be read."""
    found = torch_tensors.numbers({name: dtype.numpy for name, dtype in DTYPES.items()})
    for name, (kind, size, _) in zip(DTYPES, kinds()):
        if found and name in found:
            _types()[2 * found[name]], _types()[2 * found[name] + 1] = kind << 32, size
    return found is not None


class _Probe:
    """An object whose type is laid out as that of kernels."""

    __slots__ = ("__weakref__",)

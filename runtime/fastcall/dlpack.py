"""Types of other libraries' arrays that calls accept directly, through the C functions that a type offers.

`register(kind)` enters a type in the table that emitted code searches (`dlpack_code`), if the type has a function table
(`__dlpack_c_exchange_api__` of DLPack 1.2 and later; torch from 2.10 on). From the first registration on, calls that
entries cannot handle continue in that code before they go to Python.
"""

from __future__ import annotations

import functools
import sys
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.code import Code
from ...encoder.deferred import lazy
from ...microkernels.dtypes import DTYPES
from ..arguments.arrays import numpy_dtype
from ..memory.executable import publish_for_good
from ..memory.linked import Symbol, placed
from ..scalar.machine import Scalar
from ..system import cpython, torch_tensors
from ..system import dlpack as protocol
from ..system.cpython import symbol, word
from ..system.libc import ffi
from . import entry
from .exporters import EXPORTER, READ, Functions, Release

if TYPE_CHECKING:
    from . import dlpack_code, dlpack_result

dlpack_code = lazy(__package__, ".dlpack_code")
dlpack_result = lazy(__package__, ".dlpack_result")

_ATTRIBUTE, _CAPSULE = "__dlpack_c_exchange_api__", "dlpack_exchange_api"
_IMPORT, _DESCRIBE = 32, 40  # offsets of functions in DLPackExchangeAPI
_GETSET, _GET, _CLOSURE = 40, 8, 32  # offsets in a getset_descriptor, and in the PyGetSetDef that it points to
_MOST_TYPES = 16
_MESSAGE = b"DLPack: the library of the first array refuses to take over the result, and does not say why"


def kinds() -> tuple[tuple[int, int, np.dtype[Any]], ...]:
    """Return (type as DLPack's four bytes, element size, dtype) for all element types."""
    codes, dtypes = protocol.CODES, {name: numpy_dtype(name) for name in protocol.CODES}
    return tuple((codes[name] | 8 * each.itemsize << 8 | 1 << 16, each.itemsize, each) for name, each in dtypes.items())


def register(kind: type) -> bool:
    """Register a type. Return whether emitted code accepts arrays of exactly this type from now on."""
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
    place = len(EXPORTER) * len(_registered)
    table = _exporters()
    for offset, value in enumerate((*offered, *checks), 1):
        table[place + offset] = value
    table[place] = id(kind)  # this store makes the record visible
    entry.keep(kind)
    _registered.add(kind)
    return True


_registered: set[type] = set()
_one_at_a_time = Lock()


def _offered(kind: type) -> tuple[int, int] | None:
    """Return the functions that describe an array and that make one, or None if the type does not offer them."""
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
    """Whether tensors of this type own their memory. Subclasses that wrap tensors inherit functions that describe
    memory they do not have."""
    torch: Any = sys.modules["torch"]
    return kind is torch.Tensor or kind is torch.nn.Parameter


def _torch_checks(kind: type) -> tuple[int, int, int, int, int] | None:
    """Return the checks for plain tensors: 1 or READ, the key sets of plain tensors, and the getter of requires_grad.
    Return None if tensors cannot be checked."""
    keys = torch_tensors.plain_keys()
    getter = next((vars(each)["requires_grad"] for each in kind.__mro__ if "requires_grad" in vars(each)), None)
    if keys is None or type(getter).__name__ != "getset_descriptor":
        return None
    described = word(id(getter) + _GETSET)
    if ffi.string(ffi.cast("char *", word(described))) != b"requires_grad":
        return None
    entry.keep(getter)
    return (READ if _torch_types() else 1), *keys, word(described + _GET), word(described + _CLOSURE)


@functools.cache
def _exporters() -> Any:
    table = ffi.new("int64_t[]", len(EXPORTER) * _MOST_TYPES)
    entry.keep(table)
    return table


@functools.cache
def _install() -> bool:
    """Let calls continue in the emitted code. Return False if this process lacks something that it needs."""
    address = {field: symbol(name) for field, name in {**_FUNCTIONS, **_RELEASE}.items()}
    native = entry.native_type(_LayoutProbe)
    if not all(address.values()) or native is None:
        return False
    if word(id(native.type) + cpython.VECTORCALL_OFFSET) != native.vectorcall or native.slow != native.vectorcall + 8:
        return False
    message, dtypes = ffi.new("char[]", _MESSAGE), {f"dtype {number}": each for number, _, each in kinds()}
    entry.keep(message, *dtypes.values())
    release = {field: address[field] for field in Release._fields}
    address |= {
        "exporters": _address(_exporters()),
        "vectorcall": entry.vectorcall(),
        "message": _address(message),
        "exception": word(address["exception"]),
        "ordinary": word(address["ordinary"]),
        "array_type": id(np.ndarray),
        "none": id(None),
        "false": id(False),
        "torch_types": _address(_types()),
        "released": placed(publish_for_good, "released", _released, release),
        **{name: id(each) for name, each in dtypes.items()},
    }
    entry.foreign_word()[0] = placed(publish_for_good, "foreign", _foreign, address)
    return True


_FUNCTIONS = {
    "dec_ref": "Py_DecRef",
    "occurred": "PyErr_Occurred",
    "matches": "PyErr_ExceptionMatches",
    "fetch": "PyErr_Fetch",
    "restore": "PyErr_Restore",
    "set_string": "PyErr_SetString",
    "no_memory": "PyErr_NoMemory",
    "allocate": "PyMem_RawMalloc",
    "free": "PyMem_RawFree",
    "exception": "PyExc_BufferError",
    "ordinary": "PyExc_Exception",
}
_RELEASE = {"initialized": "Py_IsInitialized", "ensure": "PyGILState_Ensure", "release": "PyGILState_Release"}


def _address(data: Any) -> int:
    return int(ffi.cast("uintptr_t", data))


def _released(machine: Scalar) -> Code:
    code: Code = dlpack_result.deleter(Release(*map(Symbol, Release._fields)), machine)
    return code


def _foreign(machine: Scalar) -> Code:
    named = {field: Symbol(field) for field in Functions._fields if field != "dtypes"}
    dtypes = tuple((number, size, Symbol(f"dtype {number}")) for number, size, _ in kinds())
    code: Code = dlpack_code.emit(Functions(**named, dtypes=dtypes), machine)
    return code


@functools.cache
def _types() -> Any:
    """The table of types by torch's type number: DLPack's four bytes << 32, and the element size."""
    table = ffi.new("int64_t[]", 2 * torch_tensors.DTYPES)
    entry.keep(table)
    return table


def _torch_types() -> bool:
    """Fill the table. Return False if tensors cannot be read directly."""
    found = torch_tensors.numbers({name: DTYPES[name].numpy for name in protocol.CODES})
    for name, (kind, size, _) in zip(protocol.CODES, kinds()):
        if found and name in found:
            _types()[2 * found[name]], _types()[2 * found[name] + 1] = kind << 32, size
    return found is not None


class _LayoutProbe:
    """An object whose type has the same layout as that of kernels."""

    __slots__ = ("__weakref__",)

"""Arrays of other libraries as ndarrays, through the C functions that a library's array type offers (DLPack 1.3).

`viewer(kind)` makes a callable for one type of array, emitted, that returns an ndarray of an object's memory or None:
in some 90 ns, where Python's DLPack protocol takes microseconds. torch offers the functions from 2.10 on.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from ..scalar.native import scalar_machine
from ..system import cpython
from ..system.cpython import symbol, word
from ..system.libc import ffi
from . import dlpack_code as exchange_code
from . import entry

_ATTRIBUTE, _CAPSULE = "__dlpack_c_exchange_api__", "dlpack_exchange_api"
_DESCRIBE = 40  # offset of DLPackDLTensorFromPyObjectNoSync in DLPackExchangeAPI
_NEW_FROM_DESCR, _SET_BASE = 94, 282  # in numpy's function table
_KINDS = (("f4", 2), ("f8", 2), ("i8", 0), ("u8", 1))  # DLPack's type codes


class _Viewer:
    """Whose objects are the callables."""

    __slots__ = ("__weakref__",)


@functools.cache
def viewer(kind: type) -> Callable[[Any], Any] | None:
    """The callable for objects of exactly this type; None where the type or this process does not offer it."""
    native = entry.native_type(_Viewer)
    capsule = getattr(kind, _ATTRIBUTE, None)
    table = cpython.numpy_functions(entry.with_gil)
    if native is None or type(capsule).__name__ != "PyCapsule" or not table:
        return None
    name = ffi.new("char[]", _CAPSULE.encode())
    offered = entry.with_gil(symbol("PyCapsule_GetPointer"), id(capsule), int(ffi.cast("uintptr_t", name)))
    describe = word(offered + _DESCRIBE) if offered and word(offered) & 0xFFFF_FFFF == 1 else 0  # version 1.x
    if not describe:
        return None
    dtypes = [np.dtype(text) for text, _ in _KINDS]
    kinds = tuple((code | 8 * dtype.itemsize << 8 | 1 << 16, dtype.itemsize, id(dtype))
                  for dtype, (_, code) in zip(dtypes, _KINDS))  # fmt: skip
    functions = exchange_code.Functions(
        describe, word(table + 8 * _NEW_FROM_DESCR), word(table + 8 * _SET_BASE), symbol("Py_IncRef"),
        symbol("PyErr_Clear"), id(np.ndarray), id(None), kinds,
    )  # fmt: skip
    code = entry.stay(exchange_code.emit(functions, scalar_machine()))
    made: Callable[[Any], Any] = object.__new__(native.type)

    def slow(*args: Any) -> Any:  # the emitted function never asks for it
        raise TypeError("one array")

    native.install(made, code, ffi.NULL, slow)
    entry.keep(capsule, name, dtypes)
    return made

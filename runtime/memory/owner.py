"""Objects that own pages: they unmap them when nothing refers to them any more, and not before.

A finaliser would be too early, be it `__del__`, `weakref.finalize` or the destructor of an `ffi.gc`. The garbage
collector runs the finalisers of everything that it found unreachable before it takes anything apart. One of them may
call a kernel whose pages another one has already unmapped, or make it reachable again. The same happens when the
interpreter exits.

So the owner is a capsule. CPython calls its destructor, a C function, when it frees the capsule. No Python object
refers to the capsule then, hence none refers to the kernel. The destructor here is emitted, calls only the C API and
munmap, and is in pages that are never unmapped, as the C API is.

Interpreters without this C API use an object with `__del__` that refers to nothing. PyPy calls it in time: among
objects that refer to each other, it finalises the referring one first, and the one referred to in a later collection.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..scalar.native import MACHINES
from ..system import libc
from ..system.architecture import arch
from ..system.cpython import symbol
from ..system.libc import ffi
from .linked import Symbol, placed

if TYPE_CHECKING:
    from ...encoder.code import Code
    from ..scalar.machine import Scalar

Owning = Callable[[int, int, int], None]
"""owning(id of a list, address, size): element 0 of the list becomes the object that owns these pages from now on. It
stays unchanged if there is no memory for one."""

_NEEDED = (
    "PyGILState_Ensure",
    "PyGILState_Release",
    "PyErr_Clear",
    "PyCapsule_New",
    "PyCapsule_GetPointer",
    "PyCapsule_SetContext",
    "PyCapsule_GetContext",
    "PyList_SetItem",
    "munmap",
)


def capsules(place: Callable[[bytes], int]) -> Owning | None:
    """Return the function that makes capsules, or None if there are none. `place` puts code into pages that are never
    unmapped."""
    if sys.implementation.name != "cpython" or arch() not in MACHINES or not all(map(symbol, _NEEDED)):
        return None
    addresses = {name: symbol(name) for name in _NEEDED}
    destructor = placed(place, "unmap", lambda m: unmap(m, Symbol), addresses)
    made = placed(place, "capsule", lambda m: capsule(m, Symbol("unmap"), Symbol), addresses | {"unmap": destructor})
    owning: Owning = ffi.cast("void(*)(intptr_t, uintptr_t, size_t)", made)
    return owning


class Finalised:
    """Owns pages in interpreters without capsules."""

    __slots__ = ("_address", "_size")

    def __init__(self, address: int, size: int) -> None:
        self._address = address
        self._size = size

    # Bound as a default: at interpreter shutdown the globals of this module may disappear before the last object does.
    def __del__(self, munmap: Callable[..., int] = libc.munmap) -> None:
        munmap(self._address, self._size)


def unmap(m: Scalar, symbol: Callable[[str], int] = symbol) -> Code:
    """Emit void unmap(PyObject *capsule), the destructor. The capsule's pointer is the address, its context the
    size."""
    capsule, address = m.kept[:2]
    first, second = m.arguments[:2]
    m.begin("unmap")
    m.open(0, (capsule, address))
    m.move(capsule, first)
    m.move(second, 0)  # the capsule's name
    m.call(symbol("PyCapsule_GetPointer"))
    m.move(address, m.result)
    m.move(first, capsule)
    m.call(symbol("PyCapsule_GetContext"))
    m.move(second, m.result)
    m.move(first, address)
    m.call(symbol("munmap"))
    m.close()
    m.ret()
    code: Code = m.asm.finish("ts_unmap")
    return code


def capsule(m: Scalar, destructor: int, symbol: Callable[[str], int] = symbol) -> Code:
    """Emit void capsule(PyObject *list, void *address, size_t size): element 0 becomes the owner, if memory suffices.

    The caller does not hold the GIL, since cffi releases it around its calls.
    """
    found, address, size, state, made = m.kept
    failed = m.asm.label("failed")
    first, second, third = m.arguments[:3]
    m.begin("capsule")
    m.open(0, m.kept)
    for register, argument in ((found, first), (address, second), (size, third)):
        m.move(register, argument)
    m.call(symbol("PyGILState_Ensure"))
    m.move(state, m.result)
    m.move(first, address)
    m.move(second, 0)  # no name
    m.move(third, destructor)
    m.call(symbol("PyCapsule_New"))
    m.move(made, m.result)
    m.branch(made, "==", 0, failed)
    m.move(first, made)
    m.move(second, size)
    m.call(symbol("PyCapsule_SetContext"))
    m.move(first, found)
    m.move(second, 0)
    m.move(third, made)
    m.call(symbol("PyList_SetItem"))  # steals the reference
    m.asm.bind(failed)
    m.call(symbol("PyErr_Clear"))
    m.move(first, state)
    m.call(symbol("PyGILState_Release"))
    m.close()
    m.ret()
    code: Code = m.asm.finish("ts_capsule")
    return code

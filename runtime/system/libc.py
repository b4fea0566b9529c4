"""The C library: `libc.mmap(...)` calls mmap, and a failure raises OSError with the call's name.

cffi without its slow half: `_cffi_backend.FFI()` parses C types by itself, so there is no pycparser (tens of
milliseconds), no generated module and nothing to compile. Functions are looked up on first use.

Every function of the table returns an integer and reports failure as -1 with errno set, or (getauxval) never returns
-1: only such functions belong here. Pointers that the caller computes with are declared as integers (`uintptr_t`),
which the ABI passes alike.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy

if TYPE_CHECKING:
    import _cffi_backend

_cffi_backend = lazy(None, "_cffi_backend")


class _CTypes:
    """The attributes of `_cffi_backend.FFI()`, which is made when one of them is first used: where there is no cffi, as
    in a browser, kernels are planned, listed and saved."""

    def __getattr__(self, name: str) -> object:
        """Return an attribute of the FFI. It is kept, unless it is errno, which changes."""
        value: object = getattr(_interface(), name)
        if name != "errno":
            setattr(self, name, value)
        return value


@cache
def _interface() -> _cffi_backend.FFI:
    return _cffi_backend.FFI()


@cache
def _process() -> _cffi_backend.Lib:
    return _cffi_backend.load_library(None, 0)


ffi: _cffi_backend.FFI = _CTypes()

# fcntl and prctl are variadic in C. On x86-64 and AArch64 Linux, integer arguments are passed in the same registers
# either way, and cffi would require a cast of every variadic argument.
_SIGNATURES = {
    "memfd_create": "int(const char *, unsigned int)",
    "pwrite": "ssize_t(int, const char *, size_t, int64_t)",
    "fcntl": "int(int, int, unsigned long)",
    "mmap": "intptr_t(uintptr_t, size_t, int, int, int, int64_t)",
    "mprotect": "int(uintptr_t, size_t, int)",
    "munmap": "int(uintptr_t, size_t)",
    "madvise": "int(uintptr_t, size_t, int)",
    "getauxval": "unsigned long(unsigned long)",
    "prctl": "int(int, unsigned long, unsigned long, unsigned long, unsigned long)",
}

# Linux UAPI headers; the same numbers on x86-64 and AArch64.
PROT_NONE, PROT_READ, PROT_WRITE, PROT_EXEC = 0, 1, 2, 4  # asm-generic/mman-common.h
MAP_SHARED, MAP_PRIVATE, MAP_ANONYMOUS, MAP_NORESERVE = 0x01, 0x02, 0x20, 0x4000  # the same, and asm-generic/mman.h
MFD_CLOEXEC, MFD_ALLOW_SEALING, MFD_EXEC = 0x1, 0x2, 0x10  # linux/memfd.h
F_ADD_SEALS = 1033  # linux/fcntl.h
F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE = 0x1, 0x2, 0x4, 0x8
PR_SET_MDWE, PR_GET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN = 65, 66, 1  # linux/prctl.h


def __getattr__(name: str) -> Callable[..., int]:
    """Look up a function of the table; from then on it is an ordinary attribute of this module."""
    if name not in _SIGNATURES:
        raise AttributeError(f"libc declares no {name!r}; it has {', '.join(_SIGNATURES)}")
    function = globals()[name] = _raising(name)
    return function


def address(name: str) -> int:
    """Return the address of the process's symbol `name`; 0 if no library that it has loaded globally defines it."""
    try:
        return int(ffi.cast("uintptr_t", _process().load_function(ffi.typeof("void(*)(void)"), name)))
    except AttributeError:
        return 0


def _raising(name: str) -> Callable[..., int]:
    """Return the C function `name` with OSError raised when C returns -1 (or ENOSYS if this C library lacks it)."""
    try:
        function = _process().load_function(ffi.typeof(_SIGNATURES[name].replace("(", "(*)(", 1)), name)
    except AttributeError:
        raise OSError(errno.ENOSYS, f"{name}: this C library has no such function") from None

    def call(*arguments: object) -> int:
        result: int = function(*arguments)
        if result == -1:
            raise OSError(ffi.errno, f"{name}: {os.strerror(ffi.errno)}")
        return result

    call.__name__ = call.__qualname__ = name
    return call

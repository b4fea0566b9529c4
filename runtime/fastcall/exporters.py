"""Records of exporters and tables of addresses that emitted code and Python share, for arrays of other libraries.

An exporter is a type of arrays with its library's C functions: see `dlpack_code`.
"""

from __future__ import annotations

from ...encoder.records import NamedTuple

EXPORTER = TYPE, DESCRIBE, IMPORT, CHECKED, KEYS, OTHER_KEYS, GETTER, CLOSURE = tuple(range(0, 64, 8))
"""The offsets in a record of the table."""
READ = 2
"""The value of CHECKED for torch if its tensors are not only checked but also read directly."""


class Functions(NamedTuple):
    """Addresses that the code needs. `dtypes` holds (type as DLPack's four bytes, element size, dtype object)."""

    exporters: int
    vectorcall: int  # calls the slow path
    dec_ref: int
    occurred: int  # PyErr_Occurred
    matches: int  # PyErr_ExceptionMatches
    fetch: int  # PyErr_Fetch
    restore: int  # PyErr_Restore
    set_string: int  # PyErr_SetString
    no_memory: int  # PyErr_NoMemory
    allocate: int  # PyMem_RawMalloc
    free: int  # PyMem_RawFree
    released: int  # the code of `dlpack_result.deleter`
    exception: int  # BufferError
    ordinary: int  # Exception
    message: int
    array_type: int
    none: int
    false: int
    torch_types: int  # by torch's type number: DLPack's four bytes << 32, element size
    dtypes: tuple[tuple[int, int, int], ...]


class Release(NamedTuple):
    """Addresses of the functions that a deleter calls."""

    initialized: int  # Py_IsInitialized
    ensure: int  # PyGILState_Ensure
    release: int  # PyGILState_Release
    dec_ref: int
    free: int  # PyMem_RawFree

"""The structs of XLA's foreign function interface that handlers read: xla/ffi/api/c_api.h, major version 0.

Each class is a struct, its names the offsets of fields; all begin with their size. A minor version may add fields
behind the others. A struct that lies inside another one, as the arguments in the frame, then moves what follows. So a
handler compares the sizes in each call (`handler`): it reads nothing of smaller structs, nor of a frame whose parts lie
elsewhere.
"""

from __future__ import annotations


class CallFrame:
    """XLA_FFI_CallFrame. ARGUMENTS and RESULTS are structs in it."""

    EXTENSIONS, API, STAGE, ARGUMENTS, RESULTS = 8, 16, 32, 40, 80
    EXECUTE = 3
    """The stage in which buffers have their contents."""


class CallArrays:
    """XLA_FFI_Args and XLA_FFI_Rets."""

    COUNT, POINTERS, SIZE = 16, 32, 40


class CallBuffer:
    """XLA_FFI_Buffer; the type is a C int."""

    TYPE, DATA, RANK, EXTENTS, SIZE = 16, 24, 32, 40, 48


class CallExtension:
    """XLA_FFI_Extension_Base, and what XLA_FFI_Metadata_Extension has behind it; the kind is a C int."""

    KIND, NEXT, ANSWER = 8, 16, 24
    METADATA = 1
    """The kind by which XLA asks for a handler's version, when it is registered."""


class HandlerMetadata:
    """XLA_FFI_Metadata. The versions are two C ints, the traits one."""

    MAJOR, MINOR, TRAITS, SIZE = 24, 28, 32, 36


class OfferedApi:
    """XLA_FFI_Api: the versions, two C ints, and the function that makes errors."""

    MAJOR, MINOR, ERROR_CREATE, SIZE = 32, 36, 48, 56
    VERSION = 0
    """The major version of these structs."""


class ErrorArguments:
    """XLA_FFI_Error_Create_Args; the code is a C int."""

    MESSAGE, CODE, SIZE = 16, 24, 28
    INVALID_ARGUMENT, FAILED_PRECONDITION = 3, 9
    """Codes."""


FRAME_SIZE = CallFrame.RESULTS + CallArrays.SIZE
TYPES = {
    "bool": 1,
    "i8": 2,
    "i16": 3,
    "i32": 4,
    "i64": 5,
    "u8": 6,
    "u16": 7,
    "u32": 8,
    "u64": 9,
    "f16": 10,
    "f32": 11,
    "f64": 12,
    "bf16": 16,
}
"""XLA_FFI_DataType of element types by our names."""

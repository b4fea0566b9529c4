"""The structs of XLA's foreign function interface that emitted handlers read: xla/ffi/api/c_api.h, major version 0.

    XLA_FFI_CallFrame   0 size   8 extensions   16 api   32 stage (int)   40 arguments   80 results
    arguments, results  0 size   16 count   32 pointers to buffers
    XLA_FFI_Buffer      0 size   16 type (int)   24 data   32 rank   40 extents
    extension           0 size   8 kind (int)   16 next   24 metadata, of the kind METADATA
    metadata            0 size   24 major and minor version (two ints)   32 traits (int)
    XLA_FFI_Api         0 size   32 major and minor version   48 XLA_FFI_Error_Create

Every struct begins with its size. A minor version may add fields behind the others; a struct that lies inside another
one, as the arguments in the frame, then moves what follows. So a handler compares the sizes in each call (`handler`),
and reads nothing of structs that are smaller than `SIZES`, or of a frame whose parts lie elsewhere.
"""

from __future__ import annotations

EXTENSIONS, API, STAGE, ARGUMENTS, RESULTS = 8, 16, 32, 40, 80
COUNT, POINTERS = 16, 32
TYPE, DATA, RANK, EXTENTS = 16, 24, 32, 40
KIND, NEXT, METADATA_OF = 8, 16, 24
VERSION_OF_HANDLER, TRAITS = 24, 32
VERSION, ERROR_CREATE = 32, 48

METADATA = 1
"""The kind of the extension by which XLA asks for a handler's version, when it is registered."""
EXECUTE = 3
"""The stage in which buffers have their contents."""
MAJOR = 0

FRAME_SIZE = RESULTS + POINTERS + 8
PART_SIZE = POINTERS + 8
BUFFER_SIZE = EXTENTS + 8
METADATA_SIZE = TRAITS + 4
API_SIZE = ERROR_CREATE + 8

ERROR_SIZE, ERROR_MESSAGE, ERROR_CODE = 28, 16, 24
"""XLA_FFI_Error_Create_Args: its size, and where the message and the code (int) are."""
INVALID_ARGUMENT, FAILED_PRECONDITION = 3, 9
"""Codes of errors."""

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

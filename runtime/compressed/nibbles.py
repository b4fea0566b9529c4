"""Integers of 4 bits, two in a byte: `pack4` and `unpack4`.

    element 2 i of an axis      the lower half of byte i
    element 2 i + 1             the upper half; 0 behind the last element

Along the last axis, two neighbours are a number of 16 bits; along others, they are the same column of two rows.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import numpy as np

from ...microkernels.dtypes import FOUR_BITS, element_type
from ..api.eltwise import equation
from ..arguments.arrays import Array, as_array, overlap
from ..arguments.dtypes import numpy_dtype
from ..arguments.infer import type_of
from ..arguments.tracebacks import shortening
from ..system.torch_compile import leave_trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..api.typed import ArrayLike, DType, DTypeLike
    from ..kernel.callable import Kernel


def _kernel(function: Callable[..., object], dtype: str, out: str, shapes: dict[str, object]) -> Kernel:
    make: Callable[..., Kernel] = equation
    return make(function, dtype=cast("DType", dtype), out=cast("DType", out), **shapes)


@shortening
def pack4(x: ArrayLike, axis: int = -1, *, out: ArrayLike = None) -> Array:
    """Return the bytes of integers of 4 bits: neighbours along an axis share a byte, the first has its lower half.

    x      an array of ml_dtypes.int4 or uint4, which has a byte for each element; or of int8 or uint8, whose lower
           halves are taken
    axis   the axis whose extent is halved, and rounded up: the last one is the order of ONNX and of torchao, -2 that
           of the codes of `ts.compressed`
    out    an array of uint8 for the result; None: a new one

    `unpack4` is the inverse. Raises TypeError for other elements, ValueError for an axis that the array has not.
    """
    leave_trace()
    given, place = _checked("x", x, axis)
    if type_of("x", given) not in (*FOUR_BITS, "i8", "u8"):
        raise TypeError(
            f"x: elements of int4, uint4, int8 or uint8, not {given.dtype}; .astype(ml_dtypes.int4) converts"
        )
    extent = given.shape[place]
    if extent % 2:
        given = np.concatenate([given, np.zeros_like(given.take([0], place))], place)
    bytes_of = np.ascontiguousarray(given).view(np.uint8)
    shape = (*given.shape[:place], given.shape[place] // 2, *given.shape[place + 1 :])
    made, result = _result(out, shape, np.dtype(np.uint8), bytes_of)
    lines, columns = math.prod(shape[: place + 1]), math.prod(shape[place + 1 :])
    if made.size and columns == 1:
        pairs = _words(bytes_of).reshape(1, lines)
        _kernel(lambda v: (v & 15) | ((v >> 4) & 0xF0), "u16", "u8", {"v": (1, lines)})(pairs, made.reshape(1, lines))
    elif made.size:
        both = bytes_of.reshape(lines, 2 * columns)
        shapes = {"low": (lines, columns), "high": (lines, columns), "ldlow": 2 * columns, "ldhigh": 2 * columns}
        join = _kernel(lambda low, high: (low & 15) | ((high & 15) << 4), "u8", "u8", shapes)
        join(both[:, :columns], both[:, columns:], made.reshape(lines, columns))
    return _returned(out, made, result)


@shortening
def unpack4(x: ArrayLike, extent: int, axis: int = -1, *, dtype: DTypeLike = "i4", out: ArrayLike = None) -> Array:
    """Return integers of 4 bits from their bytes, as an array of ml_dtypes.int4 or uint4: the inverse of `pack4`.

    x        an array of uint8 or int8
    extent   of the axis in the result: twice that of the bytes, or one less
    axis     the axis along which neighbours share a byte
    dtype    "i4" or "u4"
    out      an array of that type for the result; None: a new one
    """
    leave_trace()
    given, place = _checked("x", x, axis)
    if given.dtype not in (np.uint8, np.int8):
        raise TypeError(f"x: bytes, uint8 or int8, not {given.dtype}")
    wanted = element_type("dtype", dtype)
    if wanted not in FOUR_BITS:
        raise TypeError(f"dtype: {' or '.join(FOUR_BITS)}, not {wanted}")
    if -(-extent // 2) != given.shape[place] or extent < 0:
        raise ValueError(f"extent: {2 * given.shape[place]} or one less, for {given.shape[place]} bytes, not {extent}")
    own = numpy_dtype(wanted)
    bytes_of = np.ascontiguousarray(given).view(np.uint8)
    shape = (*given.shape[:place], extent, *given.shape[place + 1 :])
    made, result = _result(out, shape, own, bytes_of, bool(extent % 2))
    whole = made if not extent % 2 else np.empty((*shape[:place], extent + 1, *shape[place + 1 :]), own)
    lines, columns = math.prod(given.shape[: place + 1]), math.prod(shape[place + 1 :])
    if whole.size and columns == 1:
        split = _kernel(lambda v: (v & 15) | ((v & 0xF0) << 4), "u8", "u16", {"v": (1, lines)})
        words = np.empty((1, lines), np.uint16)
        split(bytes_of.reshape(1, lines), words)
        whole = words.view(own).reshape(whole.shape)
    elif whole.size:
        both = whole.view(np.uint8).reshape(lines, 2 * columns)
        for function, half in ((lambda v: v & 15, both[:, :columns]), (lambda v: v >> 4, both[:, columns:])):
            shapes = {"v": (lines, columns), "ldy": 2 * columns}
            _kernel(function, "u8", "u8", shapes)(bytes_of.reshape(lines, columns), half)
    if whole is not made:
        made[...] = whole.take(range(extent), place) if extent % 2 else whole
    return _returned(out, made, result)


def _checked(name: str, x: ArrayLike, axis: int) -> tuple[Array, int]:
    given = as_array(name, x)
    if not given.ndim or not -given.ndim <= axis < given.ndim:
        raise ValueError(f"axis: one of the {given.ndim} axes of {name}, not {axis}")
    return given, axis % given.ndim


def _words(bytes_of: Array) -> Array:
    """Return pairs of bytes as numbers of 16 bits, which begin at even addresses."""
    flat = bytes_of.reshape(-1)
    aligned = flat if not flat.__array_interface__["data"][0] % 2 else flat.copy()
    made: Array = aligned.view(np.uint16)
    return made


def _result(
    out: ArrayLike, shape: tuple[int, ...], dtype: np.dtype[np.generic], read: Array, apart: bool = False
) -> tuple[Array, Array | None]:
    """Return a contiguous array that is written, and the array for the result if it is another one."""
    if out is None:
        return np.empty(shape, dtype), None
    given = as_array("out", out)
    if given.shape != shape or given.dtype != dtype:
        raise ValueError(f"out: shape {shape} of {dtype}, not {given.shape} of {given.dtype}")
    if not given.flags.writeable:
        raise ValueError("out: a writable array, this one is read-only")
    if given.flags.c_contiguous and not apart and not overlap(given, read):
        return given, None
    return np.empty(shape, dtype), given


def _returned(out: ArrayLike, made: Array, result: Array | None) -> Array:
    if result is not None:
        result[...] = made
    return made if out is None else out

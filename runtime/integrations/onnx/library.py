"""onnx, if it is installed, and the element types of its tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

try:
    import onnx as onnx
    from onnx import reference as reference
    from onnx.backend import base as base
except ImportError as error:
    raise ImportError(
        "tilesmith.integrations.onnx needs onnx 1.17 or newer, which is not installed: pip install onnx"
    ) from error

import ml_dtypes
import numpy as np

from ...arguments.arrays import Array as Array

Results: TypeAlias = Array | tuple[Array | None, ...]
"""What an operator computes: its first result, or all of them."""
Compute: TypeAlias = Callable[..., Results]
"""The function of an operator: of its `NodeCall` and its operands, None for those that are absent."""

TYPES = {
    np.dtype(np.float32): "f32",
    np.dtype(np.float64): "f64",
    np.dtype(np.float16): "f16",
    np.dtype(ml_dtypes.bfloat16): "bf16",
    np.dtype(ml_dtypes.float8_e4m3fn): "f8e4m3",
    np.dtype(ml_dtypes.float8_e5m2): "f8e5m2",
    np.dtype(np.int8): "i8",
    np.dtype(np.uint8): "u8",
    np.dtype(np.int16): "i16",
    np.dtype(np.uint16): "u16",
    np.dtype(np.int32): "i32",
    np.dtype(np.int64): "i64",
    np.dtype(np.bool_): "u8",
}
"""The element types that kernels take, by numpy's. A truth value is a byte, 0 or 1."""
FLOATS = frozenset({"float32", "float64", "float16", "bfloat16"})
BYTES = frozenset({"int8", "uint8"})
SMALL = BYTES | {"int16", "uint16"}
INTEGERS = SMALL | {"int32", "int64"}
UNSIGNED = frozenset({"uint32", "uint64"})
"""Types without kernels of their own, whose sums and differences wrap as those of signed ones."""
BOOL = frozenset({"bool"})
NUMBERS = FLOATS | INTEGERS
EIGHTS = frozenset({"float8_e4m3fn", "float8_e5m2"})
KNOWN = NUMBERS | BOOL | EIGHTS
ANY = frozenset({"*"})
"""Operators that move elements take every type that numpy has arrays of."""
SIGNED_OF: dict[np.dtype[np.generic], np.dtype[np.generic]] = {
    np.dtype(np.uint32): np.dtype(np.int32),
    np.dtype(np.uint64): np.dtype(np.int64),
}


def kernel_type(dtype: np.dtype[np.generic]) -> str:
    """Return the name of an element type that kernels take."""
    return TYPES[dtype]

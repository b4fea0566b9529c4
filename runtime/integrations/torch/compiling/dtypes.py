"""Types of torch and of numpy, and tensors and arrays on the same memory."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import torch

from ....arguments.arrays import Array
from .rows import CallRefused

_NUMPY = {
    torch.bool: np.dtype(np.bool_),
    torch.uint8: np.dtype("u1"),
    torch.int8: np.dtype("i1"),
    torch.int16: np.dtype("i2"),
    torch.int32: np.dtype("i4"),
    torch.int64: np.dtype("i8"),
    torch.float16: np.dtype("f2"),
    torch.bfloat16: np.dtype(ml_dtypes.bfloat16),
    torch.float32: np.dtype("f4"),
    torch.float64: np.dtype("f8"),
    torch.complex64: np.dtype("c8"),
    torch.complex128: np.dtype("c16"),
}
_TORCH = {theirs: ours for ours, theirs in _NUMPY.items()}
KERNELS = frozenset(_NUMPY) - {torch.complex64, torch.complex128}
"""The types of tensors that kernels may take."""


def numpy_dtype(dtype: torch.dtype) -> np.dtype:
    """Return a type as numpy's. Raises CallRefused for one that numpy has not."""
    found = _NUMPY.get(dtype)
    if found is None:
        raise CallRefused(f"tensors of {dtype}")
    return found


def torch_dtype(dtype: np.dtype) -> torch.dtype:
    """Return a type as torch's."""
    return _TORCH[dtype]


def tensor_of(array: Array) -> torch.Tensor:
    """Return an array as a tensor on the same memory; a copy if it is read backwards, as no tensor can be."""
    if min(array.strides, default=0) < 0:
        array = array.copy()
    if array.dtype == ml_dtypes.bfloat16:
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def array_of(tensor: torch.Tensor) -> Array:
    """Return a tensor as an array on the same memory."""
    plain = tensor.detach().resolve_conj().resolve_neg()
    if plain._is_zerotensor():  # it has no memory
        plain = torch.zeros(plain.shape, dtype=plain.dtype)
    if plain.dtype == torch.bfloat16:
        narrow: Array = plain.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
        return narrow
    made: Array = plain.numpy()
    return made

"""Arrays of any library as numpy views: where their memory is, and whether two of them share any."""

from __future__ import annotations

from typing import Any, TypeGuard

import numpy as np

from ..system.cpython import DATA, difference, word
from . import others
from .dtypes import numpy_dtype as numpy_dtype

Array = np.ndarray[Any, Any]
Made = Array | tuple[Array, ...] | None
"""New arrays for the outputs that a call left out."""
_BASE = np.ndarray.__dict__["base"]  # numpy's own attribute, whatever a subclass calls so


def as_array(name: str, value: Any) -> Array:
    """`value` as a plain ndarray of its own, never a copy: numpy, __array_interface__, DLPack on the CPU, the buffer
    protocol. It is looked at once: what is checked of the result stays so, whatever the class of `value` says of itself
    and whatever another thread makes of its shape.
    """
    if is_array(value):
        if type(value) is not np.ndarray and hasattr(value, "mask"):
            raise TypeError(f"{name}: an array without a mask (kernels know none), not {type(value).__name__}")
        return plain(value)
    if hasattr(value, "__array_interface__"):
        return np.asarray(value)
    if hasattr(value, "__dlpack__"):
        return others.as_ndarray(name, value)
    try:
        return np.asarray(memoryview(value))
    except TypeError:
        raise TypeError(f"{name}: an array (numpy, buffer protocol, __array_interface__ or DLPack on the CPU), "
                        f"not {type(value).__name__}") from None  # fmt: skip


def is_array(value: object) -> TypeGuard[Array]:
    """Whether numpy made it: by its type, since an object may claim another class."""
    return issubclass(type(value), np.ndarray)


def plain(array: Array) -> Array:
    """What an array of a subclass really is: its attributes and methods may say anything."""
    return np.ndarray.view(array, np.ndarray)


def array_at(address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype[Any],
             writable: bool = False) -> Array:  # fmt: skip
    """The view of memory at an address. Nobody keeps the memory alive: whoever asks must."""
    return np.asarray(_Memory(address, shape, strides, dtype, writable)).view(dtype)


class _Memory:
    """Memory as numpy's array interface describes it; types that numpy does not know by name are bytes there."""

    def __init__(self, address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype[Any],
                 writable: bool) -> None:  # fmt: skip
        where = {"version": 3, "data": (address, not writable)}
        typestr = dtype.str if dtype.isbuiltin == 1 else f"|V{dtype.itemsize}"  # '<f1' is no type to numpy
        self.__array_interface__ = {**where, "shape": shape, "strides": strides, "typestr": typestr}


def address_of(array: Array) -> int:
    """Address of the first element: from the array's object, which takes a fifth of the time of numpy's interface."""
    if not difference():
        return word(id(array) + DATA)
    address: int = array.__array_interface__["data"][0]
    return address


def byte_bounds(array: Array) -> tuple[int, int]:
    """Addresses of the first byte and behind the last byte that the array's elements touch."""
    low = high = address_of(array)
    if not array.size:
        return low, high
    for n, stride in zip(array.shape, array.strides):
        if stride < 0:
            low += (n - 1) * stride
        else:
            high += (n - 1) * stride
    return low, high + array.itemsize


def owner_bounds(array: Array) -> tuple[int, int]:
    """Bounds of the memory that the array is a view of, as far as numpy knows it."""
    owner = array
    while is_array(base := _BASE.__get__(owner)):
        owner = base
    low, high = byte_bounds(plain(owner))
    own_low, own_high = byte_bounds(array)
    return min(low, own_low), max(high, own_high)


def overlap(x: Array, y: Array, x_bounds: tuple[int, int] | None = None) -> bool:
    """Whether an element of x shares memory with one of y; exact, and quick when their bounds are apart. Who asks for
    several y may find the bounds of x once."""
    (x_low, x_high), (y_low, y_high) = x_bounds or byte_bounds(x), byte_bounds(y)
    return x_low < y_high and y_low < x_high and bool(np.shares_memory(x, y))

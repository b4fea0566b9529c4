"""Arrays of any library as numpy views: where their memory is, and whether two of them share memory."""

from __future__ import annotations

from typing import Any, NoReturn, TypeGuard

import numpy as np

from ...encoder.errors import raised_here
from ...microkernels.errors import UnsupportedError
from ..system.cpython import DATA, difference, word
from . import foreign_arrays
from .dtypes import numpy_dtype as numpy_dtype

Array = np.ndarray[Any, Any]
Made = Array | tuple[Array, ...] | None
"""New arrays for the outputs that a call left out."""
_BASE = np.ndarray.__dict__["base"]  # numpy's own attribute, whatever a subclass calls by this name


class NoArray:
    """An object that products take and that is no array: numpy leaves it alone, so that an operator names the function
    that takes it."""

    __slots__ = ()
    __array_ufunc__ = None
    taken_by = ""

    def __array__(self, dtype: np.dtype[np.generic] | None = None, copy: bool | None = None) -> Array:
        """Return the elements as a new array, for np.asarray and functions of numpy that are no operators."""
        if copy is False:
            raise ValueError(
                f"copy: elements of {type(self).__name__} are no array, so that an array of them is a copy"
            )
        made = self.elements()
        return made if dtype is None else made.astype(dtype, copy=False)

    def elements(self) -> Array:
        """Return the elements as a new array. Raises TypeError, which names what takes the object, if it has none."""
        raise TypeError(f"{type(self).__name__}: its elements lie as kernels read them; {self.taken_by}")

    def __matmul__(self, other: object) -> NoReturn:
        """Raise TypeError, which names the function."""
        raise TypeError(f"@: no operator of {type(self).__name__}; {self.taken_by}")

    __rmatmul__ = __matmul__


def as_array(name: str, value: Any) -> Array:
    """Return `value` as a plain ndarray of its own, never a copy. It may be a numpy array, or have __array_interface__,
    DLPack on the CPU, or the buffer protocol. The value is read once: what is checked of the result stays true,
    whatever the class of `value` reports later and whatever another thread does to its shape."""
    if is_array(value):
        if type(value) is not np.ndarray and hasattr(value, "mask"):
            raise TypeError(
                f"{name}: an array without a mask (kernels know none), not {type(value).__name__}; "
                f"{name}.filled(0) has a number in place of each masked element"
            )
        return plain(value)
    if hasattr(value, "__array_interface__"):
        try:
            return np.asarray(value)
        except (ValueError, TypeError) as error:  # an object that has every attribute, such as torch.fx.Proxy
            if type(error) not in (ValueError, TypeError):
                raise
            raise TypeError(
                f"{name}: an array; numpy cannot read the __array_interface__ of {type(value).__name__}: {error}"
            ) from error
    if hasattr(value, "__dlpack__") and not isinstance(value, type):
        return foreign_arrays.as_ndarray(name, value)
    if hasattr(type(value), "__nest_call__"):
        raise UnsupportedError(
            f"{name}: a block of a nest; its body calls kernels, such as those of ts.brgemm and "
            "ts.fused, but not ts.matmul nor what ts.gemm, ts.linear, ts.mlp and ts.spread make: "
            "they divide their work among threads themselves"
        )
    try:
        return np.asarray(memoryview(value))
    except TypeError as error:
        if not raised_here(error):  # by a signal handler, or by the object's own __buffer__
            raise
        raise TypeError(
            f"{name}: an array (numpy, buffer protocol, __array_interface__ or DLPack on the CPU), "
            f"not {type(value).__name__}{_instead(name, value)}"
        ) from None


def _instead(name: str, value: object) -> str:
    """Return what takes a value that is no array, or how it becomes one."""
    if isinstance(value, NoArray):
        return f"; {value.taken_by}"
    if isinstance(value, (list, tuple)):
        return f"; np.asarray({name}, dtype) makes an array of it"
    sparse = all(hasattr(type(value), each) for each in ("nnz", "toarray"))
    return f"; ts.spmm multiplies sparse matrices, and {name}.toarray() is an array" if sparse else ""


def is_array(value: object) -> TypeGuard[Array]:
    """Whether numpy made the object. Its type decides, because an object may claim another class."""
    return issubclass(type(value), np.ndarray)


def plain(array: Array) -> Array:
    """Return the true array behind an array of a subclass, whose attributes and methods may be overridden."""
    return np.ndarray.view(array, np.ndarray)


def array_at(
    address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype[Any], writable: bool = False
) -> Array:
    """Return a view of the memory at an address. The view does not keep the memory alive; the caller must."""
    return np.asarray(_ArrayMemory(address, shape, strides, dtype, writable)).view(dtype)


class _ArrayMemory:
    """Memory as numpy's array interface describes it. Types that numpy does not know by name are raw bytes there."""

    def __init__(
        self, address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype[Any], writable: bool
    ) -> None:
        where = {"version": 3, "data": (address, not writable)}
        typestr = dtype.str if dtype.isbuiltin == 1 else f"|V{dtype.itemsize}"  # '<f1' is not a type of numpy
        self.__array_interface__ = {**where, "shape": shape, "strides": strides, "typestr": typestr}


def address_of(array: Array) -> int:
    """Return the address of the first element. Reading it from the object takes a fifth of the time of numpy's
    interface."""
    if not difference():
        return word(id(array) + DATA)
    address: int = array.__array_interface__["data"][0]
    return address


def byte_bounds(array: Array) -> tuple[int, int]:
    """Return the addresses of the first byte and behind the last byte that the array's elements touch."""
    low = high = address_of(array)
    if not array.size:
        return low, high
    for n, stride in zip(array.shape, array.strides):
        if stride < 0:
            low += (n - 1) * stride
        else:
            high += (n - 1) * stride
    return low, high + array.itemsize


def bytes_of(array: Array) -> Array:
    """Return the bytes from the first to the last element of an array."""
    low, high = byte_bounds(array)
    return array_at(low, (high - low,), (1,), np.dtype(np.uint8), writable=array.flags.writeable)


def is_aligned(array: Array) -> bool:
    """Whether the elements are whole steps apart from each other and from address 0."""
    return all(each % array.itemsize == 0 for each in (address_of(array), *array.strides))


def ascends(array: Array) -> bool:
    """Whether elements are aligned, and each axis of several elements goes forwards in memory."""
    return is_aligned(array) and all(extent == 1 or step > 0 for extent, step in zip(array.shape, array.strides))


def overlaps_itself(array: Array) -> bool:
    """Whether two elements of the array share memory. The test is exact. It is fast unless the steps along one axis
    lead between elements of another one, as in windows."""
    reach = array.itemsize
    for stride, extent in sorted((abs(stride), n) for n, stride in zip(array.shape, array.strides) if n > 1):
        if stride < reach:
            break
        reach += stride * (extent - 1)
    else:
        return False
    if not array.size or 0 in (stride for n, stride in zip(array.shape, array.strides) if n > 1):
        return bool(array.size)
    places = np.zeros(1, np.int64)
    for n, stride in zip(array.shape, array.strides):
        places = np.add.outer(places, np.arange(n) * stride).ravel()
    return bool((np.diff(np.sort(places)) < array.itemsize).any())


def owner_bounds(array: Array) -> tuple[int, int]:
    """Return the bounds of the memory that the array is a view of, as far as numpy knows it."""
    owner = array
    while is_array(base := _viewed(_BASE.__get__(owner))):
        owner = base
    low, high = byte_bounds(plain(owner))
    own_low, own_high = byte_bounds(array)
    return min(low, own_low), max(high, own_high)


def _viewed(base: object) -> object:
    """Return the array of which numpy's stride tricks have made a view, or the base of another array."""
    return getattr(base, "base", None) if type(base).__name__ == "DummyArray" else base


def overlap(x: Array, y: Array) -> bool:
    """Whether an element of x shares memory with one of y. The test is exact, and fast if their bounds are apart."""
    return bool(np.may_share_memory(x, y) and np.shares_memory(_runs(x), _runs(y)))


def _runs(array: Array) -> Array:
    """Return the bytes of an array's elements. Axes along which elements are neighbours or overlap are one axis, so
    that windows of a vector are as simple as the vector."""
    steps = sorted((stride, n) for n, stride in zip(array.shape, array.strides) if n > 1)
    if not array.size or (steps and steps[0][0] < 0):
        return array
    run, apart = array.itemsize, []
    for stride, n in steps:
        if stride <= run:
            run += stride * (n - 1)
        else:
            apart.append((stride, n))
    shape, strides = (*(n for _, n in apart), run), (*(stride for stride, _ in apart), 1)
    return array_at(address_of(array), shape, strides, np.dtype(np.uint8))

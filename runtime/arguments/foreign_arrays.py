"""Convert arrays of other libraries to ndarrays of the same memory, and results back to the library of the arguments.

torch's tensors are converted through their bytes, because numpy has no bfloat16 and no 8-bit floats; other libraries'
arrays through DLPack. Tensors that cannot be operands are refused with the reason: a gradient, a lazy negative, another
device.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.errors import raised_here
from ...encoder.records import NamedTuple
from ...microkernels.dtypes import DTYPES
from .dtypes import numpy_dtype

if TYPE_CHECKING:
    from ..system import dlpack as system_dlpack

system_dlpack = lazy(__package__, "..system.dlpack")


Array = np.ndarray[Any, Any]
_BITS = {1: "int8", 2: "int16"}
_TORCH_NAMES = {f"torch.{dtype.numpy}": name for name, dtype in DTYPES.items()}


class Refused(NamedTuple):
    """Why an object cannot be an operand. A refusal is a value, so that every exception is one that the caller must
    see: it may come from a signal handler that ran meanwhile."""

    reason: str
    cause: Exception | None = None

    def error(self, name: str) -> TypeError:
        """Return the error, which begins with the argument's name."""
        made = TypeError(f"{name}: {self.reason}")
        made.__cause__ = self.cause
        return made


def as_ndarray(name: str, value: Any) -> Array:
    """Return the memory of an object that has `__dlpack__`. Raise TypeError, beginning with the argument's name, if a
    kernel cannot read its elements."""
    found = memory_of(name, value)
    if isinstance(found, Refused):
        raise found.error(name)
    return found


def memory_of(name: str, value: Any) -> Array | Refused:
    """Return the memory of an object that has `__dlpack__`, or why a kernel cannot read its elements."""
    if is_tensor(value):
        return memory_of_tensor(name, value)
    if is_traced(value):
        return Refused(
            "an array while JAX traces a function (jax.jit, grad, vmap), which has no elements yet; "
            "tilesmith.integrations.jax has functions for such arrays, as ts.jax.matmul, and jax.pure_callback calls "
            "any kernel"
        )
    dlpack, device = system_dlpack, value.__dlpack_device__()[0]
    if device != dlpack.CPU:
        where = dlpack.DEVICES.get(device, f"number {device} of DLPack's")
        return Refused(f"the array is on a device ({where}), kernels run on the CPU; copy it there first")
    try:
        try:
            return np.from_dlpack(value)
        except (BufferError, RuntimeError) as error:
            found = dlpack.read(value, dtypes()) if raised_here(error) else None  # a type that numpy does not know
            if found is None:
                raise
            array: Array = found
            return array
    except (BufferError, RuntimeError) as error:
        if type(error) not in (BufferError, RuntimeError):
            raise
        return Refused(f"an array on the CPU; DLPack of {type(value).__name__} refuses: {error}", error)


def dtypes() -> dict[tuple[int, int], np.dtype[Any]]:
    """Return the element types by DLPack's code and bits."""
    codes = system_dlpack.CODES
    return {(code, 8 * DTYPES[name].bytes): numpy_dtype(name) for name, code in codes.items()}


def returned(made: Array | tuple[Array, ...], args: tuple[Any, ...]) -> Any:
    """Return new arrays as those of the first library other than numpy among the arguments: torch's, jax's, else
    numpy's."""
    if isinstance(made, tuple):
        return tuple(returned(each, args) for each in made)
    for value in args:
        if isinstance(value, np.ndarray):
            continue
        if is_tensor(value):
            return _tensor(made)
        jax = sys.modules.get("jax")
        if jax is not None and isinstance(value, getattr(jax, "Array", ())):
            return jax.numpy.asarray(made)
        if hasattr(value, "__dlpack__"):
            return made
    return made


def is_traced(value: object) -> bool:
    """Whether the value stands for an array of JAX's in a function that is traced."""
    core = getattr(sys.modules.get("jax"), "core", None)
    return core is not None and isinstance(value, getattr(core, "Tracer", ()))


# torch


def is_tensor(value: object) -> bool:
    """Whether the value is a torch tensor."""
    torch = sys.modules.get("torch")
    return torch is not None and issubclass(type(value), getattr(torch, "Tensor", ()))


def memory_of_tensor(name: str, tensor: Any) -> Array | Refused:
    """Return the memory of a torch tensor, or why a kernel cannot read its elements.

    The array refers to the tensor. `Tensor.numpy` would do that, too, but no program could resize the tensor's storage
    afterwards, which FSDP does after every use of its parameters.
    """
    torch: Any = sys.modules["torch"]
    fault = _fault(torch, name, tensor)
    if fault:
        return Refused(fault)
    dtype = _read_as(tensor.dtype)
    assert dtype is not None, "a type that kernels lack is a fault"
    size, shape = dtype.itemsize, tuple(tensor.shape)
    if not tensor.numel():
        return np.empty(shape, dtype)
    return np.asarray(_TensorMemory(tensor, shape, tuple(step * size for step in tensor.stride()), dtype)).view(dtype)


class _TensorMemory:
    """The memory of a tensor as numpy's array interface describes it, in groups of an element's size."""

    def __init__(self, tensor: Any, shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        typestr = dtype.str if dtype.isbuiltin == 1 else f"|V{dtype.itemsize}"
        where = {"version": 3, "data": (tensor.data_ptr(), False)}
        self.__array_interface__ = {**where, "shape": shape, "strides": strides, "typestr": typestr}
        self.tensor = tensor


@cache
def _read_as(kind: Any) -> np.dtype[Any] | None:
    """Return numpy's type for an element type of torch, or None if no kernel has it."""
    name = _TORCH_NAMES.get(str(kind))
    return None if name is None else numpy_dtype(name)


def _fault(torch: Any, name: str, tensor: Any) -> str:
    """Explain why a tensor cannot be an operand and what to use instead; empty if it can."""
    name = name if name.isidentifier() else "tensor"  # in "argument 1: ...", which is no name to write
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
        return (
            f"a torch.Tensor, not its subclass {type(tensor).__name__}, whose elements need not lie in memory; if "
            f"they do, pass {name}.as_subclass(torch.Tensor)"
        )
    if tensor.requires_grad:
        return f"the tensor requires grad, and kernels record no gradients; pass {name}.detach()"
    if _has_tangent(torch, tensor):
        return f"the tensor has a tangent of forward-mode derivatives, and kernels compute none; pass {name}.detach()"
    if tensor.layout is not torch.strided:
        return f"the tensor is sparse ({tensor.layout}), kernels read dense memory; pass {name}.to_dense()"
    if not tensor.is_cpu:
        if tensor.is_meta:
            return "the tensor has no memory (device meta)"
        return f"the tensor is on device {tensor.device}, kernels run on the CPU; pass {name}.cpu()"
    if tensor.is_conj():
        return f"the tensor is a lazy conjugate of its memory; pass {name}.resolve_conj()"
    if tensor.is_neg():
        return f"the tensor is a lazy negative of its memory; pass {name}.resolve_neg()"
    if tensor._is_zerotensor():
        return f"the tensor stands for zeros that are not in memory; pass {name}.clone()"
    if tensor.is_quantized:
        return f"the tensor is quantized; pass its integers, {name}.int_repr()"
    if _read_as(tensor.dtype) is None:
        instead = f"; {name}.view(torch.uint8) is its bytes" if tensor.dtype is torch.bool else ""
        return f"no kernel has elements of {tensor.dtype}; kernels have {', '.join(_TORCH_NAMES)}{instead}"
    return _lacks_memory(tensor)


def _has_tangent(torch: Any, tensor: Any) -> bool:
    """Whether the tensor is a dual number, which only a level of torch.autograd.forward_ad makes."""
    forward = sys.modules.get("torch.autograd.forward_ad")
    if forward is None or getattr(forward, "_current_level", -1) < 0:
        return False
    return forward.unpack_dual(tensor).tangent is not None


def _lacks_memory(tensor: Any) -> str:
    """Explain that the storage holds fewer bytes than the elements take, which torch checks nowhere: a program may
    resize the storage of a tensor, for example to 0 while its elements are not needed."""
    try:
        held, count = tensor.untyped_storage().nbytes(), tensor.numel()
        last = sum((extent - 1) * step for extent, step in zip(tensor.shape, tensor.stride()))
    except RuntimeError as error:  # a nested tensor, or one of a transformation
        if not raised_here(error):
            raise
        return f"torch shows no memory of the tensor: {error}"
    needed = (tensor.storage_offset() + last + 1) * tensor.element_size() if count else 0
    if held >= needed:
        return _stands_for_another(tensor) if count else ""
    return f"the tensor's storage holds {held} bytes, and its elements reach to byte {needed}; resize the storage first"


def _stands_for_another(tensor: Any) -> str:
    """Explain that the tensor has a storage of the right length, but no address: one of torch.func.functionalize. numpy
    would take the address 0 as a request for new memory, so a kernel would read numbers that nobody wrote."""
    try:
        address = tensor.data_ptr()
    except RuntimeError as error:  # a storage that refuses accesses
        if not raised_here(error):
            raise
        return f"torch shows no memory of the tensor: {error}"
    if address:
        return ""
    return (
        "the tensor has no memory, it stands for another one inside a transformation of torch (functionalize); "
        "call the kernel outside of it, or register the call as an operator (torch.library)"
    )


def _tensor(made: Array) -> Any:
    torch: Any = sys.modules["torch"]
    if made.dtype.isbuiltin == 1:
        return torch.from_numpy(made)
    return torch.from_numpy(made.view(_BITS[made.itemsize])).view(getattr(torch, made.dtype.name))

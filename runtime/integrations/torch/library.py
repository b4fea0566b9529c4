"""PyTorch, if it is installed and new enough."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

try:
    import torch as torch
except ImportError as error:
    raise ImportError(
        "tilesmith.integrations.torch needs PyTorch 2.6 or newer, which is not installed: pip install torch"
    ) from error

from ....microkernels.operands import CACHE_LINE
from ....microkernels.tuning.integrations import INTEGRATIONS
from ...arguments.arrays import Array
from ...threads.policy import num_threads

if not hasattr(torch.library, "register_vmap"):
    raise ImportError(f"tilesmith.integrations.torch needs PyTorch 2.6 or newer, not {torch.__version__}")

NAMESPACE = "tilesmith"
Value: TypeAlias = torch.Tensor
"""What an operator takes or returns, as its schema says: a tensor, a number, a text, or several of them."""
DTYPES = {torch.float32: "f32", torch.float64: "f64", torch.bfloat16: "bf16", torch.float16: "f16"}
"""The floats that operators take."""


def dtype_of(name: str, tensor: torch.Tensor) -> str:
    """Return the name of a tensor's type. Raises TypeError for other types than floats of 16 to 64 bits."""
    found = DTYPES.get(tensor.dtype)
    if found is None:
        raise TypeError(f"{name}: {', '.join(map(str, DTYPES))}, not {tensor.dtype}")
    return found


def spreads(elements: int) -> bool:
    """Whether a kernel of so many elements runs on all cores."""
    return elements >= INTEGRATIONS.spread and num_threads() > 1


def at_a_line(stored: torch.Tensor) -> Array:
    """Return a tensor of bytes as an array without gaps that begins at a cache line, a copy if need be."""
    stored = stored.contiguous()
    made: Array = np.from_dlpack(stored if stored.data_ptr() % CACHE_LINE == 0 else stored.clone())
    return made


def detached(*tensors: torch.Tensor | None) -> list[Value]:
    """Return the tensors without their gradients, which kernels refuse."""
    return [each.detach() if each is not None and each.requires_grad else each for each in tensors]


def not_scripted(module: torch.nn.Module) -> torch.nn.Module:
    """Raise TypeError. torch.jit.script calls this for modules whose `__prepare_scriptable__` it is."""
    raise TypeError(
        f"torch.jit.script: not of {module._get_name()}, whose calls choose a kernel in Python; torch.jit.trace, "
        "torch.export and torch.compile take it, and torch.nn's module with its state dict can be scripted"
    )

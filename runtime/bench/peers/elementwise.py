"""The baselines of elementwise kernels: numpy, PyTorch if installed, and the functions themselves in f64."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...arguments.arrays import Array, address_of
from ...system.libc import address
from ..measure import NativeCall, PythonCall

_ROOT_HALF = math.sqrt(0.5)
_erfc = np.frompyfunc(math.erfc, 1, 1)


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def _gelu_tanh(x: Array) -> Array:
    # 0.5 (1 + tanh z) = sigmoid(2 z), which loses no precision for negative z
    return np.asarray(x * _sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


REFERENCES: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "tanh": np.tanh,
    "sigmoid": _sigmoid,
    "silu": lambda x: x * _sigmoid(x),
    "gelu": lambda x: 0.5 * x * np.asarray(_erfc(-x * _ROOT_HALF), np.float64),
    "gelu_tanh": _gelu_tanh,
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "softplus": lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
}
"""The functions on f64 arrays, exact to some 1e-15 of the result, which is 1e-8 ulp of f32."""

NUMPY: dict[str, Callable[[Array, Array], object]] = {
    "exp": lambda x, y: np.exp(x, out=y),
    "exp2": lambda x, y: np.exp2(x, out=y),
    "log": lambda x, y: np.log(x, out=y),
    "tanh": lambda x, y: np.tanh(x, out=y),
    "sigmoid": lambda x, y: np.divide(1, 1 + np.exp(-x), out=y),
    "silu": lambda x, y: np.divide(x, 1 + np.exp(-x), out=y),
    "gelu_tanh": lambda x, y: np.multiply(0.5 * x, 1 + np.tanh(0.7978846 * (x + 0.044715 * x * x * x)), out=y),
    "elu": lambda x, y: np.copyto(y, np.where(x > 0, x, np.expm1(np.minimum(x, 0)))),
    "softplus": lambda x, y: np.logaddexp(0, x, out=y),
    "relu": lambda x, y: np.maximum(x, 0, out=y),
    "copy": lambda x, y: np.copyto(y, x),
}
"""The functions as a user of numpy writes them; numpy has no erf."""

NUMPY_BINARY: dict[str, Callable[..., object]] = {"add": np.add, "mul": np.multiply}


def torch_module(threads: int = 1) -> Any:
    """Return PyTorch on one thread, or this many; None if it is not installed."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        return None
    torch.set_num_threads(threads)
    return torch


def torch_call(torch: Any, name: str, x: Array, y: Array) -> PythonCall | None:
    """Return PyTorch's function on our arrays. It writes to y if it can."""
    functional = torch.nn.functional
    source, target = torch.from_numpy(x), torch.from_numpy(y)
    into: dict[str, Any] = {
        "exp": torch.exp,
        "exp2": torch.exp2,
        "log": torch.log,
        "tanh": torch.tanh,
        "sigmoid": torch.sigmoid,
    }
    fresh: dict[str, Callable[[Any], Any]] = {
        "silu": functional.silu,
        "gelu": functional.gelu,
        "elu": functional.elu,
        "softplus": functional.softplus,
        "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
        "relu": functional.relu,
    }
    if name in into:
        return PythonCall(lambda: into[name](source, out=target))
    return PythonCall(lambda: fresh[name](source)) if name in fresh else None


def memcpy(x: Array, y: Array) -> NativeCall:
    """Return the C library's copy of all of x to y."""
    return NativeCall(address("memcpy"), (address_of(y), address_of(x), x.nbytes), (x, y))


def ulp_error(found: Array, exact: Array, floor: float = 0.0) -> float:
    """Return the largest error in ulp of f32 at the exact result.

    Results smaller than `floor` are measured in ulp of the floor. NaN must match NaN; for results that overflow, only
    the sign counts.
    """
    finite = np.isfinite(exact) & (np.abs(exact) < float(np.finfo(np.float32).max))
    with np.errstate(over="ignore"):
        rounded = exact.astype(np.float32)
    wrong = ~finite & ~((found == rounded) | (np.isnan(found) & np.isnan(exact)))
    if wrong.any() or not np.isfinite(found[finite]).all():
        return math.inf
    size = np.maximum(np.maximum(np.abs(exact[finite]), floor), float(np.finfo(np.float32).smallest_normal))
    units = np.exp2(np.floor(np.log2(size)) - 23)
    return float(np.max(np.abs(found[finite].astype(np.float64) - exact[finite]) / units, initial=0))


def sample(domain: tuple[float, float], count: int = 1 << 20) -> Array:
    """Return f32 numbers of a domain: half of them spread evenly over all bit patterns, half over -20 to 20."""
    words = np.linspace(0, (1 << 32) - 1, count // 2).astype(np.uint64).astype(np.uint32).view(np.float32)
    near = np.linspace(-20, 20, count - len(words), dtype=np.float32)
    whole = np.concatenate([words[np.isfinite(words)], near])
    return whole[(whole >= domain[0]) & (whole <= domain[1])]

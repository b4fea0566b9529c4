"""What arrays of JAX's are accepted, and their types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import ml_dtypes
import numpy as np

try:
    import jax as jax
except ImportError as error:
    raise ImportError(
        "tilesmith.integrations.jax needs JAX 0.7 or newer, which is not installed: pip install jax"
    ) from error

import jax.numpy as jnp

if not hasattr(jax, "typeof") or not hasattr(jax, "shard_map"):
    raise ImportError(f"tilesmith.integrations.jax needs JAX 0.7 or newer, not {jax.__version__}")

from ..xla.handler import ArrayType

Array: TypeAlias = jax.Array
ArrayLike: TypeAlias = jax.typing.ArrayLike

NUMPY_TYPES: dict[str, np.dtype[np.generic]] = {
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f16": np.dtype(np.float16),
    "i32": np.dtype(np.int32),
    "u8": np.dtype(np.uint8),
}
_NAMES = {dtype: name for name, dtype in NUMPY_TYPES.items()}
FLOATS = ("f32", "f64", "bf16", "f16")
"""The floats that functions take."""


def array_of(name: str, value: ArrayLike, like: Array | None = None) -> Array:
    """Return an argument as an array of JAX's, of a float that kernels take, and of the type of another argument if one
    is given. A number that Python has no type for, which JAX calls weak, takes that type."""
    array = value if isinstance(value, jax.Array) else jnp.asarray(value)
    weak = bool(getattr(array, "weak_type", False))
    if like is not None and weak:
        array = array.astype(like.dtype)
    if _NAMES.get(np.dtype(array.dtype)) not in FLOATS:
        raise TypeError(
            f"{name}: {', '.join(str(NUMPY_TYPES[each]) for each in FLOATS)}, not {array.dtype}; "
            f"{name}.astype(jnp.float32) converts it"
        )
    if like is not None and array.dtype != like.dtype:
        raise TypeError(
            f"{name}: {like.dtype}, the type of the first array, not {array.dtype}; {name}.astype(...) converts it"
        )
    return array


def axes_of(arrays: Sequence[Array]) -> frozenset[str]:
    """Return the axes of a mesh along which arrays differ, inside of a shard_map. They have another name from JAX 0.10
    on."""
    found = frozenset[str]()
    for each in arrays:
        told = jax.typeof(each)
        mesh = getattr(told, "manual_axis_type", None)
        found |= getattr(told, "vma", frozenset()) if mesh is None else mesh.varying
    return found


def varying(array: Array, axes: frozenset[str]) -> Array:
    """Return an array that differs along these axes of a mesh, as far as JAX's types say."""
    missing = tuple(sorted(axes - axes_of([array]))) if axes else ()
    if not missing:
        return array
    if hasattr(jax.lax, "pcast"):
        return jax.lax.pcast(array, missing, to="varying")
    return jax.lax.pvary(array, missing)


def varying_alike(arrays: Sequence[Array]) -> Sequence[Array]:
    """Return arrays that all differ along the same axes of a mesh, so that their gradients do, too: JAX then sums the
    gradient of one that was the same everywhere."""
    axes = axes_of(arrays)
    return [varying(each, axes) for each in arrays] if axes else arrays


def type_of(array: Array) -> ArrayType:
    """Return the type and the shape of an array."""
    return ArrayType(_NAMES[np.dtype(array.dtype)], tuple(array.shape))


def empty_of(result: ArrayType) -> Array:
    """Return zeros of a type and a shape."""
    return jnp.zeros(result.shape, NUMPY_TYPES[result.dtype])

"""The argument `out`: an array for the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..arguments.arrays import Array, as_array, overlap, overlaps_itself
from ..fastcall.foreign import of_tensor

if TYPE_CHECKING:
    from ..api.typed import ArrayLike


def output_of(
    out: ArrayLike,
    shape: tuple[int, ...],
    single: bool = False,
    like: Array | None = None,
    apart: Mapping[str, Array] | None = None,
) -> Array:
    """Return the array for the result.

    single   whether it may lack the axis of images, which is then added
    like     an array whose type it must have; None: any
    apart    arrays with which it must not share memory
    """
    to = as_array("out", of_tensor("out", out))
    to = to[None] if single and to.ndim == len(shape) - 1 else to
    if to.shape != shape:
        raise ValueError(f"out: shape {shape[single:]}, not {to.shape[single:]}")
    if like is not None and to.dtype != like.dtype:
        raise TypeError(f"out: {like.dtype}, not {to.dtype}")
    if not to.flags.writeable:
        raise ValueError("out: read-only")
    if overlaps_itself(to):
        raise ValueError(
            f"out: memory of its own for each element, not strides {to.strides}, with which several share one place"
        )
    for name, each in (apart or {}).items():
        if overlap(to, each):
            raise ValueError(f"out: shares memory with {name}")
    return to

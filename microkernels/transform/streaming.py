"""Streaming stores: when a transform writes y past the caches, and how y is aligned to whole cache lines.

Their code is in `streaming_emit`.
"""

from __future__ import annotations

from ..contract.machine import Facts
from ..dtypes import ELEMENT_BYTES
from ..operands import CACHE_LINE
from ..tuning.transform import TransformTuning
from .spec import TransformSpec
from .tile import ShuffledTile

WAY = "streaming stores"
_MOST_LEADING = 1 << 31  # elements; peeling moves x by a multiple of its leading dimension


def refusal(spec: TransformSpec, facts: Facts) -> str:
    """Return the reason why streaming stores cannot be used or do not pay, or an empty string if they are used."""
    least = facts.shuffles.streaming_bytes
    if not least:
        return "this target has no streaming stores"
    if not isinstance(spec.ldy, int):
        return "ldy is given at the call, so rows of y may begin inside cache lines"
    if spec.bytes_moved < least:
        return f"x and y have {spec.bytes_moved} bytes, and streaming stores pay off from {least} bytes on"
    row = spec.ldy * ELEMENT_BYTES[spec.dtype]
    if row % CACHE_LINE:
        return f"the row stride of y is {row} bytes, not a multiple of a cache line"
    return ""


def boundary(spec: TransformSpec, tile: ShuffledTile) -> int:
    """Return the alignment of y in bytes that streaming stores need."""
    row = tile.extents["i"] * ELEMENT_BYTES[spec.dtype]  # bytes of a tile's row in y
    return tile.shuffle_set.bytes if row % CACHE_LINE else CACHE_LINE


def peels(spec: TransformSpec, tile: ShuffledTile, tuning: TransformTuning) -> bool:
    """Whether the first and last rows of x are peeled if y is not aligned, so that tiles begin at a boundary of y.

    That needs a plain transpose, whose rows of x are columns of y, and enough tiles to hide three more.
    """
    many = spec.m >= tuning.peeled_tiles * tile.extents["i"]
    plain = spec.transposes and isinstance(spec.ldx, int) and spec.ldx < _MOST_LEADING
    return many and plain and tile.extents["i"] * ELEMENT_BYTES[spec.dtype] % boundary(spec, tile) == 0

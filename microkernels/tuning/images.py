"""The numbers by which pooling and resizing are cut into tiles (runtime/images)."""

from __future__ import annotations

from ...encoder.records import NamedTuple


class ImagesTuning(NamedTuple):
    """See runtime/images/nest.py."""

    tile: int = 64 << 10
    """Bytes of a row of states of a tile: two of them stay in L2, and one in part of L1."""
    lines: int = 64
    """Channels of a tile whose rows are transposed: whole vectors of every type."""
    most_lines: int = 128
    """Channels times rows of a tile with few channels."""
    square: int = 256
    """Bytes of a side of a block that is transposed: a few lines of memory of each row."""
    periods: int = 8
    """The most distance of results that one kernel computes together: an axis that is resized to 8 times its extent."""
    pieces: int = 512
    """The most pieces of padding, each of which has code of its own."""
    operands: int = 10
    """The most operands of a kernel: more than general registers hold would be kept in memory."""


IMAGES = ImagesTuning()

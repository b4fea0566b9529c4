"""The loops over a matrix: the order of tiles, and how rows and columns are divided among them."""

from __future__ import annotations

from functools import lru_cache

from ...encoder.records import NamedTuple
from ..dtypes import ELEMENT_BYTES
from ..operands import CACHE_LINE
from ..tuning.transform import TransformTuning
from .layouts import Layout
from .spec import TransformSpec
from .strides import StridedMatrix
from .tile import ShuffledTile

Nest = tuple[tuple[str, tuple[int, ...]], ...]
"""Loops from the outermost inwards: a dimension, and the sizes into which it is divided successively."""


class Span(NamedTuple):
    """Consecutive rows or columns: the number that exist in x, and the number in y. The difference is padding."""

    source: int
    result: int


class TileLoop(NamedTuple):
    """`times` iterations over `size` rows or columns each. The body is one span, or further loops over it."""

    times: int
    size: int
    body: Span | tuple[TileLoop, ...]


def spans(dim: str, tile: ShuffledTile, x: StridedMatrix, y: StridedMatrix) -> dict[Span, int]:
    """Return the kinds of spans into which tiles divide a dimension of the matrix, and the number of each."""
    return _spans(tile.extents[dim], x.extents[dim], y.extents[dim])


@lru_cache(maxsize=512)
def _spans(size: int, source: int, result: int) -> dict[Span, int]:
    counts = dict[Span, int]()
    full = min(source, result) // size
    if full:
        counts[Span(size, size)] = full
    for first in range(full * size, result, size):
        span = Span(max(0, min(size, source - first)), min(size, result - first))
        counts[span] = counts.get(span, 0) + 1
    return counts


def loops(sizes: tuple[int, ...], source: int, result: int) -> tuple[TileLoop, ...]:
    """Return the loops over `result` rows or columns, of which x has `source`, divided successively by these sizes."""
    size, *rest = sizes

    def body(source: int, result: int) -> Span | tuple[TileLoop, ...]:
        return loops(tuple(rest), source, result) if rest else Span(source, result)

    full = min(source, result) // size
    sequence = [TileLoop(full, size, body(size, size))] if full else []
    for first in range(full * size, result, size):
        tail = body(max(0, min(size, source - first)), min(size, result - first))
        if sequence and sequence[-1].body == tail:
            sequence[-1] = sequence[-1]._replace(times=sequence[-1].times + 1)
        else:
            sequence.append(TileLoop(1, size, tail))
    return tuple(sequence)


def nest(
    tile: ShuffledTile, x: StridedMatrix, y: StridedMatrix, tuning: TransformTuning, along_rows: bool, row_blocks: bool
) -> Nest:
    """Return the loops along the rows of y; or along the rows of x, in blocks of columns and possibly of rows.

    Each dimension is also divided at the indices where the strides of a layout change.
    """
    sizes = {dim: _sizes(x.layout, y.layout, dim, size) for dim, size in tile.extents.items()}
    if along_rows:
        columns, rows = tuning.streaming_columns, tuning.streaming_rows
        blocks = (("j", (columns,)),) if tile.extents["j"] < columns < x.extents["j"] else ()
        if row_blocks and blocks and tile.extents["i"] < rows < x.extents["i"]:
            return (*blocks, ("i", (rows,)), ("j", sizes["j"]), ("i", sizes["i"]))
        return (*blocks, ("i", sizes["i"]), ("j", sizes["j"]))
    inner = next(digit.dim for digit in y.layout.digits[1:] if not digit.radix)
    outer = "j" if inner == "i" else "i"
    return (outer, sizes[outer]), (inner, sizes[inner])


@lru_cache(maxsize=256)
def _sizes(x: Layout, y: Layout, dim: str, size: int) -> tuple[int, ...]:
    """Return the sizes by which a dimension is divided, down to the size of a tile."""
    boundaries = {*x.boundaries(dim), *y.boundaries(dim)}
    return (*sorted((boundary for boundary in boundaries if boundary > size), reverse=True), size)


def goes_along_rows(spec: TransformSpec, split_loads: int, l1_bytes: int, tuning: TransformTuning) -> bool:
    """Whether a transpose runs along the rows of x, and so writes the cache lines of y one by one, wherever they are.

    Along the rows of y, consecutive loads are a row of x apart. A cache line of x that is loaded in several parts
    (`split_loads` more than one) may then be evicted before the next load. On the other hand, stores split if rows of y
    do not begin at cache lines. The choice follows measurements: docs/transposes.md, "Large matrices".
    """
    if spec.bytes_moved >= tuning.along_rows_bytes:
        return True
    row = spec.ldy * ELEMENT_BYTES[spec.dtype] if isinstance(spec.ldy, int) else 1  # bytes of a row of y
    aligned = row % CACHE_LINE == 0
    if not split_loads:
        return spec.bytes_moved > l1_bytes and aligned and spec.m < spec.n
    large = spec.bytes_moved > tuning.along_rows_caches * l1_bytes
    long = row > tuning.along_rows_leading_lines * CACHE_LINE
    return large and (aligned or long) and spec.m < (1 + split_loads) * spec.n

"""The tables of a call of a grouped product: pieces of rows, columns and terms, made of the offsets.

Pieces follow from the offsets and the shapes only, so the bits of a result do not depend on the number of threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...microkernels.tuning.products import GROUPS
from ..ops.dealt import WORD, with_bounds
from .nest import CHUNK, DEEP_PIECE
from .operands import array_of

if TYPE_CHECKING:
    from ..api.typed import ArrayLike
    from ..arguments.arrays import Array


def ends_of(offsets: ArrayLike, extent: int, what: str, members: int | None = None, name: str = "offsets") -> Array:
    """Return the ends of the members as numbers of 64 bits, after a check that they rise up to the extent."""
    ends = (
        np.array(offsets, None if offsets else np.int64)
        if isinstance(offsets, (list, tuple))
        else array_of(name, offsets)
    )
    if ends.ndim != 1 or ends.dtype.kind not in "iu" or not ends.dtype.isnative:
        raise TypeError(f"{name}: integers of one axis, the end of each member, not {ends.dtype} of shape {ends.shape}")
    if members is not None and len(ends) != members:
        begins = len(ends) == members + 1 and not ends[0]
        hint = "; the ends alone, without the 0 before them, are offsets[1:]" if begins else ""
        raise ValueError(f"{name}: must be {members}, one for each matrix of b or a, not {len(ends)}{hint}")
    if ends.dtype == np.uint64 and len(ends) and int(ends.max()) > extent:
        raise ValueError(f"{name}: at most {extent}, {what}, not {int(ends.max())}")
    ends = ends.astype(np.int64)  # a copy: nobody changes the numbers between the check and their use
    if not len(ends):
        if extent:
            raise ValueError(f"{name}: none, for {what} of {extent}")
        return ends
    if ends[0] < 0 or (ends[1:] < ends[:-1]).any():
        counts = not (ends < 0).any() and ends.sum() == extent
        hint = "; np.cumsum(offsets) makes ends of numbers of rows" if counts else ""
        raise ValueError(f"{name}: must not be negative and not decrease, for each is where a member ends{hint}")
    if ends[-1] != extent:
        raise ValueError(f"{name}: the last one must be {extent}, {what}, not {int(ends[-1])}")
    return ends


def depth_table(ends: Array, m: int, n: int, rows: int, columns: int) -> Array:
    """Return the table of a product of any number of terms. `rows` and `columns` are those of a block of C."""
    starts = np.concatenate((ends[:1] * 0, ends[:-1]))
    terms = ends - starts
    chunks = np.maximum(1, -(-terms // GROUPS.terms))
    before = np.cumsum(chunks) - chunks
    member = np.repeat(np.arange(len(ends)), chunks)
    term = starts[member] + (np.arange(len(member)) - before[member]) * GROUPS.terms
    deep = np.minimum(GROUPS.terms, ends[member] - term)
    of_chunks = np.stack([term, deep, deep // GROUPS.pair, deep % GROUPS.pair], axis=1)
    row, across = np.arange(0, m, rows), np.arange(0, n, columns)
    table = np.empty((len(ends), len(row), len(across), len(DEEP_PIECE)), np.int64)
    count = len(ends) * len(row) * len(across)
    begin = WORD * (GROUPS.parts + 1 + count * len(DEEP_PIECE))
    table[..., 0] = np.arange(len(ends))[:, None, None]
    table[..., 1] = (begin + WORD * len(CHUNK) * before)[:, None, None]
    table[..., 2] = chunks[:, None, None]
    table[..., 3], table[..., 4] = row[:, None], np.minimum(rows, m - row)[:, None]
    table[..., 5], table[..., 6] = across, np.minimum(across + columns, n)
    cost = (terms + GROUPS.around)[:, None, None] * table[..., 4] * (table[..., 6] - table[..., 5])
    bounded = with_bounds(cost.ravel(), table.reshape(-1, len(DEEP_PIECE)))
    return np.concatenate((bounded, of_chunks.ravel().astype(np.int64)))

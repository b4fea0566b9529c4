"""The tables of a call of a grouped product: pieces of rows, columns and terms, made of the offsets.

Pieces follow from the offsets and the shapes only, so the bits of a result do not depend on the number of threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...microkernels.tuning.products import GROUPS
from ..ops.dealt import WORD, with_bounds
from .nest import CHUNK, DEEP_PIECE

if TYPE_CHECKING:
    from ..arguments.arrays import Array


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

"""Sparse matrices of every format, as scipy and torch hold them, without importing either: entries in any order, some
more than once, empty rows, and their sums by numpy in integers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

Array = np.ndarray[Any, Any]
FORMATS = "csr", "csc", "bsr", "coo", "dia"


class Held:
    """What a library holds of a sparse matrix, by the names of scipy's attributes."""

    def __init__(self, format: str, shape: tuple[int, int], **arrays: Any) -> None:
        self.format, self.shape, self.nnz = format, shape, len(arrays["data"])
        vars(self).update(arrays)


class Pattern(NamedTuple):
    """A matrix by its entries, which are summed where they meet, in blocks."""

    shape: tuple[int, int]
    block: tuple[int, int]
    rows: Array
    columns: Array
    data: Array

    def dense(self) -> Array:
        """Return the matrix."""
        (m, k), (down, across) = self.shape, self.block
        made = np.zeros((m // down, k // across, down, across), np.int64)
        np.add.at(made, (self.rows, self.columns), self.data)
        return made.transpose(0, 2, 1, 3).reshape(m, k)

    def held(self, format: str, dtype: Any, index: Any = np.int32) -> Held:
        """Return the matrix in a format, with entries in the order in which they are."""
        data = self.data.astype(dtype)
        flat = data[:, 0, 0] if len(data) else np.zeros(0, dtype)
        rows, columns = self.rows.astype(index), self.columns.astype(index)
        if format == "coo":
            return Held("coo", self.shape, row=rows, col=columns, data=flat)
        if format == "dia":
            whole = self.dense()
            m, k = self.shape
            offsets = np.unique(columns.astype(np.int64) - rows)
            lines = np.zeros((len(offsets), k), dtype)
            for line, offset in zip(lines, offsets):
                at = np.arange(max(0, offset), min(k, m + offset))
                line[at] = whole[at - offset, at]
            return Held("dia", self.shape, offsets=offsets.astype(index), data=lines)
        outer, inner = (columns, rows) if format == "csc" else (rows, columns)
        order = np.argsort(outer, kind="stable")
        extent = self.shape[1] if format == "csc" else self.shape[0] // self.block[0]
        starts = np.r_[0, np.cumsum(np.bincount(outer, minlength=extent))].astype(index)
        values = data[order] if format == "bsr" else flat[order]
        return Held(format, self.shape, indptr=starts, indices=inner[order], data=values)


@st.composite
def patterns(draw: st.DrawFn, most: int = 40) -> tuple[Pattern, str]:
    """Draw a matrix and a format: some rows empty, some full, entries in any order, some more than once."""
    format = draw(st.sampled_from(FORMATS))
    block = draw(st.sampled_from([(1, 1), (2, 2), (4, 4), (3, 5), (8, 1), (16, 16)])) if format == "bsr" else (1, 1)
    lines, across = (draw(st.integers(0, max(1, most // each))) for each in block)
    rng = np.random.default_rng(draw(st.integers(0, 1 << 16)))
    density = draw(st.sampled_from([0, 0.05, 0.3, 1]))
    rows, columns = np.nonzero(rng.random((lines, across)) < density)
    if lines and across and draw(st.booleans()):  # a full row, and an empty one
        full, empty = rng.integers(lines, size=2)
        kept = rows != empty
        rows, columns = np.r_[rows[kept], np.full(across, full)], np.r_[columns[kept], np.arange(across)]
    if draw(st.booleans()):  # some twice, and in another order
        order = rng.permutation(np.r_[np.arange(len(rows)), rng.integers(0, max(1, len(rows)), len(rows) // 3)])
        rows, columns = rows[order], columns[order]
    data = rng.integers(-3, 4, (len(rows), *block))
    return Pattern((lines * block[0], across * block[1]), block, rows, columns, data), format

"""`sparse`: a handle of a sparse matrix, whose indices are checked once and whose blocks lie as kernels read them.

    indptr, indices   of rows of blocks, sorted, each block once
    values            (blocks, rows, columns): the blocks

A handle owns copies. What calls need of the pattern is made once: pieces of rows of about equal entries, which follow
from the matrix alone, so that the bits of results do not depend on the number of threads.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.records import NamedTuple, cached_property
from ...microkernels.dtypes import element_type
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import CACHE_LINE, extent, whole
from ...microkernels.tuning.sparse import SPARSE
from ..arguments.arrays import Array, NoArray, address_of
from ..arguments.infer import type_of
from ..arguments.tracebacks import shortening
from ..host import detect as host
from ..kernel.request_cache import Shared
from ..threads.policy import workers_of
from .formats import TYPES, BlockEntries, canonical, entries_of, extents_of, format_of, of_arrays, whole_numbers
from .nest import TableSizes
from .plans import planned

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...encoder.features import Target
    from ..api.typed import ArrayLike, DTypeLike, Layout, TargetLike
    from .kernel import KnownProduct


class RowPieces(NamedTuple):
    """Rows of blocks in pieces, and the parts of rows of more entries than a piece may have.

    rows    the first row of each piece, and the one behind its last
    parts   the first block of each part, and how many it has
    long    rows that are summed in parts: the row, its first part, and the one behind its last
    """

    rows: Array
    parts: Array
    long: Array


class Sparse(NoArray, Shared):
    """A sparse matrix as kernels read it; made by ts.sparse. It cannot be changed.

    shape, dtype, block   of the matrix, its elements and its blocks
    indptr, indices       where each row of blocks begins, and the column of each block, as i64, read-only
    values                the blocks, read-only: (number, rows, columns)
    """

    shape: tuple[int, int]
    dtype: str
    block: tuple[int, int]
    target: Target
    format = "tilesmith"
    taken_by = "ts.spmm(a, b) multiplies a sparse matrix and a dense one, and a.toarray() is an array"

    def __init__(self, shape: tuple[int, int], starts: Array, columns: Array, values: Array, target: Target) -> None:
        """Make a handle of what `canonical` has returned. The arrays are owned from now on."""
        down, across = values.shape[1:]
        self._keep(shape=shape, dtype=type_of("a", values), block=(down, across), target=target)
        self._starts, self._columns, self._values = map(_frozen, (starts, columns, values))
        self._jobs: dict[object, KnownProduct] = {}
        self._calls: dict[object, KnownProduct] = {}

    @property
    def indptr(self) -> Array:
        """Where each row of blocks begins."""
        return self._starts[:]

    @property
    def indices(self) -> Array:
        """The column of each block, in blocks."""
        return self._columns[:]

    @property
    def values(self) -> Array:
        """The blocks."""
        return self._values[:]

    @property
    def blocks(self) -> int:
        """The number of blocks."""
        return len(self._columns)

    @property
    def nnz(self) -> int:
        """The number of stored elements, zeros inside of blocks among them."""
        return int(self._values.size)

    @property
    def nbytes(self) -> int:
        """Bytes of blocks and indices."""
        return int(self._values.nbytes + self._columns.nbytes + self._starts.nbytes)

    @property
    def ndim(self) -> int:
        """Two."""
        return 2

    @cached_property
    def T(self) -> Sparse:
        """The transpose, a handle of its own."""
        rows = np.repeat(np.arange(len(self._starts) - 1), np.diff(self._starts))
        turned = BlockEntries(self.shape[::-1], self._columns, rows, self._values.transpose(0, 2, 1))
        return Sparse(self.shape[::-1], *canonical(turned, None, None), self.target)

    @cached_property
    def places(self) -> Array:
        """The row and the column of each block, in blocks, read-only."""
        rows = np.repeat(np.arange(len(self._starts) - 1), np.diff(self._starts))
        return _frozen(np.stack([rows, self._columns], axis=1))

    @cached_property
    def pieces(self) -> RowPieces:
        """Rows in pieces."""
        return pieces_of(self._starts)

    @cached_property
    def sizes(self) -> TableSizes:
        """How many of each there are."""
        found, counts = self.pieces, np.diff(self._starts)
        short = counts[counts <= SPARSE.entries]
        most = max(1, int(short.max(initial=0)), int(found.parts[:, 1].max(initial=0)))
        lines, entries = len(counts), len(self._columns)
        return TableSizes(lines, len(found.rows), len(found.parts), len(found.long), entries, most)

    def toarray(self) -> Array:
        """Return the matrix with its zeros."""
        (down, across), (m, k) = self.block, self.shape
        lines, wide = len(self._starts) - 1, -(-k // across)
        whole = np.zeros((lines, wide, down, across), self._values.dtype)
        whole[np.repeat(np.arange(lines), np.diff(self._starts)), self._columns] = self._values
        made: Array = whole.transpose(0, 2, 1, 3).reshape(lines * down, wide * across)[:m, :k]
        return np.ascontiguousarray(made)

    todense = toarray

    def elements(self) -> Array:
        """Return the matrix with its zeros."""
        return self.toarray()

    def with_values(self, values: ArrayLike) -> Sparse:
        """Return a matrix with the same places and other values, (blocks, rows, columns), or (blocks,) of elements."""
        given = np.asarray(values, self._values.dtype if isinstance(values, (list, tuple)) else None)
        given = given.reshape(-1, 1, 1) if given.ndim == 1 and self.block == (1, 1) else given
        if given.shape != self._values.shape:
            flat = f", or ({self.blocks},) of elements" if self.block == (1, 1) else ""
            raise ValueError(f"values: shape {self._values.shape}{flat}, not {given.shape}")
        if type_of("values", given) not in TYPES:
            raise UnsupportedError(f"values: elements of {', '.join(TYPES)}, not {given.dtype}")
        return self.filled(given.dtype, lambda to: np.copyto(to, given))

    def filled(self, dtype: np.dtype[np.generic], fill: Callable[[Array], None]) -> Sparse:
        """Return a matrix with the same places, whose values a function writes to an array of zeros, which it must not
        keep. Nothing of the pattern is copied or planned again."""
        whole, values = _zeros(self._values.shape, dtype)
        fill(values)
        whole.setflags(write=False)
        made = object.__new__(Sparse)
        made._keep(shape=self.shape, dtype=type_of("values", values), block=self.block, target=self.target)
        made._starts, made._columns, made._values = self._starts, self._columns, _inside(whole, values)
        made._jobs = self._jobs
        made._calls = self._calls if made.dtype == self.dtype else {}
        vars(made).update({name: each for name, each in vars(self).items() if name in _OF_PATTERN})
        return made

    def plan(
        self,
        n: int,
        dtype: DTypeLike | None = None,
        *,
        b_layout: Layout = "plain",
        c_layout: Layout = "plain",
        threads: int | None = None,
    ) -> KnownProduct:
        """Return how `ts.spmm` multiplies by a matrix of n columns on so many threads: printed, it shows the loops and
        their calls, and `verify()` proves the machine code with the tables of this matrix.

        dtype   of the dense matrix; None: that of this one
        b_layout, c_layout   as in `ts.spmm`. A layout in which kernels do not read or write is moved apart from them,
                and is no part of this plan
        """
        return planned(self, extent("n", n), dtype, (b_layout, c_layout), workers_of(threads, None))

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        parts = self._starts.copy(), self._columns.copy(), self._values.copy()
        return again, (self.shape, *parts, self.target)

    def __repr__(self) -> str:
        down, across = self.block
        blocks = "elements" if (down, across) == (1, 1) else f"blocks of {down} x {across}"
        return f"<sparse {self.shape[0]} x {self.shape[1]} {self.dtype}, {self.blocks} {blocks}>"

    def __str__(self) -> str:
        """Return what is stored, how rows are dealt out, and the plans of products so far."""
        (m, k), (down, across), sizes = self.shape, self.block, self.sizes
        counts = np.diff(self._starts)
        density = self.nnz / max(1, m * k)
        most = int(counts.max(initial=0))
        lines = [
            f"sparse {m} x {k} {self.dtype} for {self.target.name}",
            f"  {self.blocks} blocks of {down} x {across}: {min(1.0, density):.2%} of the elements are stored",
            f"  rows of blocks have 0 to {most} of them, {int((counts == 0).sum())} have none",
            f"  {sizes.pieces} pieces of rows are dealt out"
            + (f", {sizes.long} long rows are summed in {sizes.parts} parts" if sizes.parts else ""),
        ]
        lines += dict.fromkeys(f"  {line}" for each in self._jobs.values() for line in each.about())
        return "\n".join(lines)


_OF_PATTERN = "places", "pieces", "sizes"
"""The cached properties that do not depend on values."""


def _frozen(array: Array) -> Array:
    """Return a copy that begins at a cache line. Neither it nor the memory that it is a view of is writable."""
    whole, made = _zeros(array.shape, array.dtype)
    made[...] = array
    whole.setflags(write=False)
    return _inside(whole, made)


def _zeros(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> tuple[Array, Array]:
    """Return memory, and an array of zeros in it that begins at a cache line."""
    size = math.prod(shape) * dtype.itemsize
    whole = np.zeros(size + CACHE_LINE, np.uint8)
    first = -address_of(whole) % CACHE_LINE
    return whole, whole[first : first + size].view(dtype).reshape(shape)


def _inside(whole: Array, array: Array) -> Array:
    """Return an array once more, as writable as the memory that it lies in."""
    first = address_of(array) - address_of(whole)
    made: Array = whole[first : first + array.nbytes].view(array.dtype).reshape(array.shape)
    return made


def pieces_of(starts: Array) -> RowPieces:
    """Return rows in pieces of about equal entries, from where each row begins."""
    counts = np.diff(starts)
    long = np.flatnonzero(counts > SPARSE.entries)
    short = counts.copy()
    short[long] = 0
    ends = np.cumsum(short + 1)  # a row without entries is work, too
    each = min(SPARSE.entries, max(1, -(-int(ends[-1] if len(ends) else 0) // SPARSE.pieces)))
    number = (ends - 1) // each
    number[long] = -1
    borders = np.flatnonzero(np.diff(number, prepend=-2, append=-2))
    rows = np.stack([borders[:-1], borders[1:]], axis=1)
    rows = rows[number[rows[:, 0]] >= 0]
    many = -(-counts[long] // SPARSE.entries)
    end = np.cumsum(many)
    inside = np.arange(int(many.sum())) - np.repeat(end - many, many)
    first = np.repeat(starts[long], many) + inside * SPARSE.entries
    until = np.minimum(first + SPARSE.entries, np.repeat(starts[long + 1], many))
    parts = np.stack([first, until - first], axis=1)
    return RowPieces(rows, parts, np.stack([long, end - many, end], axis=1))


@shortening
def sparse(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    blocks: int | Sequence[int] | None = None,
    shape: Sequence[int] | None = None,
    target: TargetLike = None,
) -> Sparse:
    """Return a handle of a sparse matrix for `spmm`: its indices are checked, sorted and packed once.

    a        scipy.sparse's csr, csc, bsr, coo or dia, as arrays or matrices; torch's sparse_csr, sparse_csc, sparse_bsr
             or sparse_coo; or another handle. Values of the same place are summed, as scipy does. Of a dense matrix,
             as pruned weights are, the zeros are left out. Or the arrays of one: (data, indices, indptr) of rows, whose
             data may be blocks, or (data, (row, column)) of elements
    dtype    the type of the elements; None: that of a. f64, f32, bf16, f16, i8, u8
    blocks   rows and columns of blocks, 1 to 32 each, one number for both; they need not divide the matrix. None: those
             of a, or elements. Zeros inside of a block are stored and multiplied
    shape    of a matrix that is given by its arrays; None: the least one that has all of their indices
    target   a name from ts.targets(), None: that of a handle, else this host

    print(handle) shows what is stored, and the plans of products so far. Raises ValueError, which names the row and the
    index, for indices that the matrix has not, and UnsupportedError for elements that kernels do not multiply.
    """
    wanted = None if dtype is None else element_type("dtype", dtype)
    if wanted is not None and wanted not in TYPES:
        raise UnsupportedError(f"dtype: {', '.join(TYPES)}, not {wanted}")
    asked = None if blocks is None else _block(blocks)
    found = a.target if isinstance(a, Sparse) and target is None else host.resolve(target)
    if isinstance(a, Sparse):
        if shape is None and asked in (None, a.block) and wanted in (None, a.dtype) and found == a.target:
            return a
        rows = np.repeat(np.arange(len(a.indptr) - 1), np.diff(a.indptr))
        entries = BlockEntries(a.shape, rows, a.indices, a.values)
    elif isinstance(a, tuple):
        entries = of_arrays(a, shape)
    else:
        entries = entries_of(a)
    if shape is not None and (np.shape(shape) != (2,) or tuple(shape) != entries.shape):
        raise ValueError(f"shape: {entries.shape}, that of a; only a matrix that is given by its arrays needs one")
    if asked is None and max(entries.block) > SPARSE.block:
        asked = _divisor(entries.block[0]), _divisor(entries.block[1])
    return Sparse(entries.shape, *canonical(entries, asked, wanted), found)


def again(shape: tuple[int, int], starts: Array, columns: Array, values: Array, target: Target) -> Sparse:
    """Return a handle from a pickle, whose indices are checked as those of any other matrix."""
    if values.ndim != 3 or not all(1 <= each <= SPARSE.block for each in values.shape[1:]):
        raise ValueError(f"values: blocks of 1 to {SPARSE.block} rows and columns, not of shape {values.shape}")
    starts, columns = whole_numbers("indptr", starts), whole_numbers("indices", columns)
    shape = extents_of(shape)
    lines, wide = -(-shape[0] // values.shape[1]), -(-shape[1] // values.shape[2])
    counts = np.diff(starts)
    if len(starts) != lines + 1 or starts[0] or (counts < 0).any() or not starts[-1] == len(columns) == len(values):
        raise ValueError(f"indptr: {lines + 1} numbers from 0 to {len(columns)} that do not fall")
    rows = np.repeat(np.arange(lines), counts)
    if len(columns) and not (columns.min() >= 0 and columns.max() < wide):
        at = int(np.argmax((columns < 0) | (columns >= wide)))
        raise ValueError(f"row {rows[at]}: column {columns[at]}, but there are {wide} columns of blocks")
    return Sparse(shape, *canonical(BlockEntries(shape, rows, columns, values), None, None), target)


def is_sparse(value: object) -> bool:
    """Whether a value is a sparse matrix."""
    return isinstance(value, Sparse) or format_of(value) != ""


def _block(blocks: int | Sequence[int]) -> tuple[int, int]:
    pair = tuple(blocks) if isinstance(blocks, (tuple, list)) else (blocks, blocks)
    found = [whole(each) for each in pair]
    down, across = found if len(found) == 2 else (None, None)
    if down is None or across is None or not (1 <= down <= SPARSE.block and 1 <= across <= SPARSE.block):
        raise ValueError(f"blocks: rows and columns from 1 to {SPARSE.block}, not {blocks!r}")
    return down, across


def _divisor(extent: int) -> int:
    """Return the largest extent of a block that divides one which is too large."""
    return next(each for each in range(SPARSE.block, 0, -1) if extent % each == 0)

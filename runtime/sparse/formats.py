"""Sparse matrices of other libraries as blocks at coordinates, with every index checked: scipy's csr, csc, bsr, coo and
dia, and torch's sparse layouts. Neither library is imported; what a matrix says of itself decides.

The arrays are copied before they are checked, so that nobody changes an index that was found right.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.dtypes import DTYPES
from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import Array, as_array, is_array, numpy_dtype
from ..arguments.foreign_arrays import is_tensor
from ..arguments.infer import type_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..api.typed import ArrayLike

TYPES = "f64", "f32", "bf16", "f16", "i8", "u8"
"""The element types of sparse matrices."""
_FORMATS = "csr", "csc", "bsr", "coo", "dia"
_LAYOUTS = {f"torch.sparse_{name}": name for name in ("csr", "csc", "bsr", "coo")}


class BlockEntries(NamedTuple):
    """Blocks at coordinates, which are in blocks: in any order, and some perhaps more than once.

    shape    of the matrix in elements; the last blocks may reach beyond it
    values   (entries, rows, columns)
    """

    shape: tuple[int, int]
    rows: Array
    columns: Array
    values: Array

    @property
    def block(self) -> tuple[int, int]:
        """The rows and columns of a block."""
        rows, columns = self.values.shape[1:]
        return rows, columns


def format_of(value: object) -> str:
    """Return the name of the format of a sparse matrix, or "" for what is none."""
    if is_tensor(value):
        return _LAYOUTS.get(str(getattr(value, "layout", "")), "")
    found = getattr(value, "format", None)
    named = isinstance(found, str) and hasattr(value, "nnz") and hasattr(value, "shape")
    return found if named and found is not None else ""


def entries_of(a: ArrayLike) -> BlockEntries:
    """Return the blocks of a sparse matrix of another library, or the elements of a dense one that are not zero. Raises
    ValueError, which names row and index, for an index that the matrix has not."""
    name = format_of(a)
    if not name and (is_array(a) or is_tensor(a)):
        return _nonzeros(a)
    if name not in _FORMATS:
        known = "scipy.sparse's csr, csc, bsr, coo and dia, torch's sparse_csr, csc, bsr and coo, and ts.sparse"
        given = f"{type(a).__name__} of format {name!r}; a.tocsr() converts it" if name else type(a).__name__
        given += "; np.asarray(a, dtype) makes an array of it, whose zeros are left out" * isinstance(a, list)
        raise TypeError(f"a: a sparse matrix ({known}), not {given}")
    if len(a.shape) != 2:
        raise UnsupportedError(f"a: a matrix, not a sparse array of shape {tuple(a.shape)}")
    return _READERS[name](a, extents_of(a.shape), is_tensor(a))


def of_arrays(arrays: tuple[ArrayLike, ...], shape: Sequence[int] | None) -> BlockEntries:
    """Return the blocks of a matrix given by its arrays, as scipy's constructors take them: (data, indices, indptr) of
    compressed rows, whose data may be blocks, or (data, (row, column)) of coordinates; lists are arrays. shape: None
    for the least one that has all indices."""
    if len(arrays) == 3:
        data, indices, indptr = (_listed(name, each) for name, each in zip(("data", "indices", "indptr"), arrays))
        down, across = data.shape[1:] if data.ndim == 3 else (1, 1)
        least = (max(0, len(indptr) - 1) * down, _past(indices) * across)
        held = SimpleNamespace(format="csr", nnz=len(data), data=data, indices=indices, indptr=indptr)
    elif len(arrays) == 2 and isinstance(arrays[1], (tuple, list)) and len(arrays[1]) == 2:
        data, row, col = (_listed(name, each) for name, each in zip(("data", "row", "col"), (arrays[0], *arrays[1])))
        least = (_past(row), _past(col))
        held = SimpleNamespace(format="coo", nnz=len(data), data=data, row=row, col=col)
    else:
        raise TypeError("a: (data, indices, indptr) of rows, or (data, (row, column)) of elements, as scipy takes them")
    if shape is not None and np.shape(shape) != (2,):
        raise ValueError(f"shape: rows and columns, not {shape!r}")
    held.shape = extents_of(least if shape is None else shape)
    return _READERS[held.format](held, held.shape, False)


def _listed(name: str, value: ArrayLike) -> Array:
    """Return an array; a list has numpy's type of its numbers, and no indices are integers."""
    if not isinstance(value, (list, tuple)):
        return as_array(name, value)
    return np.asarray(value) if len(value) else np.empty(0, np.float64 if name == "data" else np.int64)


def _past(indices: Array) -> int:
    """Return the least extent that has all indices, of any type of integers."""
    return 1 + int(indices.max()) if indices.size else 0


def extents_of(shape: Sequence[int]) -> tuple[int, int]:
    """Return the rows and columns of a matrix, checked."""
    rows, columns = int(shape[0]), int(shape[1])
    if min(rows, columns) < 0 or max(rows, columns) > np.iinfo(np.int32).max:
        raise UnsupportedError(f"a: fewer than 2^31 rows and columns, not {rows} x {columns}")
    return rows, columns


def _compressed(a: ArrayLike, shape: tuple[int, int], tensor: bool) -> BlockEntries:
    """Return the blocks of compressed rows or columns."""
    turned = format_of(a) == "csc"
    if tensor:
        names = ("ccol_indices", "row_indices") if turned else ("crow_indices", "col_indices")
        indptr, indices, values = (_owned(each, getattr(a, each)()) for each in (*names, "values"))
    else:
        indptr, indices, values = _owned("indptr", a.indptr), _owned("indices", a.indices), _owned("data", a.data)
    values = values.reshape(-1, 1, 1) if values.ndim == 1 else values
    if values.ndim != 3 or 0 in values.shape[1:]:
        raise ValueError(f"a: an element or a block for each index, not data of shape {values.shape}")
    extents, block = (shape[::-1], values.shape[:0:-1]) if turned else (shape, values.shape[1:])
    if extents[0] % block[0] or extents[1] % block[1]:
        raise ValueError(f"a: blocks of {block[0]} x {block[1]} do not divide {extents[0]} x {extents[1]}")
    lines, across = extents[0] // block[0], extents[1] // block[1]
    words = ("column", "row") if turned else ("row", "column")
    outer, inner = _unpacked(indptr, indices, lines, across, words, len(values))
    rows, columns = (inner, outer) if turned else (outer, inner)
    return BlockEntries(shape, rows, columns, values[: len(rows)])


def _unpacked(
    indptr: Array, indices: Array, lines: int, across: int, words: tuple[str, str], count: int
) -> tuple[Array, Array]:
    """Return the line and the place in it of each entry of compressed lines, checked."""
    line, place = words
    starts, inner = whole_numbers("indptr", indptr), whole_numbers("indices", indices)
    if len(starts) != lines + 1:
        raise ValueError(f"a: indptr has {lines + 1} numbers for {lines} {line}s, not {len(starts)}")
    if starts[0] != 0:
        raise ValueError(f"a: indptr[0] is 0, not {starts[0]}")
    counts = np.diff(starts)
    if (counts < 0).any():
        at = int(np.argmax(counts < 0))
        raise ValueError(f"a: {line} {at} begins at entry {starts[at]} and ends at {starts[at + 1]}, before it begins")
    if starts[-1] > min(len(inner), count):
        at = int(np.argmax(starts > min(len(inner), count))) - 1
        raise ValueError(f"a: {line} {at} ends at entry {starts[at + 1]}, but there are {min(len(inner), count)}")
    outer, inner = np.repeat(np.arange(lines), counts), inner[: starts[-1]]
    _check_range(inner, across, lambda at: f"{line} {outer[at]}, entry {at}", place)
    return outer, inner


def _check_range(indices: Array, extent: int, where: Callable[[int], str], what: str) -> None:
    wrong = (indices < 0) | (indices >= extent)
    if wrong.any():
        at = int(np.argmax(wrong))
        raise ValueError(f"a: {where(at)}: {what} {indices[at]}, but there are {extent} {what}s")


def _coordinates(a: ArrayLike, shape: tuple[int, int], tensor: bool) -> BlockEntries:
    if tensor:
        if a.sparse_dim() != 2 or a.dense_dim():
            raise UnsupportedError("a: a sparse tensor of two sparse dimensions; a.to_sparse(2) makes one")
        pair, values = _owned("indices", a._indices()), _owned("values", a._values())
        rows, columns = pair
    else:
        rows, columns, values = _owned("row", a.row), _owned("col", a.col), _owned("data", a.data)
    rows, columns = whole_numbers("row", rows), whole_numbers("col", columns)
    if values.ndim != 1 or not len(rows) == len(columns) == len(values):
        raise ValueError(f"a: {len(rows)} rows and {len(columns)} columns for data of shape {values.shape}")
    _check_range(rows, shape[0], lambda at: f"entry {at}", "row")
    _check_range(columns, shape[1], lambda at: f"row {rows[at]}, entry {at}", "column")
    return BlockEntries(shape, rows, columns, values.reshape(-1, 1, 1))


def _diagonals(a: ArrayLike, shape: tuple[int, int], tensor: bool) -> BlockEntries:
    """Return the elements of diagonals: data[i, j] is at row j - offsets[i] and column j."""
    offsets, data = whole_numbers("offsets", _owned("offsets", a.offsets)), _owned("data", a.data)
    if data.ndim != 2 or len(offsets) != len(data):
        raise ValueError(f"a: a row of data for each of {len(offsets)} offsets, not data of shape {data.shape}")
    if len(np.unique(offsets)) != len(offsets):
        raise ValueError("a: offsets holds a diagonal twice")
    columns = np.arange(min(data.shape[1], shape[1]))
    rows = columns - offsets[:, None]
    inside = (rows >= 0) & (rows < shape[0])
    number, place = np.nonzero(inside)
    return BlockEntries(shape, rows[inside], place, data[number, place].reshape(-1, 1, 1))


def _nonzeros(a: ArrayLike) -> BlockEntries:
    """Return the elements of a dense matrix that are not zero."""
    array = _owned("data", a)
    if array.ndim != 2:
        raise ValueError(f"a: a matrix, not an array of shape {array.shape}")
    rows, columns = np.nonzero(array)
    return BlockEntries((array.shape[0], array.shape[1]), rows, columns, array[rows, columns].reshape(-1, 1, 1))


_READERS: Mapping[str, Callable[[ArrayLike, tuple[int, int], bool], BlockEntries]] = {
    "csr": _compressed,
    "csc": _compressed,
    "bsr": _compressed,
    "coo": _coordinates,
    "dia": _diagonals,
}


def _owned(name: str, value: ArrayLike) -> Array:
    """Return a copy of an array of a sparse matrix, in native byte order."""
    detached = value.detach() if is_tensor(value) else value
    copied = np.array(as_array(f"a.{name}", detached), order="C")
    return copied if copied.dtype.isnative else copied.astype(copied.dtype.newbyteorder("="))


def whole_numbers(name: str, array: Array) -> Array:
    """Return the indices of a matrix as i64."""
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise TypeError(f"a: {name} is a vector of integers, not {array.dtype} of shape {array.shape}")
    if array.dtype == np.uint64 and (array >= 1 << 63).any():
        raise ValueError(f"a: {name}[{int(np.argmax(array >= 1 << 63))}] is beyond 2^63")
    return array.astype(np.int64)


# One block at each coordinate, in order


def canonical(entries: BlockEntries, block: tuple[int, int] | None, dtype: str | None) -> tuple[Array, Array, Array]:
    """Return the starts of rows of blocks, the column of each block and the blocks, sorted, each coordinate once.
    Blocks of the same coordinates are summed in their type, as scipy does, before they are converted."""
    rows, columns, values = _summed(entries)
    if block is not None and block != entries.block:
        rows, columns, values = _elements(rows, columns, values, entries.shape)
        rows, columns, values = _joined(rows, columns, values, block, -(-entries.shape[1] // block[1]))
    values = _converted(values, dtype)
    lines = -(-entries.shape[0] // values.shape[1])
    starts = np.zeros(lines + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=lines), out=starts[1:])
    return starts, columns, values


def _summed(entries: BlockEntries) -> tuple[Array, Array, Array]:
    """Return the blocks in the order of their coordinates. Those of the same coordinates are summed in their order."""
    rows, columns, values = entries.rows, entries.columns, entries.values
    key = rows * -(-entries.shape[1] // entries.block[1]) + columns
    steps = np.diff(key)
    if (steps < 0).any():
        order = np.argsort(key, kind="stable")
        key, rows, columns, values = key[order], rows[order], columns[order], values[order]
        steps = np.diff(key)
    if len(key) and not steps.all():
        starts = np.flatnonzero(np.r_[True, steps != 0])
        wide = values.astype(np.float32) if values.dtype.itemsize == 2 and values.dtype.kind not in "iu" else values
        summed = np.add.reduceat(wide, starts, axis=0, dtype=wide.dtype)
        rows, columns, values = rows[starts], columns[starts], summed.astype(values.dtype)
    return rows, columns, values


def _elements(rows: Array, columns: Array, values: Array, shape: tuple[int, int]) -> tuple[Array, Array, Array]:
    """Return the elements of blocks that lie inside of the matrix, as blocks of one."""
    down, across = values.shape[1:]
    if (down, across) == (1, 1):
        return rows, columns, values
    at = np.broadcast_to((rows * down)[:, None, None] + np.arange(down)[:, None], values.shape)
    to = np.broadcast_to((columns * across)[:, None, None] + np.arange(across), values.shape)
    inside = (at < shape[0]) & (to < shape[1])
    found = BlockEntries(shape, at[inside], to[inside], values[inside].reshape(-1, 1, 1))
    return _summed(found)


def _joined(
    rows: Array, columns: Array, values: Array, block: tuple[int, int], across: int
) -> tuple[Array, Array, Array]:
    """Return blocks that hold these elements, with zeros where there are none."""
    if block == (1, 1):
        return rows, columns, values
    keys, number = np.unique(rows // block[0] * across + columns // block[1], return_inverse=True)
    made = np.zeros((len(keys), *block), values.dtype)
    made[number.reshape(-1), rows % block[0], columns % block[1]] = values[:, 0, 0]
    return keys // across, keys % across, made


def _converted(values: Array, dtype: str | None) -> Array:
    known = {DTYPES[each].numpy for each in TYPES}
    if dtype is None:
        if values.dtype.name not in known:
            raise UnsupportedError(
                f'a: elements of {", ".join(TYPES)}, not {values.dtype}; ts.sparse(a, dtype="f32") converts them'
            )
        type_of("a", values)
        return np.ascontiguousarray(values)
    if values.dtype.kind == "c":
        raise UnsupportedError("a: complex elements; multiply the real and the imaginary parts: a.real and a.imag")
    wanted = numpy_dtype(dtype)
    if values.dtype.kind == "f" and wanted.itemsize == 2:  # not twice rounded, and ml_dtypes has f32 to 16 bits only
        return np.ascontiguousarray(values.astype(wanted))
    return np.ascontiguousarray(values.astype(wanted))

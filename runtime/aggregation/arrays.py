"""The arrays of reductions over graphs: rows in compressed form from arrays or CSR matrices, tables and results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...encoder.errors import shown
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ...microkernels.gather.bag_spec import FLOATS_OF_SECOND, SUMS
from ..arguments.arrays import Array, address_of, as_array, numpy_dtype
from ..arguments.infer import type_of
from ..fastcall.foreign import of_tensor
from ..walks.outputs import output_of
from .pieces import Compressed, compressed

if TYPE_CHECKING:
    from ..api.typed import ArrayLike


class CsrParts(NamedTuple):
    """A graph as a caller gives it: the ends of rows, the indices, and the values and columns of a matrix."""

    ends: ArrayLike
    indices: ArrayLike
    values: ArrayLike
    columns: int


def matrix_of(a: object) -> CsrParts | None:
    """Return the parts of a CSR matrix of scipy or torch, or of a handle of ts.sparse; None if the object is none.
    Raises UnsupportedError for matrices in other formats."""
    layout = str(getattr(a, "layout", "")).rpartition(".")[2]
    if layout.startswith("sparse"):
        if layout != "sparse_csr":
            raise UnsupportedError(
                f"indptr: a matrix in CSR, not a tensor of layout {layout}; a.to_sparse_csr() is one"
            )
        ends, indices, values = (getattr(a, name)() for name in ("crow_indices", "col_indices", "values"))
        return CsrParts(ends, indices, values, int(a.shape[1]))  # type: ignore[attr-defined]
    if getattr(a, "format", "") == "tilesmith":
        if a.block != (1, 1):  # type: ignore[attr-defined]
            raise UnsupportedError("indptr: a handle of elements, not of blocks; ts.sparse(a, blocks=1) is one")
        return CsrParts(a.indptr, a.indices, a.values.reshape(-1), a.shape[1])  # type: ignore[attr-defined]
    if not all(hasattr(a, name) for name in ("indptr", "indices", "data", "format")):
        if hasattr(a, "tocsr"):
            raise UnsupportedError("indptr: a matrix in CSR, not in another format; a.tocsr() is one")
        return None
    found = a.format  # type: ignore[attr-defined]
    if found != "csr":
        raise UnsupportedError(f"indptr: a matrix in CSR, not in format {found}; a.tocsr() is one")
    return CsrParts(a.indptr, a.indices, a.data, int(a.shape[1]))  # type: ignore[attr-defined]


def array(name: str, value: ArrayLike) -> Array:
    """Return an argument as an array."""
    return as_array(name, of_tensor(name, value))


def whole_numbers(name: str, value: ArrayLike, length: int | None = None, of: str = "") -> Array:
    """Return a vector of int32 or int64."""
    made = array(name, value)
    if made.ndim != 1 or (length is not None and len(made) != length):
        expected = "a vector" if length is None else f"a vector of {length}, {of}"
        raise ValueError(f"{name}: {expected}, not shape {made.shape}")
    if type_of(name, made) not in ("i32", "i64"):
        raise TypeError(f"{name}: int32 or int64, not {made.dtype}; {name}.astype(np.int64) converts it")
    return _dense(made)


def graph_of(indptr: ArrayLike, indices: ArrayLike) -> Compressed:
    """Return rows in compressed form. Without indices, the entries name the rows of the table one after the other."""
    ends = whole_numbers("indptr", indptr)
    if not len(ends):
        raise ValueError("indptr: at least one element, 0, not an empty vector")
    if indices is None:
        count = max(int(ends[-1]), 0)
        return compressed(ends, np.arange(count, dtype=np.int64))
    return compressed(ends, whole_numbers("indices", indices))


def rows_of(name: str, value: ArrayLike, shape: tuple[int | None, int | None], of: str = "") -> Array:
    """Return a matrix of floats whose rows are vectors of neighbours. A vector is a matrix of one column.

    shape   its extents; None: any
    of      what the rows are, for the error
    """
    made = array(name, value)
    made = made[:, None] if made.ndim == 1 else made
    if made.ndim != 2 or any(wanted not in (None, given) for wanted, given in zip(shape, made.shape)):
        expected = " x ".join("any" if each is None else str(each) for each in shape)
        raise ValueError(f"{name}: a matrix, {expected}{of}, not shape {made.shape}")
    dtype = type_of(name, made)
    if dtype not in FLOATS_OF_SECOND:
        raise UnsupportedError(
            f"{name}: {', '.join(FLOATS_OF_SECOND)}, not {dtype}; ts.embedding_bag takes tables of integers"
        )
    size, (down, across) = made.itemsize, made.strides
    near = (made.shape[1] <= 1 or across == size) and (made.shape[0] <= 1 or down >= made.shape[1] * size)
    return made if near and not down % size and not address_of(made) % size else np.ascontiguousarray(made)


def alike(name: str, value: Array, table: Array) -> Array:
    """Check that an array has the type of the table."""
    if value.dtype != table.dtype:
        raise TypeError(f"{name}: {table.dtype} as the table, not {value.dtype}; {name}.astype converts it")
    return value


def numbers_of(name: str, value: ArrayLike, count: int, dtype: np.dtype[np.generic]) -> Array:
    """Return a vector of a number for each entry, converted to the type of the sums."""
    made = array(name, value)
    if made.shape != (count,):
        raise ValueError(f"{name}: a vector of {count}, a number for each entry, not shape {made.shape}")
    if made.dtype.kind not in "fiubV":
        raise TypeError(f"{name}: real numbers, not {made.dtype}")
    return np.ascontiguousarray(made, dtype)


def sums_of(table: Array) -> np.dtype[np.generic]:
    """Return the type of the sums of a table."""
    return numpy_dtype(SUMS[type_of("table", table)])


def result_of(out: ArrayLike, shape: tuple[int, ...], dtype: np.dtype[np.generic], **apart: Array | None) -> Array:
    """Return the array for the result: a new one, or that of the caller, if rows of it are vectors of neighbours."""
    if out is None:
        return np.empty(shape, dtype)
    made = output_of(out, shape, like=np.empty(0, dtype), apart={k: v for k, v in apart.items() if v is not None})
    size, wide = made.itemsize, made if made.ndim == 2 else made[:, None]
    near = (wide.shape[1] <= 1 or wide.strides[1] == size) and (
        len(wide) <= 1 or (wide.strides[0] >= wide.shape[1] * size and not wide.strides[0] % size)
    )
    if made.size and (not near or address_of(made) % size):
        raise ValueError(f"out: rows of neighbouring elements, not strides {made.strides}")
    return made


def check_inside(name: str, indices: Array, size: int) -> None:
    """Raise IndexError for an index that names no row of a table."""
    if len(indices) and (int(indices.min()) < 0 or int(indices.max()) >= size):
        place = int(((indices < 0) | (indices >= size)).argmax())
        raise lying(name, place, indices, size)


def lying(name: str, place: int, indices: Array, size: int) -> IndexError:
    """Return the error for an entry that names no row of a table."""
    return IndexError(f"{name}: entry {place} is {indices[place]}; the table has {size} rows")


def one_of(name: str, value: object, names: tuple[str, ...]) -> str:
    """Return a name that is among these."""
    if not isinstance(value, str) or value not in names:
        raise ValueError(f"{name}: {', '.join(map(repr, names))}, not {shown(value)}")
    return value


def _dense(made: Array) -> Array:
    return np.ascontiguousarray(made) if address_of(made) % made.itemsize == 0 else made.copy()

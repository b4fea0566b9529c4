"""`spmm`: products of a sparse matrix and a dense one."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.gemm.spec import PLAIN
from ..api.aligned import bytes_at_a_line
from ..arguments.arrays import Array, address_of, as_array, ascends, is_aligned, numpy_dtype, overlap, overlaps_itself
from ..arguments.factors import native, types_of
from ..arguments.foreign_arrays import returned
from ..arguments.infer import type_of
from ..arguments.tracebacks import shortening
from ..contraction.epilogues import traced
from ..fastcall.foreign import of_tensor
from ..kernel import accuracy as accuracies
from ..kernel import call_plans
from ..kernel.request_cache import RECENT
from ..system.torch_compile import leave_trace
from ..threads.policy import workers_of
from ..walks.permute import permute
from .groups import flat, group_of, grouped, plain_of, reads_groups, writes_groups
from .handle import Sparse, is_sparse, sparse
from .kernel import KnownProduct
from .nest import FurtherElements, SparseProduct
from .plans import known

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, ArraysByName, Epilogue, Layout


class LyingMatrix(NamedTuple):
    """A matrix as it is read: the array, the elements between its rows, or between its columns if it is turned."""

    array: Array
    apart: int
    turned: bool


@shortening
def spmm(
    a: ArrayLike,
    b: ArrayLike,
    out: ArrayLike = None,
    *,
    epilogue: Epilogue | None = None,
    operands: ArraysByName | None = None,
    threads: int | None = None,
    b_layout: Layout = "plain",
    c_layout: Layout = "plain",
) -> ArrayLike:
    """Return a @ b, where one of the two is sparse.

    a, b      one is a sparse matrix: of scipy.sparse, of torch, or a handle, `ts.sparse(a, dtype=)`; the other one is
              an array of any strides, or a vector. A matrix that is no handle is checked and packed in each call
    out       an array for the result, which is returned as well; None: a new array. Its old contents are not read
    epilogue  a function that is applied to the result, as in ts.matmul: lambda c, bias: ts.relu(c + bias)
    operands  arrays for its other parameters, by name: of the result's shape, one row (n,), column (m, 1) or element
    threads   the number of threads; None: ts.num_threads(). Any number gives the same bits
    b_layout  "plain", or "vnni" ("vnni2", "vnni4") for a dense b of 16 or 8 bits whose rows lie side by side in groups
              of g = 2 or 4, an array (ceil(k / g), n, g), as ts.transform("vnni2", k, n) makes it
    c_layout  "plain", or "vnni": the result, and `out`, are an array (ceil(m / g), n, g), as the next product reads its
              b; the last group is filled up with zeros. The bits are those of a plain result

    Elements that are not stored are skipped: 0 x Inf and 0 x NaN do not occur there, and a row without entries is +0.
    Zeros inside of stored blocks are multiplied. Sums are those of ts.matmul: f32 for floats of 16 bits, i32 for bytes,
    which wraps. The order of a row's sum is that of its columns, from the first on. Raises ValueError for shapes that
    do not fit and for indices that the matrix has not, UnsupportedError for types that no kernel multiplies. Source:
    Georganas et al., PARLOOPER, listing 5.
    """
    leave_trace()
    packed = b_layout != PLAIN or c_layout != PLAIN
    if type(a) is Sparse and epilogue is None and operands is None:
        made = _like_before(a, b, out, threads, (b_layout, c_layout))
        if made is not None:
            return made
    left, right = is_sparse(a), is_sparse(b)
    if not left and not right:
        raise TypeError(
            f"a, b: one of them sparse, not {type(a).__name__} and {type(b).__name__}; ts.matmul takes both"
        )
    if left and right:
        raise UnsupportedError("a, b: both are sparse; ts.spmm multiplies by a dense matrix: b.toarray()")
    if packed:
        made = _in_groups(a, b, out, b_layout, c_layout, epilogue, operands, threads)
        return out if out is not None else returned(made, (b if left else a,))
    if left:
        dense = dense_of("b", b)
        vector = dense.ndim == 1
        made = _product(sparse(a), dense[:, None] if vector else dense, out, epilogue, operands, threads, vector, "b")
        return out if out is not None else returned(made, (b,))
    dense = dense_of("a", a)
    vector = dense.ndim == 1
    x = dense[:, None] if vector else dense.T
    made = _product(sparse(b).T, x, out, epilogue, operands, threads, vector, "a")
    return out if out is not None else returned(made, (a,))


def _like_before(
    a: Sparse, b: ArrayLike, out: ArrayLike, threads: int | None, layouts: tuple[Layout, Layout]
) -> Array | None:
    """Return the product of arrays like those of an earlier call, which were read and written in place; None if there
    was none."""
    key = _call_key(b, out, workers_of(threads, None), layouts) if type(threads) in (int, NoneType) else None
    found = a._calls.get(key)
    if found is None or not b.flags.aligned:
        return None
    if out is not None and not (out.flags.aligned and out.flags.writeable and not np.may_share_memory(b, out)):
        return None
    if call_plans.wanted:
        call_plans.note(lambda: found)
    job, table = found.job, found.table
    y: Array = out if out is not None else _result_of(job.product)
    job.at((address_of(a.values), address_of(b), address_of(y), address_of(table)), (), workers_of(threads, None))
    return y


def _result_of(of: SparseProduct) -> Array:
    """Return a new array for the result of a product."""
    group = of.groups[1]
    lines = -(-of.m // group)
    made = _new(lines, of.n * group, of.types[2])
    return made if group == 1 else made.reshape(lines, of.n, group)


_PLAIN: tuple[Layout, Layout] = "plain", "plain"


def _call_key(b: ArrayLike, out: ArrayLike, workers: int, layouts: tuple[Layout, Layout] = _PLAIN) -> object:
    """Return what a call has in common with others that the same job computes; None if it must be looked at."""
    if type(b) is not np.ndarray or b.ndim == 1 or not (out is None or type(out) is np.ndarray):
        return None
    into = None if out is None else (out.dtype, out.shape, out.strides)
    return b.dtype, b.shape, b.strides, workers, into, layouts


def _keep(a: Sparse, key: object, known: KnownProduct) -> None:
    if len(a._calls) >= RECENT:
        a._calls.clear()
    a._calls[key] = known


def dense_of(name: str, value: ArrayLike, axes: tuple[int, ...] = (1, 2)) -> Array:
    """Return the dense factor of a product as numpy's own array."""
    found = native(name, as_array(name, of_tensor(name, value)))
    if found.ndim not in axes:
        raise ValueError(f"{name}: a matrix or a vector, not shape {found.shape}")
    return found


def _product(
    a: Sparse,
    b: Array,
    out: ArrayLike,
    epilogue: Epilogue | None,
    operands: ArraysByName | None,
    threads: int | None,
    vector: bool,
    dense: str,
) -> Array:
    """Return the product, transposed if the dense matrix is on the left."""
    turned = dense == "a"
    (m, k), n = a.shape, b.shape[1]
    if b.shape[0] != k:
        shapes = f"{n} x {b.shape[0]} by {k} x {m}" if turned else f"{m} x {k} by {b.shape[0]} x {n}"
        raise ValueError(f"a, b: as many columns of a as rows of b, not {shapes}")
    shape: tuple[int, ...] = (m,) if vector else (n, m) if turned else (m, n)
    to = None if out is None else _output(out, shape)
    types = _types_of(a, b, to, dense)
    further = _further(epilogue, operands, shape, turned)
    c = None if to is None else to[:, None] if vector else to.T if turned else to
    direct = c is not None and line_of(c) and not any(overlap(c, each) for each in (b, *further.values()))
    y = c if direct and c is not None else _new(m, n, types[2])
    workers = workers_of(threads, None)
    if y.size:
        found = prepared(a, b, y, types, further, epilogue, workers)
        found.run(workers)
        plain = epilogue is None and not turned and not vector and (direct or to is None) and found.keep[1] is b
        if plain and (key := _call_key(b, out, workers)) is not None:
            _keep(a, key, found.known)
    if to is None:
        return y[:, 0] if vector else np.asarray(permute(y, threads=workers)) if turned else y
    if direct:
        return to
    if turned and not vector and ascends(to):
        permute(y, out=to, threads=workers)
    else:
        to[...] = y[:, 0] if vector else y.T if turned else y
    return to


def _types_of(a: Sparse, b: Array, out: Array | None, dense: str) -> tuple[str, str, str]:
    """Return the element types of the sparse matrix, the dense one, which has this name, and the result."""
    sparse = "b" if dense == "a" else "a"
    return types_of(a.values, b, out, None, "ts.spmm({})", (sparse, dense), sparse)


def _in_groups(
    a: ArrayLike,
    b: ArrayLike,
    out: ArrayLike,
    b_layout: Layout,
    c_layout: Layout,
    epilogue: Epilogue | None,
    operands: ArraysByName | None,
    threads: int | None,
) -> Array:
    """Return a product of which the dense factor, the result or both lie in groups."""
    turned, workers = not is_sparse(a), workers_of(threads, None)
    if turned and b_layout != PLAIN:
        raise UnsupportedError(
            "b_layout: b is the sparse factor; a dense a whose neighbours along k lie in groups is a plain array by "
            "rows: a.reshape(m, -1)[:, :k]"
        )
    handle, name = sparse(b).T if turned else sparse(a), "a" if turned else "b"
    dense = dense_of(name, a if turned else b, (2, 3))
    group = group_of("b_layout", b_layout, type_of(name, dense))
    (m, k), n = handle.shape, dense.shape[0 if turned else 1]
    wanted = (n, k) if turned else (k, n) if group == 1 else (-(-k // group), n, group)
    if dense.shape != wanted:
        raise ValueError(
            f"{name}: shape {wanted} for {k} {'rows' if turned else 'columns'} of the sparse factor, not {dense.shape}"
        )
    given = None if out is None else as_array("out", of_tensor("out", out))
    types = _types_of(handle, dense, given, name)
    of_c = group_of("c_layout", c_layout, types[2])
    rows, across = (n, m) if turned else (m, n)
    lines = -(-rows // of_c)
    shape = (rows, across) if of_c == 1 else (lines, across, of_c)
    to = _new(lines, across * of_c, types[2]).reshape(shape) if out is None else _output(out, shape)
    further = _further(epilogue, operands, (rows, across), turned)
    if not reads_groups(group, k, handle.block, types, handle.target):
        dense, group = (dense if group == 1 else plain_of(dense, k, workers)), 1
    x, y = flat(dense) if group > 1 else dense, flat(to) if of_c > 1 else to
    written = 1 if of_c > 1 and not writes_groups(of_c, handle.block, handle.sizes) else of_c
    in_place = not turned and written == of_c and np.may_share_memory(y, to) and lines_of(y, of_c)
    if not in_place or any(overlap(to, each) for each in (dense, *further.values())):
        written = 1
        y = _new(lines * of_c, across, types[2])
        y[rows:] = 0
    if turned:
        _product(handle, x.T, y[:rows], epilogue, operands, threads, False, name)
    elif y.size:
        lying = y if written > 1 else y[:rows]
        found = prepared(handle, x, lying, types, further, epilogue, workers, (group, written))
        found.run(workers)
        direct = epilogue is None and written == of_c and address_of(found.keep[1]) == address_of(dense)
        key = _call_key(b, out, workers, (b_layout, c_layout))
        if direct and np.may_share_memory(y, to) and key is not None and np.may_share_memory(dense, b):
            _keep(handle, key, found.known)
    if np.may_share_memory(y, to):
        return to
    if of_c > 1:
        grouped(y, to, workers)
    else:
        to[...] = y
    return to


class Prepared(NamedTuple):
    """A product with a matrix, and the addresses of its operands: A, B, C and the table, and the further ones. `keep`
    are their arrays."""

    known: KnownProduct
    words: tuple[int, ...]
    more: tuple[int, ...]
    keep: tuple[Array, ...]

    def run(self, workers: int) -> None:
        """Compute it."""
        if call_plans.wanted:
            call_plans.note(lambda: self.known)
        self.known.job.at(self.words, self.more, workers)


def prepared(
    a: Sparse,
    b: Array,
    y: Array,
    types: tuple[str, str, str],
    further: Mapping[str, Array],
    epilogue: Epilogue | None,
    workers: int,
    groups: tuple[int, int] = (1, 1),
) -> Prepared:
    """Return what computes the elements of an array whose rows are contiguous. groups: how many rows of B, and of the
    result, lie side by side, as rows of these arrays."""
    of_b, of_y = groups
    m, n, k = (a.shape[0] if of_y > 1 else y.shape[0]), y.shape[1] // of_y, a.shape[1]
    trace, names = traced(epilogue, None, {name: type_of(name, each) for name, each in further.items()}, types)
    if not k:  # a row of zeros, which no entry reads
        b, k = np.zeros((1, n), b.dtype), 1
    size = b.dtype.itemsize
    lying = (
        lying_in_groups(b, of_b, workers)
        if of_b > 1
        else lying_of(b, workers, types[0] == types[1] and size < 4 and a.block[1] % (4 // size) == 0)
    )
    given = [_placed(name, further[name], (m, n)) for name in names]
    apart = y.strides[0] // (y.itemsize * of_y) if y.shape[0] > 1 else n
    accuracy = accuracies.of_process or accuracies.default_accuracy()
    more = tuple(each for _, each in given)
    product = SparseProduct(
        m, n, k, a.block, types, a.sizes, lying.apart, lying.turned, apart, trace, more, accuracy, a.target, groups
    )
    found = known(a, product, workers)
    arrays = a.values, lying.array, y, found.table
    extras = [each for each, _ in given]
    addresses = tuple(map(address_of, arrays)), tuple(map(address_of, extras))
    return Prepared(found, *addresses, (*arrays, *extras))


def _new(rows: int, columns: int, dtype: str) -> Array:
    """Return an array that begins at a cache line, so that kernels may store it past the caches."""
    size = rows * columns * ELEMENT_BYTES[dtype]
    made: Array = bytes_at_a_line(size).view(numpy_dtype(dtype)).reshape(rows, columns)
    return made


def _output(out: ArrayLike, shape: tuple[int, ...]) -> Array:
    to = native("out", as_array("out", of_tensor("out", out)))
    if to.shape != shape:
        raise ValueError(f"out: shape {shape}, not {to.shape}")
    if not to.flags.writeable:
        raise ValueError("out: a writable array, this one is read-only")
    if overlaps_itself(to):
        raise ValueError(f"out: memory of its own for each element, not strides {to.strides}")
    return to


def line_of(array: Array) -> bool:
    """Whether rows are contiguous, aligned, and one behind the other."""
    (m, n), (down, along) = array.shape, array.strides
    return (
        is_aligned(array)
        and (n == 1 or along == array.itemsize)
        and (m == 1 or (down >= n * array.itemsize and down % array.itemsize == 0))
    )


def by_rows(array: Array, workers: int) -> Array:
    """Return an array with contiguous rows, a copy if this one has none."""
    if line_of(array):
        return array
    if line_of(array.T):
        return np.asarray(permute(array, (0, 1), threads=workers))
    made = np.ascontiguousarray(array)
    return made if made is not array else array.copy()


def lying_of(b: Array, workers: int, grouped: bool = False) -> LyingMatrix:
    """Return B as kernels copy or read it. grouped: whether its rows are to lie side by side in groups."""
    size = b.itemsize
    if line_of(b):
        return LyingMatrix(b, b.strides[0] // size if b.shape[0] > 1 else b.shape[1], False)
    if line_of(b.T) and not grouped:
        return LyingMatrix(b, b.strides[1] // size if b.shape[1] > 1 else b.shape[0], True)
    return LyingMatrix(by_rows(b, workers), b.shape[1], False)


def lines_of(array: Array, group: int) -> bool:
    """Whether rows of groups are contiguous, aligned, and whole groups apart."""
    return line_of(array) and (array.shape[0] == 1 or array.strides[0] % (group * array.itemsize) == 0)


def lying_in_groups(b: Array, group: int, workers: int) -> LyingMatrix:
    """Return B, whose rows are rows of groups, as kernels copy or read it; `apart` counts groups."""
    array = b if lines_of(b, group) else by_rows(b, workers) if not line_of(b) else np.ascontiguousarray(b)
    apart = array.strides[0] // array.itemsize if array.shape[0] > 1 else array.shape[1]
    return LyingMatrix(array, apart // group, False)


def _further(
    epilogue: Epilogue | None, operands: ArraysByName | None, shape: tuple[int, ...], turned: bool
) -> dict[str, Array]:
    """Return the operands of the epilogue as matrices that are broadcast to the product, by name."""
    if operands is not None and not isinstance(operands, Mapping):
        raise TypeError(f'operands: arrays by name, as {{"bias": bias}}, not {type(operands).__name__}')
    if operands and epilogue is None:
        raise TypeError(
            f"operands: only an epilogue takes operands ({', '.join(operands)}), and epilogue= was not given"
        )
    found = {}
    for name, value in (operands or {}).items():
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        array = np.array(value, np.float32) if number else native(name, as_array(name, of_tensor(name, value)))
        whole = array.reshape((1,) * (len(shape) - array.ndim) + array.shape) if array.ndim < len(shape) else array
        if whole.ndim != len(shape) or any(each not in (1, extent) for each, extent in zip(whole.shape, shape)):
            raise ValueError(
                f"{name}: the result's shape {shape}, a row, a column or an element of it, not {array.shape}"
            )
        matrix = whole[:, None] if len(shape) == 1 else whole
        found[name] = matrix.T if turned and len(shape) == 2 else matrix
    return found


def _placed(name: str, array: Array, shape: tuple[int, int]) -> tuple[Array, FurtherElements]:
    """Return an operand of the epilogue as kernels read it, and which elements of the result have one of their own."""
    kinds = {shape: None, (1, shape[1]): "row", (shape[0], 1): "col", (1, 1): "scalar"}  # the last that fits
    kind = kinds[array.shape]
    dense = kind == "col" and array.strides[0] != array.itemsize
    found = np.array(array, order="C") if dense or not line_of(array) else array
    apart = found.strides[0] // found.itemsize if found.shape[0] > 1 else found.shape[1]
    return found, FurtherElements(name, type_of(name, found), kind, apart)

"""The shapes of a product, as in numpy: vectors, matrices, and batches whose leading axes are broadcast; how their
arrays lie in memory; and what an epilogue has beside C."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple, dataclass
from ...microkernels.dtypes import ELEMENT_BYTES, element_type
from ...microkernels.operands import BYTE, LARGEST, ORIGIN, Number
from ..arguments.arrays import Array, address_of, numpy_dtype, overlap
from ..arguments.infer import type_of
from ..host.detect import host
from .blocks import L2
from .gemm import gemm
from .product_parts import check_results

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ...microkernels.epilogue.spec import EpilogueSpec
    from ...microkernels.expr.trace import Settled
    from ..api import brgemm
    from . import block_rules

brgemm = lazy(__package__, "..api.brgemm")
block_rules = lazy(__package__, ".block_rules")


SMALL = 160**3
"""The most multiplications for which a product is one BRGEMM on the operands in place, called by machine code: 70 us in
f32 on a Zen 4. Above that, threads and packed operands gain more than the 8 us that Python takes."""
_SOONER = 60**3
"""The same limit for single products in f32 and f64 with row-major operands on machines with several cores, where
threads pay off sooner: on an Emerald Rapids, f32 of 64 cubed takes 4.6 us as one BRGEMM, 3.0 as a nest on two threads
and 4.7 on one (docs/log/gemm.md). Column-major operands have to be packed, which costs what a second thread gains. The
limit does not depend on the number of threads, since a nest may add in another order."""
_CONVERTED = 32**3
"""The same limit for single products of types that kernels convert to f32, if enough rows share a converted element:
from there on, a nest, which converts each once, takes less time. On one thread of an Emerald Rapids, 64 cubed takes
0.57 of the time of one BRGEMM in f16, 0.22 in f8e4m3, 0.78 in f32 by i8, 0.69 in bf16 by i8 (docs/log/gemm.md)."""
_IN_STREAMS = 4
"""So few rows by a row-major matrix that L2 does not hold are a nest, which reads the matrix as long streams: on an
Emerald Rapids, 1 x 1024 x 1024 takes 174 us so, and 212 as one BRGEMM; f64 359 and 474."""
_FEW = 16
"""A product with at most this many rows or columns mostly reads its larger operand. Kernels read a row-major one where
it lies, and pack a column-major one, which takes several times as long as the product, so such a product is computed
as that of the transposes. On one thread of a Zen 5, 2048 x 1 x 2048 in f32 with a column-major A takes 2.9 ms as it is
and 0.2 ms transposed, 1 x 2048 x 2048 with a column-major B 0.57 and 0.18 ms."""
_OTHER: Mapping[Any, Any] = {"C": "F", "F": "C"}
"""The order of the transpose of a matrix."""
_TURNED, _TURNED_DEEP = 512, 1024
"""`_TURNED`: the most bytes of a row of C' = B' A', which are also at most k, for which the product of the transposes
takes less time than one that packs a column-major B. On one thread of an Emerald Rapids, f32 of 64 x 4096 x 4096 takes
0.77 of the time, 64 x 1024 x 1024 0.59, 128 x 1024 x 1024 0.79, but 128 x 4096 x 128 1.06; bf16 on tiles 0.48, 0.45 and
0.66. `_TURNED_DEEP`: the same for elements of two bytes if k has at least eight times as many bytes: bf16 of 512 x 4096
x 4096 takes 0.81, 512 x 1024 x 1024 1.03."""


@dataclass(frozen=True)
class ProductShapes:
    """The extents of a product.

    batch     the broadcast leading axes
    m, n, k   the extents of each product
    result    the shape of the result
    vectors   whether a and b have a single axis, which the result then lacks
    """

    batch: tuple[int, ...]
    m: int
    n: int
    k: int
    result: tuple[int, ...]
    vectors: tuple[bool, bool]

    def lines(self, columns: int) -> tuple[int, ...]:
        """Return the shape of a result that has so many elements for each row of the result."""
        return (*self.batch, *(() if self.vectors[0] else (self.m,)), *(() if self.vectors[1] else (columns,)))

    def operand(self, array: Array) -> Array:
        """Return a view of an operand of the epilogue as matrices, if it has the shape of the result or of its row."""
        row = self.vectors[1] and array.shape == self.result[-1:]
        return self.matrices(array, 2) if array.shape == self.result or row else array

    def matrices(self, array: Array, place: int) -> Array:
        """Return a view of a, b or the result (place 0, 1 or 2) as matrices, after the batch axes that the array
        has."""
        row, column = self.vectors[0] and place != 1, self.vectors[1] and place != 0
        if row and column:
            return array[..., None, None]
        if row:
            return array[..., None, :]
        return array[..., None] if column else array


class Drawn(int):
    """A number of a call from which an epilogue draws random numbers."""


T = TypeVar("T")
GivenOperand: TypeAlias = "Array | int"
"""What a call gives for an operand of the epilogue, or for a number."""
Results: TypeAlias = "Array | tuple[Array | None, ...] | None"
"""What a call gives as out=: an array, one or None for each of several results, or None."""
Computed: TypeAlias = "Array | tuple[Array, ...]"
"""What a call returns."""


class ResultArray(NamedTuple):
    """The arrays of one result: their shape and type."""

    shape: tuple[int, ...]
    dtype: np.dtype[np.generic]

    def new(self) -> Array:
        """Return a new array."""
        return np.empty(self.shape, self.dtype)

    def takes(self, array: Array, others: Iterable[Array]) -> bool:
        """Whether machine code can write to an array, which none of the others overlaps."""
        flags = array.flags
        return flags.c_contiguous and flags.aligned and flags.writeable and not any(overlap(array, x) for x in others)


def names_of(results: Sequence[object]) -> list[str]:
    """Return the names of the arrays for results in errors."""
    return ["out"] if len(results) == 1 else [f"out[{number}]" for number in range(len(results))]


def is_drawn(epilogue: Callable[..., object], name: str) -> bool:
    """Whether a number of this name is surely no operand of a function."""
    return type(epilogue) is FunctionType and name not in epilogue.__code__.co_varnames


def first_of(of: T | tuple[T, ...]) -> T:
    """Return what a call gives for C, if it gives something for each of several results."""
    if not isinstance(of, tuple):
        return of
    if not of:
        raise ValueError("out, dtype: a tuple has one for each result of the epilogue, and this one has none")
    return of[0]


class BesideC(NamedTuple):
    """What an epilogue has beside C.

    numbers   that the call gives after the operands: the seed of random numbers
    types     of the results beside C, as the request of a kernel takes them
    results   the name and the type of each
    bits      whether each is a mask with a bit for each element
    """

    numbers: tuple[Number, ...]
    types: tuple[str | None, ...]
    results: tuple[tuple[str, str], ...]
    bits: tuple[bool, ...]

    @property
    def placing(self) -> tuple[str, ...]:
        """The names of all numbers of a call of a kernel."""
        return (*(each.name for each in self.numbers), *ORIGIN)

    def behind(self, batch: bool) -> tuple[str, ...]:
        """Return the names of what follows the operands in a call of a kernel: numbers and results."""
        origin = ORIGIN if batch and self.numbers else ()
        return (*(each.name for each in self.numbers), *origin, *(name for name, _ in self.results))


class Work(NamedTuple):
    """The request of a call."""

    shapes: ProductShapes
    types: tuple[str, str, str]
    epilogue: Settled | None
    threads: int | None
    beside: BesideC | None = None
    target: Target | None = None  # None: this machine


def shapes_of(a: tuple[int, ...], b: tuple[int, ...], out: tuple[int, ...] | None) -> ProductShapes:
    """Return the extents of a product, checked as numpy checks them."""
    for name, shape in (("a", a), ("b", b)):
        if not shape:
            raise ValueError(
                f"{name}: must be a vector, a matrix or a batch of matrices, not an array without axes; * "
                "multiplies by a number"
            )
    vectors = len(a) == 1, len(b) == 1
    rows, down = (1, a[0]) if vectors[0] else a[-2:]
    across, columns = (b[0], 1) if vectors[1] else b[-2:]
    if down != across:
        raise ValueError(f"b: must have {down} rows, as many as a of shape {a} has columns, not shape {b}")
    outer = list(zip_longest(reversed(a[:-2]), reversed(b[:-2]), fillvalue=1))
    if any(1 not in pair and pair[0] != pair[1] for pair in outer):
        raise ValueError(f"b: its leading axes must be those of a, or 1: a has shape {a}, b {b}")
    batch = tuple(y if x == 1 else x for x, y in reversed(outer))
    result = (*batch, *(() if vectors[0] else (rows,)), *(() if vectors[1] else (columns,)))
    if out is not None and out != result:
        raise ValueError(f"out: shape {result}, not {out}")
    return ProductShapes(batch, rows, columns, down, result, vectors)


# Layouts


class MatrixLayout(tuple[str, int]):
    """The layout of a matrix in memory: its order, and the leading dimension in elements."""

    __slots__ = ()


def layout_of(matrix: Array) -> MatrixLayout | None:
    """Return the layout of the last two axes of an array, or None if no kernel takes it in place."""
    size = matrix.itemsize
    (rows, columns), (down, across) = matrix.shape[-2:], matrix.strides[-2:]
    if not matrix.flags.aligned or not matrix.dtype.isnative:
        return None
    for order, lines, length, outer, inner in (("C", rows, columns, down, across), ("F", columns, rows, across, down)):
        if inner != size and length != 1:
            continue
        if lines == 1:
            return MatrixLayout((order, length))
        if outer % size == 0 and length * size <= outer <= LARGEST * size:
            return MatrixLayout((order, outer // size))
    return None


def reads_better_transposed(shapes: ProductShapes, a: MatrixLayout | None, b: MatrixLayout | None) -> bool:
    """Whether a product has few rows or columns and its larger operand is column-major, so that the product of the
    transposes is computed: see `_FEW`."""
    m, n = shapes.m, shapes.n
    larger = b if m < n else a
    few = min(m, n) <= _FEW < max(m, n) and m * n * shapes.k > SMALL and not shapes.batch
    return few and larger is not None and larger[0] == "F"


def is_small(work: Work, places: Any) -> bool:
    """Whether a product is one BRGEMM."""
    shapes, target = work.shapes, work.target or host()
    rows = {order for order, _ in places} == {"C"} and work.types[0] in ("f32", "f64")
    if rows and shapes.m <= _IN_STREAMS and shapes.k * shapes.n * ELEMENT_BYTES[work.types[1]] > (target.l2 or L2):
        return False
    most = _SOONER if rows and not shapes.batch and (os.cpu_count() or 1) > 1 else SMALL
    narrow = min(ELEMENT_BYTES[each] for each in work.types[:2]) < 4  # others are not converted
    if narrow and not shapes.batch and block_rules.converted(*work.types[:2], shapes.m, target):
        most = _CONVERTED
    return shapes.m * shapes.n * shapes.k <= most


def computes_transposed(work: Work, places: Sequence[MatrixLayout | None], extras: Mapping[str, Array]) -> bool:
    """Whether to compute the product of the transposes with a column-major C instead: for a few rows by a column-major
    B, which is then read where it lies. `places` are the layouts of a, b and the result: see `_TURNED`."""
    a, b, c = places
    (m, n, k), size = (work.shapes.m, work.shapes.n, work.shapes.k), ELEMENT_BYTES[work.types[0]]
    alike = size >= 2 and len(set(work.types)) == 1 and not work.shapes.batch
    most = max(_TURNED, min(_TURNED_DEEP, k * size // 8)) if size == 2 else _TURNED
    few = 1 < m < n and m * size <= min(most, k) and max(n, k) <= LARGEST and m * n * k > SMALL
    if a is None or b is None or c is None or not (alike and few and b[0] == "F" and c[0] == "C"):
        return False
    if not all(1 in (1, *each.shape)[-2:] for each in extras.values()):
        return False
    order = _OTHER[b[0]] + _OTHER[a[0]] + _OTHER[c[0]]
    types: Any = work.types
    made: Any = gemm(n, m, k, dtype=types, order=order, lda=b[1], ldb=a[1], ldc=c[1], beta=0.0, threads=work.threads)
    return bool(made.plan.turned)


def flipped(
    work: Work, a: Array, b: Array, c: Array, extras: Mapping[str, Array]
) -> tuple[Work, Array, Array, Array, Mapping[str, Array]]:
    """Return the product in terms of the transposes, C' = B' A'."""
    (of_a, of_b, of_c), shapes = work.types, work.shapes
    x, y, z = (each.swapaxes(-1, -2) for each in (b, a, c))
    turned = {name: as_column(each) for name, each in extras.items()}
    shapes = ProductShapes(shapes.batch, shapes.n, shapes.m, shapes.k, z.shape, (False, False))
    return work._replace(types=(of_b, of_a, of_c), shapes=shapes), x, y, z, turned


def as_column(array: Array) -> Array:
    """Return the transpose of an operand of an epilogue, in which a row is a column."""
    return array.swapaxes(-1, -2) if array.ndim > 1 else array.reshape(-1, 1) if array.ndim else array


def kind_in_c(name: str, array: Array, shapes: ProductShapes) -> str | None:
    """Return which elements of C an operand of the epilogue applies to."""
    rows, columns = (1, *array.shape)[-2:] if array.ndim else (1, 1)
    kinds = {(shapes.m, shapes.n): None, (shapes.m, 1): "col", (1, shapes.n): "row", (1, 1): "scalar"}
    found = [kind for shape, kind in kinds.items() if shape == (rows, columns)]
    if not found:
        raise ValueError(
            f"operands: {name} has the shape of the result, or one row, column or element of it, "
            f"({shapes.m}, {shapes.n}), not {array.shape}"
        )
    return found[-1] if len(found) == 1 else "row" if shapes.m == 1 and rows == 1 else found[0]


def as_c_lies(array: Array, place: MatrixLayout | None) -> Array:
    """Return an operand of the epilogue, or a dense and aligned copy of it, in the order in which the kernel stores
    C."""
    if not array.flags.aligned:  # np.ascontiguousarray returns it if it has no gaps
        array = array.copy()
    if array.ndim < 2 or 1 in array.shape[-2:] or place is None or place[0] == "C":
        return np.ascontiguousarray(array) if array.ndim else array
    by_columns: Array = np.ascontiguousarray(array.swapaxes(-1, -2)).swapaxes(-1, -2)
    return by_columns


def is_vector(array: Array) -> bool:
    """Whether an operand of the epilogue is one row, column or element."""
    return 1 in (1, *array.shape)[-2:]


def as_vector(array: Array) -> Array:
    """Return a row, a column or an element with one axis, as machine code takes them."""
    return as_c_lies(array, None).reshape(-1)


def along_batch(batch: tuple[int, ...], array: Array) -> Array:
    """Return an array with the axes of a batch, or the array itself if all products share it."""
    return np.broadcast_to(array, (*batch, *array.shape[-2:])) if array.ndim > 2 else array


def same(one: Array, other: Array) -> bool:
    """Whether two arrays have the same memory, layout and type."""
    alike = one.shape == other.shape and one.strides == other.strides and one.dtype == other.dtype
    return alike and address_of(one) == address_of(other)


def collapsed(*arrays: Array) -> tuple[Array, ...]:
    """Merge the first two axes of a batch as long as the strides of all arrays allow it. The results are views."""
    while arrays[0].ndim > 3 and all(each.strides[0] == each.strides[1] * each.shape[1] for each in arrays):
        arrays = tuple(each.reshape(each.shape[0] * each.shape[1], *each.shape[2:]) for each in arrays)
    return arrays


def part_of(operand: Array, rows: slice, columns: slice) -> Array:
    """Return the elements of an epilogue's operand that belong to a part of C."""
    if operand.ndim and operand.shape[-1] > 1:
        operand = operand[..., columns]
    return operand[..., rows, :] if operand.ndim > 1 and operand.shape[-2] > 1 else operand


def taken(matrix: Array) -> Array:
    """Return the array, or a copy in a layout that kernels take."""
    if layout_of(matrix) is not None:
        return matrix
    return copied(matrix)


def copied(matrix: Array, filled: bool = True) -> Array:
    """Return a row-major copy. A matrix that is broadcast is copied once. filled: whether its elements are needed."""
    if matrix.ndim == 2 and filled:
        return np.ascontiguousarray(matrix)
    once = matrix[tuple(slice(None) if stride else slice(1) for stride in matrix.strides[:-2])]
    one = np.empty(once.shape, matrix.dtype)
    if filled:
        one[...] = once
    return one if one.shape == matrix.shape else np.broadcast_to(one, matrix.shape)


def by_columns(matrix: Array, filled: bool = True) -> Array:
    """Return a column-major copy."""
    made: Array = copied(matrix.swapaxes(-1, -2), filled).swapaxes(-1, -2)
    return made


def no_terms(matrix: Array, filled: bool = True, *, axis: int) -> Array:
    """Return zeros in place of a or b of a product with sums of no terms, of which a kernel computes at least one."""
    shape = list(matrix.shape)
    shape[axis] = 1
    return np.zeros(shape, matrix.dtype)


def along(
    a: MatrixLayout | None, b: MatrixLayout | None, c: MatrixLayout | None
) -> tuple[Callable[..., Array] | None, ...]:
    """Return the copies of a and b in such layouts: the factor that kernels would have to pack, because its order
    differs from that of c, is copied to the order of c."""
    of_a, of_b, of_c = (each and each[0] for each in (a, b, c))
    return (None, copied if of_b == "F" else None) if of_c == "C" else (by_columns if of_a == "C" else None, None)


# What an epilogue has beside C

_BITS = "bits"
_NUMBER = np.zeros((), np.uint8)
"""Stands for a number of a call."""


def beside_of(work: Work, extras: Mapping[str, GivenOperand], given: Results, dtype: object) -> BesideC | None:
    """Return what the epilogue has beside C, or None. `given` is the call's out=, and `dtype` its own."""
    if work.epilogue is None:
        if isinstance(given, tuple) or isinstance(dtype, tuple):
            raise TypeError("out, dtype: only an epilogue has several results, and epilogue= was not given")
        return None
    operands = {name: each for name, each in extras.items() if not isinstance(each, int)}
    spec = _request(work, operands, None)
    numbers, results = spec.numbers, [each.name for each in spec.results]
    _check_numbers(numbers, [name for name in extras if name not in operands])
    for name, each in (("out", given), ("dtype", dtype)):
        if isinstance(each, tuple) and len(each) != len(results) + 1:
            raise ValueError(f"{name}: one for each of the {len(results) + 1} results of the epilogue, not {len(each)}")
    if isinstance(given, tuple) and not results:
        raise TypeError("out: an array, not a tuple, since the epilogue has one result")
    out = given if isinstance(given, tuple) else (given,)
    types = dtype[1:] if isinstance(dtype, tuple) else ()
    check_results("matmul", spec)
    if not results and not numbers:
        return None
    bits = [name in spec.elementwise.bits for name in results]
    found = [
        element_type("dtype", each, _BITS) if each is not None else None for each in types or [None] * len(results)
    ]
    for number, (array, mask) in enumerate(zip(out[1:], bits)):
        if array is not None and not mask:
            found[number] = type_of(f"out[{number + 1}]", array)
    final = _request(work, operands, tuple(found) or None)
    made = BesideC(numbers, tuple(found), tuple((each.name, each.dtype) for each in final.results), tuple(bits))
    for name, array, kind in zip(names_of(out), out, result_arrays(work._replace(beside=made))):
        if array is not None and (array.shape, array.dtype) != kind:
            raise ValueError(f"{name}: shape {kind.shape} and type {kind.dtype}, not {array.shape} and {array.dtype}")
    return made


def _request(work: Work, operands: Mapping[str, Array], types: Sequence[object] | None) -> EpilogueSpec:
    """Return the request of one product, as a kernel with a row-major C."""
    shapes = work.shapes
    taken = {
        name: (kind_in_c(name, shapes.operand(each), shapes), type_of(name, each)) for name, each in operands.items()
    }
    m, n, k = (max(1, each) for each in (shapes.m, shapes.n, shapes.k))
    make: Any = brgemm.product_spec
    made: EpilogueSpec = make(m, n, k, dtype=work.types, beta=0.0, epilogue=work.epilogue, operands=taken, out=types)
    return made


def _check_numbers(numbers: Sequence[Number], given: Sequence[str]) -> None:
    """TypeError unless the call gives the numbers that the epilogue draws from, and no others."""
    names = [each.name for each in numbers]
    for name in names:
        if name not in given:
            raise TypeError(
                f"operands: {name} missing, the number from which the epilogue draws; give it by name, as "
                f'{{"{name}": 7}}'
            )
    for name in given:
        if name not in names:
            raise TypeError(f"operands: {name} is no parameter of the epilogue, which draws no random numbers from it")


def stand_ins(work: Work, extras: Mapping[str, GivenOperand]) -> dict[str, Array]:
    """Return arrays that lie as the operands, numbers and results of a call do. A number is one element; the row of C's
    first element has a step along the axes of the batch, as if its bytes were counted."""
    beside, shapes = work.beside, work.shapes
    assert beside is not None
    made = {name: each for name, each in extras.items() if not isinstance(each, int)}
    made |= {each.name: _NUMBER for each in beside.numbers}
    if beside.numbers and shapes.batch:
        steps = [shapes.m * math.prod(shapes.batch[axis + 1 :]) for axis in range(len(shapes.batch))]
        row = np.lib.stride_tricks.as_strided(_NUMBER, (*shapes.batch, 1, 1), (*steps, 0, 0), writeable=False)
        made |= dict(zip(ORIGIN, (row, _NUMBER)))
    for kind, (name, _) in zip(result_arrays(work)[1:], beside.results):
        made[name] = kind.new()
    return made


def result_arrays(work: Work) -> tuple[ResultArray, ...]:
    """Return the arrays of C and of the results beside it."""
    shapes, beside = work.shapes, work.beside
    assert beside is not None
    made = [ResultArray(shapes.result, numpy_dtype(work.types[2]))]
    for (_, dtype), bits in zip(beside.results, beside.bits):
        shape = shapes.lines(-(-shapes.n // BYTE)) if bits else shapes.result
        made.append(ResultArray(shape, numpy_dtype(dtype)))
    return tuple(made)

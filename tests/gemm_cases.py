"""Drawn BRGEMM requests with operands between guard pages: one strategy for all tests.

@given(cases("f32"))
def test_something(case):
    kernel = case.kernel("avx2")
    survives(lambda: run(case, kernel))  # every check of one call, in a child process
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import SIDES, address, check_canary, guarded
from tests.profiles import chosen
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.testing import reference as gemm_reference
from tilesmith.runtime.testing.reference import NUMPY, Array
from tilesmith.runtime.testing.strategies import extents as extents

ORDERS = tuple(itertools.product("CF", repeat=3))
LEADING = tuple(itertools.product(("dense", "given", "runtime"), repeat=3))
PLAIN_ORDERS = (("C", "C", "C"), ("F", "C", "C"), ("F", "F", "F"), ("F", "C", "F"))  # supported in every shape
PLAIN = tuple(name for name, t in TARGETS.items() if name in (t.isa, f"{t.isa}{t.vector_bits}"))  # one for each machine
X86 = tuple(name for name in PLAIN if TARGETS[name].arch == "x86")
RUNNING = tuple(name for name in PLAIN if not host.runs(TARGETS[name]))  # those that this machine executes
DTYPES = tuple(NUMPY)


@dataclass(frozen=True)
class Case:
    """A request, and the places of its operands. `places` holds the offsets of A_i and B_i in elements from the lowest
    one."""

    m: int
    n: int
    k: int
    dtype: str = "f32"
    order: tuple[str, str, str] = ("C", "C", "C")
    asked: tuple[Any, Any, Any] = (None, None, None)  # lda, ldb, ldc of the request
    leading: tuple[int, int, int] = (0, 0, 0)  # the actual ones in memory
    batch: Any = None
    places: tuple[tuple[int, ...], tuple[int, ...]] = ((0,), (0,))
    first: tuple[int, int] = (0, 0)  # the matrices that are passed as a and b with STRIDE and OFFSET
    strides: tuple[int, int] = (0, 0)  # the distances between matrices for STRIDE
    alpha: float = 1.0
    beta: float = 1.0
    exact: bool = True  # small integers, whose sums are exact, or else numbers between -1 and 1
    seed: int = 0

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """The rows and columns of A_i, B_i and C."""
        return (self.m, self.k), (self.k, self.n), (self.m, self.n)

    @property
    def request(self) -> dict[str, Any]:
        """The arguments of ts.brgemm."""
        lda, ldb, ldc = self.asked
        layout = {"order": self.order, "lda": lda, "ldb": ldb, "ldc": ldc, "batch": self.batch}
        return {
            "m": self.m,
            "n": self.n,
            "k": self.k,
            "dtype": self.dtype,
            **layout,
            "alpha": self.alpha,
            "beta": self.beta,
        }

    def kernel(self, target: str | None) -> ts.Kernel:
        return ts.brgemm(**self.request, target=target)

    def strides_of(self, operand: int) -> tuple[int, int]:
        """Return the strides of A_i, B_i or C in bytes."""
        size, leading = NUMPY[self.dtype].itemsize, self.leading[operand] * NUMPY[self.dtype].itemsize
        return (leading, size) if self.order[operand] == "C" else (size, leading)

    def span(self, operand: int) -> int:
        """Return the number of elements from the first to the end of the last of A_i, B_i or C, gaps included."""
        strides, size = self.strides_of(operand), NUMPY[self.dtype].itemsize
        return 1 + sum((n - 1) * stride // size for n, stride in zip(self.shapes[operand], strides))


def dense(case: Case, padding: int = 0) -> Case:
    """Return the case with matrices that follow each other, with `padding` elements after each row or column."""
    inner = [shape[1] if order == "C" else shape[0] for shape, order in zip(case.shapes, case.order)]
    leading = tuple(n + padding for n in inner)
    case = replace(case, leading=leading, asked=leading if padding else case.asked)
    return replace(case, places=tuple(_dense_places(case, operand) for operand in range(2)))


def _dense_places(case: Case, operand: int) -> tuple[int, ...]:
    outer = case.shapes[operand][0 if case.order[operand] == "C" else 1]
    return tuple(i * case.leading[operand] * outer for i in range(1 if case.batch is None else case.batch))


# Drawing cases


@st.composite
def cases(
    draw: st.DrawFn,
    dtype: str,
    sizes: st.SearchStrategy[dict[str, int]] | None = None,
    orders: Sequence[tuple[str, ...]] = ORDERS,
    leading: Sequence[tuple[str, ...]] = LEADING,
) -> Case:
    """Draw everything that is supported: shapes, orders, leading dimensions, batches, factors, places in memory."""
    batch = draw(_BATCHES)
    case = Case(
        **draw(extents(_MOST) if sizes is None else sizes),
        dtype=dtype,
        batch=batch,
        seed=draw(st.integers(0, 2**32 - 1)),
    )
    kinds = draw(st.sampled_from(leading))
    paddings = [draw(st.sampled_from((0, 0, 1, 2, 5, 16))) if kind != "dense" else 0 for kind in kinds]
    case = _with_layout(case, draw(st.sampled_from(orders)), kinds, paddings)
    exact = draw(st.booleans()) or case.m * case.n * case.k > _QUICK
    factors = _FACTORS if exact else _FACTORS | st.floats(-(2.0**100), 2.0**100)
    case = replace(case, exact=exact, alpha=draw(factors), beta=draw(factors))
    return _with_places(draw, case)


# the most multiplications of a matrix: numpy takes a minute for 512 * 512 * 512 on an emulated processor
_MOST = 1 << 20 if chosen() == "emulated" else None
_QUICK = 1 << 24  # the most multiplications in long double for which a test has time
_BATCHES = st.sampled_from((None, None, 0, 1, 2, 5, ts.STRIDE, ts.OFFSET, ts.ADDRESS))
_FACTORS = st.sampled_from((1.0, 1.0, 0.0, -1.0, 0.5, 2.0))


def _with_layout(case: Case, order: tuple[str, ...], kinds: tuple[str, ...], paddings: list[int]) -> Case:
    asked: list[Any] = []
    leading = []
    for shape, operand_order, kind, padding in zip(case.shapes, order, kinds, paddings):
        inner, outer = (shape[1], shape[0]) if operand_order == "C" else shape
        if kind == "runtime" and outer == 1 and case.batch is not ts.ADDRESS:
            padding = 0  # a single row or column has no stride from which the leading dimension could be read
        leading.append(inner + padding)
        asked.append({"dense": None, "given": inner + padding, "runtime": ts.RUNTIME}[kind])
    return replace(case, order=order, asked=tuple(asked), leading=tuple(leading))


def _with_places(draw: st.DrawFn, case: Case) -> Case:
    if case.batch is None or isinstance(case.batch, int):
        return replace(case, places=tuple(_dense_places(case, operand) for operand in range(2)))
    count = draw(st.integers(0, 5))
    places, first, strides = [], [], []
    for operand in range(2):
        reach = case.span(operand) + 8
        if case.batch is ts.STRIDE:
            stride = draw(st.sampled_from((0, reach - 8, reach, -reach)) | st.integers(-reach, reach))
            found = [i * stride for i in range(count)]
            start = 0
        else:
            stride = 0
            found = draw(st.lists(st.integers(0, 3 * reach), min_size=count, max_size=count))
            start = draw(st.integers(0, 3 * reach) if case.batch is ts.OFFSET else st.just(found[0] if found else 0))
        lowest = min([start, *found])
        places.append(tuple(place - lowest for place in found))
        first.append(start - lowest)
        strides.append(stride)
    return replace(case, places=tuple(places), first=tuple(first), strides=tuple(strides))


# Cases in memory


class Call(NamedTuple):
    """The arguments of a kernel, and the matrices that they hold."""

    arguments: tuple[Any, ...]
    keywords: dict[str, int]
    a: list[Array]
    b: list[Array]
    c: Array


def call_of(case: Case, side: str) -> Call:
    """Return operands on guarded pages: read-only inputs with NaN between their elements, C surrounded by canaries."""
    rng = np.random.default_rng(case.seed)
    a, b = _memory(case, 0, rng, side), _memory(case, 1, rng, side)
    c = guarded(_matrix(case, 2, np.empty(case.span(2), NUMPY[case.dtype]), 0), side)
    c[...] = np.nan if case.beta == 0 else _values(case, c.shape, rng)
    matrices = [[_matrix(case, i, x, place) for place in case.places[i]] for i, x in enumerate((a, b))]
    tables = [np.array(places, np.int64) * c.itemsize for places in case.places]
    leading = {}
    if case.batch in (ts.STRIDE, ts.OFFSET):
        start = [_matrix(case, i, x, case.first[i]) for i, x in enumerate((a, b))]
        rest: tuple[Any, ...] = (len(tables[0]), *(int(stride) * c.itemsize for stride in case.strides))
        if case.batch is ts.OFFSET:
            rest = tuple(_table(table - place * c.itemsize, side) for table, place in zip(tables, case.first))
        arguments = (*start, c, *rest)
    elif case.batch is ts.ADDRESS:
        addresses = (np.uint64(address(x)) + table.astype(np.uint64) for table, x in zip(tables, (a, b)))
        arguments = (*(_table(table, side) for table in addresses), c)
        leading = {f"ld{name}": case.leading[i] for i, name in enumerate("ab") if case.asked[i] is ts.RUNTIME}
    elif case.batch is None:
        arguments = (matrices[0][0], matrices[1][0], c)
    else:
        arguments = (_stacked(case, 0, a), _stacked(case, 1, b), c)
    return Call(arguments, leading, *matrices, c)


def matrices_of(case: Case) -> tuple[list[Array], list[list[Array]], Array]:
    """Return the flat arrays of a and b, the matrices in them, and C. They are not guarded; inputs are read-only."""
    rng = np.random.default_rng(case.seed)
    flat = [_flat(case, operand, rng) for operand in range(2)]
    c = _matrix(case, 2, np.full(case.span(2), np.nan, NUMPY[case.dtype]), 0)
    c[...] = np.nan if case.beta == 0 else _values(case, c.shape, rng)
    matrices = [[_matrix(case, i, x, place) for place in case.places[i]] for i, x in enumerate(flat)]
    for array in flat:
        array.setflags(write=False)
    return flat, matrices, c


def _memory(case: Case, operand: int, rng: np.random.Generator, side: str) -> Array:
    """Return all matrices of a batch in one flat array, on read-only pages."""
    return guarded(_flat(case, operand, rng), side, writable=False)


def _flat(case: Case, operand: int, rng: np.random.Generator) -> Array:
    """Return all matrices of a batch in one flat array, with NaN between their elements."""
    places = list(case.places[operand])
    if case.batch in (ts.STRIDE, ts.OFFSET):
        places.append(case.first[operand])
    size = max(places) + case.span(operand) if places else 0
    flat = np.full(size, np.nan, NUMPY[case.dtype])
    for place in places:
        matrix = _matrix(case, operand, flat, place)
        matrix[...] = _values(case, matrix.shape, rng)
    return flat


def _values(case: Case, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    values: Array = rng.integers(-4, 5, shape) if case.exact else rng.uniform(-1, 1, shape)
    return values.astype(NUMPY[case.dtype])


def _matrix(case: Case, operand: int, flat: Array, place: int) -> Array:
    matrix: Array = np.ndarray(case.shapes[operand], flat.dtype, flat, place * flat.itemsize, case.strides_of(operand))
    return matrix


def _stacked(case: Case, operand: int, flat: Array) -> Array:
    """Return a fixed batch as one array of three dimensions."""
    places = case.places[operand]
    distance = _dense_places(replace(case, batch=2), operand)[1]
    shape, strides = (len(places), *case.shapes[operand]), (distance * flat.itemsize, *case.strides_of(operand))
    stacked: Array = np.ndarray(shape, flat.dtype, flat, 0, strides)
    return stacked


def _table(table: Array, side: str) -> Array:
    return guarded(table, side, writable=False)


# Running them


def run(case: Case, kernel: ts.Kernel, sides: tuple[str, ...] = SIDES) -> None:
    """Call the kernel with operands at each guard page, and check what it wrote and what it must not have written."""
    call = call_of(case, sides[0])
    if case.exact:
        expected, bound = gemm_reference.exact_brgemm(*call[2:], case.alpha, case.beta), 0
    else:
        expected, bound = gemm_reference.brgemm(*call[2:], case.alpha, case.beta)
    for side in sides:
        call = call_of(case, side)
        kernel(*call.arguments, **call.keywords)
        gemm_reference.check(call.c, expected, bound)
        check_canary(call.c)

"""`sddmm`: the elements of a dense product at the places of a sparse matrix.

Every block of the pattern is a product of some rows of A and some columns of B, dealt out in runs of neighbouring
blocks, so that bits do not depend on the number of threads. All workers copy B first into panels as wide as a block.
For narrow blocks, whose vectors lie along k, it is transposed instead, or read where it lies if it is a transpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import CACHE_LINE
from ...microkernels.tuning.sparse import SPARSE
from ..api.brgemm import product_spec
from ..arguments.arrays import Array, address_of, numpy_dtype
from ..arguments.tracebacks import shortening
from ..contraction.moves import MoveKernels
from ..kernel.callable import kept
from ..kernel.kinds import kind_of
from ..kernel.origin import planned
from ..kernel.request_cache import RECENT, forgetting
from ..loops.code import Address, Barrier, Call, Header, Load, Loop, Node, Share, When, affine, blocks_of, cases, index
from ..loops.job import Job, job_of
from ..loops.scratch import buffer
from ..ops.matmul import types_of
from ..system.torch_compile import leave_trace
from ..threads.barrier import barrier
from ..threads.policy import workers_of
from .functions import by_rows, dense_of, lying_of
from .handle import Sparse, is_sparse, sparse

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ..api.typed import ArrayLike, DTypeLike
    from ..kernel.kinds import AnyRequest

A, B, VALUES, TABLE, SHARED, BARRIER, STATE = range(7)
"""Positions of the operands in the job's table."""


class SampledProduct(NamedTuple):
    """Blocks of a product m x n of matrices m x k and k x n, as code is made for it.

    block      rows and columns of a block
    blocks     how many there are
    types      of A, B and the blocks
    a, b       elements between the rows of A and of B, or between the columns of B if those are its neighbours: turned
    along_k    whether blocks read columns of B whose elements are neighbours
    """

    m: int
    n: int
    k: int
    block: tuple[int, int]
    blocks: int
    types: tuple[str, str, str]
    a: int
    b: int
    turned: bool
    along_k: bool
    target: Target

    @property
    def copies(self) -> bool:
        """Whether B is copied first: into panels as wide as a block, or transposed."""
        return not (self.turned and self.along_k)

    @property
    def apart(self) -> int:
        """The elements from one line of B to the next, where blocks read them: from row to row of a panel, or from
        column to column."""
        if not self.along_k:
            return self.block[1]
        per = CACHE_LINE // ELEMENT_BYTES[self.types[1]]
        return -(-self.k // per) * per if self.copies else self.b

    @property
    def bytes_shared(self) -> int:
        """The bytes of the copy."""
        across = self.block[1]
        elements = self.n * self.apart if self.along_k else -(-self.n // across) * across * self.k
        return elements * ELEMENT_BYTES[self.types[1]] if self.copies else 0


class SampledNest:
    """Makes the nodes of a sampled product."""

    def __init__(self, of: SampledProduct) -> None:
        self.of = of
        self.size_a, self.size_b, self.size_c = (ELEMENT_BYTES[each] for each in of.types)

    def nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        of = self.of
        each = Loop(
            Header("entry", index("run"), (index("run") + SPARSE.sampled, affine(of.blocks)), 1, SPARSE.sampled),
            (
                Load(
                    ("line", "place"),
                    TABLE,
                    index("entry") * 16,
                    tuple(self._blocks()),
                    ((0, -(-of.m // of.block[0]) - 1), (0, -(-of.n // of.block[1]) - 1)),
                ),
            ),
        )
        runs = Share((blocks_of("run", of.blocks, SPARSE.sampled),), (each,))
        copies = self._columns() if of.along_k else self._panels()
        return (copies, Barrier(BARRIER), runs) if of.copies else (runs,)

    def _columns(self) -> Share:
        """Return the transpose of B: of rows of memory as they are to lines."""
        of, moves, made = self.of, MoveKernels(self.of.types[1], self.of.target), list[Node]()
        for down, rows in cases("down", of.k, SPARSE.slab):
            for along, columns in cases("along", of.n, SPARSE.slab):
                kernel = moves.turn(rows, columns, of.b, of.apart)
                source = Address(B, (index("down") * of.b + index("along")) * self.size_b)
                to = Address(SHARED, (index("along") * of.apart + index("down")) * self.size_b)
                made += down(along([Call(kernel, (source, to))]))
        return Share((blocks_of("down", of.k, SPARSE.slab), blocks_of("along", of.n, SPARSE.slab)), tuple(made))

    def _panels(self) -> Share:
        """Return the copy of B into panels."""
        of, moves, made = self.of, MoveKernels(self.of.types[1], self.of.target), list[Node]()
        across = of.block[1]
        down, along = (1, of.b) if of.turned else (of.b, 1)
        for panel, columns in cases("panel", of.n, across):
            for depth, rows in cases("depth", of.k, SPARSE.slab):
                copied = (
                    moves.turn(columns, rows, of.b, across) if of.turned else moves.copy(rows, columns, of.b, across)
                )
                source = Address(B, (index("depth") * down + index("panel") * along) * self.size_b)
                to = Address(SHARED, (index("panel") * of.k + index("depth") * across) * self.size_b)
                made += panel(depth([Call(copied, (source, to))]))
        return Share((blocks_of("panel", of.n, across), blocks_of("depth", of.k, SPARSE.slab)), tuple(made))

    def _blocks(self) -> list[Node]:
        """Return the product of a block, with those at the ends of the matrix apart if they are smaller."""
        of, made = self.of, list[Node]()
        for at_line, rows in _ends("line", of.m, of.block[0]):
            for at_place, columns in _ends("place", of.n, of.block[1]):
                made += _under([*at_line, *at_place], [self._call(rows, columns)])
        return made

    def request(self, rows: int, columns: int) -> AnyRequest:
        """Return the request of the product of a block."""
        of, along_k = self.of, self.of.along_k
        return product_spec(
            rows,
            columns,
            of.k,
            dtype=of.types,
            order=("C", "F" if along_k else "C", "C"),
            beta=0.0,
            lda=of.a if rows > 1 else None,
            ldb=of.apart if (columns if along_k else of.k) > 1 else None,
            ldc=of.block[1] if rows > 1 else None,
        )

    def _call(self, rows: int, columns: int) -> Call:
        of, (down, across) = self.of, self.of.block
        line = across * self.size_b * (of.apart if of.along_k else of.k)
        return Call(
            kept(self.request(rows, columns), of.target),
            (
                Address(A, index("line") * (down * of.a * self.size_a)),
                Address(SHARED if of.copies else B, index("place") * line),
                Address(VALUES, index("entry") * (down * across * self.size_c)),
            ),
        )


Condition = tuple[str, str, int]


def _ends(name: str, extent: int, block: int) -> list[tuple[list[Condition], int]]:
    """Return the conditions for whole blocks and for the last one, if it is smaller, with their extents."""
    whole, rest = divmod(extent, block)
    if not rest:
        return [([], block)]
    return [*([([(name, "<", whole)], block)] if whole else []), ([(name, "==", whole)] if whole else [], rest)]


def _under(conditions: Sequence[Condition], body: list[Node]) -> list[Node]:
    for name, how, value in reversed(conditions):
        body = [When(index(name) - value, how, tuple(body))]
    return body


class KnownSample(NamedTuple):
    """The job of a sampled product, and the cycles of one thread, roughly."""

    job: Job
    cycles: int


@lru_cache(maxsize=RECENT)
def _job(of: SampledProduct) -> KnownSample:
    nest = SampledNest(of)
    request = nest.request(min(of.m, of.block[0]), min(of.n, of.block[1]))
    cycles = planned(request, of.target, kind_of(request)).pair_cycles + SPARSE.call
    return KnownSample(job_of((of[:-1], request), nest.nodes, of.target, "sddmm"), int(cycles * of.blocks))


forgetting.append(_job.cache_clear)


@shortening
def sddmm(
    a: ArrayLike,
    b: ArrayLike,
    pattern: ArrayLike,
    *,
    dtype: DTypeLike | None = None,
    threads: int | None = None,
) -> Sparse:
    """Return the elements of a @ b at the places that a sparse matrix stores, as a handle with the same places.

    a, b      matrices (m, k) and (k, n) of any strides; b may be the transpose of an array, as keys are
    pattern   a sparse matrix (m, n), as `spmm` takes it: `ts.sparse(...)`, or one of scipy.sparse or torch, which is
              checked and sorted in each call. Its values are not read. All elements of its blocks are computed
    dtype     of the result; None: that of the product, as in ts.matmul
    threads   the number of threads; None: ts.num_threads(). Any number gives the same bits

    The gradient of `ts.spmm(s, b)` by the values of s is `ts.sddmm(gradient, b.T, s)`; the scores of block-sparse
    attention are `ts.sddmm(q, k.T, pattern)`. Raises ValueError for shapes that do not fit and for indices that the
    pattern has not, UnsupportedError for types that no kernel multiplies.
    """
    leave_trace()
    if not is_sparse(pattern):
        raise TypeError(f"pattern: a sparse matrix, not {type(pattern).__name__}; ts.matmul computes all elements")
    places = sparse(pattern) if isinstance(pattern, Sparse) else sparse(pattern, "f32")
    x, y = (dense_of(name, each) for name, each in zip("ab", (a, b)))
    for name, each in zip("ab", (x, y)):
        if each.ndim != 2:
            raise ValueError(f"{name}: a matrix, not shape {each.shape}")
    (m, k), (_, n) = x.shape, y.shape
    if y.shape[0] != k:
        raise ValueError(f"a, b: as many columns of a as rows of b, not {m} x {k} by {y.shape[0]} x {n}")
    if places.shape != (m, n):
        raise ValueError(f"pattern: {m} x {n} as the product is, not {places.shape[0]} x {places.shape[1]}")
    types = types_of(x, y, None, dtype, "ts.sddmm({})")
    if not set(types) <= FLOATS:
        raise UnsupportedError(f"a, b: floats, whose results a sparse matrix stores, not {' and '.join(types[:2])}")
    return sampled(places, x, y.T, types, workers_of(threads, None))


FLOATS = {"f64", "f32", "bf16", "f16"}


def sampled(a: Sparse, x: Array, y: Array, types: tuple[str, str, str], workers: int) -> Sparse:
    """Return x @ y.T at the places of a matrix, as a matrix with the same places."""
    return a.filled(numpy_dtype(types[2]), lambda values: _compute(a, x, y.T, types, values, workers))


def _compute(places: Sparse, a: Array, b: Array, types: tuple[str, str, str], values: Array, workers: int) -> None:
    """Write the blocks to an array of zeros. Their elements outside of the matrix stay zeros."""
    (m, k), n = a.shape, b.shape[1]
    if not values.size or not k:
        return
    rows, lying = by_rows(a, workers), lying_of(b, workers)
    apart = rows.strides[0] // rows.itemsize if m > 1 else k
    along_k, target = places.block[1] < SPARSE.across, places.target
    of = SampledProduct(m, n, k, places.block, places.blocks, types, apart, lying.apart, lying.turned, along_k, target)
    made = _job(of)
    words = tuple(map(address_of, (rows, lying.array, values, places.places)))
    state = barrier(target) if of.copies and workers > 1 else (0, 0)
    if not of.bytes_shared:
        made.job.run((*words, 0, *state), workers, cycles=made.cycles)
        return
    with buffer(of.bytes_shared) as memory:
        made.job.run((*words, memory.address, *state), workers, cycles=made.cycles)

"""Products of two dense matrices at the places of a sparse one: block (i, j) of the result is x[rows i] @ y[rows j].T.

It is the gradient of a sparse product by the values. Blocks are dealt out by their number, so that long rows are no
longer than others; the sum of each is one product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, cast

import numpy as np

from ...encoder.records import NamedTuple, cached_property, dataclass
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.tuning.sparse import SPARSE
from ..api.brgemm import product_spec
from ..arguments.arrays import Array, address_of, numpy_dtype
from ..kernel.callable import kept
from ..kernel.kinds import kind_of
from ..kernel.origin import planned
from ..kernel.request_cache import RECENT, forgetting
from ..loops.code import Address, Affine, Call, Header, Load, Loop, Node, Share, When, affine, blocks_of, index
from ..loops.job import Job, JobKernel, JobWord, job_of, parameter, pointer
from ..loops.text import text
from .handle import Sparse

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ..kernel.kinds import AnyRequest
    from ..loops.blob import Blob

X, Y, RESULT, PLACES = range(4)
"""Positions of the operands in the job's table."""


@dataclass(frozen=True)
class SampledProduct:
    """Products of rows of x (m, n) and y (k, n) at the places of blocks of a matrix m x k.

    types   of x, y and the result
    x, y    elements between their rows
    """

    m: int
    n: int
    k: int
    block: tuple[int, int]
    types: tuple[str, str, str]
    entries: int
    x: int
    y: int
    target: Target


class BlockEdge(NamedTuple):
    """Blocks of an axis: all but the last one, the last one if it is smaller, or all; and their elements along it."""

    condition: str
    last: int
    extent: int

    def around(self, name: str, body: Sequence[Node]) -> list[Node]:
        """Put nodes under the condition that a block is one of these."""
        return [When(index(name) - self.last, self.condition, tuple(body))] if self.condition else list(body)


class SampledJob(JobKernel):
    """Products at the places of a sparse matrix as machine code, with addresses as arguments: x, y, the result, and the
    row and column of each block."""

    product: SampledProduct
    flops: int

    def __init__(self, product: SampledProduct) -> None:
        down, across = product.block
        self._keep(product=product, target=product.target, flops=2 * product.entries * down * across * product.n)

    @cached_property
    def job(self) -> Job:
        """The machine code of loops and kernels."""
        return job_of((self.product, self._request(*self.product.block)), self.nodes, self.product.target, "sampled")

    @property
    def _blob(self) -> Blob:
        return self.job.blob

    def nodes(self) -> tuple[Node, ...]:
        """Return the loops and their calls."""
        of = self.product
        each = max(1, min(SPARSE.entries, -(-of.entries // SPARSE.pieces)))
        bounds = tuple((0, max(0, -(-extent // block) - 1)) for extent, block in zip((of.m, of.k), of.block))
        body: list[Node] = []
        for rows in _edges(of.m, of.block[0]):
            for columns in _edges(of.k, of.block[1]):
                call = self._call(rows.extent, columns.extent)
                body += rows.around("line", columns.around("column", [call]))
        load = Load(("line", "column"), PLACES, index("entry") * 16, tuple(body), bounds)
        piece = blocks_of("piece", of.entries, each)
        stop = index("piece") + each, affine(of.entries)
        return (Share((piece,), (Loop(Header("entry", index("piece"), stop, 1, each), (load,)),)),)

    def _call(self, rows: int, columns: int) -> Call:
        of = self.product
        down, across = of.block
        size_x, size_y, size = (ELEMENT_BYTES[each] for each in of.types)
        kernel = kept(self._request(rows, columns), of.target)
        places: list[Address | Affine] = [
            Address(X, index("line") * (down * of.x * size_x)),
            Address(Y, index("column") * (across * of.y * size_y)),
            Address(RESULT, index("entry") * (down * across * size)),
        ]
        return Call(kernel, tuple(places))

    def _request(self, rows: int, columns: int) -> AnyRequest:
        of = self.product
        lines = {"lda": of.x} if rows > 1 else {}
        lines |= {"ldb": of.y} if columns > 1 else {}
        lines |= {"ldc": of.block[1]} if rows > 1 else {}
        make = cast("Callable[..., AnyRequest]", product_spec)
        return make(rows, columns, of.n, dtype=of.types, order=("C", "F", "C"), beta=0.0, **lines)

    @cached_property
    def cycles(self) -> int:
        """The cycles of one thread, roughly."""
        of, request = self.product, self._request(*self.product.block)
        return int(of.entries * (planned(request, of.target, kind_of(request)).pair_cycles + SPARSE.call))

    def at(self, words: Sequence[int], workers: int) -> None:
        """Compute on operands at these addresses."""
        self.job.run(words, workers, cycles=self.cycles)

    def _words(self) -> list[JobWord]:
        of = self.product
        made = [pointer(of.types[0], "x", False), pointer(of.types[1], "y", False), pointer(of.types[2], "c", True)]
        return [*made, parameter("const int64_t *", "places")]

    def __str__(self) -> str:
        """Return the loops with their calls as text."""
        names = dict(enumerate(("x", "y", "c", "places")))
        return "\n".join([repr(self), *text(self.nodes(), names, "  ")])

    def __repr__(self) -> str:
        of = self.product
        return f"<sampled {of.m} x {of.k}, {of.entries} blocks, sums of {of.n} {of.types[0]} for {of.target.name}>"

    def __reduce__(self) -> tuple[type[SampledJob], tuple[SampledProduct]]:
        return SampledJob, (self.product,)


def _edges(extent: int, block: int) -> Iterator[BlockEdge]:
    """Yield the whole blocks of an axis, and the last one if it is smaller."""
    whole, rest = divmod(extent, block)
    if whole:
        yield BlockEdge("<" if rest else "", whole, block)
    if rest:
        yield BlockEdge("==" if whole else "", whole, rest)


@lru_cache(maxsize=RECENT)
def _job_of(product: SampledProduct) -> SampledJob:
    return SampledJob(product)


forgetting.append(_job_of.cache_clear)


def sampled(a: Sparse, x: Array, y: Array, types: tuple[str, str, str], workers: int) -> Sparse:
    """Return x @ y.T at the places of a matrix, as a matrix with the same places. Rows of x and y are contiguous."""
    values = np.zeros(a.values.shape, numpy_dtype(types[2]))
    (m, n), k = x.shape, y.shape[0]
    if values.size and n:
        of_x, of_y = (each.strides[0] // each.itemsize if each.shape[0] > 1 else n for each in (x, y))
        job = _job_of(SampledProduct(m, n, k, a.block, types, a.blocks, of_x, of_y, a.target))
        job.at([address_of(each) for each in (x, y, values, a.places)], workers)
    return a.with_values(values)

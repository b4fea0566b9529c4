"""`sddmm`: the elements of a dense product at the places of a sparse matrix.

Every block of the pattern is a product of some rows of A and some columns of B, dealt out in runs of neighbouring
blocks, so that bits do not depend on the number of threads. All workers copy B first into panels as wide as a block.
For narrow blocks, whose vectors lie along k, it is transposed instead, or read where it lies if it is a transpose.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ...microkernels.tuning.sparse import SPARSE
from ..arguments.arrays import Array, address_of, numpy_dtype
from ..arguments.factors import types_of
from ..arguments.tracebacks import shortening
from ..kernel import call_plans
from ..kernel.kinds import kind_of
from ..kernel.origin import planned
from ..kernel.request_cache import RECENT, forgetting
from ..loops.job import Job, job_of
from ..loops.scratch import buffer
from ..loops.text import text
from ..system.torch_compile import leave_trace
from ..threads.barrier import barrier
from ..threads.policy import workers_of
from .functions import by_rows, dense_of, lying_of
from .handle import Sparse, is_sparse, sparse
from .sampled_nest import SampledNest, SampledProduct

if TYPE_CHECKING:
    from ..api.typed import ArrayLike, DTypeLike
    from ..verify.proof import Proof
    from . import proofs

proofs = lazy(__package__, ".proofs")


class KnownSample(NamedTuple):
    """The job of a sampled product, and the cycles of one thread, roughly."""

    job: Job
    cycles: int
    of: SampledProduct

    def verify(self, a: Sparse, *, timeout: float | None = None) -> Proof:
        """Return a proof of the job with the table of a matrix: that the calls of its kernels are the product at the
        places of the matrix and write each element once; see docs/soundness.md."""
        return proofs.of_sample(self.job, self.of, a.places, a.indptr, a.indices, timeout=timeout)

    def planned(self, a: Sparse) -> call_plans.JobOfCall:
        """Return the job with the table of a matrix."""
        of = self.of
        title = f"sddmm {of.m} x {of.n} x {of.k} {','.join(of.types)} at {a!r} for {of.target.name}"
        names = dict(enumerate(("a", "b", "values", "places", "shared scratch", "barrier", "its argument")))
        return call_plans.JobOfCall(
            title, lambda: text(self.job.blob.nodes, names, "  "), lambda **given: self.verify(a, **given)
        )


@lru_cache(maxsize=RECENT)
def _job(of: SampledProduct) -> KnownSample:
    nest = SampledNest(of)
    request = nest.request(min(of.m, of.block[0]), min(of.n, of.block[1]))
    cycles = planned(request, of.target, kind_of(request)).pair_cycles + SPARSE.call
    return KnownSample(job_of((of[:-1], request), nest.nodes, of.target, "sddmm"), int(cycles * of.blocks), of)


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
    if call_plans.wanted:
        call_plans.note(lambda: made.planned(places))
    words = tuple(map(address_of, (rows, lying.array, values, places.places)))
    state = barrier(target) if of.copies and workers > 1 else (0, 0)
    if not of.bytes_shared:
        made.job.run((*words, 0, *state), workers, cycles=made.cycles)
        return
    with buffer(of.bytes_shared) as memory:
        made.job.run((*words, memory.address, *state), workers, cycles=made.cycles)

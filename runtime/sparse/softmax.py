"""`sparse_softmax`: the softmax over the rows of a sparse matrix, of stored elements alone.

The elements of a row lie in its blocks, one part in each: a matrix of as many rows as the row has blocks, whose softmax
over all elements is one kernel. Rows of blocks are dealt out, and each is computed by one worker, so that bits do not
depend on the number of threads.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from ...encoder.deferred import lazy
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import finite
from ...microkernels.tuning.sparse import SPARSE
from ..arguments.arrays import Array, address_of
from ..arguments.tracebacks import shortening
from ..kernel import accuracy as accuracies
from ..kernel import call_plans
from ..kernel.request_cache import RECENT, forgetting
from ..loops.job import Job, job_of
from ..loops.text import text
from ..system.torch_compile import leave_trace
from ..threads.policy import workers_of
from .handle import Sparse, is_sparse, sparse
from .sampled import FLOATS
from .softmax_nest import RowsSoftmax

if TYPE_CHECKING:
    from ..api.typed import ArrayLike
    from . import proofs

proofs = lazy(__package__, ".proofs")


@lru_cache(maxsize=RECENT)
def _job(of: RowsSoftmax) -> Job:
    return job_of((of[:-1], of.kernel.spec), of.nodes, of.target, "softmax")


forgetting.append(_job.cache_clear)


def _planned(of: RowsSoftmax, starts: Array) -> call_plans.JobOfCall:
    """Return the job with the table of a matrix: where each row of blocks begins."""
    job, (down, across) = _job(of), of.block
    title = f"softmax of {of.rows} rows of {of.dtype} in {of.blocks} blocks of {down} x {across} for {of.target.name}"
    names = dict(enumerate(("s", "added", "y", "indptr")))
    return call_plans.JobOfCall(
        title,
        lambda: text(job.blob.nodes, names, "  "),
        lambda **given: proofs.of_softmax(job, of, starts, starts, **given),
    )


@shortening
def sparse_softmax(s: ArrayLike, *, scale: float = 1.0, added: ArrayLike = None, threads: int | None = None) -> Sparse:
    """Return the softmax over the stored elements of each row of a sparse matrix, as a handle of the same places.

    s         a sparse matrix, as `spmm` takes it, of floats; its blocks divide its columns. Elements that are not
              stored are left out, as if they were -inf
    scale     a positive factor of the elements
    added     a sparse matrix of the same places and type, which is added to the scaled elements: a mask has -inf in it
    threads   the number of threads; None: ts.num_threads(). Any number gives the same bits

    It is computed in f32, or f64 for f64. A row of -inf alone is NaN, as that of a dense softmax.
    """
    leave_trace()
    if not is_sparse(s):
        raise TypeError(f"s: a sparse matrix, not {type(s).__name__}")
    x, factor = sparse(s), finite("scale", scale)
    if factor <= 0:
        raise ValueError(f"scale: more than 0, not {scale!r}")
    if x.dtype not in FLOATS:
        raise UnsupportedError(f"s: floats, not {x.dtype}; ts.sparse(s, dtype=) converts")
    if x.shape[1] % x.block[1]:
        raise UnsupportedError(
            f"s: blocks that divide its {x.shape[1]} columns, not of {x.block[1]}; ts.sparse(s, blocks=) makes others"
        )
    more = None if added is None else _alike(sparse(added), x)
    accuracy = accuracies.of_process or accuracies.default_accuracy()
    of = RowsSoftmax(x.shape[0], x.blocks, x.block, x.dtype, factor, more is not None, accuracy, x.target)
    given = x.values, x.values if more is None else more.values
    workers = workers_of(threads, None)

    def compute(values: Array) -> None:
        if values.size:
            words = tuple(map(address_of, (*given, values, x.indptr)))
            if call_plans.wanted:
                call_plans.note(lambda: _planned(of, x.indptr))
            _job(of).run(words, workers, cycles=SPARSE.power * values.size)

    return x.filled(x.values.dtype, compute)


def _alike(added: Sparse, x: Sparse) -> Sparse:
    """Return a matrix if it has the places of another one."""
    same = added.shape == x.shape and added.block == x.block and added.dtype == x.dtype
    if not (same and np.array_equal(added.indptr, x.indptr) and np.array_equal(added.indices, x.indices)):
        raise ValueError("added: a matrix with the places and the type of s; s.with_values(...) makes one")
    return added

"""`sparse_softmax`: the softmax over the rows of a sparse matrix, of stored elements alone, and block-sparse attention.

The elements of a row lie in its blocks, one part in each: a matrix of as many rows as the row has blocks, whose softmax
over all elements is one kernel. Rows of blocks are dealt out, and each is computed by one worker, so that bits do not
depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, cast

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import RUNTIME, finite
from ...microkernels.tuning.sparse import SPARSE
from ..api import functions as expressions
from ..api import fused
from ..api.eltwise import equation
from ..arguments.arrays import Array, address_of
from ..arguments.tracebacks import shortening
from ..kernel import accuracy as accuracies
from ..kernel.request_cache import RECENT, forgetting
from ..loops import call_plans
from ..loops.code import Address, Call, Header, Load, Loop, Node, Share, When, affine, blocks_of, index
from ..loops.job import Job, job_of
from ..system.torch_compile import leave_trace
from ..threads.policy import workers_of
from .functions import dense_of, spmm
from .handle import Sparse, is_sparse, sparse
from .sampled import FLOATS, sddmm

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ...microkernels.expr.graph import Expr
    from ..api.typed import ArrayLike, DType
    from ..kernel.accuracy import Accuracy
    from ..kernel.callable import Kernel
    from . import proofs

proofs = lazy(__package__, ".proofs")

X, ADDED, Y, TABLE = range(4)
"""Positions of the operands in the job's table."""


class RowsSoftmax(NamedTuple):
    """The softmax over rows, as code is made for it: rows of elements, blocks, and the factor of the elements. added:
    whether others are added to them."""

    rows: int
    blocks: int
    block: tuple[int, int]
    dtype: str
    scale: float
    added: bool
    accuracy: Accuracy
    target: Target

    @property
    def kernel(self) -> Kernel:
        """The softmax of a row, whose blocks a call counts."""
        (down, across), dtype = self.block, cast("DType", self.dtype)
        shape, apart = (RUNTIME, across), down * across
        if self.added:
            return equation(
                _softmax_of_sums(self.scale),
                dtype=dtype,
                accuracy=self.accuracy,
                target=self.target,
                x=shape,
                b=shape,
                ldx=apart,
                ldb=apart,
                ldy=apart,
            )
        of_one = _softmax_of(self.scale)
        return equation(of_one, dtype=dtype, accuracy=self.accuracy, target=self.target, x=shape, ldx=apart, ldy=apart)

    def nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        down, across = self.block
        size, lines = ELEMENT_BYTES[self.dtype], -(-self.rows // down)
        place = index("begin") * (down * across * size) + index("row") * (across * size)
        operands = (X, ADDED, Y) if self.added else (X, Y)
        call = Call(self.kernel, (*(Address(each, place) for each in operands), index("end") - index("begin")))
        rows = Header("row", affine(0), (affine(down), affine(self.rows) - index("line") * down), 1, down)
        line = When(index("end") - index("begin"), ">", (Loop(rows, (call,)),))
        bounds = (0, self.blocks), (0, self.blocks)
        begin = Load(("begin", "end"), TABLE, index("line") * 8, (line,), bounds)
        return (Share((blocks_of("line", lines, 1),), (begin,), "turns", SPARSE.turn),)


def _softmax_of(scale: float) -> Callable[[Expr], Expr]:
    """Return the softmax of all elements of a matrix."""

    def function(x: Expr) -> Expr:
        scaled = x * scale
        power = expressions.exp(scaled - fused.max(fused.max(scaled, axis=0), axis=1))
        return power * (1 / fused.sum(fused.sum(power, axis=0), axis=1))

    return function


def _softmax_of_sums(scale: float) -> Callable[[Expr, Expr], Expr]:
    """Return the softmax of all sums of two matrices, the first of which is scaled."""
    of_sums = _softmax_of(1.0)
    return lambda x, b: of_sums(x * scale + b)


@lru_cache(maxsize=RECENT)
def _job(of: RowsSoftmax) -> Job:
    return job_of((of[:-1], of.kernel.spec), of.nodes, of.target, "softmax")


forgetting.append(_job.cache_clear)


def _planned(of: RowsSoftmax, starts: Array) -> call_plans.CallPlan:
    """Return the job with the table of a matrix: where each row of blocks begins."""
    job, (down, across) = _job(of), of.block
    title = f"softmax of {of.rows} rows of {of.dtype} in {of.blocks} blocks of {down} x {across} for {of.target.name}"
    names = dict(enumerate(("s", "added", "y", "indptr")))
    return call_plans.CallPlan(
        title, job.blob.nodes, names, lambda **given: proofs.of_softmax(job, of, starts, starts, **given)
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


@shortening
def sparse_attention(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    pattern: ArrayLike,
    *,
    scale: float | None = None,
    added: ArrayLike = None,
    threads: int | None = None,
) -> ArrayLike:
    """Return attention of the queries to the keys whose blocks a sparse matrix stores: softmax(q @ k.T) @ v.

    q, k, v   (queries, size), (keys, size), (keys, width), of one type, as of a head
    pattern   a sparse matrix (queries, keys), as in `ts.sddmm`; its values are not read
    scale     a factor of q @ k.T; None: size ** -0.5
    added     a sparse matrix of the places of the pattern, which is added to the scaled scores: -inf masks one
    threads   the number of threads; None: ts.num_threads(). Any number gives the same bits

    It is `ts.spmm(ts.sparse_softmax(ts.sddmm(q, k.T, pattern), scale=), v)`, whose parts have gradients of their own: a
    query without a block gets zeros.
    """
    keys = dense_of("k", k)
    scores = sddmm(q, keys.T, pattern, threads=threads)
    factor = int(keys.shape[-1]) ** -0.5 if scale is None else scale
    return spmm(sparse_softmax(scores, scale=factor, added=added, threads=threads), v, threads=threads)

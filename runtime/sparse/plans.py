"""The jobs of products with one sparse matrix, each with the table that it reads."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ...microkernels.dtypes import element_type
from ..arguments.arrays import numpy_dtype
from ..arguments.factors import types_of
from ..kernel import accuracy as accuracies
from ..kernel.request_cache import RECENT, forgetting
from .groups import group_of, reads_groups, writes_groups
from .kernel import KnownProduct, SparseJob, chosen
from .nest import SparseProduct

if TYPE_CHECKING:
    from ...encoder.features import Target
    from ..api.typed import DTypeLike, Layout
    from ..arguments.arrays import Array
    from .nest import TableSizes


class SparseMatrix(Protocol):
    """What plans read of a handle: see `Sparse`."""

    shape: tuple[int, int]
    dtype: str
    block: tuple[int, int]
    target: Target
    _jobs: dict[object, KnownProduct]

    @property
    def indptr(self) -> Array: ...
    @property
    def indices(self) -> Array: ...
    @property
    def values(self) -> Array: ...
    @property
    def pieces(self) -> tuple[Array, ...]: ...
    @property
    def sizes(self) -> TableSizes: ...


@lru_cache(maxsize=RECENT)
def job_of(product: SparseProduct, workers: int) -> SparseJob:
    """Return the job of a product; equal products of other matrices share one."""
    return SparseJob(product, chosen(product, workers))


forgetting.append(job_of.cache_clear)


def known(a: SparseMatrix, product: SparseProduct, workers: int) -> KnownProduct:
    """Return the job of a product with this matrix, and its table."""
    key = product, workers
    found = a._jobs.get(key)
    if found is None:
        job = job_of(product, workers)
        found = KnownProduct(job, job.table(a.indptr, a.indices, a.pieces), a.indptr, a.indices)
        a._jobs[key] = found
    return found


def planned(
    a: SparseMatrix, n: int, dtype: DTypeLike | None, layouts: tuple[Layout, Layout], workers: int
) -> KnownProduct:
    """Return the product with a dense matrix of n columns, whose rows are contiguous: see `Sparse.plan`."""
    own = a.dtype if dtype is None else element_type("dtype", dtype)
    types = types_of(a.values, np.empty(0, numpy_dtype(own)), None, None, "ts.spmm({})", sparse="a")
    (m, k), accuracy = a.shape, accuracies.of_process or accuracies.default_accuracy()
    if not m or not k:
        raise ValueError(f"plan: a matrix of {m} x {k} has no product to plan")
    of_b, of_c = (group_of(*each) for each in zip(("b_layout", "c_layout"), layouts, types[1:]))
    groups = (
        of_b if reads_groups(of_b, k, a.block, types, a.target) else 1,
        of_c if writes_groups(of_c, a.block, a.sizes) else 1,
    )
    product = SparseProduct(m, n, k, a.block, types, a.sizes, n, False, n, None, (), accuracy, a.target, groups)
    return known(a, product, workers)

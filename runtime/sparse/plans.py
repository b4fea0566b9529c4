"""The jobs of products with one sparse matrix, each with the table that it reads."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ...encoder.records import NamedTuple
from ..kernel.request_cache import RECENT, forgetting
from .kernel import SparseJob, chosen
from .nest import SparseProduct

if TYPE_CHECKING:
    from ..arguments.arrays import Array
    from .handle import Sparse


class KnownProduct(NamedTuple):
    """A product with a matrix: its job, and the table of the matrix for it."""

    job: SparseJob
    table: Array

    def about(self) -> list[str]:
        """Return the plan as lines of text."""
        of = self.job.product
        return [f"times {of.k} x {of.n} {of.types[1]}: {self.job.plan}"]


@lru_cache(maxsize=RECENT)
def job_of(product: SparseProduct, workers: int) -> SparseJob:
    """Return the job of a product; equal products of other matrices share one."""
    return SparseJob(product, chosen(product, workers))


forgetting.append(job_of.cache_clear)


def known(a: Sparse, product: SparseProduct, workers: int) -> KnownProduct:
    """Return the job of a product with this matrix, and its table."""
    key = product, workers
    found = a._jobs.get(key)
    if found is None:
        job = job_of(product, workers)
        found = KnownProduct(job, job.table(a.indptr, a.indices, a.pieces))
        a._jobs[key] = found
    return found

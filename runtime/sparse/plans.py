"""The jobs of products with one sparse matrix, each with the table that it reads."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from ..kernel.request_cache import RECENT, forgetting
from .kernel import KnownProduct, SparseJob, chosen
from .nest import SparseProduct

if TYPE_CHECKING:
    from .handle import Sparse


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

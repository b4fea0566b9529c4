"""Proofs of products of any size, and of kernels on all cores."""

from __future__ import annotations

from typing import Any

from ..loops.blob import Blob
from ..loops.code import Barrier, placed
from ..verify.check import every_call
from ..verify.proof import Proof, together
from ..verify.together import Job, scratch_of, table_of, verify_together
from .product_nest import BARRIER, EXTRAS, PACKED_B, B

_LINE = 64
"""The alignment of packed weights in bytes."""


def of_gemm(of: Any) -> Proof:
    """Prove the job of a product, for each call that its request allows."""
    return _of_product(of, of.code, *of._scratch)


def of_layer(of: Any) -> Proof:
    """Prove a layer: a job whose workers pack the weights, wait for each other, and compute the product."""
    count = EXTRAS + len(getattr(of.spec, "extras", ()))
    packing = placed(of.packing.job.blob.nodes, {0: B, 1: PACKED_B})
    product = placed(of.nest.nodes(), {**{place: place for place in range(count)}, B: PACKED_B})
    both = Blob((*packing, Barrier(BARRIER), *product), of.target)
    size = -(-of.packing.bytes // _LINE) * _LINE
    return _of_product(of, both.data, size, of.bytes_own)


def _of_product(of: Any, code: bytes, packed: int, own: int) -> Proof:
    """Prove the code of a product with these bytes of scratch memory: shared, and for each worker."""
    found: list[Proof] = []
    words, calls = every_call(of.spec, of.kind)
    for spec, call in calls:
        def job_of(workers: int, call: Any = call) -> Job:
            a, b, c, *extras = call.integers
            scratch = scratch_of(packed + workers * own)
            first = scratch.__array_interface__["data"][0]
            read = first if packed else 0, first + packed if own else 0
            return Job(code, [*table_of([a, b, c, *read]), *extras], (scratch,))

        found.append(verify_together(of.target, spec, call, job_of))
        if not found[-1]:
            break
    return together(found, words)


def of_spread(of: Any) -> Proof:
    """Prove the parts of a spread kernel, for each call that it allows."""
    found: list[Proof] = []
    words, calls = every_call(of.kernel.spec, of.kernel.kind)
    for spec, call in calls:
        def job_of(workers: int, call: Any = call) -> Job:
            if of._parts is None:
                return Job(of.job.blob.data, call.integers)
            return Job(of._parts.job(workers).blob.data, of._parts.operands(call.integers, workers))

        found.append(verify_together(of.target, spec, call, job_of))
        if not found[-1]:
            break
    return together(found, words)

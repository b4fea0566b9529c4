"""Proofs of products of any size, and of kernels on all cores."""

from __future__ import annotations

from typing import Any

from ..verify.check import every_call
from ..verify.proof import Proof, together
from ..verify.together import Job, scratch_of, table_of, verify_together


def of_gemm(of: Any) -> Proof:
    """Prove the job of a product, for each call that its request allows."""
    packed, own = of.kernels.bytes_packed, of.kernels.bytes_own
    found: list[Proof] = []
    words, calls = every_call(of.spec, of.kind)
    for spec, call in calls:
        def job_of(workers: int, call: Any = call) -> Job:
            a, b, c, *extras = call.integers
            scratch = scratch_of(packed + workers * own)
            first = scratch.__array_interface__["data"][0]
            return Job(of.code, [*table_of([a, b, c, first, first + packed]), *extras], (scratch,))

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

"""Seconds of the kernels of a nest on blocks at hand: each is called again and again on the same ones."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...encoder.features import Target
from ..arguments.arrays import address_of, numpy_dtype
from .code import Address, Affine, Call, Header, Loop, affine, calls
from .job import Job
from .nest import Nest
from .trace import Matrix

_SECONDS, _SAMPLES = 0.001, 7
"""Of one sample, and how many."""
_known: dict[tuple[str, str], float] = {}


def kernel_seconds(nest: Nest) -> dict[str, float]:
    """Of one call of each kernel, by its name: the best of several samples, measured once for each process."""
    found = {}
    for call in calls(nest.nodes):
        name = call.kernel.name
        known = (nest.target.name, name)
        if known not in _known:
            _known[known] = _measured(call, nest.matrices, nest.target)
        found[name] = _known[known]
    return found


def _measured(call: Call, matrices: Sequence[Matrix], target: Target) -> float:
    """Blocks at the operands' beginning; zeros, so that sums stay finite."""
    still = tuple(Address(each.operand) if isinstance(each, Address) else Affine(each.constant)
                  for each in call.arguments)  # fmt: skip
    used = {each.operand for each in still if isinstance(each, Address)}
    arrays = {each.place: np.zeros(each.shape, numpy_dtype(each.dtype)) for each in matrices if each.place in used}
    addresses = [address_of(arrays[place]) if place in used else 0 for place in range(len(matrices))]
    call = Call(call.kernel, still)
    once = _job(call, 1, target)
    once.run(addresses, 1)
    seconds = min(_timed(once, addresses) for _ in range(_SAMPLES))
    count = max(2, round(_SECONDS / seconds))
    return min(_timed(_job(call, count, target), addresses) for _ in range(_SAMPLES)) / count


@functools.lru_cache(4)
def _job(call: Call, count: int, target: Target) -> Job:
    return Job([Loop(Header("r", affine(0), (affine(count),), 1, count), (call,))], target)


def _timed(job: Any, addresses: Sequence[int]) -> float:
    start = time.perf_counter_ns()
    job.run(addresses, 1)
    return (time.perf_counter_ns() - start) * 1e-9

"""Regions: one job, run by its caller and by the pool's workers.

The contract of a job, `void job(void *const *argument, long worker, long workers)`:

- It is called once for each worker from 0 to workers - 1, in separate threads or not, in any order. `workers` is the
  number that the region was asked for, or 1: if the pool is busy or backs off, inside a job, or without threads. So
  neither the results nor a single bit of them may depend on `workers`.
- It calls the barrier only if workers > 1, and then every worker reaches it.
- Its code stays mapped until the region returns, touches no Python object and leaves by returning.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from ...microkernels.errors import UnsupportedError
from ..system.architecture import arch
from .layout import CLAIMS as CLAIMS
from .layout import REGION
from .layout import WEIGHED as WEIGHED
from .pool import pool

if TYPE_CHECKING:
    from ...encoder.features import Target


_here = functools.cache(arch)  # `arch` makes a system call, and every call of an operation asks


def entry(target: Target, name: str = REGION) -> int:
    """Return the address of void region(job, void *const *argument, long workers), for machine code to call.

    WEIGHED is void weighed(job, void *const *argument, long workers, long cycles): a region of a job that takes one
    thread this many cycles. The caller runs it alone if that is faster: see `weight_code`.

    CLAIMS is void claims(job, void *const *argument, long workers, long parts): the job is called once for each part
    from 0 to parts - 1, or for part 0 of 1. The workers take one part after the other, and none of them calls the
    barrier.

    The function returns when all parts are done. It may be called from any thread, with or without the GIL, and stays
    valid for good, also in forked children. Raises UnsupportedError for code of another architecture, in a
    subinterpreter, and if the system has no threads.
    """
    if target.arch != _here():
        raise UnsupportedError(
            f"threads: {target.name} is code for {target.arch}, and this machine is {arch()}: call the job itself, "
            "with worker 0 of 1"
        )
    address: int = getattr(pool(), name)
    return address

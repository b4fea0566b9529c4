"""Regions: one job on its caller and on the pool's workers.

The contract of a job, `void job(void *const *argument, long worker, long workers)`:

- It is called once for each worker of 0 to workers - 1, in threads of their own or not, in any order. `workers` is what
  the region was asked for, or 1: where the pool is busy, in a job, without threads, or while it backs off. So neither
  what it computes nor a single bit of that may depend on `workers`.
- It calls the barrier only where workers > 1, and then every worker reaches it.
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


_here = functools.cache(arch)  # a system call otherwise, and every call of an operation asks


def entry(target: Target, name: str = REGION) -> int:
    """The address of void region(job, void *const *argument, long workers), for machine code of this process to call.

    WEIGHED is void weighed(job, void *const *argument, long workers, long cycles): a region of a job that takes one
    thread so many cycles, which the caller runs alone where that is quicker: see `weight_code`.

    CLAIMS is void claims(job, void *const *argument, long workers, long parts): the job is called once for each
    part of 0 to parts - 1, or for part 0 of 1. So many workers take one part after the other; none of them calls the
    barrier.

    It returns when all parts are done. It may be called from any thread, with or without the GIL, and stays valid for
    good, in children of a fork too. Raises UnsupportedError for code of another architecture, in a subinterpreter and
    where the system has no threads for it.
    """
    if target.arch != _here():
        raise UnsupportedError(
            f"threads: {target.name} is code for {target.arch}, and this machine is {arch()}: call the job itself, "
            "with worker 0 of 1"
        )
    address: int = getattr(pool(), name)
    return address

"""What processes on one machine share: kernels and results of tuning in the cache folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import torch.distributed as dist


@contextmanager
def first_on_machine(group: dist.ProcessGroup | None = None) -> Iterator[bool]:
    """`with first_on_machine() as first:` the process of each machine whose LOCAL_RANK is 0 runs the block before the
    others do. What it tunes or compiles, they find in the cache folder. `first` says which this is.

    torchrun sets LOCAL_RANK; without it the first process of the group comes first. If the first one raises, the others
    go on, so that none waits for ever
    """
    first = int(os.environ.get("LOCAL_RANK", dist.get_rank(group))) == 0
    if not first:
        dist.barrier(group)
    try:
        yield first
    finally:
        if first:
            dist.barrier(group)

"""A nest in executable memory, and its runs: by the caller alone, or in a region of several threads."""

from __future__ import annotations

from collections.abc import Sequence

from ...encoder.features import Target
from ...encoder.forks import cached_property
from ...microkernels.errors import UnsupportedError
from ..host import detect as host
from ..memory.executable import ExecutableBlock, publish
from ..system.libc import ffi
from ..threads.region import entry
from .blob import Blob
from .code import Node

_REGION, _JOB = "void(*)(void *, void *const *, long)", "void(*)(void *const *, long, long)"


class Job:
    """`void job(void *const *operands, long worker, long workers)`: see runtime/threads/region.py."""

    def __init__(self, nodes: Sequence[Node], target: Target) -> None:
        self.target, self.blob = target, Blob(nodes, target)

    @cached_property
    def block(self) -> ExecutableBlock:
        """Where it lies; UnsupportedError where this machine lacks its instructions."""
        refusal = host.runs(self.target) or host.lacks(self.target.arch, self.blob.features)
        if refusal:
            raise UnsupportedError(refusal)
        return publish(self.blob.data)

    def run(self, operands: Sequence[int], workers: int) -> None:
        """Run with these addresses, and numbers, by so many workers. The GIL is free meanwhile."""
        job = ffi.cast("void *", self.block.address)
        table = ffi.new("uintptr_t[]", [each & (1 << 64) - 1 for each in operands])
        given = ffi.cast("void *const *", table)
        if workers > 1:
            ffi.cast(_REGION, entry(self.target))(job, given, workers)
        else:
            ffi.cast(_JOB, job)(given, 0, 1)

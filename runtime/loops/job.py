"""A nest in executable memory, and its runs: by the caller alone, or in a region of several threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...encoder.features import Target
from ...encoder.records import cached_property
from ...microkernels.errors import UnsupportedError
from ..host import detect as host
from ..memory.executable import ExecutableBlock, publish
from ..system.libc import ffi
from ..threads.region import CLAIMS, WEIGHED, entry
from .blob import Blob
from .code import Node

_TABLE, _OPERANDS = ffi.typeof("uintptr_t[]"), ffi.typeof("void *const *")
_WITH_A_NUMBER = ffi.typeof("void(*)(uintptr_t, void *const *, long, long)")
_WORD = (1 << 64) - 1
HEAVY = 1 << 40
"""Cycles of what is always worth spreading."""


class Job:
    """`void job(void *const *operands, long worker, long workers)`: see runtime/threads/region.py."""

    def __init__(self, nodes: Sequence[Node], target: Target) -> None:
        self.target, self.blob = target, Blob(nodes, target)

    @cached_property
    def _refusal(self) -> str:
        return host.runs(self.target) or host.lacks(self.target.arch, self.blob.features)

    @property
    def runs(self) -> bool:
        """Whether this machine has its instructions."""
        return not self._refusal

    @cached_property
    def block(self) -> ExecutableBlock:
        """Where it lies; UnsupportedError where this machine lacks its instructions."""
        if self._refusal:
            raise UnsupportedError(self._refusal)
        return publish(self.blob.data)

    def run(self, operands: Sequence[int], workers: int, parts: int = 0, cycles: int = HEAVY) -> None:
        """Run with these addresses, and numbers, by so many workers. The GIL is free meanwhile. Of a job without
        barriers and memory of each worker's own there may be more parts than workers, who claim one after the other.
        What takes one thread few `cycles` is run by the caller alone where that is quicker."""
        address = self.block.address
        try:
            table = ffi.new(_TABLE, operands)
        except OverflowError:  # a number below 0
            table = ffi.new(_TABLE, [each & _WORD for each in operands])
        given = ffi.cast(_OPERANDS, table)
        if parts > workers > 1:
            self._claims(address, given, workers, parts)
        elif workers > 1:
            self._weighed(address, given, workers, int(cycles))
        else:
            self._alone(given, 0, 1)

    @cached_property
    def _alone(self) -> Any:
        return ffi.cast("void(*)(void *const *, long, long)", self.block.address)

    @cached_property
    def _claims(self) -> Any:
        return ffi.cast(_WITH_A_NUMBER, entry(self.target, CLAIMS))

    @cached_property
    def _weighed(self) -> Any:
        return ffi.cast(_WITH_A_NUMBER, entry(self.target, WEIGHED))

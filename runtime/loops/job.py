"""A nest in executable memory. The caller runs it alone, or in a region of several threads."""

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
"""A number of cycles that is always worth spreading over the workers."""


class Job:
    """`void job(void *const *operands, long worker, long workers)`: see runtime/threads/region.py."""

    def __init__(self, nodes: Sequence[Node], target: Target) -> None:
        self.target, self.blob = target, Blob(nodes, target)

    @cached_property
    def _refusal(self) -> str:
        return host.runs(self.target) or host.lacks(self.target.arch, self.blob.features)

    @property
    def runs(self) -> bool:
        """Whether this machine has the instructions of the job."""
        return not self._refusal

    @cached_property
    def block(self) -> ExecutableBlock:
        """The executable memory of the job. Raises UnsupportedError if this machine lacks its instructions."""
        if self._refusal:
            raise UnsupportedError(self._refusal)
        return publish(self.blob.data)

    def run(self, operands: Sequence[int], workers: int, parts: int = 0, cycles: int = HEAVY) -> None:
        """Run on these addresses and numbers with this many workers, without the GIL. A job without barriers and
        without memory per worker may have more parts than workers, who then claim them one after the other. `cycles` is
        the time of one thread: a light job is run by the caller alone if that is faster."""
        address = self.block.address
        try:
            table = ffi.new(_TABLE, operands)
        except OverflowError:  # a negative number
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

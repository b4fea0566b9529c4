"""Stacks of independent products on all cores: a part for each worker, whose addresses and count the call works out.

From a product to the next one there may be any distance, as arrays have them, so addresses are no affine forms of an
index: each part has its own operands in the job's table, which the same kernel is called with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ...encoder.records import cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.operands import RUNTIME
from ...microkernels.stack.spec import StackSpec
from ..kernel.callable import Kernel, kept
from ..kernel.instead import cycles_of, instead
from ..loops.code import Address, Call, Header, Share, When, affine, index
from ..loops.job import Job
from ..memory.executable import publish
from ..scalar.native import scalar_machine
from ..threads.pool import refusal
from ..threads.region import WEIGHED, entry
from .spread_code import OWN, StackCall, TableCall

LIGHT = 4e6
"""Multiplications of a stack, times the bytes of an element of A, up to which one thread computes it where Python has
to cut it: some 18 us on a Zen 4, where Python and waking another thread take 6."""
_MOST = 64
"""Workers of a call that machine code cuts: a table of 2 KiB on the stack."""


def called(kernel: Kernel, job: Job, code: StackCall | TableCall, region: str,
           slow: Callable[..., Any]) -> Callable[..., Any] | None:  # fmt: skip
    """An object that is called as the kernel is and runs a job in a region of this name; None where it has to be called
    through Python, which `slow` does."""
    if kernel.address is None or refusal() or not job.runs:
        return None
    machine = scalar_machine()
    code.emit(machine, job.block.address, entry(kernel.target, region))
    block = publish(machine.asm.finish("ts_spread").data)
    return instead(kernel, block.address, slow, (block, job.block))


class StackParts:
    """How a stack is cut: into as many parts as there are workers, since no product depends on another one."""

    def __init__(self, kernel: Kernel, spec: StackSpec) -> None:
        self.spec, self.target = spec, kernel.target
        self.kernel = kept(replace(spec, stack=RUNTIME), kernel.target)
        self._size = spec.m * spec.n * spec.k * ELEMENT_BYTES[spec.operands[0].dtype]
        self._jobs: dict[int, Job] = {}
        self._whole = kernel

    def direct(self, workers: int, slow: Callable[..., Any]) -> Callable[..., Any] | None:
        """The kernel's call by so many workers, which machine code checks and cuts; `slow` computes what it does not
        take. None where Python has to cut all calls."""
        if workers > _MOST:
            return None
        count = self.spec.stack if isinstance(self.spec.stack, int) else None
        parameters = len(self._whole.kind.parameters(self._whole.spec))
        return called(self._whole, self.job(workers), StackCall(parameters, count, workers, self.cycles), WEIGHED, slow)

    @cached_property
    def cycles(self) -> int:
        """Of one product on one thread, by the planner's estimate."""
        return max(1, int(cycles_of(self.kernel)))

    def _count(self, integers: Sequence[int]) -> int:
        return self.spec.stack if isinstance(self.spec.stack, int) else integers[OWN - 1]

    def light(self, args: Sequence[Any]) -> bool:
        """Whether one thread had better compute a call with these arguments."""
        count = self.spec.stack
        if not isinstance(count, int):
            count = len(args[2]) if len(args) > 2 and hasattr(args[2], "__len__") else 0
        return 0 < count * self._size < LIGHT

    def run(self, integers: Sequence[int], workers: int) -> None:
        """Compute with the arguments of the kernel."""
        cycles = self._count(integers) * self.cycles
        self.job(workers).run(self.operands(integers, workers), workers, cycles=cycles)

    def job(self, parts: int) -> Job:
        """Part p has the operands from OWN * p on; strides and leading dimensions follow those of all parts."""
        made = self._jobs.get(parts)
        if made is None:
            made = self._jobs[parts] = Job((self._share(parts),), self.target)
        return made

    def _share(self, parts: int) -> Share:
        shared = len(self.kernel.kind.parameters(self.kernel.spec)) - OWN
        behind = [Address(OWN * parts + number) for number in range(shared)]
        body = tuple(
            When(index("part") - part, "==",
                 (Call(self.kernel, (*(Address(OWN * part + number) for number in range(OWN)), *behind)),))
            for part in range(parts)
        )  # fmt: skip
        return Share((Header("part", affine(0), (affine(parts),), 1, parts),), body)

    def operands(self, integers: Sequence[int], parts: int) -> list[int]:
        """The job's table for the arguments of the kernel."""
        a, b, c, *rest = integers
        count = self.spec.stack if isinstance(self.spec.stack, int) else rest.pop(0)
        by_a, by_b, by_c = rest[:3]
        table: list[int] = []
        for part in range(parts):
            first = count * part // parts
            table += a + first * by_a, b + first * by_b, c + first * by_c, count * (part + 1) // parts - first
        return table + rest

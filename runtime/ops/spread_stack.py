"""Stacks of independent products on all cores: one part per worker, with addresses and a count for each call. `Batch`
calls any kernel for a fixed number of products.

The distance between products is arbitrary, as the arrays have it, so addresses are not affine forms of an index.
Instead each part has its own operands in the job's table, and all parts call the same kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...encoder.records import cached_property
from ...microkernels.dtypes import ELEMENT_BYTES
from ...microkernels.operands import RUNTIME
from ..cache.stubs import Symbol
from ..kernel.callable import Kernel, kept
from ..kernel.redirect import cycles_of, redirected
from ..loops.code import Address, Call, Header, Share, When, affine, index
from ..loops.job import Job
from ..memory.executable import ExecutableBlock, publish
from ..memory.linked import placed
from ..threads.policy import num_threads
from ..threads.pool import refusal
from ..threads.region import WEIGHED, entry
from .spread_code import OWN, StackCall, TableCall

if TYPE_CHECKING:
    from ...encoder.code import Code
    from ...microkernels.stack.spec import StackSpec
    from ..scalar.machine import Scalar

LIGHT = 4e6
"""A stack with less work than this, in multiplications times the bytes of an element of A, is computed by one thread if
Python has to split it. The limit is some 18 us of work on a Zen 4; Python and waking another thread take 6."""
_MOST = 64
"""The most workers of a call that machine code splits: its table takes 2 KiB of the stack."""


def called(
    kernel: Kernel, job: Job, code: StackCall | TableCall, region: str, slow: Callable[..., Any]
) -> Callable[..., Any] | None:
    """Return an object that is called like the kernel and runs a job in the region of this name. `slow` handles the
    calls that machine code does not take. Returns None if all calls have to go through Python."""
    if kernel.address is None or refusal() or not job.runs:
        return None
    blocks: list[ExecutableBlock] = []

    def place(data: bytes) -> int:
        blocks.append(publish(data))
        return blocks[0].address

    def emit(m: Scalar) -> Code:
        code.emit(m, Symbol("job"), Symbol("region"))
        made: Code = m.asm.finish("ts_spread")
        return made

    addresses = {"job": job.block.address, "region": entry(kernel.target, region)}
    address = placed(place, "threads_spread", emit, addresses, repr(code))
    return redirected(kernel, address, slow, (*blocks, job.block))


class StackParts:
    """The cut of a stack: into as many parts as there are workers, since no product depends on another one."""

    def __init__(self, kernel: Kernel, spec: StackSpec) -> None:
        self.spec, self.target = spec, kernel.target
        self.kernel = kept(replace(spec, stack=RUNTIME), kernel.target)
        self._size = spec.m * spec.n * spec.k * ELEMENT_BYTES[spec.operands[0].dtype]
        self._jobs: dict[int, Job] = {}
        self._whole = kernel
        self.own = "its own matrices and their number"

    def direct(self, workers: int, slow: Callable[..., Any]) -> Callable[..., Any] | None:
        """Return the native entry point that checks a call and splits it among this many workers, or None if Python has
        to split all calls. `slow` computes the calls that machine code does not take."""
        if workers > _MOST:
            return None
        count = self.spec.stack if isinstance(self.spec.stack, int) else None
        parameters = len(self._whole.kind.parameters(self._whole.spec))
        return called(self._whole, self.job(workers), StackCall(parameters, count, workers, self.cycles), WEIGHED, slow)

    @cached_property
    def cycles(self) -> int:
        """The cycles of one product on one thread, by the planner's estimate."""
        return max(1, int(cycles_of(self.kernel)))

    @property
    def whole_cycles(self) -> int:
        """The cycles of a stack of a fixed number of products on one thread."""
        return self._count(()) * self.cycles

    def _count(self, integers: Sequence[int]) -> int:
        return self.spec.stack if isinstance(self.spec.stack, int) else integers[OWN - 1]

    def light(self, args: Sequence[Any]) -> bool:
        """Whether a call with these arguments is computed faster by one thread."""
        count = self.spec.stack
        if not isinstance(count, int):
            count = len(args[2]) if len(args) > 2 and hasattr(args[2], "__len__") else 0
        return 0 < count * self._size < LIGHT

    def run(self, integers: Sequence[int], workers: int) -> None:
        """Compute with the arguments of the kernel."""
        cycles = self._count(integers) * self.cycles
        self.job(workers).run(self.operands(integers, workers), workers, cycles=cycles)

    def job(self, parts: int) -> Job:
        """Return the job of this many parts. Part p has the operands from OWN * p on; strides and leading dimensions,
        which all parts share, follow."""
        made = self._jobs.get(parts)
        if made is None:
            made = self._jobs[parts] = Job((self._share(parts),), self.target, f"spread_{self.spec.stem}")
        return made

    def _share(self, parts: int) -> Share:
        shared = len(self.kernel.kind.parameters(self.kernel.spec)) - OWN
        behind = [Address(OWN * parts + number) for number in range(shared)]
        body = tuple(
            When(
                index("part") - part,
                "==",
                (Call(self.kernel, (*(Address(OWN * part + number) for number in range(OWN)), *behind)),),
            )
            for part in range(parts)
        )
        return Share((Header("part", affine(0), (affine(parts),), 1, parts),), body)

    def operands(self, integers: Sequence[int], parts: int) -> list[int]:
        """Return the job's operand table for the arguments of the kernel."""
        a, b, c, *rest = integers
        count = self.spec.stack if isinstance(self.spec.stack, int) else rest.pop(0)
        by_a, by_b, by_c = rest[:3]
        table: list[int] = []
        for part in range(parts):
            first = count * part // parts
            table += a + first * by_a, b + first * by_b, c + first * by_c, count * (part + 1) // parts - first
        return table + rest


class Batch:
    """Calls of one kernel, whose parameters are matrices, for each product of a batch, as a loop in machine code.

    steps   for each parameter, the bytes from one product's matrix to the next; 0 if all products share it
    """

    def __init__(self, kernel: Kernel, count: int, steps: tuple[int, ...]) -> None:
        arguments = tuple(Address(place, index("i") * step) for place, step in enumerate(steps))
        loop = Share((Header("i", affine(0), (affine(count),), 1, count),), (Call(kernel, arguments),))
        self.job = Job((loop,), kernel.target, f"batch_{kernel.spec.stem}")
        self._cycles = count * max(1, int(cycles_of(kernel)))

    def at(self, addresses: Sequence[int], threads: int | None) -> None:
        """Compute on matrices whose first ones are at these addresses, without checks."""
        self.job.run(addresses, threads or num_threads(), cycles=self._cycles)

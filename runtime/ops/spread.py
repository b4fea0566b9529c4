"""`spread`: a kernel of one core on all cores.

A nest calls the same kernel for a few rows at a time. The cut does not depend on the number of threads, so neither do
the bits of the result. `spread_cuts` says how each kind is cut, `spread_nest` makes the loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast
from weakref import ref

from ...encoder.deferred import is_of, lazy
from ...encoder.records import NamedTuple, cached_property
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import AnyRows, Operand
from ..arguments.arrays import address_of
from ..arguments.foreign_arrays import returned
from ..arguments.keywords import KeywordOrder, with_threads
from ..arguments.regions import TouchedMemory
from ..arguments.tracebacks import shortening
from ..fastcall.known_calls import KnownCalls
from ..fastcall.slow_path import keyword_order_of, positional, result
from ..kernel.callable import Kernel, kept
from ..kernel.kind import PerKernel
from ..kernel.redirect import cycles_of
from ..loops.blob import Blob
from ..loops.job import (
    Job,
    JobCall,
    JobKernel,
    JobWord,
    barrier_words,
    drawn,
    emulated_barrier,
    job_of,
    parameter,
    scratch,
    scratch_words,
)
from ..loops.scratch import buffer
from ..loops.text import text
from ..threads.barrier import barrier
from ..threads.called_code import JobTable
from ..threads.policy import checked, num_threads
from ..threads.region import CLAIMS, WEIGHED
from .blocks import L2
from .spread_code import TableCall
from .spread_cuts import Request, RowsParts, SpreadCut, SpreadPhases, checked_independent
from .spread_kinds import counted_parts, phases_of
from .spread_nest import SpreadNest, title
from .spread_stack import StackParts, called

if TYPE_CHECKING:
    from ...microkernels.stack import spec as stack
    from . import proofs

stack = lazy(__package__, "...microkernels.stack.spec")
proofs = lazy(__package__, ".proofs")

_CLAIMED = 8
"""Parts per thread if the operands exceed their second-level caches. Threads then claim parts one after the other.
Parts of smaller operands are dealt out in a fixed way, so that each thread finds its operands of the call before."""
_ALONE = 64 << 10
"""Operands smaller than this (a few microseconds of work) are computed by one thread."""


class _PartsAndBytes(NamedTuple):
    """The number of parts, and the bytes of all operands that are cut."""

    parts: int
    bytes: int


_CLASS_DOC = """A kernel on all cores. It is called like the kernel itself, with an additional threads=. See `spread`.

k.kernel     the kernel; k.plan: how it computes; print(k): the parts; k.listing(): the machine code; k.code: its bytes
k.save(path) an object for C programs, and its header; k.run(x, y, workers=3) executes the code in the emulator
"""


class Spread(JobKernel):
    __doc__ = PerKernel(_CLASS_DOC, lambda spread: spread.kernel.kind.description(spread.spec))
    __signature__ = PerKernel(None, lambda spread: with_threads(spread.kernel.kind.signature(spread.spec)))
    kernel: Kernel
    threads: int | None
    spec: Request
    cut: SpreadCut | None

    def __init__(self, kernel: Kernel, threads: int | None) -> None:
        spec: Request = kernel.spec
        self._keep(kernel=kernel, threads=threads, spec=spec, target=kernel.target)
        self._call = kernel.kind.call(spec)
        self._stack = StackParts(kernel, spec) if is_of(spec, stack, "StackSpec") else None
        any_rows = isinstance(spec, AnyRows) and spec.dynamic
        rows = RowsParts(kernel, checked_independent(spec)) if any_rows else None
        self._parts: StackParts | RowsParts | None = self._stack or rows or counted_parts(kernel, spec)
        self._phases = SpreadPhases(()) if self._parts else phases_of(spec)
        self._keep(cut=None if self._parts else max(self._phases.cuts, key=lambda cut: cut.total))
        self._found = self._stack is None and bool(spec.interface.indices)
        arguments = () if self._stack else spec.arguments
        written = [number for number, each in enumerate(arguments) if isinstance(each, Operand) and each.output]
        self._calls: dict[int, Callable[..., Any] | None] = {}
        self._known = KnownCalls(written or [2])  # c of a stack

    @cached_property
    def job(self) -> Job:
        """Loops and kernels as machine code, except for stacks and counted rows."""
        nest = cast(SpreadNest, self.nest)
        cuts = [(cut.total, cut.block) for cut in self._phases.cuts]
        return job_of((self.spec, *cuts), nest.nodes, self.target, f"spread_{self.spec.stem}")

    @property
    def plan(self) -> object:
        """How the kernel computes."""
        return self.kernel.plan

    @property
    def flops(self) -> int:
        """The number of arithmetic operations of one call."""
        return self.kernel.flops

    def called(self) -> list[Kernel]:
        """Return the kernel and its parts."""
        return list(dict.fromkeys([self.kernel, *super().called()]))

    @shortening
    def __call__(self, *args: Any, **named: Any) -> Any:
        """Compute. Outputs that are only written may be left out, as in calls of the kernel."""
        if not named:
            call = self._calls.get(self.threads or num_threads())
            if call is not None:
                return call(*args)
        threads = named.pop("threads", None)
        if (found := self._places.find(args, named) if named else (args, None)) is not None:
            (args, out), named = found, {}
        else:
            args, named, out = positional(self.kernel.kind, self.spec, args, named, threads=True)
        workers = self.threads or num_threads() if threads is None else checked(threads, "threads")
        if workers not in self._calls:
            self._calls[workers] = self._call_of(workers)
        call = self._calls[workers]
        if call is None:
            alone = self._phases.exact and (
                workers == 1
                or (
                    self._stack.light(args)
                    if self._stack
                    else sum(getattr(each, "nbytes", 0) for each in args) < _ALONE
                )
            )
            made = self.kernel(*args, **named) if alone else self._together(args, named, workers)
        else:
            made = call(*args, **named)
        return made if out is None else out

    @cached_property
    def _places(self) -> KeywordOrder:
        return keyword_order_of(self.kernel.kind, self.spec)

    def _call_of(self, workers: int) -> Callable[..., Any] | None:
        """Return the native entry point for calls on this many workers, or None if Python must split the calls."""
        if workers == 1 and self._phases.exact:
            return self.kernel
        itself = ref(self)

        def slow(*args: Any, **named: Any) -> Any:
            spread = itself()
            assert spread is not None  # the caller holds it
            return spread._together(args, named, workers)

        if self._stack:
            return self._stack.direct(workers, slow)
        if self._parts or self._waits:
            return None
        parts = self.claimed(workers)
        parameters = len(self.kernel.kind.parameters(self.spec))
        region = CLAIMS if parts > workers else WEIGHED
        code = TableCall(parameters, workers, parts if region == CLAIMS else self._cycles)
        made: Callable[..., Any] | None = called(self.kernel, self.job, code, region, slow)
        return made

    def _together(self, args: tuple[Any, ...], named: dict[str, Any], workers: int) -> Any:
        """Compute on several workers. Return the new outputs, or None if all were given."""
        made, given = self._call.with_output(args)
        named_or_found = bool(named) or self._found  # indices are checked in every call
        found = None if named_or_found else self._known.find(given)
        integers, keep = found or self._call(*given, **named)
        if found is None and not named_or_found:
            self._known.keep(given, integers)
        self.at(integers, workers)
        del keep
        return made if made is None else returned(made, args)

    def run(self, *args: Any, workers: int = 1, turns: int = 0, **named: Any) -> Any:
        """Compute in the emulator, which executes the code for any target on any host. The workers take turns of some
        instructions, whose order and lengths are drawn from the number `turns`, which may be called seed= unless that
        is an argument of the kernel. If two workers access the same byte and one of them writes, a `Race` is raised."""
        turns = drawn(turns, named, (each[1] for each in self.kernel.kind.parameters(self.spec)))
        args, named, out = positional(self.kernel.kind, self.spec, args, named)
        made, given = self._call.with_output(args)
        integers, keep = self._call(*given, **named)
        regions, count = self.kernel.kind.regions(self.spec, integers), checked(workers, "workers")
        blob = self._parts.job(count).blob if self._parts else self._blob
        operands = self._parts.operands(integers, count) if self._parts else integers
        if self.nest is not None and self.nest.waits:
            memory = scratch(self.nest.bytes)
            operands = [*operands, address_of(memory), *emulated_barrier()]
            regions = [*regions, TouchedMemory("scratch", memory, True)]
        self._emulate(blob, operands, regions, count, turns)
        del keep
        return result(made, out, args)

    @property
    def _blob(self) -> Blob:
        """The code; of kernels that have a part for each thread, with the usual number of threads."""
        return (self._parts.job(self.threads or num_threads()) if self._parts else self.job).blob

    def _words(self) -> list[JobWord]:
        if self._parts:
            raise UnsupportedError(
                f"save: the parts of {self.spec.stem} depend on the call, so Python makes the table "
                "of operands; save the kernel of one part, k.part.save(path), and call it in each "
                f"thread with {self._parts.own}"
            )
        words = [parameter(*each) for each in self.kernel.kind.parameters(self.spec)]
        if self.nest is None or not self.nest.waits:
            return words
        return [*words, scratch_words(self.nest.bytes, 0)[0], *barrier_words(True)]

    @property
    def part(self) -> Kernel:
        """The kernel that each worker calls with its part of the rows, heads or matrices."""
        if self._parts:
            return self._parts.kernel
        cut = cast(SpreadCut, self.cut)
        return kept(cut.request(cut.block), self.target)

    def at(self, integers: Sequence[int], threads: int | None = None) -> None:
        """Compute on these addresses and numbers, without checks."""
        workers = threads or self.threads or num_threads()
        if self._parts:
            self._parts.run(integers, workers)
        elif self.nest is not None and self.nest.waits:
            with buffer(self.nest.bytes) as scratch:
                state = barrier(self.target) if workers > 1 else (0, 0)
                self.job.run((*integers, scratch.address, *state), workers, cycles=self._cycles)
        else:
            self.job.run(integers, workers, self.claimed(workers), self._cycles)

    @property
    def parts(self) -> StackParts | RowsParts | None:
        """What cuts each call into a part for each worker; None: the job has the kernel's operands."""
        return self._parts

    @property
    def exact(self) -> bool:
        """Whether the parts have the bits of the kernel itself."""
        return self._phases.exact

    @cached_property
    def job_call(self) -> JobCall:
        """The calls of the job, with the kernel's addresses and numbers, if there are no `parts`."""
        count = len(self.kernel.kind.parameters(self.spec))
        shared = self.nest.bytes if self.nest is not None and self._waits else 0
        table = JobTable(tuple(range(count)), count if shared else None, count + 3, count + 1)
        return JobCall(self.job, table, (shared, 0), self._cycles, self._waits)

    @cached_property
    def _cycles(self) -> int:
        """The cycles of one thread, by the planner's estimate."""
        return int(cycles_of(self.kernel))

    def claimed(self, workers: int) -> int:
        """Return how many parts the workers claim, or 0 if each worker gets a fixed share."""
        whole, l2 = self._whole, self.target.l2 or L2
        return min(whole.parts, _CLAIMED * workers) if whole.bytes > workers * l2 else 0

    @cached_property
    def _whole(self) -> _PartsAndBytes:
        cut = cast(SpreadCut, self.cut)
        step = cut.bytes or sum(cut.step(each) for each in cut.whole.arguments if isinstance(each, Operand))
        return _PartsAndBytes(cut.parts, cut.total * step)

    @cached_property
    def nest(self) -> SpreadNest | None:
        """The loops, except of stacks and counted rows."""
        if self._parts:
            return None
        return SpreadNest(self._phases, tuple(name for _, name in self.kernel.kind.parameters(self.spec)), self.target)

    @property
    def _waits(self) -> bool:
        """Whether workers wait for each other, and have scratch memory."""
        return self.nest is not None and self.nest.waits

    def verify(self, *, timeout: float | None = None) -> Any:
        """Return a proof that the parts compute what the kernel does, on any number of threads, and that no two of them
        touch the same memory: see docs/soundness.md. Raises UnsupportedError if the kernel has no specification."""
        return proofs.of_spread(self, timeout=timeout)

    def __reduce__(self) -> tuple[type[Spread], tuple[Kernel, int | None]]:
        return Spread, (self.kernel, self.threads)

    def __repr__(self) -> str:
        return f"<Spread {self._title()}>"

    def __str__(self) -> str:
        """Return the parts, and the loop with its calls as text."""
        names = [name for _, name in self.kernel.kind.parameters(self.spec)] + ["scratch", "barrier", "its argument"]
        lines = (
            [f"  each thread: {self.part.name}, with {self._parts.own}"]
            if self._parts
            else text(self._blob.nodes, dict(enumerate(names)), "  ")
        )
        return "\n".join([f"spread {self._title()}", *lines])

    def _title(self) -> str:
        cut = "a part for each thread" if self.cut is None else title(self._phases)
        return f"{self.spec.stem} in {cut} for {self.target.name}"


def spread(kernel: Kernel, *, threads: int | None = None) -> Spread:
    """Run a kernel on all cores: `softmax = ts.spread(ts.fused("softmax", 4096, 1024))`, then `softmax(x, y)`.

    kernel    an elementwise, equation, fused or attention kernel, with a fixed number of rows or any (ts.RUNTIME) if
              they do not depend on each other; a reduction, transpose, transform, gather, scatter, embedding bag or
              norm of groups; or a stack of independent products, brgemm(..., stack=N)
    threads   the number of threads; None: `num_threads()` at each call; `k(x, y, threads=2)` sets it for one call

    The rows (columns, heads, bags, groups, elements of a single row) are cut into at most 64 parts, whatever the number
    of threads, so any number of them gives the same bits. They are those of the kernel itself, except of sums to which
    several parts contribute: each part has a sum of its own, and these are added in the order of the parts. Raises
    UnsupportedError for other kernels, with what would work.
    """
    if not isinstance(kernel, Kernel):
        hint = ", which runs on all cores as it is" if isinstance(kernel, JobKernel) else ""
        raise TypeError(f"kernel: a kernel, such as ts.fused(...), not {type(kernel).__name__}{hint}")
    return Spread(kernel, None if threads is None else checked(threads, "threads"))

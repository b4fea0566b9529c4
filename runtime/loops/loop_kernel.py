"""The common part of nests and regions: calls, the emulator, listings, objects."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any
from weakref import ref

from ...encoder.deferred import lazy
from ...encoder.features import Target
from ...encoder.records import cached_property
from ...microkernels.operands import Number
from ..arguments.arrays import Array, address_of, as_array, numpy_dtype, overlap
from ..arguments.operands import number_of
from ..arguments.tracebacks import shortening
from ..fastcall import entry
from ..kernel.redirect import cycles_of
from ..threads.barrier import barrier, claim
from ..threads.policy import checked, workers_of
from .blob import Blob, check_target
from .code import WORKER, WORKERS, Node, claims, estimate, has_barriers, is_parallel, operations
from .job import (
    Job,
    JobKernel,
    JobWord,
    barrier_words,
    drawn,
    emulated_barrier,
    parameter,
    pointer,
    scratch,
    scratch_words,
)
from .offsets import OffsetBounds
from .scratch import buffer
from .text import text
from .trace import NestMatrix, NestNumber, NestOperand

if TYPE_CHECKING:
    from ...emulation import workers as emulation_workers
    from ..verify import nests
    from . import direct

emulation_workers = lazy(__package__, "...emulation.workers")
nests = lazy(__package__, "..verify.nests")
direct = lazy(__package__, ".direct")


class LoopKernel(JobKernel):
    """Loops around kernels as machine code, for any number of workers."""

    title: str
    matrices: tuple[NestMatrix, ...]
    numbers: tuple[NestNumber, ...]
    written: tuple[str, ...]
    nodes: tuple[Node, ...]
    threads: int | None
    scratch: tuple[int, int]  # bytes: of all workers, of each; if any, words behind the operands have both addresses
    bounds: tuple[OffsetBounds, ...]  # of the offsets that operands have

    _installed = False

    def __new__(cls, *_: Any) -> LoopKernel:
        """Create an object that is called through machine code after its first call, where that works."""
        native = entry.native_type(cls)
        made: LoopKernel = object.__new__(native.type if native else cls)
        return made

    def __init__(
        self,
        title: str,
        operands: Sequence[NestOperand],
        written: Sequence[str],
        nodes: Sequence[Node],
        target: Target,
        threads: int | None,
        scratch: tuple[int, int] = (0, 0),
        bounds: Sequence[OffsetBounds] = (),
    ) -> None:
        check_target(nodes, target)
        matrices = tuple(each for each in operands if isinstance(each, NestMatrix) and not each.each)
        numbers = tuple(each for each in operands if isinstance(each, NestNumber))
        self._keep(
            title=title,
            matrices=matrices,
            numbers=numbers,
            written=tuple(written),
            nodes=tuple(nodes),
            target=target,
            threads=threads,
            scratch=scratch,
            bounds=tuple(bounds),
        )

    @property
    def operands(self) -> tuple[NestOperand, ...]:
        """The matrices and numbers in the order of a call."""
        return tuple(sorted((*self.matrices, *self.numbers), key=lambda each: each.place))

    @cached_property
    def job(self) -> Job:
        """Loops and kernels in one piece of code."""
        return Job(self.nodes, self.target)

    @cached_property
    def flops(self) -> int:
        """The number of arithmetic operations of one call."""
        return operations(self.nodes, {WORKER: 0, WORKERS: 1})

    @cached_property
    def cycles(self) -> int:
        """The cycles of one call on one thread, roughly, by the planners' estimates."""
        return 1 + int(estimate(self.nodes, cache(cycles_of)))

    @property
    def parallel(self) -> bool:
        """Whether any iterations are divided among workers."""
        return is_parallel(self.nodes)

    @shortening
    def __call__(self, *args: Any, threads: int | None = None, **named: Any) -> None:
        """Run on contiguous arrays of the operands' shapes and types, without the GIL."""
        workers = workers_of(threads, self.threads)
        table, _ = self._given(args, named)
        workers = workers if self.parallel else 1
        state = (*barrier(self.target), claim(self.target)) if workers > 1 else (0, 0, 0)
        shared, own = self.scratch
        if not shared + own:
            self.job.run([*table, *state], workers)
        else:
            with buffer(shared + workers * own) as memory:
                self.job.run([*table, memory.address, memory.address + shared, *state], workers)
        if not self._installed:
            self._install()

    def _install(self) -> None:
        """Let machine code handle calls with arrays, unless Python checks what is in them."""
        self._installed = True
        itself, kind = ref(self), type(self).__mro__[1]

        def slow(*args: object, **named: Any) -> None:
            kind.__call__(itself(), *args, **named)

        if not self.bounds:
            workers = self.threads if self.parallel else 1
            direct.install(
                self,
                self.job,
                self.operands,
                self.written,
                self.scratch,
                workers,
                self.cycles,
                bool(claims(self.nodes)),
                slow,
            )

    def _given(self, args: Sequence[Any], named: dict[str, Any]) -> tuple[list[int], list[Array]]:
        """Return the words of the operand table, and the arrays among the operands."""
        names = [each.name for each in self.operands]
        given = dict(zip(names, args)) | named
        if len(args) > len(names) or set(given) != set(names) or len(given) != len(args) + len(named):
            count = len(args) + len(named)
            raise TypeError(f"this nest takes {len(names)} arguments ({', '.join(names)}), not {count}")
        words = {each.name: number_of(Number(each.name), given[each.name]) for each in self.numbers}
        arrays = {each.name: as_array(each.name, given[each.name]) for each in self.matrices}
        for each in self.matrices:
            _check_array(each, arrays[each.name], each.name in self.written)
        for name in self.written:
            for other in arrays:
                if other != name and overlap(arrays[name], arrays[other]):
                    raise ValueError(f"{name}: is written, so it must not share memory with {other}")
        for name in dict.fromkeys(each.table.name for each in self.bounds):
            arrays[name] = arrays[name].copy()
        for each_bounds in self.bounds:
            each_bounds.check(arrays[each_bounds.table.name])
        words |= {name: address_of(array) for name, array in arrays.items()}
        return [words[name] for name in names], list(arrays.values())

    def run(self, *args: Any, workers: int = 1, turns: int = 0, **named: Any) -> None:
        """Run in the emulator, on any host. The workers take turns of some instructions, whose order and lengths are
        drawn from the number `turns`, which may be called seed= unless that is an operand. If two workers access the
        same byte between two barriers and one of them writes, a `Race` is raised, even if the results were right in
        these turns."""
        turns = drawn(turns, named, (each.name for each in self.operands))
        table, arrays = self._given(args, named)
        workers = checked(workers, "workers") if self.parallel else 1
        regions = [(each.name, array, each.name in self.written) for each, array in zip(self.matrices, arrays)]
        shared, own = self.scratch
        if shared + own:
            memory = scratch(shared + workers * own)
            table += address_of(memory), address_of(memory) + shared
            regions.append(("scratch memory", memory, True))
        self._emulate(self._blob, [*table, *emulated_barrier(), emulation_workers.CLAIM], regions, workers, turns)

    def verify(self, *, timeout: float | None = None) -> Any:
        """Return a proof that the code has the effect of the body's calls on any number of workers, and that no two
        workers touch the same memory: see docs/soundness.md. Raises UnsupportedError if a kernel has no
        specification."""
        return nests.of_nest(self, timeout=timeout)

    @property
    def plan(self) -> LoopKernel:
        """The loops and their calls, which `print` shows: a nest is its own plan, because its string says how it is
        computed. The plans of the kernels inside are theirs: `called()` returns these."""
        return self

    @property
    def _blob(self) -> Blob:
        return self.job.blob

    def _words(self) -> list[JobWord]:
        tables = {each.table.name for each in self.bounds}
        words = [
            pointer(each.dtype, each.name, each.name in self.written)
            if isinstance(each, NestMatrix)
            else parameter("int64_t ", each.name)
            for each in self.operands
        ]
        words = [
            word._replace(text=f"{word.text}, offsets that nothing checks") if each.name in tables else word
            for word, each in zip(words, self.operands)
        ]
        words += scratch_words(*self.scratch) if any(self.scratch) else ()
        waits = has_barriers(self.nodes)
        if not claims(self.nodes):
            return [*words, *(barrier_words(True) if waits else ())]
        argument = "void *: the argument of the function after it" + ", and of the barrier" * waits
        numbers = "returns 0, 1, 2 and so on, each number once to all workers of a call, as atomic_fetch_add does"
        claiming = JobWord(f"long (*)(void *): {numbers}; not read if workers is 1")
        return [*words, barrier_words(waits)[0], JobWord(argument), claiming]

    def __str__(self) -> str:
        """Return the loops, who runs them, and the calls as text."""
        places = dict(enumerate([*(each.name for each in self.operands), "shared scratch", "own scratch"]))
        return "\n".join([self.title, *text(self.nodes, places, "  ")])


def _check_array(matrix: NestMatrix, array: Array, written: bool) -> None:
    if array.shape != matrix.shape or array.dtype != numpy_dtype(matrix.dtype):
        raise ValueError(f"{matrix.name}: {matrix.dtype} of shape {matrix.shape}, not {array.dtype} {array.shape}")
    back = f"; copy the result back: {matrix.name}[...] = copy" if written else ""
    if not array.flags.c_contiguous:
        raise ValueError(f"{matrix.name}: a contiguous array; np.ascontiguousarray({matrix.name}) copies it{back}")
    if address_of(array) % array.itemsize:
        raise ValueError(
            f"{matrix.name}: elements aligned to {array.itemsize} bytes, not at {address_of(array):#x}; "
            f"{matrix.name}.copy() aligns them{back}"
        )
    if written and not array.flags.writeable:
        raise ValueError(f"{matrix.name}: is written, but this array is read-only")

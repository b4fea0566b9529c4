"""Jobs: nests in executable memory, and the common part of the kernels whose machine code is a job.

The caller runs a job alone, or in a region of several threads (runtime/threads/region.py). A C program calls it from
threads of its own, and the emulator executes it for any target on any host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.features import Target
from ...encoder.records import NamedTuple, cached_property, text_of
from ...microkernels.dtypes import DTYPES
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import CACHE_LINE
from ..arguments.arrays import Array, address_of
from ..cache.keeping import keeps, stamp, store
from ..host import detect as host
from ..kernel.request_cache import Shared
from ..memory.executable import ExecutableBlock, publish
from ..memory.other_stack import on_other_stack
from ..system.architecture import arch
from ..system.environment import cache_folder, tells_tools, wants_proofs
from ..system.libc import ffi
from ..threads.barrier import barrier
from ..threads.policy import num_threads
from ..threads.region import CLAIMS, WEIGHED, entry
from .blob import Blob
from .code import Node, calls
from .scratch import KEPT, buffer, slots
from .text import text

if TYPE_CHECKING:
    from pathlib import Path

    from ...emulation import cpu
    from ...emulation import workers as emulation_workers
    from ...encoder import listing as encoder_listing
    from ...encoder import walk
    from ...encoder.code import Code
    from ...encoder.files import header
    from ...encoder.files import store as files_store
    from ..cache.sealed import SealedEntry
    from ..fastcall.guards import CallEntry
    from ..kernel import display
    from ..kernel.callable import Kernel
    from ..threads import called
    from ..threads.called_code import JobTable

header = lazy(__package__, "...encoder.files.header")
files_store = lazy(__package__, "...encoder.files.store")
walk = lazy(__package__, "...encoder.walk")
encoder_listing = lazy(__package__, "...encoder.listing")
display = lazy(__package__, "..kernel.display")
emulation_workers = lazy(__package__, "...emulation.workers")
cpu = lazy(__package__, "...emulation.cpu")
called = lazy(__package__, "..threads.called")

_TABLE, _OPERANDS = ffi.typeof("uintptr_t[]"), ffi.typeof("void *const *")
_WITH_A_NUMBER = ffi.typeof("void(*)(uintptr_t, void *const *, long, long)")
_WORD = (1 << 64) - 1
HEAVY = 1 << 40
"""A number of cycles that is always worth spreading over the workers."""
PARAMETERS = "void *const *operands", "long worker", "long workers"
_CALLS = {
    True: """
Call the function once for each worker, 0 to workers - 1, from threads of your own, such as OpenMP's. Any number of
workers gives the same bits. operands is an array of these words:""",
    False: """
Call the function once, with worker 0 and workers 1. operands is an array of these words:""",
}
MemoryRegion: TypeAlias = "tuple[str, Array] | tuple[str, Array, bool]"
"""Memory that emulated code may read, by a name, and whether it may write it (if not said, it may)."""
T = TypeVar("T")
_JOB = "job"
"""What requests of jobs begin with in the cache."""


class Job:
    """`void job(void *const *operands, long worker, long workers)`: see runtime/threads/region.py."""

    data: bytes
    features: frozenset[str]
    scratch: int
    """The most bytes of scratch memory that a kernel of the job claims."""
    _blob_of: Callable[[], Blob]

    def __init__(self, nodes: Sequence[Node], target: Target, stem: str = "nest") -> None:
        self.target = target
        self._blob_of = lambda: Blob(nodes, target, stem)
        self.data, self.features = self.blob.data, self.blob.features
        self.scratch = max((each.kernel._origin.scratch for each in calls(self.blob.nodes)), default=0)

    @cached_property
    def blob(self) -> Blob:
        """The code with the nest that it was made of."""
        return self._blob_of()

    @cached_property
    def refusal(self) -> str:
        """Why this machine does not run the job; empty if it does."""
        return host.runs(self.target) or host.lacks(self.target.arch, self.features)

    @property
    def runs(self) -> bool:
        """Whether this machine has the instructions of the job."""
        return not self.refusal

    @cached_property
    def block(self) -> ExecutableBlock:
        """The executable memory of the job. Raises UnsupportedError if this machine lacks its instructions."""
        if self.refusal:
            raise UnsupportedError(
                f"{self.refusal}. What works here: listings, objects, and run(...), which emulates it."
            )
        return publish(on_other_stack(self.data, len(PARAMETERS), self.scratch))

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


class CachedJob(Job):
    """A job whose machine code was found in a cache folder. Its nest, and the kernels that it calls, are made only if
    somebody asks for them, as listings, objects and proofs do."""

    def __init__(self, entry: SealedEntry, nodes: Callable[[], Sequence[Node]], target: Target, stem: str) -> None:
        self.target = target
        self._blob_of = lambda: Blob(nodes(), target, stem)
        (self.data,), self.features = entry.sections, frozenset(entry.facts["features"])
        self.scratch = entry.facts["scratch"]


def job_of(asked: tuple[Any, ...], nodes: Callable[[], Sequence[Node]], target: Target, stem: str) -> Job:
    """Return the job of a nest, from the cache folder if an earlier process kept it there. `asked` is everything but
    the target that the nest depends on."""
    where = cache_folder()
    makes_kernels = wants_proofs() or tells_tools()  # for the kernels are proved, or announced, as they are made
    if makes_kernels or target.arch != arch() or target.units or where is None or not keeps(where):
        return Job(nodes(), target, stem)
    request = f"{_JOB} {stamp.stamp()} {text_of((stem, *asked))} {text_of(target)}"
    found = store.find(request)
    if found is not None and target.features.issuperset(found.facts["features"]):
        return CachedJob(found, nodes, target, stem)
    made = Job(nodes(), target, stem)
    facts = {
        "kind": _JOB,
        "name": made.blob.name,
        "arch": target.arch,
        "decoded": False,
        "features": sorted(made.features),
        "scratch": made.scratch,
    }
    store.keep(request, lambda: (facts, [made.data]))
    return made


class JobCall:
    """A job, and what its calls need beside the addresses of operands.

    table        where its table has the operands, in the order of a call, and the other words
    shared, own  bytes of scratch memory: those that all workers share, and those that each has
    cycles       the estimated time of one core
    waits        whether workers wait for each other
    """

    def __init__(self, job: Job, table: JobTable, memory: tuple[int, int], cycles: int, waits: bool) -> None:
        self.job, self.table, (self.shared, self.own), self.cycles, self.waits = job, table, memory, cycles, waits
        count = len(table.operands)
        places = {place: number for number, place in enumerate(table.operands)}
        places |= {table.own: count + 1, table.barrier: count + 2, table.barrier + 1: count + 3}
        places |= {} if table.shared is None else {table.shared: count}
        self._words = itemgetter(*(places.get(place, count + 4) for place in range(1 + max(places))))
        """What puts the operands, the shared memory, that of each worker, the barrier, its argument and 0 in order."""

    def words(self, operands: Sequence[T], shared: T, own: T, state: Sequence[T], unread: T) -> tuple[T, ...]:
        """Return the job's table: the operands, shared memory, that of the workers, the barrier and its argument where
        the job reads them, and something where it reads nothing."""
        found: tuple[T, ...] = self._words((*operands, shared, own, *state, unread))
        return found

    def at(self, operands: Sequence[int], workers: int) -> None:
        """Compute on operands at these addresses."""
        state = barrier(self.job.target) if self.waits and workers > 1 else (0, 0)
        size = self.shared + workers * self.own
        if not size:
            self.job.run(self.words(operands, 0, 0, state, 0), workers, cycles=self.cycles)
            return
        with buffer(size) as memory:
            first = memory.address
            words = self.words(operands, first, first + self.shared, state, 0)
            self.job.run(words, workers, cycles=self.cycles)

    def emulated(self, operands: Sequence[int], regions: Sequence[MemoryRegion], workers: int, turns: int) -> None:
        """Compute in the emulator, as `at` does. `regions` are the memory of the operands."""
        memory = scratch(self.shared + workers * self.own)
        first = address_of(memory) if memory.size else 0
        words = self.words(operands, first, first + self.shared, emulated_barrier(), 0)
        emulate(self.job.blob, words, [*regions, ("scratch memory", memory)], workers, turns)

    def native(
        self, structure: tuple[CallEntry, Sequence[int]] | None, threads: int | None
    ) -> Callable[..., object] | None:
        """Return an object whose calls machine code handles, by guards of this structure; it returns None if it has
        computed, and anything else if Python is to look at the arguments. None: no machine code handles calls."""

        def install(target: object, slow: Callable[..., object]) -> bool:
            slow.keep = self.job.block  # type: ignore[attr-defined]
            sizes = self.shared, self.own
            made = called.Called(self.job.block.address, self.cycles, threads, *sizes, slots(), KEPT, self.table)
            return called.install(target, structure, made, self.job.target, slow)

        found: Callable[..., object] | None = called.inner(JobKernel, install)
        return found


# Kernels


class JobWord(NamedTuple):
    """A word of a job's operand table, as a C program fills it.

    text    its C declaration or, for scratch memory, what it is
    macro   the end of the name of a macro that holds the size of scratch memory, or ""
    bytes   that size
    """

    text: str
    macro: str = ""
    bytes: int = 0


def parameter(kind: str, name: str) -> JobWord:
    """Return the word of a parameter of this C type. A number takes the place of a pointer."""
    declared = header.c_parameter(kind, name)
    return JobWord(declared if "*" in kind else f"(void *){declared.removeprefix(kind)}, {kind.strip()}")


def pointer(dtype: str, name: str, written: bool) -> JobWord:
    """Return the word of a matrix."""
    return parameter(f"{'' if written else 'const '}{DTYPES[dtype].c} *", name)


def scratch_words(shared: int, own: int) -> list[JobWord]:
    """Return the words of scratch memory that all workers share, and of the memory of which each has its own part."""
    return [
        JobWord("scratch memory of {} bytes, aligned to 64 bytes", "shared_bytes", shared) if shared else _UNREAD,
        JobWord("scratch memory of workers * {} bytes, aligned to 64 bytes", "worker_bytes", own) if own else _UNREAD,
    ]


def barrier_words(waits: bool) -> list[JobWord]:
    """Return the words of the barrier."""
    if not waits:
        return [_UNREAD, _UNREAD]
    return [
        JobWord("void (*)(void *): returns when all workers have called it; not read if workers is 1"),
        JobWord("void *: its argument"),
    ]


_UNREAD = JobWord("not read")


class JobKernel(Shared):
    """A kernel whose machine code is a job, `void f(void *const *operands, long worker, long workers)`. Its public
    attributes cannot be set, because the code is made of them once."""

    target: Target

    @property
    def parallel(self) -> bool:
        """Whether any iterations are divided among workers."""
        return True

    @property
    def _blob(self) -> Blob:
        """The code of the loops with their kernels."""
        raise NotImplementedError

    def _words(self) -> Sequence[JobWord]:
        """Return the words of the operand table."""
        raise NotImplementedError

    @property
    def code(self) -> bytes:
        """The machine code and its constants, position-independent."""
        data: bytes = self._blob.data
        return data

    @property
    def stack_bytes(self) -> int:
        """The bytes of stack that each call of the code needs where it is called, such as in C."""
        found: int = walk.stack_bytes(self._code)
        return found

    @property
    def name(self) -> str:
        """The C symbol."""
        return self._blob.name

    @property
    def c_prototype(self) -> str:
        """The C prototype. The header that `save` writes says what each word of `operands` is."""
        return f"void {self.name}({', '.join(PARAMETERS)});"

    def called(self) -> list[Kernel]:
        """Return the kernels that a program needs to make this one again, each once."""
        return list(dict.fromkeys(call.kernel for call in calls(self._blob.nodes)))

    @property
    def _code(self) -> Code:
        return self._blob.code

    def listing(self, syntax: str = "intel") -> str:
        """Return the instructions as text, as for any kernel."""
        shown: str = encoder_listing.listing(self._code, syntax)
        return shown

    def declared(self, name: str | None = None) -> header.Declared:
        """Return the function as a header declares it, under its own name or another one."""
        symbol = self.name if name is None else header.c_name(name)
        code = self._code if name is None else replace(self._code, name=symbol)
        words = list(self._words())
        lines = [f"operands[{place}]: {each.text.format(f'{symbol}_{each.macro}')}" for place, each in enumerate(words)]
        macros = tuple((f"{symbol}_{each.macro}", each.bytes) for each in words if each.macro)
        about = "\n".join([str(self) + _CALLS[self.parallel], *lines])
        made: header.Declared = header.Declared(code, "void", PARAMETERS, about, macros)
        return made

    def save(self, path: str | Path, name: str | None = None) -> None:
        """Write a .s, .o, .a, .so, .h, .f90 or .bin file, as `Kernel.save` does.

        A C program calls the function once for each worker, 0 to workers - 1, from threads of its own, such as
        OpenMP's; any number of them gives the same bits. The header says what the operands and the scratch memory are.
        """
        files_store.write(path, [self.declared(name)])

    def _emulate(
        self, blob: Blob, operands: Sequence[int], regions: Sequence[MemoryRegion], workers: int, seed: int
    ) -> None:
        """Execute the code on these operands in the emulator. `regions` are the memory that it may touch."""
        emulate(blob, operands, regions, workers, seed)

    def costs(self) -> str:
        """Return a table of the cycles that each instruction and innermost loop occupies the pipes, with the kernels in
        the loops, as `Kernel.costs` does."""
        shown: str = display.costs(self)
        return shown

    def registers(self) -> str:
        """Return a table of the registers: the first and the last instruction that names each."""
        shown: str = display.registers(self)
        return shown

    def _repr_html_(self) -> str:
        """Return the text of the kernel for notebooks, with its picture, and the whole listing in a folded section."""
        shown: str = display.folded(self)
        return shown


class TableKernel(JobKernel):
    """A kernel whose job is made of its nest when it is first asked for, and is called with addresses of operands."""

    _stem: str

    @property
    def _asked(self) -> tuple[object, ...]:
        """Everything but the target that the nest depends on."""
        raise NotImplementedError

    def nodes(self) -> Sequence[Node]:
        """Return the nest."""
        raise NotImplementedError

    @property
    def _table(self) -> JobTable:
        """Where the job's table has the operands, in the order of a call, and the other words."""
        raise NotImplementedError

    @property
    def _memory(self) -> tuple[int, int]:
        """Bytes of scratch memory: what all workers share, and what each has."""
        return 0, 0

    @property
    def _waits(self) -> bool:
        """Whether workers wait for each other, as they do for what is in shared memory."""
        return bool(self._memory[0])

    @property
    def cycles(self) -> int:
        """The estimated cycles of one core."""
        raise NotImplementedError

    def _operands(self) -> Sequence[JobWord]:
        """Return the words of the operands."""
        raise NotImplementedError

    @cached_property
    def job(self) -> Job:
        """The machine code of loops and kernels."""
        return job_of(self._asked, self.nodes, self.target, self._stem)

    @property
    def _blob(self) -> Blob:
        return self.job.blob

    @cached_property
    def call(self) -> JobCall:
        """The calls of the job."""
        return JobCall(self.job, self._table, self._memory, self.cycles, self._waits)

    def at(self, addresses: Sequence[int], threads: int | None = None) -> None:
        """Compute on operands at these addresses."""
        self.call.at(addresses, threads or num_threads())

    def emulated(self, addresses: Sequence[int], regions: Sequence[MemoryRegion], workers: int, turns: int) -> None:
        """Compute in the emulator, as `at` does. `regions` are the memory of the operands."""
        self.call.emulated(addresses, regions, workers, turns)

    def _words(self) -> list[JobWord]:
        table, (shared, own) = self._table, scratch_words(*self._memory)
        found = dict(zip(table.operands, self._operands())) | {table.own: own}
        if table.shared is not None:
            found[table.shared] = shared
        found |= {table.barrier + number: each for number, each in enumerate(barrier_words(self._waits))}
        last = max(place for place, each in found.items() if each is not _UNREAD)
        return [found.get(place, _UNREAD) for place in range(last + 1)]

    def _text(self, names: Sequence[str]) -> list[str]:
        """Return the loops and their calls as text, with names of the operands."""
        table = self._table
        named = dict(zip(table.operands, names)) | {table.own: "own scratch", table.barrier: "barrier"}
        named |= {table.barrier + 1: "its argument"} | (
            {} if table.shared is None else {table.shared: "shared scratch"}
        )
        return text(self._blob.nodes, named, "  ")


def emulate(blob: Blob, operands: Sequence[int], regions: Sequence[MemoryRegion], workers: int, seed: int) -> None:
    """Execute the code on these operands in the emulator. `regions` are the memory that it may touch."""
    table = np.array([each & _WORD for each in operands], np.uint64)
    memory = [cpu.Region("operands", table, False), *(cpu.Region(*each) for each in regions)]
    calls = [[address_of(table), worker, workers] for worker in range(workers)]
    if workers == 1:
        cpu.execute(blob.data, blob.target, calls[0], memory)
    else:
        emulation_workers.execute_together(blob.data, blob.target, calls, memory, seed=seed)


def drawn(turns: int, named: dict[str, Any], arguments: Iterable[str]) -> int:
    """Return the number from which the turns of workers are drawn in the emulator. It may also be called seed=, unless
    that is an argument of the kernel."""
    found: int = turns if "seed" in arguments else named.pop("seed", turns)
    return found


def emulated_barrier() -> tuple[int, int]:
    """Return the address of the emulator's barrier and its argument."""
    return emulation_workers.BARRIER, 0


def scratch(size: int) -> Array:
    """Return memory for the emulator, aligned like the scratch memory of calls. Its floats are NaN, so that results are
    wrong if they depend on elements that nobody wrote."""
    memory = np.full(size + CACHE_LINE, 0xFF, np.uint8)
    start = -address_of(memory) % CACHE_LINE
    return memory[start : start + size]

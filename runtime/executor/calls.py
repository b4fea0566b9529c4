"""The calls of a graph: its jobs, and what Python does between them, without the stages that these were made of.

`run.Executor` makes them of steps. `kept` reads them from the cache folder, where kernels, nests and schedules are not
made again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from ...encoder.features import Target
from ...encoder.records import NamedTuple, cached_property
from ...microkernels.operands import CheckedIndex
from ...microkernels.tuning.products import EXECUTOR
from ..arguments.arrays import Array, address_of, array_at
from ..arguments.indices import check_index
from ..arguments.regions import TouchedMemory
from ..fastcall.guards import RELEASE_ABOVE, ConstantValue, WordArgument
from ..fastcall.guards_array import Builder
from ..kernel.callable import LONG, Kernel
from ..loops.job import Job, JobCall, MemoryRegion
from ..loops.scratch import buffer
from ..threads.barrier import barrier
from ..threads.called_code import JobTable
from ..threads.policy import num_threads
from .steps import ARENA, ARGUMENTS, GraphStep, PythonEntry, SlotAddress


def words_of(step: GraphStep, slots: Sequence[int]) -> list[int]:
    """Return the addresses and numbers that a step is called with, from the words of all slots."""
    return [slots[each.slot] + each.offset if isinstance(each, SlotAddress) else each for each in step.operands]


class JobWords(NamedTuple):
    """The table of a job: the words of all slots, those of copies of indices, the workers' memory, the barrier and its
    argument."""

    slots: int
    copies: int

    @property
    def own(self) -> int:
        """The place of the workers' memory."""
        return self.slots + self.copies

    @property
    def barrier(self) -> int:
        """The place of the barrier; its argument follows."""
        return self.own + 1


class CalledPart(Protocol):
    """A part of a graph's calls."""

    def run(self, words: list[int], workers: int) -> object:
        """Compute. `words` are those of the job's table before the barrier; returns what must stay alive."""


class SegmentCall:
    """Neighbouring steps as one job. `constants` are the words of the last slots."""

    job: Job

    def __init__(self, words: JobWords, constants: Sequence[int], parallel: bool, cycles: int, target: Target) -> None:
        self.words, self.constants, self.parallel, self.cycles = words, tuple(constants), parallel, cycles
        self.target = target
        self._directs: dict[int, Callable[..., object] | None] = {}

    def run(self, words: list[int], workers: int) -> object:
        """Run the job."""
        workers, places = workers if self.parallel else 1, self.words
        if workers not in self._directs:
            self._directs[workers] = self._direct(workers) if len(self._directs) < EXECUTOR.counts else None
        call, first = self._directs[workers], places.slots - len(self.constants)
        if call is not None and call(*words[:first], *words[places.slots :]) is None:
            return None
        state = barrier(self.target) if workers > 1 else (0, 0)
        self.job.run((*words, *state), workers, cycles=self.cycles)
        return None

    def _direct(self, workers: int) -> Callable[..., object] | None:
        """Return what runs the job on so many workers, called with all words but those of constants. It returns None if
        it has, and anything else if it does not take the words. Return None if there is no such code."""
        places, builder = self.words, Builder(RELEASE_ABOVE)
        constants = range(places.slots - len(self.constants), places.slots)
        given = [each for each in range(places.barrier) if each not in constants]
        for position, place in enumerate(given):
            builder.add(WordArgument(position, f"word {place}"))
        for place, word in zip(constants, self.constants):
            builder.add(ConstantValue(f"word {place}", builder.constant(word)))
        order = *given, *constants
        table = JobTable(order, None, places.barrier + 2, places.barrier)
        structure = builder.entry([f"word {place}" for place in order], self.release)
        return self.job.runs and JobCall(self.job, table, (0, 0), self.cycles, True).native(structure, workers) or None

    @property
    def release(self) -> str:
        """Whether calls release the GIL."""
        return "always" if self.cycles > LONG else "never"


class ForeignCall(NamedTuple):
    """A call of a function of Python."""

    step: GraphStep

    def of_rows(self, step: GraphStep, rows: int) -> ForeignCall:
        """Return the call for so many rows, with the places that the operands of the step have then."""
        assert isinstance(step.entry, PythonEntry)
        return ForeignCall(step._replace(entry=step.entry.of_rows(rows)))

    def run(self, words: list[int], workers: int) -> object:
        """Call it."""
        function: Callable[..., object] = self.step.entry  # type: ignore[assignment]  # see `stage`
        function(*words_of(self.step, words))
        return None

    def emulated(self, words: list[int], regions: Sequence[MemoryRegion], workers: int, turns: int) -> object:
        """Call it."""
        return self.run(words, workers)

    def text(self) -> list[str]:
        """Return the name of the function."""
        return [f"Python: {self.step.name}"]


class IndexCheck(NamedTuple):
    """The check of a step's indices before its segment runs. Those that others could change meanwhile are copied first.

    step     whose indices they are
    kernel   that reads them; None if `known` says all
    copies   for the position of each operand that is copied, the place of the copy's address in the job's table
    known    arrays of which only shapes and strides are true; None if the call gives numbers on which they depend
    indices  the names of the operands that are checked, by their positions
    checks   what is checked of them

    The last operand of a step over the rows of a call is their table; the kernel takes their number in its place.
    """

    step: GraphStep
    kernel: Kernel | None
    copies: Mapping[int, int]
    known: Sequence[TouchedMemory] | None
    indices: Mapping[int, str]
    checks: Sequence[CheckedIndex]

    def of_rows(self, step: GraphStep, rows: int) -> IndexCheck:
        """Return the check for so many rows, with the places that the operands of the step have then."""
        factor = getattr(step.entry, "factor", None)
        if factor is not None:
            step = step._replace(operands=(*step.operands[:-1], factor * rows))
        return self._replace(step=step)

    def run(self, words: list[int], workers: int) -> object:
        """Raise IndexError for an index that is out of range. Put the addresses of copies among the words."""
        given, known = words_of(self.step, words), self.known
        if known is None:
            assert self.kernel is not None
            known = self.kernel.kind.regions(self.kernel.spec, given)
        arrays = {each.name: each.array for each in known}
        kept: list[Array] = []
        for position, name in self.indices.items():
            seen = arrays[name]
            index = array_at(given[position], seen.shape, seen.strides, seen.dtype)
            if position in self.copies:
                index = index.copy()
                words[self.copies[position]] = address_of(index)
            arrays[name] = index
            kept.append(index)
        for each in self.checks:
            check_index(each, arrays)
        return kept

    def emulated(self, words: list[int], regions: Sequence[MemoryRegion], workers: int, turns: int) -> object:
        """Check them; copies are not for the emulator, whose regions are those of the call."""
        kept = self.run(words, workers)
        for position, place in self.copies.items():
            words[place] = words_of(self.step, words)[position]
        return kept

    def text(self) -> list[str]:
        """Return whose indices are checked."""
        return [f"Python: check the indices of {self.step.name}"]


class GraphCalls:
    """The calls of a graph.

    threads     the number of threads; None: `ts.num_threads()` at each call
    arguments   the number of slots that a call gives: neither arena nor constants
    constants   the words of the constants' slots
    shared      bytes of the arena and of the scratch memory that all workers share; own: those that each worker has
    parts       jobs, and what Python does between them
    """

    parts: Sequence[CalledPart]

    def __init__(
        self,
        threads: int | None,
        arguments: int,
        constants: Sequence[int],
        memory: tuple[int, int],
        parts: Sequence[CalledPart],
    ) -> None:
        self.threads, self.arguments, self._constants = threads, arguments, list(constants)
        (self.shared, self.own), self.parts = memory, parts
        self._copies = [0] * sum(len(each.copies) for each in parts if isinstance(each, IndexCheck))

    def run(self, addresses: Sequence[int], threads: int | None = None) -> None:
        """Compute. `addresses` are those of the arguments, and the numbers among them, in the order of their slots:
        nobody checks them. What a step raises, such as IndexError for an index, reaches the caller."""
        if threads is None and self._direct is not None and self._direct(*addresses) is None:
            return
        if len(addresses) != self.arguments:
            raise TypeError(f"this graph takes {self.arguments} addresses, not {len(addresses)}")
        workers = threads or self.threads or num_threads()
        size = self.shared + workers * self.own
        if not size:
            self._run([0, *addresses], 0, workers)
            return
        with buffer(size) as memory:
            self._run([memory.address, *addresses], memory.address, workers)

    @cached_property
    def _direct(self) -> Callable[..., object] | None:
        """What computes in machine code alone, called with the addresses: it returns None if it has. None if Python
        takes part in calls."""
        builder = Builder(RELEASE_ABOVE)
        for position in range(self.arguments):
            builder.add(WordArgument(position, f"word {position}"))
        return self.native(builder)

    def native(self, builder: Builder) -> Callable[..., object] | None:
        """Return a function that computes in machine code alone. Guards of a builder check its arguments, and set the
        values "word 0", "word 1" and so on to the words of the graph's arguments. It returns None if it has computed,
        and anything else if Python is to look at the arguments. Return None if Python takes part in calls."""
        if len(self.parts) != 1 or not isinstance(self.parts[0], SegmentCall) or not self.parts[0].job.runs:
            return None
        segment = self.parts[0]
        names = [f"word {number}" for number in range(self.arguments + len(self._constants))]
        for name, address in zip(names[self.arguments :], self._constants):
            builder.add(ConstantValue(name, builder.constant(address)))
        places = segment.words
        table = JobTable(
            tuple(range(ARGUMENTS, places.slots)), ARENA if self.shared else None, places.own, places.barrier
        )
        call = JobCall(segment.job, table, (self.shared, self.own), segment.cycles, True)
        structure = builder.entry(names, segment.release)
        return call.native(structure, self.threads if segment.parallel else 1)

    def _run(self, given: Sequence[int], memory: int, workers: int) -> None:
        words, kept = self._words(given, memory), list[object]()
        for part in self.parts:
            kept.append(part.run(words, workers))

    def _words(self, given: Sequence[int], memory: int) -> list[int]:
        """Return the words of a job's table before the barrier."""
        return [*given, *self._constants, *self._copies, memory + self.shared]

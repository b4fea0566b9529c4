"""Segments: neighbouring steps of a graph as one job, and what Python does between two of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Protocol

from ...encoder.records import NamedTuple, cached_property
from ...microkernels.operands import CheckedIndex, Interface
from ...microkernels.tuning.products import EXECUTOR
from ..arguments.arrays import Array, address_of, array_at
from ..arguments.indices import check_index
from ..arguments.regions import TouchedMemory
from ..fastcall.guards import RELEASE_ABOVE, ConstantValue, WordArgument
from ..fastcall.guards_array import Builder
from ..kernel.callable import LONG, Kernel
from ..loops.code import WORKER, Address, Barrier, Header, Load, Node, Share, When, affine, by_one, index, placed
from ..loops.job import Job, JobCall, MemoryRegion, emulate, emulated_barrier, job_of
from ..ops.spread import Spread
from ..threads.barrier import barrier
from ..threads.called_code import JobTable
from .rows import ROUNDED
from .schedule import Phase, Place, PlacedStage, SlotSpan, phases
from .stages import JobStage, arrays_of, stage_of
from .steps import ARENA, ArenaPart, GraphStep, PythonEntry, SlotAddress

if TYPE_CHECKING:
    from ...encoder.features import Target

_STRAND = "strand"


def named(step: GraphStep) -> GraphStep:
    """Return a step with a name, for texts and errors: that of its entry's request, if it has none itself."""
    if step.name:
        return step
    request = getattr(step.entry, "spec", None)
    own = step.entry.name if isinstance(step.entry, PythonEntry) else type(step.entry).__name__
    return step._replace(name=getattr(request, "stem", own))


def stage(step: GraphStep) -> JobStage | None:
    """Return a step as a stage; None for one that Python calls. Raises UnsupportedError for other entries."""
    if isinstance(step.entry, PythonEntry):
        return None
    return stage_of(step.entry, numbers_of(step))


def numbers_of(step: GraphStep) -> list[int | None]:
    """Return what is known of the operands of a step before a call: the numbers, and None for words of slots."""
    return [None if isinstance(each, SlotAddress) else each for each in step.operands]


def checked(step: GraphStep) -> Kernel | None:
    """Return the kernel of a step of which each call checks elements of operands, such as indices, before it runs."""
    kernel = step.entry.kernel if isinstance(step.entry, Spread) else step.entry
    interface = getattr(kernel.spec, "interface", None) if isinstance(kernel, Kernel) else None
    return kernel if isinstance(kernel, Kernel) and interface is not None and interface.indices else None


def words_of(step: GraphStep, slots: Sequence[int]) -> list[int]:
    """Return the addresses and numbers that a step is called with, from the words of all slots."""
    return [slots[each.slot] + each.offset if isinstance(each, SlotAddress) else each for each in step.operands]


class JobPlaces(NamedTuple):
    """The table of a job: the words of all slots, those of copies of indices, the workers' memory, the barrier and its
    argument. What all workers share of scratch memory lies `shared` bytes behind the beginning of the arena.

    parts     of the arena, whose sizes depend on the rows of the call
    begin     where the first part begins, from the arena
    rounded   the slot of the table of `rows.ROUNDED`
    """

    slots: int
    copies: int
    shared: int
    parts: tuple[ArenaPart, ...] = ()
    begin: int = 0
    rounded: int = 0

    @property
    def own(self) -> int:
        """The place of the workers' memory."""
        return self.slots + self.copies

    @property
    def barrier(self) -> int:
        """The place of the barrier; its argument follows."""
        return self.own + 1

    def of(self, step: GraphStep, stage: JobStage, copies: Mapping[int, int]) -> dict[int, Place]:
        """Return what takes the places of a stage's operands. `copies` are the words of those that are copied."""
        table = stage.table
        found: dict[int, Place] = {table.own: self.own, table.barrier: self.barrier}
        if table.shared is not None:
            found[table.shared] = Address(ARENA, affine(self.shared))
        for position, (place, each) in enumerate(zip(table.operands, step.operands, strict=True)):
            found[place] = copies[position] if position in copies else self._place(each)
        return found

    def _place(self, at: SlotAddress | int) -> Place:
        if not isinstance(at, SlotAddress):
            return affine(at)
        if at.slot >= 0:
            return Address(at.slot, affine(at.offset))
        ahead = index(ROUNDED) * self.parts[-1 - at.slot].before
        return Address(ARENA, ahead + self.begin + at.offset)


class ExecutorPart(Protocol):
    """A part of a graph's calls."""

    def run(self, words: list[int], workers: int) -> object:
        """Compute. `words` are those of the job's table before the barrier; returns what must stay alive."""

    def emulated(self, words: list[int], regions: Sequence[MemoryRegion], workers: int, turns: int) -> object:
        """Compute in the emulator, which allows accesses to these regions only."""

    def text(self) -> list[str]:
        """Return lines that say what it does."""


class Segment:
    """Neighbouring steps as one job. `schedule` says who runs them. `constants` are the words of the last slots."""

    def __init__(
        self, stages: Sequence[PlacedStage], places: JobPlaces, constants: Sequence[int], several: bool
    ) -> None:
        self.stages, self.places, self.constants = tuple(stages), places, tuple(constants)
        self._directs: dict[int, Callable[..., object] | None] = {}
        self.schedule = phases(stages, several)
        self.parallel = any(phase.parallel for phase in self.schedule)
        self.cycles = sum(each.stage.weight for each in stages if not each.stage.per_row)
        self.per_row = sum(each.stage.per_row for each in stages)
        self.target: Target = stages[0].stage.target

    def of_rows(self, rows: int, constants: Sequence[int]) -> Segment:
        """Return the same machine code for calls of so many rows, whose tables are among the constants."""
        assert self.job
        made = copy(self)
        made.constants, made._directs = tuple(constants), {}
        made.cycles = self.cycles + int(self.per_row * rows)
        return made

    @cached_property
    def job(self) -> Job:
        """The machine code."""
        requests = {id(each.stage): each.stage.asked for each in self.stages}
        if None in requests.values():
            return Job(self.nodes(), self.target, "graph")
        numbers = {stage: number for number, stage in enumerate(requests)}
        placed_as = [(numbers[id(each.stage)], _ints(each.places)) for each in self.stages]
        runs = [
            (len(phase.divided), [[each.number for each in run] for run in (phase.divided, *phase.strands)])
            for phase in self.schedule
        ]
        asked = tuple(requests.values()), self.places, repr((placed_as, runs))
        return job_of(asked, self.nodes, self.target, "graph")

    def nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        made: list[Node] = []
        for phase in self.schedule:
            made += [Barrier(self.places.barrier)] if made else []
            for each in phase.divided:
                made += placed(tuple(each.stage.nodes()), each.places)
            made += _strands(phase, self.parallel)
        return (Load((ROUNDED,), self.places.rounded, affine(0), tuple(made)),) if self.places.parts else tuple(made)

    def run(self, words: list[int], workers: int) -> object:
        """Run the job."""
        workers, places = workers if self.parallel else 1, self.places
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
        places, builder = self.places, Builder(RELEASE_ABOVE)
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

    def emulated(self, words: list[int], regions: Sequence[MemoryRegion], workers: int, turns: int) -> object:
        """Run the job in the emulator, where two workers that race raise `Race`."""
        emulate(self.job.blob, (*words, *emulated_barrier()), regions, workers if self.parallel else 1, turns)
        return None

    def text(self) -> list[str]:
        """Return who runs which steps, in phases between two barriers."""
        lines = [f"machine code of {len(self.job.data):,} bytes, {self.cycles:,} cycles"]
        for phase in self.schedule:
            lines += [f"  all workers: {each.name}" for each in phase.divided]
            who = "one worker" if len(phase.strands) == 1 else "any worker"
            lines += [f"  {who}: {', then '.join(each.name for each in strand)}" for strand in phase.strands]
            lines.append("  barrier")
        return lines[:-1]


def _ints(places: Mapping[int, Place]) -> list[tuple[int, ...]]:
    """Return places as numbers."""
    found: list[tuple[int, ...]] = []
    for key, place in places.items():
        if isinstance(place, Address):
            found.append((key, place.operand, place.offset.constant, *(factor for _, factor in place.offset.terms)))
        else:
            found.append((key, place) if isinstance(place, int) else (key, 0, 0, place.constant))
    return found


def _strands(phase: Phase, several: bool) -> Iterator[Node]:
    """Yield the loop that deals strands to workers. A single one is for the caller; several: if there are others."""
    bodies = [
        tuple(node for each in strand for node in placed(by_one(tuple(each.stage.nodes())), each.places))
        for strand in phase.strands
    ]
    if len(bodies) == 1:
        yield from (When(index(WORKER), "==", bodies[0]),) if several else bodies[0]
    elif bodies:
        count, strand = len(bodies), index(_STRAND)
        cases = tuple(When(strand - number, "==", body) for number, body in enumerate(bodies))
        yield Share((Header(_STRAND, affine(0), (affine(count),), 1, count),), cases)


class ForeignCall(NamedTuple):
    """A call of a function of Python."""

    step: GraphStep

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
    kernel   that reads them
    copies   for the position of each operand that is copied, the place of the copy's address in the job's table
    known    arrays of which only shapes and strides are true; None if the call gives numbers on which they depend
    indices  the names of the operands that are checked, by their positions
    checks   what is checked of them
    """

    step: GraphStep
    kernel: Kernel
    copies: Mapping[int, int]
    known: Sequence[TouchedMemory] | None
    indices: Mapping[int, str]
    checks: Sequence[CheckedIndex]

    def run(self, words: list[int], workers: int) -> object:
        """Raise IndexError for an index that is out of range. Put the addresses of copies among the words."""
        kernel, given = self.kernel, words_of(self.step, words)
        known = kernel.kind.regions(kernel.spec, given) if self.known is None else self.known
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


def cut(
    steps: Sequence[GraphStep],
    stages: Sequence[JobStage | None],
    spans: Sequence[tuple[SlotSpan, ...]],
    places: JobPlaces,
    constants: Sequence[int],
    several: bool,
) -> Iterator[ExecutorPart]:
    """Yield the parts of a graph's calls. Indices are checked before the segment of their step, which begins with it if
    an earlier step of the segment writes them.

    stages     those of the steps, or None for foreign ones; spans: what they touch
    places     the table of the jobs, without the words of copies
    constants  the words of the last slots; several: whether there may be several workers
    """
    copied = [_copied(step) for step in steps]
    places = places._replace(copies=sum(map(len, copied)))
    free = iter(range(places.slots, places.own))
    pending: list[PlacedStage] = []
    checks: list[IndexCheck] = []
    for number, (step, of) in enumerate(zip(steps, stages)):
        kernel = checked(step)
        if of is None or kernel is not None and _written(pending, spans[number], _indices(kernel)):
            if pending:
                yield from checks
                yield Segment(pending, places, constants, several)
            pending, checks = [], []
        if of is None:
            yield ForeignCall(step)
            continue
        copies = {position: next(free) for position in copied[number]}
        if kernel is not None:
            checks.append(_check(step, kernel, copies))
        pending.append(PlacedStage(number, step.name, of, places.of(step, of, copies), spans[number]))
    if pending:
        yield from checks
        yield Segment(pending, places, constants, several)


def _check(step: GraphStep, kernel: Kernel, copies: Mapping[int, int]) -> IndexCheck:
    interface: Interface = kernel.spec.interface  # type: ignore[attr-defined]  # see `checked`
    known = arrays_of(kernel, numbers_of(step))
    return IndexCheck(step, kernel, copies, known, _indices(kernel), interface.indices)


def _indices(kernel: Kernel) -> dict[int, str]:
    """Return the operands of a kernel whose elements are checked, by their positions."""
    interface: Interface = kernel.spec.interface  # type: ignore[attr-defined]  # see `checked`
    names = {each.name for each in interface.indices}
    return {at: name for at, (_, name) in enumerate(kernel.kind.parameters(kernel.spec)) if name in names}


def _copied(step: GraphStep) -> list[int]:
    """Return the positions of a step's indices that another thread might change between their check and their use:
    those that do not lie in the arena."""
    kernel = checked(step)
    given = [(at, step.operands[at]) for at in (_indices(kernel) if kernel else ())]
    return [at for at, each in given if isinstance(each, SlotAddress) and each.slot != ARENA]


def _written(stages: Sequence[PlacedStage], spans: Sequence[SlotSpan], positions: Collection[int]) -> bool:
    """Whether stages write operands at these positions of a step with these spans."""
    read = [each for each in spans if each.elements.operand in positions]
    written = [each for stage in stages for each in stage.spans if each.written]
    return any(one.overlaps(other) for one in read for other in written)

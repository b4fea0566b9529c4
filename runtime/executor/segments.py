"""Segments: neighbouring steps of a graph as one job, and what Python does between two of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from typing import Protocol

from ...encoder.records import NamedTuple, cached_property
from ...microkernels.operands import Interface
from ..kernel.callable import Kernel
from ..loops.code import Address, Load, Node, affine, index
from ..loops.job import Job, MemoryRegion, emulate, emulated_barrier, job_of
from ..ops.spread import Spread
from .calls import CalledPart, ForeignCall, IndexCheck, JobWords, SegmentCall
from .nests import nodes_of
from .rows import ROUNDED, RowsKernel
from .schedule import Place, PlacedStage, SlotSpan, phases
from .stages import JobStage, arrays_of, stage_of
from .steps import ARENA, ArenaPart, GraphStep, PythonEntry, SlotAddress


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
    kernel = step.entry.kernel if isinstance(step.entry, (Spread, RowsKernel)) else step.entry
    interface = getattr(kernel.spec, "interface", None) if isinstance(kernel, Kernel) else None
    return kernel if isinstance(kernel, Kernel) and interface is not None and interface.indices else None


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
    def words(self) -> JobWords:
        """The table as calls fill it."""
        return JobWords(self.slots, self.copies)

    def of(self, step: GraphStep, stage: JobStage, copies: Mapping[int, int]) -> dict[int, Place]:
        """Return what takes the places of a stage's operands. `copies` are the words of those that are copied."""
        table = stage.table
        found: dict[int, Place] = {table.own: self.words.own, table.barrier: self.words.barrier}
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


class ExecutorPart(CalledPart, Protocol):
    """A part of a graph's calls with what it was made of."""

    def emulated(self, words: list[int], regions: Sequence[MemoryRegion], workers: int, turns: int) -> object:
        """Compute in the emulator, which allows accesses to these regions only."""

    def text(self) -> list[str]:
        """Return lines that say what it does."""


class Segment(SegmentCall):
    """Neighbouring steps as one job. `schedule` says who runs them. keeps: whether it is kept in the cache folder."""

    def __init__(
        self,
        stages: Sequence[PlacedStage],
        places: JobPlaces,
        constants: Sequence[int],
        several: bool,
        keeps: bool = True,
    ) -> None:
        self.stages, self.schedule = tuple(stages), phases(stages, several)
        parallel = any(phase.parallel for phase in self.schedule)
        cycles = sum(each.stage.weight for each in stages if not each.stage.per_row)
        super().__init__(places.words, constants, parallel, cycles, stages[0].stage.target)
        self.places, self.keeps, self.per_row = places, keeps, sum(each.stage.per_row for each in stages)

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
        if None in requests.values() or not self.keeps:
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
        made = nodes_of(self.schedule, self.words.barrier, self.parallel)
        return (Load((ROUNDED,), self.places.rounded, affine(0), made),) if self.places.parts else made

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


def cut(
    steps: Sequence[GraphStep],
    stages: Sequence[JobStage | None],
    spans: Sequence[tuple[SlotSpan, ...]],
    places: JobPlaces,
    constants: Sequence[int],
    several: bool,
    keeps: bool,
) -> Iterator[ExecutorPart]:
    """Yield the parts of a graph's calls. Indices are checked before the segment of their step, which begins with it if
    an earlier step of the segment writes them.

    stages     those of the steps, or None for foreign ones; spans: what they touch
    places     the table of the jobs, without the words of copies
    constants  the words of the last slots; several: whether there may be several workers
    keeps      whether jobs are kept in the cache folder
    """
    copied = [_copied(step) for step in steps]
    places = places._replace(copies=sum(map(len, copied)))
    free = iter(range(places.slots, places.words.own))
    pending: list[PlacedStage] = []
    checks: list[IndexCheck] = []
    for number, (step, of) in enumerate(zip(steps, stages)):
        kernel = checked(step)
        if of is None or kernel is not None and _written(pending, spans[number], _indices(kernel)):
            if pending:
                yield from checks
                yield Segment(pending, places, constants, several, keeps)
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
        yield Segment(pending, places, constants, several, keeps)


def _check(step: GraphStep, kernel: Kernel, copies: Mapping[int, int]) -> IndexCheck:
    interface: Interface = kernel.spec.interface  # type: ignore[attr-defined]  # see `checked`
    counted = isinstance(step.entry, RowsKernel)
    known = None if counted else arrays_of(kernel, numbers_of(step))
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
    return [at for at, each in given if isinstance(each, SlotAddress) and each.slot > ARENA]


def _written(stages: Sequence[PlacedStage], spans: Sequence[SlotSpan], positions: Collection[int]) -> bool:
    """Whether stages write operands at these positions of a step with these spans."""
    read = [each for each in spans if each.elements.operand in positions]
    written = [each for stage in stages for each in stage.spans if each.written]
    return any(one.overlaps(other) for one in read for other in written)

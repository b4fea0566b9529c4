"""Segments: neighbouring steps of a graph as one job, and what Python does between two of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from ...encoder.records import NamedTuple, cached_property
from ...microkernels.operands import Interface
from ..arguments.arrays import Array, address_of
from ..arguments.indices import check_index
from ..kernel.callable import Kernel
from ..loops.code import WORKER, Address, Barrier, Header, Node, Share, When, affine, by_one, index, placed
from ..loops.job import Job, MemoryRegion, emulate, emulated_barrier, job_of
from ..ops.spread import Spread
from ..threads.barrier import barrier
from .schedule import Phase, Place, PlacedStage, SlotSpan, phases
from .stages import JobStage, stage_of
from .steps import ARENA, GraphStep, OnArrays, SlotAddress

if TYPE_CHECKING:
    from ...encoder.features import Target

_STRAND = "strand"


def named(step: GraphStep) -> GraphStep:
    """Return a step with a name, for texts and errors: that of its entry's request, if it has none itself."""
    if step.name:
        return step
    request = getattr(step.entry, "spec", None)
    own = step.entry.name if isinstance(step.entry, OnArrays) else type(step.entry).__name__
    return step._replace(name=getattr(request, "stem", own))


def stage(step: GraphStep) -> JobStage | None:
    """Return a step as a stage; None for one that Python calls. Raises UnsupportedError for other entries."""
    if isinstance(step.entry, OnArrays):
        return None
    return stage_of(step.entry, [None if isinstance(each, SlotAddress) else each for each in step.operands])


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
    argument. What all workers share of scratch memory lies `shared` bytes behind the beginning of the arena."""

    slots: int
    copies: int
    shared: int

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
            if position in copies:
                found[place] = copies[position]
            else:
                found[place] = (
                    Address(each.slot, affine(each.offset)) if isinstance(each, SlotAddress) else affine(each)
                )
        return found


class ExecutorPart(Protocol):
    """A part of a graph's calls."""

    def run(self, words: list[int], workers: int) -> object:
        """Compute. `words` are those of the job's table before the barrier; returns what must stay alive."""

    def emulated(self, words: list[int], regions: Sequence[MemoryRegion], workers: int, turns: int) -> object:
        """Compute in the emulator, which allows accesses to these regions only."""

    def text(self) -> list[str]:
        """Return lines that say what it does."""


class Segment:
    """Neighbouring steps as one job. `schedule` says who runs them."""

    def __init__(self, stages: Sequence[PlacedStage], places: JobPlaces, several: bool) -> None:
        self.stages, self.places = tuple(stages), places
        self.schedule = phases(stages, several)
        self.parallel = any(phase.parallel for phase in self.schedule)
        self.cycles = sum(each.stage.weight for each in stages)
        self.target: Target = stages[0].stage.target

    @cached_property
    def job(self) -> Job:
        """The machine code."""
        asked = [(each.stage.asked, tuple(each.places.items())) for each in self.stages]
        if any(found is None for found, _ in asked):
            return Job(self.nodes(), self.target, "graph")
        runs = tuple(
            (len(phase.divided), *(tuple(each.number for each in run) for run in (phase.divided, *phase.strands)))
            for phase in self.schedule
        )
        return job_of((tuple(asked), self.places, runs), self.nodes, self.target, "graph")

    def nodes(self) -> tuple[Node, ...]:
        """Return the nest."""
        made: list[Node] = []
        for phase in self.schedule:
            made += [Barrier(self.places.barrier)] if made else []
            for each in phase.divided:
                made += placed(tuple(each.stage.nodes()), each.places)
            made += _strands(phase)
        return tuple(made)

    def run(self, words: list[int], workers: int) -> object:
        """Run the job."""
        workers = workers if self.parallel else 1
        state = barrier(self.target) if workers > 1 else (0, 0)
        self.job.run((*words, *state), workers, cycles=self.cycles)
        return None

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


def _strands(phase: Phase) -> Iterator[Node]:
    """Yield the loop that deals strands to workers. A single one is for the caller."""
    bodies = [
        tuple(node for each in strand for node in placed(by_one(tuple(each.stage.nodes())), each.places))
        for strand in phase.strands
    ]
    if len(bodies) == 1:
        yield When(index(WORKER), "==", bodies[0])
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
    """

    step: GraphStep
    kernel: Kernel
    copies: Mapping[int, int]

    def run(self, words: list[int], workers: int) -> object:
        """Raise IndexError for an index that is out of range. Put the addresses of copies among the words."""
        kernel = self.kernel
        regions = kernel.kind.regions(kernel.spec, words_of(self.step, words))
        arrays: dict[str, Array] = {each.name: each.array for each in regions}
        names = [name for _, name in kernel.kind.parameters(kernel.spec)]
        kept: list[Array] = []
        for position, place in self.copies.items():
            copy = arrays[names[position]] = arrays[names[position]].copy()
            words[place] = address_of(copy)
            kept.append(copy)
        interface: Interface = kernel.spec.interface  # type: ignore[attr-defined]  # see `checked`
        for each in interface.indices:
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
    slots: int,
    shared: int,
    several: bool,
) -> Iterator[ExecutorPart]:
    """Yield the parts of a graph's calls. Indices are checked before the segment of their step, which begins with it if
    an earlier step of the segment writes them.

    stages   those of the steps, or None for foreign ones; spans: what they touch
    slots    how many there are; shared: where shared scratch memory begins, from the arena
    several  whether there may be several workers
    """
    copied = [_copied(step) for step in steps]
    places = JobPlaces(slots, sum(map(len, copied)), shared)
    free = iter(range(slots, places.own))
    pending: list[PlacedStage] = []
    checks: list[IndexCheck] = []
    for number, (step, of) in enumerate(zip(steps, stages)):
        kernel = checked(step)
        if of is None or kernel is not None and _written(pending, spans[number], _indices(kernel)):
            if pending:
                yield from checks
                yield Segment(pending, places, several)
            pending, checks = [], []
        if of is None:
            yield ForeignCall(step)
            continue
        copies = {position: next(free) for position in copied[number]}
        if kernel is not None:
            checks.append(IndexCheck(step, kernel, copies))
        pending.append(PlacedStage(number, step.name, of, places.of(step, of, copies), spans[number]))
    if pending:
        yield from checks
        yield Segment(pending, places, several)


def _indices(kernel: Kernel) -> list[int]:
    """Return the positions of the operands of a kernel whose elements are checked."""
    interface: Interface = kernel.spec.interface  # type: ignore[attr-defined]  # see `checked`
    names = {each.name for each in interface.indices}
    return [at for at, (_, name) in enumerate(kernel.kind.parameters(kernel.spec)) if name in names]


def _copied(step: GraphStep) -> list[int]:
    """Return the positions of a step's indices that another thread might change between their check and their use:
    those that do not lie in the arena."""
    kernel = checked(step)
    given = [(at, step.operands[at]) for at in (_indices(kernel) if kernel else ())]
    return [at for at, each in given if isinstance(each, SlotAddress) and each.slot != ARENA]


def _written(stages: Sequence[PlacedStage], spans: Sequence[SlotSpan], positions: Sequence[int]) -> bool:
    """Whether stages write operands at these positions of a step with these spans."""
    read = [each for each in spans if each.elements.operand in positions]
    written = [each for stage in stages for each in stage.spans if each.written]
    return any(one.overlaps(other) for one in read for other in written)

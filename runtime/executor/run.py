"""The executor of a compiled graph: its steps as one function in machine code, or as few as foreign steps leave.

    first, second = GraphStep(relu, (x, a)), GraphStep(softmax, (a, y))    x, a, y: SlotAddress(slot, offset)
    executor = Executor([first, second], slots)
    executor.run([address of the input, address of the result])

The function is a job like that of `ts.mlp`: the nests of all steps with their kernels, called directly, one after the
other. All workers are woken once, for the whole graph; `schedule` says which of them runs what, and where they wait for
each other. Steps that machine code does not take are calls of Python functions between two such jobs.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import CACHE_LINE
from ..arguments.arrays import Array, address_of, byte_bounds, bytes_of
from ..loops.job import MemoryRegion, scratch
from ..loops.scratch import ALIGNMENT
from ..threads.policy import checked
from ..walks.job import ArraysJob
from .calls import ForeignCall, GraphCalls, IndexCheck
from .rows import ROWS, RoundedRows, RowsTable, rounded
from .schedule import Intervals, SlotSpan
from .segments import ExecutorPart, JobPlaces, Segment, cut, named, numbers_of, stage
from .stages import JobStage, TouchedElements, check_count
from .steps import ARENA, ARGUMENTS, ArenaPart, GraphStep, SlotAddress

if TYPE_CHECKING:
    from ..verify import proof
    from . import proofs

proofs = lazy(__package__, ".proofs")


class GraphSlot(NamedTuple):
    """A word that steps refer to: the address of the arena, of an argument of the call, of a constant, or a number of
    the call.

    name       for texts and errors
    bytes      of the memory at the address; None: nobody knows, or the slot is a number
    written    whether steps may write there
    constant   an array whose address every call gets, such as packed weights; the slots of constants are the last ones
    table      what makes such an array for the number of rows of calls
    per_row    the bytes for each row of a call, of memory whose size depends on it
    """

    name: str
    bytes: int | None = None
    written: bool = False
    constant: Array | None = None
    table: RowsTable | None = None
    per_row: int = 0

    @property
    def known(self) -> bool:
        """Whether calls do not give it."""
        return self.constant is not None or self.table is not None


class Executor(GraphCalls):
    """The steps of a graph as machine code.

    executor.run(addresses)   computes; `addresses` are the words of the slots of arguments: neither arena nor constants
    executor.parts            the segments, each a job, and what Python does between them; print(executor) shows them
    executor.emulated(...)    computes in the emulator, for any target on any host
    executor.verify()         proves that no worker touches what another one writes, and the code of each segment
    executor.of_rows(33)      the same machine code for calls of so many rows, if steps have rows of their calls
    """

    parts: tuple[ExecutorPart, ...]

    def __init__(
        self,
        steps: Sequence[GraphStep],
        slots: Sequence[GraphSlot],
        threads: int | None = None,
        parts: Sequence[ArenaPart] = (),
        *,
        keeps: bool = True,
    ) -> None:
        """Make the executor.

        steps     in order; a step may touch whatever earlier ones have written
        slots     the first one is the arena
        parts     those of the arena whose sizes depend on the rows of calls
        threads   the number of threads; None: `ts.num_threads()` at each call. Any number of them gives the same bits
        keeps     whether the jobs are kept in the cache folder, each by itself

        Raises ValueError for a step whose operands leave their slots, or which writes to a slot that is only read, or
        reads a part of the arena that no step before it writes; UnsupportedError for an entry that is no step.
        """
        count = None if threads is None else checked(threads, "threads")
        constants = [each.known for each in slots]
        if not slots or constants[ARENA] or constants != sorted(constants):
            raise ValueError("slots: the arena, then those of arguments, then those of constants")
        found, self._arena_parts = list(slots), tuple(parts)
        self.steps = tuple(_completed(named(step), found) for step in steps)
        if parts:
            found.append(GraphSlot("rounded rows", table=RoundedRows()))
        self.slots = tuple(map(_sized, found))
        addresses = _addresses(self.slots)
        known = dict[object, JobStage | None]()  # a stage for steps of the same entry and numbers
        stages = [_once(known, step) for step in self.steps]
        spans = [self._spans(step, of) for step, of in zip(self.steps, stages)]
        self._check_reads(spans)
        arena = -(-(slots[ARENA].bytes or 0) // CACHE_LINE) * CACHE_LINE
        memory = [each.memory for each in stages if each is not None]
        own = max((each for _, each in memory), default=0)
        self._fixed = -(-(arena + max((each for each, _ in memory), default=0)) // CACHE_LINE) * CACHE_LINE
        places = JobPlaces(len(self.slots), 0, arena, self._arena_parts, self._fixed, len(self.slots) - 1)
        self.own = own
        made = tuple(cut(self.steps, stages, spans, places, addresses, threads != 1, keeps))
        super().__init__(count, constants.count(False) - 1, addresses, (self._shared(0), own), made)

    def _shared(self, rows: int) -> int:
        """Return the bytes of the arena and of the scratch memory that all workers share, for so many rows."""
        size = self._fixed + rounded(rows) * sum(each.bytes for each in self._arena_parts)
        return -(-size // ALIGNMENT) * ALIGNMENT if self.own else size

    def of_rows(self, rows: int) -> Executor:
        """Return the executor for calls of so many rows, which runs the same machine code by other tables."""
        made = copy(self)
        made.__dict__.pop("_direct", None)
        made.slots = tuple(_of_rows(each, rows) for each in self.slots)
        made._constants, made.shared = _addresses(made.slots), self._shared(rows)
        made.parts = tuple(
            each.of_rows(rows, made._constants)
            if isinstance(each, Segment)
            else each.of_rows(self._placed(each.step, rows), rows)
            if isinstance(each, (ForeignCall, IndexCheck))
            else each
            for each in self.parts
        )
        return made

    def _placed(self, step: GraphStep, rows: int) -> GraphStep:
        """Return a step with its places in the arena of a call of so many rows."""
        begin, each_row = self._fixed, rounded(rows)
        return step._replace(
            operands=tuple(
                SlotAddress(ARENA, begin + each_row * self._arena_parts[-1 - at.slot].before + at.offset)
                if isinstance(at, SlotAddress) and at.slot < ARENA
                else at
                for at in step.operands
            )
        )

    # Checks

    def _spans(self, step: GraphStep, of: JobStage | None) -> tuple[SlotSpan, ...]:
        """Return what a step touches. Raises ValueError if it must not touch that."""
        for each in step.operands:
            if isinstance(each, SlotAddress) and not -len(self._arena_parts) <= each.slot < len(self.slots):
                raise ValueError(f"{step.name}: slot {each.slot} is none of the {len(self.slots)} slots")
        if of is None:  # it may touch all of each slot, but a slot of arguments or constants is its own business
            return tuple(
                SlotSpan.of(ARENA, 0, TouchedElements(position, True))
                for position, each in enumerate(step.operands)
                if isinstance(each, SlotAddress) and each.slot == ARENA
            )
        check_count(step.name, len(of.table.operands), len(step.operands))
        return tuple(self._span(step, each) for each in of.touched)

    def _span(self, step: GraphStep, touched: TouchedElements) -> SlotSpan:
        at = step.operands[touched.operand]
        known = step.arrays[touched.operand] if touched.operand < len(step.arrays) else None
        if touched.shape is None and known is not None:
            touched = touched._replace(shape=known.shape, strides=known.strides, size=known.size)
        if not isinstance(at, SlotAddress):
            raise ValueError(
                f"{step.name}: operand {touched.operand} is an address, SlotAddress(slot, offset), not {at}"
            )
        slot = self.slots[at.slot] if at.slot >= 0 else GraphSlot("a part of the arena", written=True)
        span = SlotSpan.of(at.slot, at.offset, touched)
        if touched.written and not slot.written:
            raise ValueError(f"{step.name}: operand {touched.operand} is written, but {slot.name} is only read")
        if at.offset % touched.size:
            raise ValueError(
                f"{step.name}: operand {touched.operand} begins at {at.offset}, no multiple of {touched.size} bytes"
            )
        if slot.bytes is not None and span.end is not None and not 0 <= span.begin <= span.end <= slot.bytes:
            raise ValueError(
                f"{step.name}: operand {touched.operand} touches bytes {span.begin} to {span.end - 1} of {slot.name}, "
                f"which has {slot.bytes}"
            )
        return span

    def _check_reads(self, spans: Sequence[tuple[SlotSpan, ...]]) -> None:
        """Raise ValueError for a step that begins or ends reading where no step before it has written. `verify` looks
        at every byte."""
        written = Intervals()
        for step, found in zip(self.steps, spans):
            own = [each for each in found if each.slot == ARENA]
            for each in own:
                if each.written or each.end is None or each.begin == each.end:
                    continue
                for place in (each.begin, each.end - 1):
                    if not written.meet(place, place + 1):
                        raise ValueError(
                            f"{step.name}: reads byte {place} of the arena, which no step before it writes"
                        )
            for each in own:
                if each.written:
                    written.add(each.begin, each.end)

    def emulated(self, arguments: Sequence[Array | int], workers: int = 1, turns: int = 0) -> None:
        """Compute in the emulator, on these arrays and numbers. The workers take turns of some instructions, whose
        order and lengths are drawn from the number `turns`; two workers that race raise `Race`."""
        memory = scratch(self.shared + workers * self.own)
        first = address_of(memory)
        given = [each if isinstance(each, int) else address_of(each) for each in arguments]
        held = [(slot, each) for slot, each in zip(self.slots[ARGUMENTS:], arguments) if not isinstance(each, int)]
        held += [(slot, slot.constant) for slot in self.slots if slot.constant is not None]
        regions: list[MemoryRegion] = [(slot.name, bytes_of(each), slot.written) for slot, each in held]
        regions += [("scratch memory", memory, True)] if memory.size else []
        words = self._words([first, *given], first)
        for part in self.parts:
            part.emulated(words, regions, workers, turns)

    @property
    def segments(self) -> list[Segment]:
        """The jobs."""
        return [each for each in self.parts if isinstance(each, Segment)]

    def verify(self, *, timeout: float | None = None) -> proof.Proof:
        """Return a proof that the code of each segment leaves what the calls of its kernels leave, on any number of
        threads, that no two threads touch the same memory, and that no step reads what nobody has written: see
        docs/soundness.md. A successful proof is truthy, and printing it shows how it was found. Raises UnsupportedError
        for numbers that the call gives, for steps with indices, and if a kernel has no specification."""
        if any(isinstance(part, IndexCheck) for part in self.parts):
            raise UnsupportedError("verify: steps with indices are not proved; `verify_schedule` looks at the threads")
        return proofs.of_segments(repr(self), self.segments, self._memory, self._whole, timeout=timeout)

    def verify_schedule(self) -> proof.Claim:
        """Return the claim that no worker touches what another one writes between two barriers, and that no step reads
        what nobody has written, by the elements that steps say they touch."""
        return proofs.schedule_claim(self.segments, self._memory, self._whole)

    @property
    def _whole(self) -> bool:
        """Whether no step is a function of Python, of which nobody knows what it touches."""
        return all(isinstance(part, (Segment, IndexCheck)) for part in self.parts)

    @property
    def _memory(self) -> proofs.ProvedMemory:
        slots = [(each.name, each.bytes, each.written) for each in self.slots[ARGUMENTS:]]
        arena = self.slots[ARENA].bytes or 0
        tables = {
            place: each.constant
            for place, each in enumerate(self.slots)
            if each.table is not None and each.constant is not None
        }
        return proofs.ProvedMemory(slots, arena, self.shared, self.own, tables)

    def __repr__(self) -> str:
        return f"<Executor of {len(self.steps)} steps in {len(self.segments)} segments>"

    def __str__(self) -> str:
        """Return the parts: who runs which step, and the loops of the jobs as text."""
        return "\n".join([repr(self), *(f"  {line}" for part in self.parts for line in part.text())])


def _once(known: dict[object, JobStage | None], step: GraphStep) -> JobStage | None:
    """Return the stage of a step, which is made once for all that call the same with the same numbers."""
    key = id(step.entry), tuple(numbers_of(step))
    if key not in known:
        known[key] = stage(step)
    return known[key]


def _completed(step: GraphStep, slots: list[GraphSlot]) -> GraphStep:
    """Return a step with the constant arrays of its job, which calls of the job do not give; they get slots."""
    job = step.entry
    if isinstance(job, ROWS):
        places = {slot.table: number for number, slot in enumerate(slots) if slot.table is not None}
        table = job.table
        if table not in places:
            places[table] = len(slots)
            slots.append(GraphSlot(f"rows of {step.name}", table=table))
        return step._replace(operands=(*step.operands, SlotAddress(places[table])))
    if not isinstance(job, ArraysJob) or len(step.operands) == len(job._arrays):
        return step
    own = job._constants
    first = len(slots)
    slots += [GraphSlot(f"table of {step.name}", constant=each) for each in own]
    return step._replace(operands=(*step.operands, *(SlotAddress(first + number) for number in range(len(own)))))


def _of_rows(slot: GraphSlot, rows: int) -> GraphSlot:
    """Return a slot for calls of so many rows."""
    if slot.table is not None:
        return _sized(slot._replace(constant=slot.table.words(rows)))
    return slot._replace(bytes=slot.per_row * rows) if slot.per_row else slot


def _addresses(slots: Sequence[GraphSlot]) -> list[int]:
    """Return the words of the slots of constants; 0 for tables that are made for a number of rows."""
    return [0 if each.constant is None else address_of(each.constant) for each in slots if each.known]


def _sized(slot: GraphSlot) -> GraphSlot:
    """Return a slot with the bytes of its constant."""
    if slot.constant is None:
        return slot
    low, high = byte_bounds(slot.constant)
    return slot._replace(bytes=high - low, written=False)

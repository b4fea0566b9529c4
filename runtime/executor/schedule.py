"""Who runs which stage: phases, between which all workers meet at a barrier.

In a phase, stages that take long are divided among all workers, and the others lie on strands. One worker runs all
stages of a strand, one after the other, and another worker may run another strand. So a stage may touch what an earlier
one of its own strand writes, and nothing that any other stage of its phase writes. Small steps that follow from one
another become one strand, without any barrier.

`first_race` checks a schedule element by element; nothing in it knows how schedules are made.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.tuning.products import EXECUTOR
from ..arguments.arrays import Array
from ..fastcall.guards import FAR
from ..loops.code import Address, Affine
from .stages import JobStage, TouchedElements

Place = int | Address | Affine
"""What takes the place of an operand of a stage in the larger job: see `loops.code.placed`."""


class SlotSpan(NamedTuple):
    """Memory that a stage touches: elements of a slot, and the bytes from the first to the last of them. Without an
    end, it may be all of the slot."""

    slot: int
    begin: int
    end: int | None
    elements: TouchedElements

    @property
    def written(self) -> bool:
        """Whether the stage writes there."""
        return self.elements.written

    @classmethod
    def of(cls, slot: int, offset: int, elements: TouchedElements) -> SlotSpan:
        """Return the elements of an operand that lies so many bytes behind the beginning of a slot."""
        bounds = elements.bounds
        if bounds is None:
            return cls(slot, 0, None, elements)
        return cls(slot, offset + bounds[0], offset + bounds[1], elements)

    def overlaps(self, other: SlotSpan) -> bool:
        """Whether bytes of both may be the same, if all between the first and the last ones are touched."""
        if self.slot != other.slot:
            return False
        return (self.end is None or other.begin < self.end) and (other.end is None or self.begin < other.end)


class PlacedStage(NamedTuple):
    """A stage with the operands of a step.

    number   of the step
    name     for texts
    places   of its operands and its scratch memory in the larger job's table
    spans    what it touches
    first    the places in the first iteration of a loop around it, and the index of that loop, which begins with 0;
             None: the same as in all others
    """

    number: int
    name: str
    stage: JobStage
    places: Mapping[int, Place]
    spans: tuple[SlotSpan, ...]
    first: tuple[Affine, Mapping[int, Place]] | None = None


class Phase(NamedTuple):
    """Stages between two barriers: those that are divided among all workers, and strands."""

    divided: tuple[PlacedStage, ...]
    strands: tuple[tuple[PlacedStage, ...], ...]

    @property
    def parallel(self) -> bool:
        """Whether a second worker has anything to do."""
        return len(self.strands) > 1 or any(each.stage.parallel for each in self.divided)

    def apart(self) -> Iterator[tuple[PlacedStage, PlacedStage]]:
        """Yield all pairs of stages that different workers may run at the same time."""
        for one, other in combinations((*((each,) for each in self.divided), *self.strands), 2):
            yield from ((each, further) for each in one for further in other)


class Intervals:
    """Bytes as intervals that do not touch each other, in order."""

    def __init__(self) -> None:
        self.begins: list[int] = []
        self.ends: list[int] = []

    def add(self, begin: int, end: int | None) -> None:
        """Add the bytes from `begin` on, all of them or to an end."""
        end = FAR if end is None else end
        if begin >= end:
            return
        first, last = bisect_left(self.ends, begin), bisect_right(self.begins, end)
        if first < last:
            begin, end = min(begin, self.begins[first]), max(end, self.ends[last - 1])
        self.begins[first:last], self.ends[first:last] = [begin], [end]

    def meet(self, begin: int, end: int | None) -> bool:
        """Whether any of the bytes is one of these."""
        end = FAR if end is None else end
        place = bisect_right(self.ends, begin)
        return begin < end and place < len(self.begins) and self.begins[place] < end


class Strand:
    """Stages that one worker runs, or one that all run, with what they touch."""

    def __init__(self, stages: Sequence[PlacedStage] = ()) -> None:
        self.stages: list[PlacedStage] = []
        self.weight, self.shared, self.own = 0, False, set[int]()
        self.read, self.written = defaultdict[int, Intervals](Intervals), defaultdict[int, Intervals](Intervals)
        for each in stages:
            self.add(each)

    def add(self, stage: PlacedStage) -> None:
        """Add a stage behind the others."""
        shared, own = stage.stage.memory
        self.stages.append(stage)
        self.weight, self.shared = self.weight + stage.stage.weight, self.shared or bool(shared)
        self.own |= {own} if own else set()
        for each in stage.spans:
            (self.written if each.written else self.read)[each.slot].add(each.begin, each.end)

    def meets(self, stage: PlacedStage) -> bool:
        """Whether a stage may touch bytes that these write, or the other way round. Each worker's part of the scratch
        memory begins where the stage says, so that parts of different sizes overlap."""
        shared, own = stage.stage.memory
        if shared and self.shared or own and self.own - {own}:
            return True
        return any(
            held[each.slot].meet(each.begin, each.end)
            for each in stage.spans
            for held in ((self.written, self.read) if each.written else (self.written,))
            if each.slot in held
        )


def phases(stages: Sequence[PlacedStage], several: bool = True) -> tuple[Phase, ...]:
    """Return the phases of stages that follow one another. several: whether there may be more than one worker."""
    found: list[Phase] = []
    divided, strands = Strand(), list[Strand]()
    for each in stages:
        own = [strand for strand in strands if strand.meets(each)]
        divides = _divides(each.stage, several)
        if divided.meets(each) or (own if divides else not _worth_joining(own)):
            found.append(_phase(divided, strands))
            divided, strands, own = Strand(), [], []
        if divides:
            divided.add(each)
            continue
        if not own and len(strands) >= EXECUTOR.parts:
            own = [min(strands, key=lambda strand: strand.weight)]
        if len(own) == 1:
            own[0].add(each)
            continue
        joined = sorted((other for strand in own for other in strand.stages), key=lambda other: other.number)
        strands = [*(strand for strand in strands if strand not in own), Strand([*joined, each])]
    if divided.stages or strands:
        found.append(_phase(divided, strands))
    return tuple(found)


def _phase(divided: Strand, strands: Sequence[Strand]) -> Phase:
    return Phase(tuple(divided.stages), tuple(tuple(strand.stages) for strand in strands))


def _divides(stage: JobStage, several: bool) -> bool:
    """Whether all workers compute a stage together."""
    return not stage.movable or several and stage.parallel and stage.weight >= EXECUTOR.divided


def _worth_joining(strands: Sequence[Strand]) -> bool:
    """Whether one worker had better run strands one after the other than several meet behind them."""
    weights = [strand.weight for strand in strands]
    return len(weights) < 2 or sum(weights) - max(weights) <= EXECUTOR.barrier


# Proofs


def first_race(schedule: Sequence[Phase]) -> tuple[PlacedStage, PlacedStage] | None:
    """Return two stages that different workers may run at the same time although one writes elements, or scratch
    memory, that the other one touches; None if there are none."""
    for phase in schedule:
        for one, other in phase.apart():
            (shared, own), (its_shared, its_own) = one.stage.memory, other.stage.memory
            if shared and its_shared or own and its_own and own != its_own:
                return one, other
            if any(_common(mine, its) for mine in one.spans for its in other.spans if mine.written or its.written):
                return one, other
    return None


def first_unwritten(stages: Sequence[PlacedStage], slot: int, size: int) -> PlacedStage | None:
    """Return the first stage that reads a byte of a slot which no stage before it writes; None if there is none. A
    stage that may write all of a slot counts as one that does."""
    held = np.zeros(size, bool)
    for stage in stages:
        own = [each for each in stage.spans if each.slot == slot]
        if any(not each.written and each.end is not None and not bytes_of_span(held, each).all() for each in own):
            return stage
        for each in own:
            if each.written:
                bytes_of_span(held, each)[...] = True
    return None


def _common(one: SlotSpan, other: SlotSpan) -> bool:
    """Whether elements of two spans have bytes in common."""
    if not one.overlaps(other):
        return False
    if one.end is None or other.end is None:
        return True
    begin, end = max(one.begin, other.begin), min(one.end, other.end)
    base = min(one.begin, other.begin)
    held = np.zeros(max(one.end, other.end) - base, bool)
    bytes_of_span(held, one, base)[...] = True
    rest = np.zeros_like(held)
    bytes_of_span(rest, other, base)[...] = True
    return bool((held & rest)[begin - base : end - base].any())


def bytes_of_span(held: Array, span: SlotSpan, base: int = 0) -> Array:
    """Return the bytes of a span's elements as an array of these, of the memory from `base` on."""
    elements = span.elements
    if span.end is None or elements.shape is None:
        return held
    low, _ = elements.bounds or (0, 0)
    first = span.begin - base + elements.offset - low
    if 0 in elements.shape:
        return held[:0]
    shape, strides = (*elements.shape, elements.size), (*elements.strides, 1)
    found: Array = np.ndarray(shape, bool, held, first, strides)
    return found

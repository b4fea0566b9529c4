"""Calls of a graph as data, as an entry of the cache folder holds them: numbers, strings, tuples of such, and bytes.

A job is its machine code and what its calls need, a check of indices is the arrays that it looks at, and a function of
Python is its `origin`, of which the graph makes it again. Nothing here plans, schedules or makes kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from ...encoder.features import Target
from ...microkernels.operands import CheckedIndex
from ..api.aligned import bytes_at_a_line
from ..arguments.arrays import Array
from ..arguments.regions import TouchedMemory
from ..cache.sealed import SealedEntry
from ..loops.job import CachedJob, Job
from .calls import CalledPart, ForeignCall, GraphCalls, IndexCheck, JobWords, SegmentCall
from .packing import PackingJob
from .steps import GraphStep, Origin, PythonEntry, SlotAddress

if TYPE_CHECKING:
    from ..loops.code import Node

ArrayData: TypeAlias = "tuple[int, tuple[int, ...], str]"
"""The section of its elements, the shape and the type."""
JobData: TypeAlias = "tuple[int, tuple[str, ...], int]"
"""The section of its code, its features and the scratch memory of its kernels."""
PackingData: TypeAlias = "tuple[JobData, int, int]"
StepData: TypeAlias = "tuple[str, tuple[tuple[int, int] | int, ...]]"
"""The name, and the operands: slots and offsets, or numbers."""
SegmentData: TypeAlias = "tuple[JobData, tuple[int, int], bool, int]"
CheckData: TypeAlias = """tuple[
    StepData,
    tuple[tuple[str, tuple[int, ...], tuple[int, ...], str], ...],
    tuple[tuple[int, int], ...],
    tuple[tuple[int, str], ...],
    tuple[tuple[str, str, int, str, bool], ...],
]"""
"""Whose indices they are; the arrays; which are copied, and where to; which are checked; what is checked of them."""
PartData: TypeAlias = "tuple[SegmentData | None, CheckData | None, tuple[StepData, Origin] | None]"
"""One of the three."""
CallsData: TypeAlias = "tuple[int, tuple[int, int], tuple[PartData, ...]]"
"""The number of arguments, the bytes of memory, and the parts."""
STEM = "graph"
"""The stem of the jobs' names."""


class NotKept(Exception):
    """Why something is not data that another process could read."""


def type_text(dtype: np.dtype[np.generic]) -> str:
    """Return the name of an element type, by which numpy finds it again. Raises NotKept for others."""
    name: str = dtype.name
    try:
        if np.dtype(name) == dtype:
            return name
    except TypeError:
        pass
    raise NotKept(f"elements of {dtype}")


class EntryWriter:
    """The bytes of an entry, in sections, and the features of the machine code among them. Methods return data, and
    raise NotKept for what is none."""

    def __init__(self) -> None:
        self.sections: list[bytes] = []
        self.features: set[str] = set()

    def _section(self, data: bytes) -> int:
        self.sections.append(data)
        return len(self.sections) - 1

    def job(self, job: Job) -> JobData:
        """Return a job."""
        self.features |= job.features
        return self._section(job.data), tuple(sorted(job.features)), job.scratch

    def packing(self, packing: PackingJob) -> PackingData:
        """Return a job that packs an array."""
        return self.job(packing.job), packing.bytes, packing.own

    def array(self, array: Array) -> ArrayData:
        """Return an array with its elements."""
        if not array.flags.c_contiguous:
            raise NotKept("a table with gaps")
        return self._section(array.tobytes()), array.shape, type_text(array.dtype)

    def calls(self, calls: GraphCalls) -> CallsData:
        """Return calls, without their constants."""
        return calls.arguments, (calls.shared, calls.own), tuple(map(self._part, calls.parts))

    def _part(self, part: CalledPart) -> PartData:
        if isinstance(part, SegmentCall):
            words = part.words.slots, part.words.copies
            return (self.job(part.job), words, part.parallel, part.cycles), None, None
        if isinstance(part, IndexCheck):
            return None, _check(part), None
        assert isinstance(part, ForeignCall)
        origin = part.step.entry.origin if isinstance(part.step.entry, PythonEntry) else None
        if origin is None:
            raise NotKept(f"{part.step.name}: a function of Python that only its program can make")
        return None, None, (_step(part.step), origin)


def _step(step: GraphStep) -> StepData:
    operands = ((each.slot, each.offset) if isinstance(each, SlotAddress) else each for each in step.operands)
    return step.name, tuple(operands)


def _check(part: IndexCheck) -> CheckData:
    if part.known is None:
        raise NotKept(f"{part.step.name}: each call says how its indices lie")
    arrays = ((each.name, each.array) for each in part.known)
    known = tuple((name, array.shape, array.strides, type_text(array.dtype)) for name, array in arrays)
    checks = tuple((each.name, each.table, each.axis, each.what, each.ends) for each in part.checks)
    return _step(part.step), known, tuple(part.copies.items()), tuple(part.indices.items()), checks


class EntryReader:
    """What the data of an entry stand for. `nodes` returns the nest of the segment of a number, and `python` makes a
    function of its origin."""

    def __init__(
        self,
        sections: Sequence[bytes],
        target: Target,
        nodes: Callable[[int], Sequence[Node]],
        python: Callable[[Origin], PythonEntry],
    ) -> None:
        self.sections, self.target, self.nodes, self.python = sections, target, nodes, python

    def _job(self, data: JobData, nodes: Callable[[], Sequence[Node]]) -> CachedJob:
        section, features, scratch = data
        entry = SealedEntry({"features": features, "scratch": scratch}, (self.sections[section],))
        return CachedJob(entry, nodes, self.target, STEM)

    def packing(self, data: PackingData) -> PackingJob:
        """Return a job that packs an array."""
        job, size, own = data

        def nodes() -> Sequence[Node]:
            raise NotImplementedError("a job that packs is shown by the layer that it packs for")

        return PackingJob(self._job(job, nodes), size, own)

    def array(self, data: ArrayData) -> Array:
        """Return an array, which begins at a line."""
        section, shape, name = data
        memory = bytes_at_a_line(len(self.sections[section]))
        memory[...] = np.frombuffer(self.sections[section], np.uint8)
        made: Array = memory.view(np.dtype(name)).reshape(shape)
        made.setflags(write=False)
        return made

    def calls(self, data: CallsData, constants: Sequence[int], threads: int | None) -> GraphCalls:
        """Return calls. `constants` are the words of their slots."""
        arguments, memory, given = data
        parts, segments = list[CalledPart](), 0
        for segment, check, python in given:
            if segment is not None:
                parts.append(_KeptSegment(self._job(segment[0], self._nodes(segments)), segment, constants))
                segments += 1
            elif check is not None:
                parts.append(_kept_check(check))
            elif python is not None:
                parts.append(ForeignCall(_kept_step(python[0], self.python(python[1]))))
        return GraphCalls(threads, arguments, constants, memory, parts)

    def _nodes(self, number: int) -> Callable[[], Sequence[Node]]:
        return lambda: self.nodes(number)


class _KeptSegment(SegmentCall):
    """A job from an entry."""

    def __init__(self, job: Job, data: SegmentData, constants: Sequence[int]) -> None:
        _, words, parallel, cycles = data
        super().__init__(JobWords(*words), constants, parallel, cycles, job.target)
        self.job = job


def _kept_step(data: StepData, entry: PythonEntry | None) -> GraphStep:
    name, operands = data
    return GraphStep(entry, tuple(each if isinstance(each, int) else SlotAddress(*each) for each in operands), name)


def _kept_check(data: CheckData) -> IndexCheck:
    step, arrays, copies, indices, checks = data
    known = [TouchedMemory(name, _lying(shape, strides, of)) for name, shape, strides, of in arrays]
    found = [CheckedIndex(*each) for each in checks]
    return IndexCheck(_kept_step(step, None), None, dict(copies), known, dict(indices), found)


def _lying(shape: tuple[int, ...], strides: tuple[int, ...], name: str) -> Array:
    """Return an array of which only the shape and the strides are true."""
    made: Array = np.lib.stride_tricks.as_strided(np.empty(1, np.dtype(name)), shape, strides, writeable=False)
    return made

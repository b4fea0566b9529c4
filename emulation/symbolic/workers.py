"""Execute a function that several workers call at once on symbolic elements, one worker after the other.

    done = execute_together(code, target, [[table, worker, 3] for worker in range(3)], regions, symbolic)
    done.race         "" if no worker reads or writes what another one writes between the same two barriers

If no two workers interfere, every order of their instructions leaves the same memory (confluence). So the order used
here, in which each worker runs up to the next barrier, stands for all orders. Every worker has its own stack.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ..core.faults import Fault
from ..core.memory import READ, Region
from ..cpu import BACK, CODE
from ..workers import BARRIER
from ..x86.state import bits
from .given.call import addressed, words_of
from .given.words import Words
from .machine import LIMIT, Done, Undecidable, begun, kept, run_to
from .memory import SymbolicMemory, Track
from .modes.caller import Caller
from .rewrites import SIMPLIFIERS
from .values import Array, Repeats, Table, Undecided


class Together(NamedTuple):
    """The final state of an execution. `race` describes two workers that interfere."""

    table: Table
    memory: SymbolicMemory
    steps: int
    lost: tuple[str, ...]
    warnings: tuple[str, ...]
    race: str
    barriers: int
    words: Words | None = None
    """The words that the call gives, and what they decided."""

    def of_one(self) -> Done:
        """Return the state as that of a single call."""
        return Done(*self[:5], words=self.words)


def execute_together(
    code: bytes,
    target: Target,
    calls: Sequence[Sequence[int]],
    regions: Sequence[Region],
    symbolic: Mapping[str, int],
    *,
    scratch: Sequence[Region] = (),
    like: Together | Done | None = None,
    limit: int = LIMIT,
    again: bool = False,
    caller: Caller | None = None,
    phase: int = 0,
) -> Together:
    """Call a function once for each list of integers.

    scratch   memory that is undefined at the start; sizes are multiples of eight bytes
    like      another execution whose table and inputs are reused
    again     whether the same operations will be executed again, or have been: their results are then kept
    caller    a caller whose floating-point mode is unknown, and under whose mode every worker starts
    phase     how many bytes below its usual place each stack begins, a multiple of 16

    Raises the exceptions of `machine.execute`, and Fault if a worker waits at a barrier for one that has returned.
    """
    table = Table(SIMPLIFIERS) if like is None else like.table
    table.repeats = (table.repeats or Repeats()) if again else None
    memory = SymbolicMemory([*regions, *scratch], table, symbolic, None if like is None else like.memory.inputs)
    for region in scratch:
        memory.undefine(region.name, region.start, region.end - region.start)
    words, first = words_of(symbolic, memory, calls[0])  # workers of a job take their numbers from its table
    table.words = words
    shared = dict(memory.tracks)
    workers = [
        _Worker(number, bytes(code), target, integers, memory, limit, caller, phase)
        for number, integers in enumerate((first, *[addressed(memory, each) for each in calls[1:]]))
    ]
    race, barriers = "", 0
    try:
        while running := [each for each in workers if each.address != BACK]:
            if len(running) != len(workers):
                raise Fault(
                    f"workers {', '.join(str(each.number) for each in running)} wait at a barrier for others "
                    "that have returned"
                )
            race = race or _phase(running, shared, memory)
            if all(each.address == BARRIER for each in running):
                barriers += 1
                for each in running:
                    each.address = each.process.left()
        found = [kept(each.process, each.entry) for each in workers]
        if caller is not None:
            caller.ends()
    except Undecided as undecided:
        raise Undecidable(str(undecided), "ret", len(code)) from undecided
    finally:
        memory.bases.end()
        table.held = table.words = table.places = None
        bits.cache_clear()
    lost, warnings = (tuple(dict.fromkeys(name for pair in found for name in pair[at])) for at in (0, 1))
    steps = sum(each.steps for each in workers)
    return Together(table, memory, steps, lost, warnings, race, barriers, words)


class _Memory(SymbolicMemory):
    """The memory of one worker: the shared operands and a private stack."""

    def __init__(self, operands: SymbolicMemory) -> None:
        super().__init__([], operands.table, {})
        self.inputs, self.regions, self.uses = operands.inputs, operands.regions, operands.uses
        self.bases = self.table.places = operands.bases
        for segment in operands._segments:
            self._insert(segment)
        self.tracks |= operands.tracks


class _Worker:
    """One call of the function."""

    def __init__(
        self,
        number: int,
        code: bytes,
        target: Target,
        integers: Sequence[int],
        operands: SymbolicMemory,
        limit: int,
        caller: Caller | None = None,
        phase: int = 0,
    ) -> None:
        self.caller = caller
        self.number, self.code, self.target, self.limit = number, code, target, limit
        memory = _Memory(operands)
        memory.add("the code", CODE, len(code), READ, code)
        self.process, self.entry = begun(memory, target, integers, caller, phase)
        self.address, self.steps = CODE, 0

    def run(self) -> None:
        """Run to the next barrier or to the end."""
        steps, self.address = run_to(
            self.process, self.code, self.target, self.limit, self.address, (BACK, BARRIER), caller=self.caller
        )
        self.steps += steps


def _phase(workers: Sequence[_Worker], shared: Mapping[int, Track], memory: SymbolicMemory) -> str:
    """Run each worker to the next barrier. Return a description of two workers that interfere, or "". The records of
    the first read and the last write of each byte are kept across workers."""
    seen = {start: (track.read.copy(), track.writer.copy()) for start, track in shared.items()}
    readers = {start: np.full(len(track.read), -1, np.int64) for start, track in shared.items()}
    writers = {start: each.copy() for start, each in readers.items()}
    race = ""
    for worker in workers:
        for track in shared.values():
            track.read[:] = track.writer[:] = -1
        worker.run()
        for start, track in shared.items():
            race = race or _met(worker.number, start, track, readers[start], writers[start], memory)
            read, wrote = track.read >= 0, track.writer >= 0
            readers[start][read & (readers[start] < 0)] = worker.number
            writers[start][wrote] = worker.number
            first, last = seen[start]
            fresh = read & (first < 0)
            first[fresh], last[wrote] = track.read[fresh], track.writer[wrote]
    for start, (first, last) in seen.items():
        shared[start].read[:], shared[start].writer[:] = first, last
    return race


def _met(number: int, start: int, track: Track, readers: Array, writers: Array, memory: SymbolicMemory) -> str:
    """Return a description of a byte that one worker accesses and another one writes, or ""."""
    read, wrote = track.read >= 0, track.writer >= 0
    bad = np.flatnonzero(((writers >= 0) & (read | wrote)) | (wrote & (readers >= 0)))
    if not len(bad):
        return ""
    at = int(bad[0])
    other = int(writers[at]) if writers[at] >= 0 else int(readers[at])
    name = memory.named(start + at)
    return (
        f"worker {number} {'writes' if wrote[at] else 'reads'} byte {at} of {name}, which worker {other} "
        f"{'writes' if writers[at] >= 0 else 'reads'} between the same barriers"
    )


def execute_calls(
    calls: Sequence[tuple[bytes, Target, Sequence[int]]],
    regions: Sequence[Region],
    symbolic: Mapping[str, int],
    like: Together | Done,
) -> SymbolicMemory:
    """Return the memory after calling functions one after the other, with the inputs of another execution."""
    memory = SymbolicMemory(regions, like.table, symbolic, like.memory.inputs)
    for number, (code, target, integers) in enumerate(calls):
        like.table.words, given = words_of(symbolic, memory, integers)
        try:
            worker = _Worker(number, bytes(code), target, given, memory, LIMIT)
            worker.run()
        finally:
            like.table.words = None
    memory.bases.end()
    like.table.places = None
    return memory

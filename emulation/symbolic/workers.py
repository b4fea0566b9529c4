"""Execute a function that several workers call at once on symbolic elements, one worker after the other.

    done = execute_together(code, target, [[table, worker, 3] for worker in range(3)], regions, symbolic)
    done.race         "" if no worker reads or writes what another one writes between the same two barriers

If no two workers interfere, every order of their instructions leaves the same memory (confluence). So the order used
here, in which each worker runs up to the next barrier, stands for all orders. Every worker has its own stack.

Workers that claim numbers (`workers.CLAIM`) get them in turn here. Any other worker may get a number elsewhere, so
what one worker does with a number must not interfere with what it does with the next one either, except in the memory
that each worker has for itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count

import numpy as np

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ..core.faults import Fault
from ..core.memory import READ, Region
from ..cpu import BACK, CODE
from ..workers import BARRIER, CLAIM
from ..x86.state import bits
from .given.call import addressed, words_of
from .given.words import Words
from .machine import LIMIT, Done, Undecidable, begun, kept, run_to
from .memory import SymbolicMemory, Track
from .modes.caller import Caller
from .rewrites import SIMPLIFIERS
from .values import Repeats, Table, Undecided


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
    own: Collection[str] = (),
) -> Together:
    """Call a function once for each list of integers.

    scratch   memory that is undefined at the start; sizes are multiples of eight bytes
    like      another execution whose table and inputs are reused
    again     whether the same operations will be executed again, or have been: their results are then kept
    caller    a caller whose floating-point mode is unknown, and under whose mode every worker starts
    phase     how many bytes below its usual place each stack begins, a multiple of 16
    own       the names of scratch memory of which each worker has a part for itself

    Raises the exceptions of `machine.execute`, and Fault if a worker waits at a barrier for one that has returned.
    """
    table = Table(SIMPLIFIERS) if like is None else like.table
    table.repeats = (table.repeats or Repeats()) if again else None
    memory = SymbolicMemory([*regions, *scratch], table, symbolic, None if like is None else like.memory.inputs)
    for region in scratch:
        memory.undefine(region.name, region.start, region.end - region.start)
    words, first = words_of(symbolic, memory, calls[0])  # workers of a job take their numbers from its table
    table.words = words
    shared, numbers = dict(memory.tracks), count()
    parts = frozenset(each.start for each in scratch if each.name in own)
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
            met = _phase(running, _Accesses(shared, parts, memory), numbers)
            race = race or met
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
        self.claimed: int | None = None
        """The last number that it has claimed."""

    def __str__(self) -> str:
        return f"worker {self.number}{'' if self.claimed is None else f' with the claimed number {self.claimed}'}"

    def run(self) -> None:
        """Run to the next barrier, to a claim or to the end."""
        steps, self.address = run_to(
            self.process, self.code, self.target, self.limit, self.address, (BACK, BARRIER, CLAIM), caller=self.caller
        )
        self.steps += steps


class _Accesses:
    """What the workers access up to the next barrier, by byte: which of them reads and writes it, and with which of the
    numbers that it has claimed. The records of the first read and the last write are kept across workers."""

    def __init__(self, shared: Mapping[int, Track], own: Collection[int], memory: SymbolicMemory) -> None:
        self.shared, self.own, self.memory = shared, own, memory
        self.seen = {start: (track.read.copy(), track.writer.copy()) for start, track in shared.items()}
        self.readers = {start: np.full(len(track.read), -1, np.int64) for start, track in shared.items()}
        self.writers = {start: each.copy() for start, each in self.readers.items()}
        self.turns: list[str] = []

    def run(self, worker: _Worker) -> str:
        """Run a worker to where it waits or claims. Return a description of an access that interferes with one before,
        or ""."""
        for track in self.shared.values():
            track.read[:] = track.writer[:] = -1
        worker.run()
        race, turn = "", len(self.turns)
        self.turns.append(str(worker))
        for start, track in self.shared.items():
            number = worker.number if start in self.own else turn
            race = race or self._met(number, start, track)
            read, wrote = track.read >= 0, track.writer >= 0
            readers, (first, last) = self.readers[start], self.seen[start]
            readers[read & (readers < 0)] = number
            self.writers[start][wrote] = number
            fresh = read & (first < 0)
            first[fresh], last[wrote] = track.read[fresh], track.writer[wrote]
        return race

    def end(self) -> None:
        """Give the memory the records of all workers."""
        for start, (first, last) in self.seen.items():
            self.shared[start].read[:], self.shared[start].writer[:] = first, last

    def _met(self, number: int, start: int, track: Track) -> str:
        """Return a description of a byte that this turn accesses and another one writes, or ""."""
        readers, writers = self.readers[start], self.writers[start]
        read, wrote = track.read >= 0, track.writer >= 0
        written, used = (writers >= 0) & (writers != number), (readers >= 0) & (readers != number)
        bad = np.flatnonzero((written & (read | wrote)) | (wrote & used))
        if not len(bad):
            return ""
        at = int(bad[0])
        other = int(writers[at]) if written[at] else int(readers[at])
        who = [f"worker {each}" if start in self.own else self.turns[each] for each in (number, other)]
        return (
            f"{who[0]} {'writes' if wrote[at] else 'reads'} byte {at} of {self.memory.named(start + at)}, which "
            f"{who[1]} {'writes' if written[at] else 'reads'} between the same barriers"
        )


def _phase(workers: Sequence[_Worker], accesses: _Accesses, numbers: Iterator[int]) -> str:
    """Run each worker to the next barrier. Those that claim numbers run in turn from one to the next. Return a
    description of accesses that interfere, or ""."""
    race, left = "", list(workers)
    while left:
        for worker in left:
            met = accesses.run(worker)
            race = race or met
        left = [each for each in left if each.address == CLAIM]
        for worker in left:
            worker.claimed = next(numbers)
            worker.address = worker.process.left(worker.claimed)
    accesses.end()
    return race


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

"""Observe what AArch64 instructions read and write by executing them repeatedly, each time with something changed.

A unit is read if changing it changes another unit, or if it keeps a part of itself when it is written. A unit is
written if its contents differ afterwards. Instructions are executed by the kernel server's processor, thousands per
program.
"""

from __future__ import annotations

import bisect
import random
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from tests.encoder import a64_driver as driver
from tests.encoder import a64_worlds as worlds
from tests.encoder.a64_driver import PLAIN, SCALABLE, STREAMING, WINDOW_SIZE, Mode
from tests.encoder.a64_instances import Instance, instance
from tests.encoder.a64_units import IMPLICIT, named
from tilesmith.emulation.qemu.faults import GuestFault
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.a64.forms import A64Form

Array = np.ndarray[Any, Any]
Place = int | str | tuple[int, int]
"""How a form refers to a unit: the number of an operand, two numbers for a register of its address, or a name."""

Key = TypeVar("Key", bound=Hashable)

REST = "the rest"
"""All units that an instruction neither names nor may read implicitly."""
_BYTES = 16 << 20  # of blocks per call
_ROUNDS, _TRIALS = 60, 2  # operands are drawn anew for each round


@dataclass
class Seen:
    """What the instructions of a row were observed to read and write, or the signal that ended one."""

    instance: Instance
    reads: set[Place] = field(default_factory=set)
    writes: set[Place] = field(default_factory=set)
    fault: str = ""

    def __post_init__(self) -> None:
        each = [(number, named(operand)) for number, operand in enumerate(self.instance.operands)]
        self.named = {unit for _, one in each for unit in (*one.data, *one.places)}
        self._places: dict[str, set[Place]] = {unit: set() for unit in self.named}
        for number, one in each:
            for unit in one.data:
                self._places[unit].add(number)
            for at, unit in enumerate(one.places):
                self._places[unit].add((number, at))

    def places(self, unit: str) -> set[Place]:
        """Return how the form refers to the unit: by operands, or by its name if no operand names it."""
        return self._places.get(unit, {unit})

    def role(self, place: Place) -> str:
        """Return the role of a place: r, w, x or an empty string."""
        return {(0, 0): "", (1, 0): "r", (0, 1): "w", (1, 1): "x"}[place in self.reads, place in self.writes]


class _Job(NamedTuple):
    """One execution. `changed` are the units that are taken from the other state; `means` is a short name for them."""

    seen: Seen
    slot: int
    changed: frozenset[str]
    means: str


class _Blocks:
    """The position of each unit in a block."""

    def __init__(self, mode: Mode) -> None:
        at = {f"x{n}": slice(8 * n, 8 * n + 8) for n in range(31) if n not in (16, 17)}
        at |= {"path": slice(128, 136), "": slice(136, 144)}  # x16 and x17 are the driver's
        at |= {"sp": slice(mode.SP, mode.SP + 8), "nzcv": slice(mode.NZCV, mode.NZCV + 8)}
        for letter, start, count, size in (
            ("p", mode.PREDICATES, 16, mode.vector // 8),
            ("z", mode.VECTORS, 32, mode.vector),
        ):
            at |= {f"{letter}{n}": slice(start + n * size, start + (n + 1) * size) for n in range(count)}
        if mode.streaming:
            at |= {"za": slice(mode.za, mode.za + mode.vector**2), "zt0": slice(mode.zt0, mode.zt0 + 64)}
        else:
            at |= {"ffr": slice(mode.FFR, mode.FFR + mode.vector // 8)}
        self.at = at | {"memory": slice(mode.MEMORY, mode.MEMORY + WINDOW_SIZE)}
        self.units = frozenset(self.at) - {"", "path"}
        edges = sorted({0, *(edge for part in self.at.values() for edge in (part.start, part.stop))} - {mode.size})
        self._edges = np.array(edges) // 2  # in units of 16 bits, the size of the smallest unit
        column = {start: number for number, start in enumerate(edges)}
        self.order = [name for name in self.at if name]
        self._columns = [column[self.at[name].start] for name in self.order]

    def differ(self, one: Array, other: Array) -> Array:
        """Return whether any byte differs, by row and unit."""
        differs = one.view(np.uint16) != other.view(np.uint16)
        return np.logical_or.reduceat(differs, self._edges, axis=1)[:, self._columns]


_blocks = cache(_Blocks)


def observe(
    server: Server, groups: Mapping[Key, list[A64Form]], enough: Callable[[Seen], bool], seed: int = 0
) -> dict[Key, Seen]:
    """Observe each group of forms: random forms of the group are tried until `enough` says that all was seen."""
    found: dict[Key, Seen] = {}
    left = list(groups)
    for number in range(_ROUNDS):
        drawn: dict[Mode, list[Seen]] = {PLAIN: [], SCALABLE: [], STREAMING: []}
        for key in left:
            forms, known = groups[key], found.get(key)
            rng = random.Random(f"{forms[0].mnemonic} {forms[0].word} {number} {seed}")
            made = instance(rng.choice(forms), rng)
            found[key] = Seen(made, known.reads, known.writes) if known else Seen(made)
            drawn[made.mode].append(found[key])
        for mode, those in drawn.items():
            program = _Program(server, those, mode)
            for trial in range(_TRIALS):
                program.attempt([seen for seen in those if not seen.fault], number * _TRIALS + trial)
        left = [key for key in left if not found[key].fault and not enough(found[key])]
    return found


class _Program:
    """The instructions of one mode as slots of one program."""

    def __init__(self, server: Server, those: list[Seen], mode: Mode) -> None:
        self._server, self._mode, self._blocks, self._seen = server, mode, _blocks(mode), those
        self._slots = {id(seen): number for number, seen in enumerate(those)}
        self._code, self._places = driver.program([seen.instance.words for seen in those], mode)

    def attempt(self, those: list[Seen], trial: int) -> None:
        """Run one trial of each instruction; one that reads something unnamed is tried again with each candidate
        alone."""
        unnamed = self._run([job for seen in those for job in self._jobs(seen)], trial)
        self._run([job for seen in unnamed for job in self._alone(seen)], trial)

    def _jobs(self, seen: Seen) -> list[_Job]:
        """Return the jobs of an instruction: unchanged, with each named unit changed, and with all other units
        changed."""
        slot, units = self._slots[id(seen)], seen.named & self._blocks.units
        single = [_Job(seen, slot, frozenset((unit,)), unit) for unit in sorted(units)]
        return [_Job(seen, slot, frozenset(), ""), *single, _Job(seen, slot, self._blocks.units - units, "?")]

    def _alone(self, seen: Seen) -> list[_Job]:
        slot, units = self._slots[id(seen)], seen.named & self._blocks.units
        implicit = (self._blocks.units & set(IMPLICIT)) - units
        single = [_Job(seen, slot, frozenset((unit,)), unit) for unit in sorted(implicit)]
        rest = self._blocks.units - units - implicit
        return [_Job(seen, slot, frozenset(), ""), *single, _Job(seen, slot, rest, REST)]

    def _run(self, jobs: list[_Job], trial: int) -> list[Seen]:
        """Execute jobs and note what is seen. Return the instructions that read something unnamed."""
        unnamed: list[Seen] = []
        while jobs:
            end = min(_BYTES // self._mode.size, len(jobs))
            while end < len(jobs) and jobs[end].means:  # keep all jobs of an instruction together
                end += 1
            part, jobs = jobs[:end], jobs[end:]
            before = self._states(part, trial)
            after = self._executed(part, before)
            if after is None:  # one faulted: run the others again
                jobs = [job for job in part if not job.seen.fault] + jobs
            else:
                unnamed += self._taken_down(part, before, after)
        return unnamed

    def _states(self, jobs: list[_Job], trial: int) -> Array:
        one, other = worlds.pair(trial, self._mode)
        states = np.empty((len(jobs), self._mode.size), np.uint8)
        at = self._blocks.at
        for number, job in enumerate(jobs):
            few = len(job.changed) < 8
            mine, theirs = (one, other) if few else (other, one)
            states[number] = mine
            for unit in job.changed if few else self._blocks.units - job.changed:
                states[number, at[unit]] = theirs[at[unit]]
            if job.seen.instance.form.mnemonic == "ret":  # its target register always holds a valid address
                branch = at[f"x{worlds.BRANCH}"]
                states[number, at["x30"]] = (other if "x30" in job.changed else one)[branch]
        slots = states[:, self._mode.SLOT :][:, :8].view(np.uint64)
        slots[:, 0] = [self._places[job.slot] for job in jobs]
        return states

    def _executed(self, jobs: list[_Job], before: Array) -> Array | None:
        """Return the states afterwards, or None if an instruction ended in a signal, which is then noted."""
        after = np.zeros_like(before)
        bits = 8 * self._mode.vector
        vector, streaming = (None, bits) if self._mode.streaming else (bits, None)
        try:
            self._server.call(self._code, before.copy(), after, len(jobs), vector_bits=vector, streaming_bits=streaming)
        except GuestFault as fault:
            number = -1 if fault.offset is None else bisect.bisect_right(self._places, fault.offset) - 1
            if number < 0:
                raise
            self._seen[number].fault = fault.signal
            return None
        return after

    def _taken_down(self, jobs: list[_Job], before: Array, after: Array) -> list[Seen]:
        order = self._blocks.order
        bases = np.maximum.accumulate([0 if job.means else number for number, job in enumerate(jobs)])
        written, moved = self._blocks.differ(before, after), self._blocks.differ(after, after[bases])
        unnamed = []
        for number, job in enumerate(jobs):
            seen, base = job.seen, bases[number]
            for at in np.flatnonzero(written[number]):
                if order[at] != "path":
                    seen.writes |= seen.places(order[at])
            if not job.means:
                continue
            effects = {order[at] for at in np.flatnonzero(moved[number])}
            if "memory" in job.changed & effects and not self._depends(before, after, number, base):
                effects.remove("memory")
            if any(unit not in job.changed or seen.places(unit) & seen.writes for unit in effects):
                if job.means == "?":
                    unnamed.append(seen)
                else:
                    seen.reads |= seen.places(job.means)
        return unnamed

    def _depends(self, before: Array, after: Array, number: int, base: int) -> bool:
        """Whether the bytes written to memory depend on memory. Bytes that are not written do not count."""
        window = self._blocks.at["memory"]
        wrote = (before[number, window] != after[number, window]) | (before[base, window] != after[base, window])
        return bool(((after[number, window] != after[base, window]) & wrote).any())


__all__ = ["REST", "Place", "Seen", "observe"]

"""Proofs of executors: of who touches what at the same time, and of the code of each segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...emulation.core.memory import Region
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import Array
from ..verify.check import timed
from ..verify.nests import of_calls
from ..verify.proof import Claim, Proof, together
from ..verify.together import WORKERS, barrier_of, scratch_of
from .schedule import first_race, first_unwritten
from .segments import Segment
from .steps import ARENA, ARGUMENTS


class ProvedMemory(NamedTuple):
    """Memory of a call: the name, the bytes and whether steps write it, of each argument and constant; the bytes of
    the arena, of the arena with all shared scratch memory, and of each worker's scratch memory; the tables of rows
    among the constants, by their places in the table of a job."""

    slots: Sequence[tuple[str, int | None, bool]]
    arena: int
    shared: int
    own: int
    tables: Mapping[int, Array]


@timed
def of_segments(title: str, segments: Sequence[Segment], memory: ProvedMemory, whole: bool) -> Proof:
    """Prove an executor: its schedule, and that each of its segments leaves what the calls of its kernels leave. whole:
    whether Python does nothing between segments."""
    unknown = [name for name, size, _ in memory.slots if size is None]
    if unknown:
        raise UnsupportedError(f"verify: nobody knows the bytes of {', '.join(unknown)}; give them to the slot")
    schedule = schedule_claim(segments, memory, whole)
    proofs = [_of_segment(each, memory) for each in segments] if schedule.holds else []
    if not proofs:
        return Proof(title, "this host", (schedule,), None, (), 0, 0.0)
    found = together(proofs, "")
    return replace(found, claims=(*found.claims, schedule))


def schedule_claim(segments: Sequence[Segment], memory: ProvedMemory, whole: bool) -> Claim:
    """Return the claim that workers do not touch what others write between two barriers, by the bytes that steps say
    they touch, and that no step reads what nobody has written."""
    for each in segments:
        if (race := first_race(each.schedule)) is not None:
            one, other = (stage.name for stage in race)
            return Claim("places", False, f"{one} and {other} may run at the same time, and one writes what both touch")
    stages = [stage for each in segments for stage in each.stages]
    unwritten = first_unwritten(stages, ARENA, memory.arena) if whole else None
    if unwritten is not None:
        return Claim("places", False, f"{unwritten.name} reads bytes of the arena that no step before it writes")
    phases = sum(len(each.schedule) for each in segments)
    return Claim("places", True, f"{len(stages)} steps in {phases} phases: no worker touches what another one writes")


def _of_segment(segment: Segment, memory: ProvedMemory) -> Proof:
    tables = {f"{memory.slots[place - ARGUMENTS][0]} {place}": table for place, table in memory.tables.items()}
    held = [
        (f"{name} {place}" if place in memory.tables else name, memory.tables.get(place), size, written)
        for place, (name, size, written) in enumerate(memory.slots, ARGUMENTS)
    ]
    regions = [
        Region(name, _memory(size) if table is None else table, written) for name, table, size, written in held if size
    ]

    def words_of(addresses: Sequence[int], scratch: Array, workers: int) -> Sequence[int]:
        left = iter(addresses)
        first = scratch.__array_interface__["data"][0]
        given = [next(left) if size else 0 for _, size, _ in memory.slots]
        return [first, *given, first + memory.shared, *barrier_of()]

    workers = WORKERS if segment.parallel else WORKERS[:1]
    return of_calls(
        segment.job,
        regions,
        words_of,
        lambda count: memory.shared + count * memory.own,
        tables=tables,
        memory={place: table.view(np.uint8) for place, table in memory.tables.items()},
        workers=workers,
    )


def _memory(size: int) -> Array:
    """Return memory of so many bytes that is aligned to a line, in elements of f32."""
    return scratch_of(size)[: -(-size // 4) * 4].view(np.float32)

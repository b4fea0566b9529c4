"""Proofs of executors: of who touches what at the same time, and of the code of each segment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...emulation.core.memory import Region
from ...microkernels.errors import UnsupportedError
from ..arguments.arrays import Array
from ..verify.check import timed
from ..verify.nests import of_calls
from ..verify.proof import Claim, Proof, together
from ..verify.together import barrier_of, scratch_of
from .schedule import first_race, first_unwritten
from .segments import IndexCheck, Segment
from .steps import ARENA

if TYPE_CHECKING:
    from .executor import Executor


@timed
def of_executor(executor: Executor) -> Proof:
    """Prove an executor: its schedule, and that each of its segments leaves what the calls of its kernels leave."""
    unknown = [slot.name for slot in executor.slots[1:] if slot.bytes is None]
    if unknown:
        raise UnsupportedError(f"verify: nobody knows the bytes of {', '.join(unknown)}; give them to the slot")
    if any(isinstance(part, IndexCheck) for part in executor.parts):
        raise UnsupportedError("verify: steps with indices are not proved yet; `verify_schedule` looks at the threads")
    schedule = schedule_claim(executor)
    proofs = [_of_segment(executor, each) for each in executor.segments] if schedule.holds else []
    if not proofs:
        return Proof(repr(executor), "this host", (schedule,), None, (), 0, 0.0)
    found = together(proofs, "")
    return replace(found, claims=(*found.claims, schedule))


def schedule_claim(executor: Executor) -> Claim:
    """Return the claim that workers do not touch what others write between two barriers, by the bytes that steps say
    they touch, and that no step reads what nobody has written."""
    segments = executor.segments
    for each in segments:
        if (race := first_race(each.schedule)) is not None:
            one, other = (stage.name for stage in race)
            return Claim("places", False, f"{one} and {other} may run at the same time, and one writes what both touch")
    stages = [stage for each in segments for stage in each.stages]
    foreign = len(segments) != len(executor.parts)
    unwritten = None if foreign else first_unwritten(stages, ARENA, executor.slots[ARENA].bytes or 0)
    if unwritten is not None:
        return Claim("places", False, f"{unwritten.name} reads bytes of the arena that no step before it writes")
    phases = sum(len(each.schedule) for each in segments)
    return Claim("places", True, f"{len(stages)} steps in {phases} phases: no worker touches what another one writes")


def _of_segment(executor: Executor, segment: Segment) -> Proof:
    slots = executor.slots[1:]
    regions = [Region(slot.name, _memory(slot.bytes or 0), slot.written) for slot in slots if slot.bytes]

    def words_of(addresses: Sequence[int], scratch: Array, workers: int) -> Sequence[int]:
        left = iter(addresses)
        first = scratch.__array_interface__["data"][0]
        given = [next(left) if slot.bytes else 0 for slot in slots]
        return [first, *given, first + executor.shared, *barrier_of()]

    workers = (1, 2, 3, 7) if segment.parallel else (1,)
    return of_calls(
        segment.job, regions, words_of, lambda count: executor.shared + count * executor.own, workers=workers
    )


def _memory(size: int) -> Array:
    """Return memory of so many bytes that is aligned to a line, in elements of f32."""
    return scratch_of(size)[: -(-size // 4) * 4].view(np.float32)

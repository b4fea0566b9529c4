"""Kernels that run on several threads: prove that workers do not interfere and that any number leaves the same bits.

The workers are executed symbolically one after the other, up to the next barrier, for several worker counts. Between
two barriers, no worker may read or write what another one writes. Then one order of their instructions stands for all
orders. The memory that a single worker leaves is compared with the request; the memory that several workers leave is
compared with it, node by node.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from ...emulation.core.faults import Fault
from ...emulation.core.memory import Region
from ...emulation.symbolic.given.call import Open
from ...emulation.symbolic.machine import Done, Undecidable
from ...emulation.symbolic.modes.caller import Caller
from ...emulation.symbolic.values import Undecided
from ...emulation.symbolic.workers import Together, execute_together
from ...emulation.workers import BARRIER
from ...emulation.workers import execute_together as emulated
from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ...microkernels.operands import CACHE_LINE
from ..arguments.arrays import Array
from .callers.alignment import alignment
from .callers.mode import mode, phase_of
from .check import looked_at, uncollected
from .indices import Indices
from .operands import Call
from .proof import Claim, Proof, Refutation
from .refutation import of_fault

WORKERS = (1, 2, 3, 7)
"""The worker counts that are proved, each by its own execution."""
_TABLE, _OWN = "operands", "scratch memory of workers"

Claims = tuple[tuple[Claim, ...], Refutation | None]
Look = Callable[[bytes, Target, Any, Call, Done], Claims]


class WorkerJob(NamedTuple):
    """The code that workers run, the integers in its operand table, and the scratch memory that the table refers to."""

    code: bytes
    operands: list[int]
    scratch: tuple[Array, ...] = ()
    own: Array | None = None
    """Scratch memory of which each worker has a part for itself, apart from the rest where workers claim iterations."""


def scratch_of(size: int) -> Array:
    """Return scratch memory that consists of whole cache lines."""
    memory = np.zeros(-(-size // CACHE_LINE) * CACHE_LINE + CACHE_LINE, np.uint8)
    start = -memory.__array_interface__["data"][0] % CACHE_LINE
    return memory[start : start + -(-size // CACHE_LINE) * CACHE_LINE]


def verify_together(
    target: Target,
    spec: Any,
    call: Call,
    job_of: Callable[[int], WorkerJob],
    look: Look = looked_at,
    workers: Sequence[int] = WORKERS,
    indices: dict[int, Indices] | None = None,
) -> Proof:
    """Prove that code computes a request on any number of workers.

    call      the operands of the request
    job_of    returns the job for a number of workers
    look      returns the claims about what one worker left
    indices   those of earlier calls for each number of workers, if the request has indices
    """
    start = perf_counter()
    steps, barriers = 0, 0
    first: Together | None = None
    claims: tuple[Claim, ...] = ()
    with uncollected():
        for count in workers:
            job = job_of(count)
            made = _called(job, call, count)
            caller = Caller(target.arch)
            done = _executed(job.code, target, made, count, first, len(workers) > 1, caller)
            if isinstance(done, Refutation):
                wrong: Refutation | None = done
                claims = (*claims, Claim("memory", False, f"{count} workers: an access that is refused"))
            elif done.race:
                wrong, claims = _raced(job.code, target, made, count, done.race), (_not_apart(done.race, count),)
            elif first is None:
                first = done
                claims, wrong = _of_one(job.code, target, spec, made, count, done, caller, look, indices)
            else:
                failed, wrong = _same(first, done, made, count), None
                if failed is None and (claim := _indices(indices, spec, made, count, done)) and not claim.holds:
                    failed = claim
                if failed is None and count == workers[-1]:
                    claim, wrong = _modes(job.code, target, spec, made, count, done, caller)
                    failed = None if claim.holds else claim
                claims = claims if failed is None else (*claims, failed)
            steps += 0 if isinstance(done, Refutation) else done.steps
            barriers = max(barriers, 0 if isinstance(done, Refutation) else done.barriers)
            if wrong is not None or not all(claim.holds for claim in claims):
                return Proof(spec.stem, target.name, claims, wrong, (), steps, perf_counter() - start)
    meets = f"; they meet at {barriers} barriers" if barriers else ""
    if len(workers) == 1:
        return Proof(spec.stem, target.name, claims, None, (), steps, perf_counter() - start)
    how = (
        f"{', '.join(map(str, workers))} workers leave the same bits: what a worker writes between two barriers no "
        f"other reads or writes, so any order of their instructions does; {workers[0]} and {workers[-1]} also where "
        f"their caller has any mode{meets}"
    )
    return Proof(
        spec.stem, target.name, (*claims, Claim("threads", True, how)), None, (), steps, perf_counter() - start
    )


def _of_one(
    code: bytes,
    target: Target,
    spec: object,
    call: Call,
    count: int,
    done: Together,
    caller: Caller,
    look: Look,
    indices: dict[int, Indices] | None,
) -> Claims:
    """Return the claims about what the first number of workers left."""
    claims, wrong = look(code, target, spec, call, done.of_one())
    if all(claim.holds for claim in claims) and (claim := _indices(indices, spec, call, count, done)):
        claims = *claims, claim
    if all(claim.holds for claim in claims):
        claim, wrong = _modes(code, target, spec, call, count, done, caller)
        claims = *claims, claim
    if all(claim.holds for claim in claims):
        claim, wrong = _aligned(code, target, call, count, done)
        claims = *claims, claim
    return claims, wrong


def _called(job: WorkerJob, call: Call, workers: int) -> Call:
    """Return the call of worker 0, with the operand table and the scratch memory added to the operands."""
    table = np.array([each & (1 << 64) - 1 for each in job.operands], np.uint64)
    aside = [Region(_TABLE, table, False)]
    aside += [
        Region(f"scratch memory {number}", each, promised=CACHE_LINE)
        for number, each in enumerate(job.scratch)
        if each.size
    ]
    if job.own is not None and job.own.size:
        aside.append(Region(_OWN, job.own, promised=CACHE_LINE))
    integers = [table.__array_interface__["data"][0], 0, workers]
    given = {at: each for at, each in enumerate(job.operands) if isinstance(each, Open)}
    keep, tables = [call.keep, table, job.scratch, job.own], {_TABLE: given} if given else {}
    return call._replace(integers=integers, aside=tuple(aside), keep=keep, pinned={}, tables=tables)


def _executed(
    code: bytes, target: Target, call: Call, count: int, first: Together | None, again: bool, caller: Caller
) -> Together | Refutation:
    try:
        return _once(code, target, call, count, first, again, caller)
    except Fault as fault:
        return of_fault(fault)
    except (Undecidable, Undecided) as reason:
        raise UnsupportedError(f"verify: {reason}") from reason


def _once(
    code: bytes,
    target: Target,
    call: Call,
    count: int,
    first: Together | None,
    again: bool,
    caller: Caller | None,
    phase: int = 0,
) -> Together:
    calls = [[call.integers[0], worker, count] for worker in range(count)]
    return execute_together(
        code,
        target,
        calls,
        [*call.regions, call.aside[0]],
        call.symbolic(),
        scratch=call.aside[1:],
        like=first,
        again=again,
        caller=caller,
        phase=phase,
        own=(_OWN,),
    )


def _aligned(code: bytes, target: Target, call: Call, count: int, done: Together) -> tuple[Claim, Refutation | None]:
    """Return the claim that these workers rely on no address that is not promised."""
    return alignment(
        code,
        target,
        call,
        done,
        lambda other, caller, phase: _once(code, target, other, count, done, True, caller, phase),
    )


def _indices(known: dict[int, Indices] | None, spec: object, call: Call, count: int, done: Together) -> Claim | None:
    """Return the claim about what these workers decide on indices, or None if the request has none."""
    return None if known is None else known.setdefault(count, Indices()).claim(spec, call, done.of_one())


def _modes(
    code: bytes, target: Target, spec: Any, call: Call, count: int, done: Together, caller: Caller
) -> tuple[Claim, Refutation | None]:
    """Return the claim that the callers' mode is irrelevant to what these workers leave."""
    return mode(
        code,
        target,
        spec,
        call,
        done,
        caller,
        lambda one: _once(code, target, call, count, done, True, one, phase_of(one)),
    )


def _not_apart(race: str, count: int) -> Claim:
    return Claim("threads", False, f"of {count} workers, {race}")


def _raced(code: bytes, target: Target, call: Call, count: int, race: str) -> Refutation | None:
    """Return a refutation if the emulator finds the race, too."""
    calls = [[call.integers[0], worker, count] for worker in range(count)]
    for seed in range(4):
        try:
            emulated(code, target, calls, call.everything, seed=seed)
        except Fault as fault:
            return Refutation(
                f"refuted: of {count} workers, {race}\n  confirmed in the emulator, seed {seed}: {fault}",
                fault.offset,
                True,
            )
    return None


def _same(first: Together, done: Together, call: Call, count: int) -> Claim | None:
    """Return a failed claim if several workers leave something else than one worker does, or None."""
    lost = [*done.lost, *done.warnings]
    if lost:
        return Claim("frame", False, f"{count} workers: not restored: {', '.join(lost)}")
    for region in call.regions:
        if region.writable:
            differs = (first.memory.held(region) != done.memory.held(region)).any(axis=-1)
            if differs.any():
                place = list(map(int, np.argwhere(differs)[0]))
                text = f"{region.name}{place} of {count} workers is not what one worker leaves"
                return Claim("threads", False, text)
    return None


def table_of(addresses: Sequence[int]) -> list[int]:
    """Return an operand table: the addresses, then the emulator's barrier and its argument."""
    return [*addresses, *barrier_of()]


def barrier_of() -> tuple[int, int]:
    """Return the words of the emulator's barrier and its argument."""
    return BARRIER, 0

"""Execute one function by several workers at once, on memory that they share, and detect races.

    done = execute_together(code, target, [[table, worker, 3] for worker in range(3)], regions, seed=7)

Workers take turns of a few instructions. The lengths and the order of the turns are drawn from a seed, so a test can
try many interleavings and repeat each. Workers wait for each other when they call the address `BARRIER`, and get the
next number that none of them has when they call `CLAIM`. Two workers race if they access the same byte between two
barriers and one of them writes: then the interleaving decides the contents of memory. `Race` is raised in that case,
whatever the result of this interleaving. Every worker has its own stack.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from random import Random
from typing import Any

import numpy as np

from ..encoder.features import Target
from .core.faults import CannotRun, Fault
from .core.memory import READ, WRITE, Array, Memory, MemoryFault, Region
from .cpu import BACK, CALLS, CODE, LIMIT, Step, fault_of, predecoded

BARRIER = 0x00BA_221E_0000_0000
"""The address of a function that returns once all workers have called it."""
CLAIM = 0x00C1_A13E_0000_0000
"""The address of a function that returns the number of calls of all workers before this one."""
TURN = 200
"""The most instructions that a worker executes before another one may run."""
_WORKERS = 64  # a reader is one bit of a 64-bit word


class Race(Fault):
    """Two workers access the same byte between two barriers, and one of them writes."""


class Shadow:
    """Which workers have accessed each byte of the operands since the last barrier."""

    def __init__(self) -> None:
        self.bytes: dict[int, tuple[Array, Array]] = {}

    def forget(self) -> None:
        """Forget all accesses, after all workers have met at a barrier."""
        self.bytes.clear()

    def other(self, segment: Any, at: int, size: int, worker: int, access: int) -> int | None:
        """Record an access. Return the worker that it races with, or None."""
        found = self.bytes.get(segment.start)
        if found is None:
            count = len(segment.raw)
            found = self.bytes[segment.start] = np.zeros(count, np.uint8), np.zeros(count, np.uint64)
        writers, readers = (each[at : at + size] for each in found)
        wrote = writers[(writers != 0) & (writers != worker + 1)]
        if len(wrote):
            return int(wrote[0]) - 1
        own = np.uint64(1 << worker)
        if access == WRITE:
            others = readers[readers & ~own != 0]
            if len(others):
                return (int(others[0] & ~own)).bit_length() - 1
            writers[:] = worker + 1
        else:
            readers |= own
        return None


class SharedMemory(Memory):
    """The memory of one worker: the shared operands and a private stack."""

    def __init__(self, operands: Memory, shadow: Shadow, worker: int) -> None:
        super().__init__()
        self.regions, self.shadow, self.worker = operands.regions, shadow, worker
        self.shared = set()
        for segment in operands._segments:
            self._insert(segment)
            self.shared.add(segment.start)

    def _find(self, address: int, size: int, access: int) -> Any:
        segment = super()._find(address, size, access)
        if segment.start in self.shared:
            other = self.shadow.other(segment, address - segment.start, size, self.worker, access)
            if other is not None:
                raise _Met(address, size, access, other, self._where(address, size, access)[0])
        return segment

    def masked_load(self, address: int, dtype: Any, active: Array) -> Array:
        """Like the method of `Memory`, but bytes between active elements do not count as read."""
        result = np.zeros(len(active), dtype)
        for position in np.flatnonzero(active).tolist():
            size = result.itemsize
            result[position] = self.view(address + position * size, size).view(dtype)[0]
        return result


class _Met(Exception):
    def __init__(self, address: int, size: int, access: int, other: int, name: str) -> None:
        verb = "writes" if access == WRITE else "reads"
        super().__init__(f"a race: {verb} {size} bytes of {name} at {address:#x} that worker {other} has accessed")
        self.address = address


class Worker:
    """One call of the function."""

    def __init__(
        self,
        number: int,
        code: bytes,
        target: Target,
        integers: Sequence[int],
        memory: Memory,
        claims: Iterator[int],
    ) -> None:
        self.number, self.code, self.target, self.claims = number, code, target, claims
        memory.add("the code", CODE, len(code), READ, code)
        self.process: Any = CALLS[target.arch](memory, target, integers, BACK)
        self.steps: dict[int, Step] = {}
        self.address, self.executed = CODE, 0

    @property
    def done(self) -> bool:
        """Whether the function has returned."""
        return self.address == BACK

    @property
    def waits(self) -> bool:
        """Whether the worker waits at a barrier."""
        return self.address == BARRIER

    def turn(self, most: int) -> None:
        """Execute some instructions, up to the next barrier or the end."""
        for _ in range(most):
            if self.done or self.waits:
                return
            self.executed += 1
            if self.address == CLAIM:
                self.address = self.process.left(next(self.claims))
            else:
                self._step()

    def _step(self) -> None:
        step = self.steps.get(self.address)
        if step is None:
            step = self.steps[self.address] = predecoded(self.process, self.code, self.target, self.address)
        step.count += 1
        try:
            goes = step.run()
        except _Met as met:
            message = f"worker {self.number}: {met}"
            raise Race(message, step.form.text(step.operands), step.offset, met.address) from None
        except MemoryFault as fault:
            raise fault_of(step, f"worker {self.number}: {fault}", fault.address, fault.name, fault.outside) from None
        except CannotRun as refusal:
            raise fault_of(step, f"worker {self.number}: {refusal}") from None
        self.address = step.after if goes is None else goes

    def leave(self) -> None:
        """Return from the barrier."""
        self.address = self.process.left()


def execute_together(
    code: bytes,
    target: Target,
    calls: Sequence[Sequence[int]],
    regions: Sequence[Region] = (),
    *,
    seed: int = 0,
    limit: int = LIMIT,
) -> list[int]:
    """Call a function once for each list of integers, all of them at once. Return the numbers of executed instructions.

    calls       the arguments of each worker
    regions     what all workers may access; arrays are written after all workers have returned
    seed        the seed of the turns
    limit       the number of instructions of one worker after which the calls are abandoned
    Raises Fault as `cpu.execute` does, `Race`, and Fault if a worker waits for one that has returned.
    """
    if not 1 <= len(calls) <= _WORKERS:
        raise ValueError(f"{len(calls)} workers: 1 to {_WORKERS} can be executed together")
    operands, shadow, random, claims = Memory(regions), Shadow(), Random(seed), count()
    workers = [
        Worker(number, code, target, integers, SharedMemory(operands, shadow, number), claims)
        for number, integers in enumerate(calls)
    ]
    with np.errstate(all="ignore"):
        while running := [each for each in workers if not each.done]:
            ready = [each for each in running if not each.waits]
            if not ready:
                _meet(workers, shadow)
                continue
            chosen = random.choice(ready)
            chosen.turn(random.randint(1, TURN))
            if chosen.executed > limit:
                raise Fault(f"worker {chosen.number}: more than {limit} instructions: an endless loop?")
    for each in workers:
        each.process.check()
    operands.copy_back()
    return [each.executed for each in workers]


def _meet(workers: Sequence[Worker], shadow: Shadow) -> None:
    """Let all workers leave the barrier. Raise Fault if one has returned, as the others would wait forever."""
    gone = [str(each.number) for each in workers if each.done]
    if gone:
        waiting = ", ".join(str(each.number) for each in workers if not each.done)
        raise Fault(f"workers {waiting} wait at a barrier, and {', '.join(gone)} have returned: they wait for ever")
    shadow.forget()
    for each in workers:
        each.leave()

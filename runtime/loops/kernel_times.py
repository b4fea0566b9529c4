"""Seconds of a kernel on blocks at hand, and how much longer it takes where one of them has not been used for long.

Kernels hide part of the way that their operands come, each another part: a product reads all of B for its first rows,
and A row by row. And a last cache that others use too holds less than its size. So nothing is assumed: the kernel is
called with the blocks of one argument walking over sets of growing size, while the others stay, on one core. Figures
are kept in kernel_times.json of the cache folder, for each host by itself (see `machine_facts`).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ..arguments.arrays import address_of
from .accesses import Access
from .code import Address, Affine, Call, Header, Loop, affine, index
from .job import Job
from .machine_facts import Facts, entries, keep, key
from .nest import Nest

FILE = "kernel_times.json"
_SECONDS, _SAMPLES = 0.001, 9
"""Of one sample, and how many."""
_LONG, _FEW = 0.005, 3
"""From so many seconds of a walk on there are fewer samples."""
_PAGE = 4096


class KernelTime(NamedTuple):
    """seconds: of a call on blocks at hand. further: of each argument, what a call takes longer if so many bytes as
    `sets` says have been used since the same block was; empty for arguments that are no blocks."""

    seconds: float
    further: tuple[tuple[float, ...], ...]


def sets(facts: Facts) -> list[int]:
    """Sizes of the sets that are walked over: from a quarter of the second cache to twice the last one."""
    caches = [each.size for each in facts.levels[:-1]]
    first, last = caches[min(1, len(caches) - 1)] // 4, 2 * caches[-1] * facts.workers
    return [first << number for number in range(max(1, (last // first).bit_length()))]


def kernel_times(nest: Nest, facts: Facts) -> dict[str, KernelTime]:
    """Of each kernel of a nest, by its name: what is kept, or else measured now."""
    found: dict[str, KernelTime] = {}
    kept = entries(FILE).get(key()) or {}
    fresh = dict(kept)
    for name, uses in _by_kernel(nest.accesses).items():
        sizes = [block_bytes(each) for each in uses]
        known = f"{name} {nest.target.isa} {'/'.join(map(str, sizes))}"
        if not _complete(fresh.get(known), len(sets(facts))):
            fresh[known] = _measured(uses, sizes, facts, nest.target)
        found[name] = KernelTime(fresh[known][0], tuple(map(tuple, fresh[known][1])))
    if fresh != kept:
        keep(key(), fresh, FILE)
    return found


def _complete(entry: Any, count: int) -> bool:
    """Whether an entry has a figure for each set."""
    return (isinstance(entry, list) and len(entry) == 2 and isinstance(entry[1], list)
            and all(isinstance(row, list) and len(row) in (0, count) for row in entry[1]))  # fmt: skip


def block_bytes(access: Access) -> int:
    """What a call reads or writes of an operand, as blocks that lie densely."""
    inner = access.matrix.shape[len(access.places) :]
    return int(np.prod((*access.extents, *inner), dtype=np.int64)) * access.matrix.size


def _by_kernel(accesses: Sequence[Access]) -> dict[str, list[Access]]:
    """The accesses of the first call of each kernel."""
    found: dict[str, list[Access]] = {}
    for each in accesses:
        uses = found.setdefault(each.call.kernel.name, [])
        if not uses or uses[0].call is each.call:
            uses.append(each)
    return found


def _measured(uses: Sequence[Access], sizes: Sequence[int], facts: Facts, target: Target) -> list[Any]:
    walks = _Walks(uses, sizes, target)
    count = len(uses[0].call.arguments)
    further: list[list[float]] = [[] for _ in range(count)]
    base = walks.seconds(None, 0)
    for number, each in enumerate(uses):
        costs = [max(0.0, walks.seconds(number, size) - base) for size in sets(facts)]
        further[each.argument] = [max(costs[: at + 1]) for at in range(len(costs))]
    return [base, further]


class _Walks:
    """Calls of a kernel over blocks of one argument. Operands are filled with zeros, so that sums stay finite."""

    def __init__(self, uses: Sequence[Access], sizes: Sequence[int], target: Target) -> None:
        self.uses, self.sizes, self.target = uses, sizes, target

    def seconds(self, walking: int | None, used: int) -> float:
        """Of one call; the blocks of argument `walking` lie in `used` bytes."""
        counts = [max(1, used // size) if number == walking else 1 for number, size in enumerate(self.sizes)]
        arrays = [np.empty(count * size + _PAGE, np.uint8) for count, size in zip(counts, self.sizes)]
        for array in arrays:
            array.fill(0)  # pages of their own
        addresses = [-(-address_of(array) // _PAGE) * _PAGE for array in arrays]
        once = self._job(counts, 1)
        first = min(_timed(once, addresses) for _ in range(2))
        again = round(_SECONDS / first) + 1
        job = self._job(counts, again) if again > 1 else once
        samples = _SAMPLES if first < _LONG else _FEW
        return min(_timed(job, addresses) for _ in range(samples)) / (again * max(counts))

    def _job(self, counts: Sequence[int], again: int) -> Job:
        call = self.uses[0].call
        arguments: list[Address | Affine] = [
            Affine(each.constant) if isinstance(each, Affine) else Address(0) for each in call.arguments
        ]
        for number, each in enumerate(self.uses):
            step = self.sizes[number] if counts[number] > 1 else 0
            arguments[each.argument] = Address(number, index("j") * step)
        body = Loop(_header("j", max(counts)), (Call(call.kernel, tuple(arguments)),))
        return Job([Loop(_header("r", again), (body,))], self.target)


def _header(name: str, count: int) -> Header:
    return Header(name, affine(0), (affine(count),), 1, count)


def _timed(job: Job, addresses: Sequence[int]) -> float:
    start = time.perf_counter_ns()
    job.run(addresses, 1)
    return (time.perf_counter_ns() - start) * 1e-9

"""Seconds of a kernel on blocks in its nearest caches, and the extra time if one of the blocks comes from farther away.

Kernels hide part of the time in which their operands arrive, and each hides another part: a product reads all of B for
its first rows, but A row by row. And a last-level cache that others share holds less than its size. So nothing is
assumed. The kernel is called on one core with the blocks of one argument walking over sets of growing size, while the
other blocks stay in place. The figures are kept in kernel_times.json of the cache folder, separately for each host (see
`machine_facts`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ..arguments.arrays import address_of
from ..cache import records
from ..kernel.redirect import cycles_of
from .accesses import CallAccess
from .code import Address, Affine, Call, Constants, Header, Loop, affine, index
from .job import Job
from .machine_facts import SHARE, DeadlineExceeded, MachineFacts, check_time, entries, is_number, keep, key
from .nest import Nest

FILE = records.KERNEL_TIMES
_SECONDS, _ROUNDS = 0.004, 6
"""The minimum seconds of a sample, and the number of rounds."""
_CLOCK = 3e9
"""Cycles per second, where a time is estimated."""
_PAGE = 4096
_MOST = 128 << 20
"""The most bytes of a set."""


class KernelTime(NamedTuple):
    """The measured times of a kernel.

    seconds   seconds of a call on blocks in the nearest caches
    further   for each argument, the extra seconds of a call if as many bytes as each entry of `sets` were used since
              the last use of the same block; empty for arguments that are not blocks
    """

    seconds: float
    further: tuple[tuple[float, ...], ...]


def sets(facts: MachineFacts) -> list[int]:
    """Return the sizes of the sets: from a quarter of the second-level cache to twice the last-level one, at most
    _MOST."""
    caches = [each.size for each in facts.levels[:-1]]
    first, last = caches[min(1, len(caches) - 1)] // 4, min(2 * caches[-1] * facts.workers, _MOST)
    return [first << number for number in range(max(1, (last // first).bit_length()))]


def kernel_times(nest: Nest, facts: MachineFacts, until: float = math.inf) -> dict[str, KernelTime]:
    """Return the times of each kernel of a nest, keyed by its name. Times that are not kept yet are measured now. With
    a deadline they are measured within a share of the time until then; kernels that are not measured by then have
    likely times, which are not kept."""
    found: dict[str, KernelTime] = {}
    kept = entries(FILE).get(key())
    fresh = dict(kept) if isinstance(kept, dict) else {}
    now = time.perf_counter()
    end = now + SHARE * (until - now)
    for name, uses in by_kernel(nest.accesses).items():
        sizes = [reach(each) for each in uses]
        known = f"{name} {nest.target.isa} {'/'.join(map(str, sizes))}"
        if not _complete(fresh.get(known), len(uses[0].call.arguments), len(sets(facts))):
            try:
                fresh[known] = _measured(uses, sizes, facts, nest.target, end)
            except DeadlineExceeded:
                found[name] = _likely(uses, sizes, facts)
                continue
        found[name] = KernelTime(fresh[known][0], tuple(map(tuple, fresh[known][1])))
    if fresh != kept:
        keep(key(), fresh, FILE)
    return found


def _complete(entry: Any, arguments: int, count: int) -> bool:
    """Whether an entry has the seconds of a call and, for each argument that is a block, a figure for each set."""
    if not isinstance(entry, list) or len(entry) != 2 or not is_number(entry[0]):
        return False
    rows = entry[1]
    return (
        isinstance(rows, list)
        and len(rows) == arguments
        and all(isinstance(row, list) and len(row) in (0, count) and all(map(is_number, row)) for row in rows)
    )


def block_bytes(access: CallAccess) -> int:
    """Return the bytes of an operand that a call reads or writes."""
    return access.bytes


def reach(access: CallAccess) -> int:
    """Return the bytes from the first to the last element that a call touches: rows may lie apart."""
    first, behind = access.span
    return max(1, behind - first)


def by_kernel(accesses: Sequence[CallAccess]) -> dict[str, list[CallAccess]]:
    """Return the accesses of the first call of each kernel, keyed by the kernel's name."""
    found: dict[str, list[CallAccess]] = {}
    for each in accesses:
        uses = found.setdefault(each.call.kernel.name, [])
        if not uses or uses[0].call is each.call:
            uses.append(each)
    return found


def _likely(uses: Sequence[CallAccess], sizes: Sequence[int], facts: MachineFacts) -> KernelTime:
    """Return the planner's estimate of a kernel's time, and the time in which each block comes from farther away."""
    return KernelTime(cycles_of(uses[0].call.kernel) / _CLOCK, farther(uses, sizes, facts))


def farther(uses: Sequence[CallAccess], sizes: Sequence[int], facts: MachineFacts) -> tuple[tuple[float, ...], ...]:
    """Return the extra seconds of each argument's blocks from each set, by the bandwidths of the machine: see
    `KernelTime.further`."""
    caches = [each.size for each in facts.levels[:-1]]
    further: list[tuple[float, ...]] = [() for _ in uses[0].call.arguments]
    for each, size in zip(uses, sizes):
        far = [facts.levels[sum(set_size > cache for cache in caches)].alone for set_size in sets(facts)]
        further[each.argument] = tuple(max(0.0, size / rate - size / facts.levels[0].alone) for rate in far)
    return tuple(further)


def _measured(
    uses: Sequence[CallAccess], sizes: Sequence[int], facts: MachineFacts, target: Target, until: float
) -> list[Any]:
    """Return the least times of several rounds over all arguments and sets: a disturbance lasts longer than one
    sample. Raises OutOfTime if that is not finished at `until`."""
    steps = sets(facts)
    places = [(0, 0), *((number, size) for number in range(len(uses)) for size in steps)]
    check_time(until - _ROUNDS * _SECONDS * len(places))  # it takes at least so long
    walks = _BlockCalls(uses, sizes, steps[-1], target)
    least = dict.fromkeys(places, float("inf"))
    for _ in range(_ROUNDS):
        for place in places:
            check_time(until)
            least[place] = min(least[place], walks.seconds(*place))
    base = min(least.values())
    further: list[list[float]] = [[] for _ in uses[0].call.arguments]
    for number, each in enumerate(uses):
        costs = [least[number, size] - base for size in steps]
        # a larger set cannot be faster, and disturbances only add time
        further[each.argument] = [min(costs[at:]) for at in range(len(costs))]
    return [base, further]


class _BlockCalls:
    """Timed calls of a kernel over blocks of one argument. Operands are filled with zeros, so that sums stay finite."""

    def __init__(self, uses: Sequence[CallAccess], sizes: Sequence[int], most: int, target: Target) -> None:
        self.uses, self.sizes, self.target = uses, sizes, target
        self.jobs: dict[tuple[int, int, int], Job] = {}
        self.near, self.far = (
            [np.empty(size + _PAGE, np.uint8) for size in sizes],
            np.empty(max(most, *sizes) + _PAGE, np.uint8),
        )
        for array in (*self.near, self.far):
            array.fill(0)  # gives each array pages of its own

    def seconds(self, walking: int, used: int) -> float:
        """Return the seconds of one call. The blocks of operand `walking` fill `used` bytes (0: a single block) and are
        walked over twice."""
        count = max(1, used // self.sizes[walking])
        arrays = [self.far if number == walking and used else each for number, each in enumerate(self.near)]
        addresses = [-(-address_of(array) // _PAGE) * _PAGE for array in arrays]
        once = timed(self._job(walking, count, 1), addresses)
        again = 1 << round(math.log2(_SECONDS / once)) if once < _SECONDS else 1
        return timed(self._job(walking, count, again), addresses) / (again * count)

    def _job(self, walking: int, count: int, again: int) -> Job:
        if (walking, count, again) in self.jobs:
            return self.jobs[walking, count, again]
        call = self.uses[0].call
        # numbers that the call of the nest gives do not decide how long a kernel takes
        arguments: list[Address | Affine | Constants] = [
            Affine(0) if isinstance(each, Address) else each for each in call.arguments
        ]
        for number, each in enumerate(self.uses):
            step = self.sizes[number] if number == walking else 0
            arguments[each.argument] = Address(number, index("j") * step - each.span[0])
        body = Loop(_header("j", count), (Call(call.kernel, tuple(arguments)),))
        job = self.jobs[walking, count, again] = Job([Loop(_header("r", again), (body,))], self.target)
        return job


def _header(name: str, count: int) -> Header:
    return Header(name, affine(0), (affine(count),), 1, count)


def timed(job: Job, addresses: Sequence[int]) -> float:
    """Return the seconds of one call of a job on these addresses."""
    start = time.perf_counter_ns()
    job.run(addresses, 1)
    return (time.perf_counter_ns() - start) * 1e-9

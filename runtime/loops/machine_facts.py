"""The speed of this machine, measured once and kept: bandwidth of caches and memory, and the cost of a parallel call.

    facts().levels      ((bytes of the cache, bytes per second of one core, of all cores together), ...), memory last

The measurements use nests of this package: a kernel that reads (the maximum of a row) walks repeatedly over a set that
fits the cache, on one worker and on all, and the best of several samples counts. This takes some tenths of a second.
The figures are kept in machine_facts.json of the cache folder (docs/cache.md), separately for each host. The key is the
processor's name, a digest of its features, the sizes of its caches and the number of workers. Without a cache folder
the figures are measured once per process. A caller with a deadline gets likely ones if there is no time.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ..cache import records
from ..cache.digest import blake2b
from ..host import detect as host
from ..kernel.callable import shared
from ..threads.layout import MOST
from ..threads.policy import processors

if TYPE_CHECKING:
    from ...microkernels.reduce import spec
    from . import nest

nest = lazy(__package__, ".nest")
spec = lazy(__package__, "...microkernels.reduce.spec")


FILE = records.MACHINE_FACTS
_ROW = 16384
"""Bytes that one call of the kernel reads."""
SECONDS, SAMPLES = 0.004, 7
"""Seconds of a sample, and the number of samples per set."""
_WORTH = 1.0
"""The least seconds that are worth a try to measure the machine, which takes about as long if it is idle."""
SHARE = 0.3
"""The share of the time before a deadline that may go to measurements of the machine, and of kernels."""
_LIKELY = (1.5e11, 6e10, 2e10), 1.2e10, 3e-6
"""Likely figures: bytes per second of one core from each cache and from memory, seconds of an empty parallel call."""
_L3 = 8 << 20
"""The assumed bytes of the last-level cache if the processor does not state them."""
_LEAST, _LARGEST = 1 << 10, 1 << 36
"""The least and the most bytes of a cache that an entry may state."""


class CacheLevel(NamedTuple):
    """A cache: the bytes that one core may use, and the bytes per second that one core, and all cores together, read
    from it."""

    size: int
    alone: float
    together: float


class MachineFacts(NamedTuple):
    """The figures of one machine.

    levels    caches, innermost first, then memory (size 0)
    region    seconds of an empty parallel call of all workers
    workers   the number of workers
    """

    levels: tuple[CacheLevel, ...]
    region: float
    workers: int

    def bandwidth(self, level: int, workers: int) -> float:
        """Return the bytes per second and core that a level delivers while this many cores read from it."""
        each = self.levels[level]
        share = each.together / self.workers
        busy = min(workers, self.workers) - 1
        return each.alone + (share - each.alone) * busy / max(1, self.workers - 1)


class DeadlineExceeded(Exception):
    """A measurement was given up because its deadline has come."""


def check_time(until: float) -> None:
    """Raise OutOfTime if a time of time.perf_counter is over."""
    if time.perf_counter() >= until:
        raise DeadlineExceeded


_known: dict[str, MachineFacts] = {}


def facts(until: float = math.inf) -> MachineFacts:
    """Return the facts of this machine. Facts that are not kept yet are measured now. With a deadline they are measured
    within a share of the time until then; if that is too short, the result is likely facts, which are not kept."""
    name = key()
    found = _known.get(name) or restored(entries().get(name))
    if found is not None and found.workers == processors():
        pass
    elif until < math.inf:
        now = time.perf_counter()
        end = now + SHARE * (until - now)
        try:
            if end - now < _WORTH:
                return _likely()
            found = measured(end)
        except DeadlineExceeded:
            return _likely()
        keep(name, found._asdict())
    else:
        found = measured()
        keep(name, found._asdict())
    _known[name] = found
    return found


facts.cache_clear = _known.clear  # type: ignore[attr-defined]


def _likely() -> MachineFacts:
    workers, (alone, memory, region) = processors(), _LIKELY
    sizes = [size for size, _ in _caches(workers)]
    levels = [CacheLevel(size, each, each * workers) for size, each in zip(sizes, alone)]
    return MachineFacts((*levels, CacheLevel(0, memory, memory * min(2, workers))), region, workers)


def restored(entry: Any) -> MachineFacts | None:
    """Return the facts of an entry, or None if it is no entry of facts."""
    if not isinstance(entry, dict) or set(entry) != set(MachineFacts._fields) or type(entry["levels"]) is not list:
        return None
    levels, workers = entry["levels"], entry["workers"]
    if type(workers) is not int or not 0 < workers <= MOST or not is_number(entry["region"]) or len(levels) < 2:
        return None
    for each in levels:
        if type(each) is not list or len(each) != 3 or type(each[0]) is not int or not all(map(is_number, each)):
            return None
        if not all(each[1:]) or not _LEAST * (each is not levels[-1]) <= each[0] <= _LARGEST:
            return None
    return MachineFacts(
        tuple(CacheLevel(size, float(alone), float(all_)) for size, alone, all_ in levels),
        float(entry["region"]),
        workers,
    )


def machine() -> str:
    """Return the key of this machine's speed, without the number of workers."""
    target = host.host()
    features = blake2b(" ".join(sorted(target.features)).encode(), digest_size=6).hexdigest()
    sizes = "/".join(str(each >> 10) for each in (target.l1d, target.l2, target.l3))
    return f"{host.brand()}, {features}, {sizes} KiB"


def key() -> str:
    """Return the key of this machine with its number of workers."""
    return f"{machine()}, {processors()} workers"


# Keeping figures


def entries(file: str = FILE) -> dict[str, Any]:
    """Return the entries of a file of the cache folder: see `records`."""
    return records.entries(file)


def keep(name: str, entry: object, file: str = FILE) -> bool:
    """Add an entry; return whether that was possible."""
    return records.keep(name, entry, file)


def is_number(value: Any) -> bool:
    """Whether a value of a file is a finite number that is not negative, such as a time."""
    return type(value) in (int, float) and 0 <= value < math.inf


# Measuring


def measured(until: float = math.inf) -> MachineFacts:
    """Measure this machine on all workers that this process may have. Raises OutOfTime if that is not finished at
    `until`."""
    workers = processors()
    levels = [CacheLevel(size, _read(used, 1, until), _read(used, workers, until)) for size, used in _caches(workers)]
    beyond = min(4 * (host.host().l3 or _L3), 256 << 20)
    levels.append(CacheLevel(0, _read(beyond, 1, until), _read(beyond // workers, workers, until)))
    check_time(until)
    return MachineFacts(tuple(levels), _empty_call(workers), workers)


def _caches(workers: int) -> list[tuple[int, int]]:
    """Return the bytes of each cache that one worker may use, and those of the set with which it is measured."""
    target = host.host()
    l1, l2, l3 = target.l1d or 32 << 10, target.l2 or 1 << 20, target.l3 or _L3
    caches = [(l1, l1 // 2), (l2, l2 // 2), (l3 // workers, max(2 * l2, l3 // workers // 4))]
    return [(size, used) for size, used in caches if size >= used]


def _read(used: int, workers: int, until: float) -> float:
    """Return the bytes per second that workers read together, each from its own set of `used` bytes."""
    check_time(until)
    row = shared(spec.reduce_spec("max", 1, _ROW // 4), host.host(), None)
    rows = max(1, used // _ROW)

    def body(i: Any, x: Any, y: Any) -> None:
        row(x[i.w, i.a], y[i.w])

    x = np.ones((workers, rows, _ROW // 4), np.float32)
    y = np.zeros((workers, 16), np.float32)

    def timed(again: int) -> float:
        loops = {"w": (0, workers, 1), "r": (0, again, 1), "a": (0, rows, 1)}
        walk = nest.nest("Wra", loops, body, x=x, y=y)
        walk(x, y, threads=workers)
        return min(_seconds(lambda: walk(x, y, threads=workers), until) for _ in range(SAMPLES))

    once = timed(1)
    again = max(1, round(SECONDS / once))
    return workers * rows * _ROW * again / (timed(again) if again > 1 else once)


def _empty_call(workers: int) -> float:
    """Return the seconds of a parallel call that does almost nothing."""
    row = shared(spec.reduce_spec("max", 1, 16), host.host(), None)

    def body(i: Any, x: Any, y: Any) -> None:
        row(x[i.w], y[i.w])

    x, y = np.ones((workers, 16), np.float32), np.zeros((workers, 16), np.float32)
    call = nest.nest("W", {"w": (0, workers, 1)}, body, x=x, y=y)
    return min(_seconds(lambda: call(x, y, threads=workers)) for _ in range(50 * SAMPLES))


def _seconds(call: Any, until: float = math.inf) -> float:
    check_time(until)
    start = time.perf_counter_ns()
    call()
    return (time.perf_counter_ns() - start) * 1e-9

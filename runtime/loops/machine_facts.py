"""What this machine does, measured once and kept: bandwidth of caches and of memory, and what a parallel call costs.

    facts().levels      ((bytes of the cache, bytes per second of one core, of all cores together), ...), memory last

Measured by nests of this package: a kernel that reads (the maximum of a row) goes over a set that fits, again and
again, on one worker and on all, and the best of several samples counts. That takes some tenths of a second. Figures are
kept in machine_facts.json of the cache folder (docs/cache.md), for each host by itself: its key is the processor's
name, a digest of its features, the sizes of its caches and the number of workers. Where nothing is cached they are
measured once for each process.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import time
from typing import Any

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.reduce.spec import reduce_spec
from ..cache import folder
from ..cache.digest import blake2b
from ..host import detect as host
from ..kernel.callable import shared
from ..system import environment
from ..threads.policy import processors
from .nest import nest

FILE = "machine_facts.json"
VERSION = 1
_ROW = 16384
"""Bytes that one call of the kernel reads."""
_SECONDS, _SAMPLES = 0.004, 7
"""Of one sample, and how many of each set."""
_L3 = 8 << 20
"""Bytes of the last-level cache where the processor does not tell."""


class Level(NamedTuple):
    """A cache that one core may fill with so many bytes, and bytes per second that one core, and all, read from it."""

    size: int
    alone: float
    together: float


class Facts(NamedTuple):
    """Of one machine. levels: caches from the innermost on, then memory (size 0); region: seconds of an empty parallel
    call of all workers; workers: how many."""

    levels: tuple[Level, ...]
    region: float
    workers: int

    def bandwidth(self, level: int, workers: int) -> float:
        """Bytes per second and core of a level while so many cores read from it."""
        each = self.levels[level]
        share = each.together / self.workers
        busy = min(workers, self.workers) - 1
        return each.alone + (share - each.alone) * busy / max(1, self.workers - 1)


@functools.cache
def facts() -> Facts:
    """Those of this machine: what is kept, or else measured now and kept."""
    name = key()
    kept = entries().get(name)
    if isinstance(kept, dict):
        with contextlib.suppress(KeyError, TypeError, ValueError):
            levels = tuple(Level(int(size), float(alone), float(all_)) for size, alone, all_ in kept["levels"])
            return Facts(levels, float(kept["region"]), int(kept["workers"]))
    found = measured()
    keep(name, found._asdict())
    return found


def machine() -> str:
    """This machine as far as speed goes, however many workers there are."""
    target = host.host()
    features = blake2b(" ".join(sorted(target.features)).encode(), digest_size=6).hexdigest()
    sizes = "/".join(str(each >> 10) for each in (target.l1d, target.l2, target.l3))
    return f"{host.brand()}, {features}, {sizes} KiB"


def key() -> str:
    """This machine with the workers that there are."""
    return f"{machine()}, {processors()} workers"


# What is kept


def entries(file: str = FILE) -> dict[str, Any]:
    """The entries of a file of the cache folder; empty where there are none, or they are not ours to trust."""
    where = environment.cache_folder()
    if where is None:
        return {}
    try:
        with folder.opened(where, sealed=False) as place:
            found = json.loads(folder.read(place.descriptor, file))
    except (folder.Unusable, OSError, ValueError):
        return {}
    return found["entries"] if isinstance(found, dict) and found.get("version") == VERSION else {}


def keep(name: str, entry: object, file: str = FILE) -> bool:
    """Add an entry; whether that was possible. The file is replaced as a whole: it is never half written."""
    where = environment.cache_folder()
    if where is None:
        return False
    try:
        with folder.opened(where, create=True) as place:
            text = json.dumps({"version": VERSION, "entries": {**entries(file), name: entry}}, indent=1)
            temporary = f"{folder.TEMPORARY}{os.getpid()}-{file}"
            folder.write(place.descriptor, temporary, text.encode() + b"\n", replace=True)
            os.rename(temporary, file, src_dir_fd=place.descriptor, dst_dir_fd=place.descriptor)
    except (folder.Unusable, OSError):
        return False
    return True


# What is measured


def measured() -> Facts:
    """Measure this machine, on all workers that this process may have."""
    target, workers = host.host(), processors()
    l1, l2, l3 = target.l1d or 32 << 10, target.l2 or 1 << 20, target.l3 or _L3
    caches = [(l1, l1 // 2), (l2, l2 // 2), (l3 // workers, max(2 * l2, l3 // workers // 4))]
    caches = [(size, used) for size, used in caches if size >= used]
    levels = [Level(size, _read(used, 1), _read(used, workers)) for size, used in caches]
    beyond = min(4 * l3, 256 << 20)
    levels.append(Level(0, _read(beyond, 1), _read(beyond // workers, workers)))
    return Facts(tuple(levels), _empty_call(workers), workers)


def _read(used: int, workers: int) -> float:
    """Bytes per second that workers read together, each from a set of `used` bytes of its own."""
    row = shared(reduce_spec("max", 1, _ROW // 4), host.host(), None)
    rows = max(1, used // _ROW)

    def body(i: Any, x: Any, y: Any) -> None:
        row(x[i.w, i.a], y[i.w])

    x = np.ones((workers, rows, _ROW // 4), np.float32)
    y = np.zeros((workers, 16), np.float32)

    def timed(again: int) -> float:
        loops = {"w": (0, workers, 1), "r": (0, again, 1), "a": (0, rows, 1)}
        walk = nest("Wra", loops, body, x=x, y=y)
        walk(x, y, threads=workers)
        return min(_seconds(lambda: walk(x, y, threads=workers)) for _ in range(_SAMPLES))

    once = timed(1)
    again = max(1, round(_SECONDS / once))
    return workers * rows * _ROW * again / (timed(again) if again > 1 else once)


def _empty_call(workers: int) -> float:
    """Seconds of a parallel call that does next to nothing."""
    row = shared(reduce_spec("max", 1, 16), host.host(), None)

    def body(i: Any, x: Any, y: Any) -> None:
        row(x[i.w], y[i.w])

    x, y = np.ones((workers, 16), np.float32), np.zeros((workers, 16), np.float32)
    call = nest("W", {"w": (0, workers, 1)}, body, x=x, y=y)
    return min(_seconds(lambda: call(x, y, threads=workers)) for _ in range(50 * _SAMPLES))


def _seconds(call: Any) -> float:
    start = time.perf_counter_ns()
    call()
    return (time.perf_counter_ns() - start) * 1e-9

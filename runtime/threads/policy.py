"""How many threads operations use where the caller does not say.

The default is the least of the processors that this process may run on (its affinity), what its control group grants
it (cpu.max of version 2, cpu.cfs_quota_us of version 1) and OMP_NUM_THREADS. `set_num_threads` and `threads` override
it: more threads than processors are allowed, and then nobody spins.
"""

from __future__ import annotations

import functools
import math
import os
import threading
import time
from typing import Any, SupportsIndex

from ...microkernels.operands import whole
from .layout import MOST

OMP = "OMP_NUM_THREADS"
_MOUNT = "/sys/fs/cgroup"


class _Chosen(threading.local):
    """What a Python thread has chosen by `with threads(n)`, outermost first."""

    def __init__(self) -> None:
        self.counts: list[int] = []


_FRESH = 0.1  # seconds that a look at the affinity is good for
_of_all = 0
_default = 0
_until = 0.0
_told: list[Any] = []
_of_thread = _Chosen()


def num_threads() -> int:
    """How many threads operations of this Python thread use: what was set, or the default."""
    counts = _of_thread.counts
    return counts[-1] if counts else _of_all or default()


def set_num_threads(n: SupportsIndex) -> None:
    """From now on operations use n threads, 1 to 1024, in all Python threads; 0 goes back to the default.

    Threads come when an operation first needs them, and sleep when they are not needed: a smaller number ends none.
    Raises ValueError for other numbers, TypeError for what is no whole number.
    """
    global _of_all
    _of_all = 0 if type(n) is int and n == 0 else checked(n, "set_num_threads")


class threads:  # noqa: N801 a context manager, named as numpy and others name theirs
    """`with ts.threads(n):` operations of this Python thread use n threads, 1 to 1024. Contexts nest.

    Other Python threads are not concerned, not even those that are started inside: each enters its own. Raises
    ValueError for other numbers, TypeError for what is no whole number.
    """

    def __init__(self, n: SupportsIndex) -> None:
        self.count = checked(n, "threads")

    def __enter__(self) -> threads:
        _of_thread.counts.append(self.count)
        return self

    def __exit__(self, *exception: object) -> None:
        _of_thread.counts.pop()

    def __repr__(self) -> str:
        return f"threads({self.count})"


def checked(n: SupportsIndex, name: str) -> int:
    """A number of threads as int, or the error that says what it must be. A truth value is no number."""
    count = whole(n)
    if count is None:
        raise TypeError(f"{name}: a whole number of threads, not {type(n).__name__}")
    if not 1 <= count <= MOST:
        raise ValueError(f"{name}: {count} threads; from 1 to {MOST} are possible")
    return count


def workers_of(asked: SupportsIndex | None, own: int | None) -> int:
    """The threads of a call: as many as it asks for, else as what is called has, else `num_threads()`."""
    return own or num_threads() if asked is None else checked(asked, "threads")


def default() -> int:
    """The least of affinity, quota and OMP_NUM_THREADS, which is looked up again every tenth of a second."""
    global _default, _until
    now = time.monotonic()
    if now > _until:
        _default = max(1, min(processors(), quota(), _asked_of_openmp(), MOST))
        _until = now + _FRESH
    return _default


def processors() -> int:
    """How many this process may run on now; the pool is told."""
    found = len(os.sched_getaffinity(0))
    for word in _told:
        word[0] = found
    return found


def tell(word: Any) -> None:
    """Keep an int64_t * in memory that stays at what `processors` finds."""
    _told.append(word)
    processors()


@functools.cache
def _asked_of_openmp() -> int:
    """OMP_NUM_THREADS when it is first needed: OpenMP reads it once as well."""
    return asked(os.environ.get(OMP, ""))


def asked(text: str) -> int:
    """The outermost level of a list of numbers; MOST where the text says nothing that OpenMP accepts."""
    first = text.split(",")[0].strip()
    return int(first) if first.isdecimal() and int(first) else MOST


@functools.cache
def quota(mount: str = _MOUNT, own: str = "/proc/self/cgroup") -> int:
    """Processors' worth of time that the control groups of this process grant, rounded up; MOST without a limit."""
    limits = [MOST]
    for line in _read(own).splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0":
            limits += [_second(f"{mount}{each}/cpu.max") for each in _and_parents(path)]
        elif "cpu" in controllers.split(","):
            roots = (f"{mount}/cpu", f"{mount}/{controllers}")
            limits += [_first(f"{root}{each}") for root in roots for each in _and_parents(path)]
    return min(limits)


def _and_parents(path: str) -> list[str]:
    """A control group and those that it lies in. In a container the path may be the host's: the root is its own."""
    parts = [part for part in path.split("/") if part]
    return ["".join(f"/{part}" for part in parts[:count]) for count in range(len(parts), -1, -1)]


def _second(file: str) -> int:
    """Version 2: the quota or "max", then the period."""
    words = _read(file).split()
    return _whole(words[0], words[1]) if len(words) == 2 else MOST


def _first(folder: str) -> int:
    """Version 1: two files; a quota of -1 is none."""
    return _whole(_read(f"{folder}/cpu.cfs_quota_us").strip(), _read(f"{folder}/cpu.cfs_period_us").strip())


def _whole(quota: str, period: str) -> int:
    if not (quota.isdecimal() and period.isdecimal() and int(period)):
        return MOST
    return max(1, math.ceil(int(quota) / int(period)))


def _read(file: str) -> str:
    try:
        with open(file) as opened:
            return opened.read()
    except OSError:
        return ""

"""The number of threads that operations use if the caller does not say, for Python and for machine code.

The default is the minimum of the processors that this process may run on (its affinity), the quota of its control group
(cpu.max of version 2, cpu.cfs_quota_us of version 1) and OMP_NUM_THREADS. Processes that torchrun, mpirun or srun has
started on one machine share the first two, unless the launcher has bound each to processors of its own.
`set_num_threads` and `threads` override it. More threads than processors are allowed, but then no thread spins.
"""

from __future__ import annotations

import functools
import math
import os
import time
import weakref
from _thread import _local  # what threading.local is; threading itself takes milliseconds
from collections.abc import Sequence
from typing import Any, SupportsIndex

from ...encoder.errors import shown
from ...encoder.records import NamedTuple
from ...microkernels.operands import whole
from ..system.libc import ffi
from .layout import MOST

OMP = "OMP_NUM_THREADS"
LAUNCHERS = ("LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE")
"""Where torchrun, Open MPI, MPICH and Slurm say how many processes they have started on this machine."""
_MOUNT = "/sys/fs/cgroup"


class _Chosen(_local):
    """The contexts `with threads(n)` that a Python thread is in, outermost first."""

    def __init__(self) -> None:
        self.contexts: list[_EnteredPolicy] = []


class _EnteredPolicy(NamedTuple):
    """A context that was entered: its number of threads, the contexts of its Python thread, its place there, and the
    object of the `with` statement."""

    number: int
    contexts: list[_EnteredPolicy]
    place: int
    owner: weakref.ref[threads]


_FRESH = 0.1  # seconds for which the affinity that was read stays valid
_WORK, _FOREVER = 300_000_000, 1 << 62
"""Cycles of work of calls that machine code handles, until it asks Python for the number of threads again: a tenth of a
second at 3 GHz, and longer than a process runs."""
_of_all = 0
_default = 0
_until = 0.0
_told: list[Any] = []
_of_thread = _Chosen()
_open: dict[int, _EnteredPolicy] = {}  # the contexts that Python threads are in, by `id`, and some that they have left
_behind = False  # whether a context was left and the words do not tell it yet
_words: list[Any] = []  # the memory behind `words`, if it was asked for


def num_threads() -> int:
    """Return how many threads operations of this Python thread use: the number that was set, or the default."""
    global _behind
    contexts = _of_thread.contexts
    while contexts and contexts[-1].owner() is None:
        del contexts[-1]
        _behind = True
    if _behind:
        _publish()
    return contexts[-1].number if contexts else _of_all or default()


def set_num_threads(n: SupportsIndex) -> None:
    """Make operations use n threads, 1 to 1024, in all Python threads from now on; 0 restores the default.

    Threads are created when an operation first needs them, and sleep when they are not needed: a smaller number ends
    none. Raises ValueError for other numbers, TypeError for anything but a whole number.
    """
    global _of_all
    _of_all = 0 if type(n) is int and n == 0 else checked(n, "set_num_threads")
    _publish()


def words() -> int:
    """Return the address of two words for machine code that holds the GIL: the number of threads that operations of any
    Python thread use, or 0 if it must call Python to find out, and the cycles of work for which the number is valid."""
    if not _words:
        _words.append(ffi.new("int64_t[2]"))
        _publish()
    return int(ffi.cast("uintptr_t", _words[0]))


def _publish() -> None:
    """Write the words. Inside of contexts the number depends on the Python thread, so machine code must ask."""
    global _behind
    for key, entered in list(_open.items()):
        if entered not in entered.contexts or entered.owner() is None:
            _open.pop(key, None)
    for each in _words[:1]:
        each[0] = 0 if _open else _of_all or _default
        each[1] = _FOREVER if _of_all else _WORK
    _behind = False


class threads:  # noqa: N801 a context manager, named as numpy and others name theirs
    """`with ts.threads(n):` operations of this Python thread use n threads, 1 to 1024. Contexts nest.

    Other Python threads are not affected, not even those started inside: each enters its own context. Raises ValueError
    for other numbers, TypeError for anything but a whole number.
    """

    # A signal handler may raise an exception wherever Python calls a function or jumps. No such place lies between
    # entering and the `try`, nor between the start of `__exit__` and leaving. An exception at that start itself keeps
    # the context open; then the end of a context around it closes it, or the end of the object (`num_threads`).

    _entered: Sequence[_EnteredPolicy] = ()

    def __init__(self, n: SupportsIndex) -> None:
        self.count = checked(n, "threads")

    def __enter__(self) -> threads:
        contexts = _of_thread.contexts
        entered = _EnteredPolicy(self.count, contexts, len(contexts), weakref.ref(self))
        key = id(entered)
        try:
            _open[key] = entered
            self._entered = *self._entered, entered
            contexts += (entered,)
            _publish()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        global _behind
        entered = self._entered[-1]
        inside = entered.contexts[entered.place + 1 :]
        del entered.contexts[entered.place :]
        self._entered = self._entered[:-1]
        _behind = True
        for each in inside:
            owner = each.owner()
            if owner is not None:
                owner._entered = tuple([other for other in owner._entered if other is not each])
        _publish()

    def __repr__(self) -> str:
        return f"threads({self.count})"


def checked(n: SupportsIndex, name: str) -> int:
    """Return a number of threads as an int, or raise an error that says what it must be. A bool is not a number."""
    count = whole(n)
    if count is None:
        raise TypeError(f"{name}: a whole number of threads, not {type(n).__name__}")
    if not 1 <= count <= MOST:
        raise ValueError(f"{name}: {shown(count)} threads; from 1 to {MOST} are possible")
    return count


def workers_of(asked: SupportsIndex | None, own: int | None) -> int:
    """Return the threads of a call: those that it asks for, else those of the called object, else `num_threads()`."""
    return own or num_threads() if asked is None else checked(asked, "threads")


def default() -> int:
    """Return the minimum of the share in affinity and quota, and OMP_NUM_THREADS, a tenth of a second old at most."""
    global _default, _until
    now = time.monotonic()
    if now > _until:
        of_all = min(processors(), quota())
        _default = max(1, min(of_all // sharing(), _openmp_threads(), MOST))
        _until = now + _FRESH
        _publish()
    return _default


def processors() -> int:
    """Return how many processors this process may run on now, and tell the pool."""
    found = len(os.sched_getaffinity(0))
    for word in _told:
        word[0] = found
    return found


def sharing() -> int:
    """Return how many processes of a launcher share the processors of this one. A launcher that binds its processes
    gives each fewer processors than it has itself."""
    count = _launched()
    if count == 1:
        return 1
    try:
        of_launcher = len(os.sched_getaffinity(os.getppid()))
    except OSError:
        of_launcher = 0
    return count if processors() >= of_launcher else 1


@functools.cache
def _launched() -> int:
    """Return how many processes a launcher says it has started on this machine."""
    found = (os.environ.get(name, "") for name in LAUNCHERS)
    return max([1, *(int(each) for each in found if each.isdecimal())])


def tell(word: Any) -> None:
    """Keep an int64_t in memory at the number that `processors` finds. `word` is a pointer to it."""
    _told.append(word)
    processors()


@functools.cache
def _openmp_threads() -> int:
    """Return OMP_NUM_THREADS as of the first use; OpenMP reads it once as well."""
    return asked(os.environ.get(OMP, ""))


def asked(text: str) -> int:
    """Return the outermost level of a list of numbers, or MOST for a text that OpenMP does not accept."""
    first = text.split(",")[0].strip()
    return int(first) if first.isdecimal() and int(first) else MOST


@functools.cache
def quota(mount: str = _MOUNT, own: str = "/proc/self/cgroup") -> int:
    """Return the processor time that the control groups of this process grant, in processors, rounded up; MOST without
    a limit."""
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
    """Return a control group and its ancestors. In a container the path may be the host's, where the root is the
    container's."""
    parts = [part for part in path.split("/") if part]
    return ["".join(f"/{part}" for part in parts[:count]) for count in range(len(parts), -1, -1)]


def _second(file: str) -> int:
    """Return the limit of version 2: the file holds the quota or "max", then the period."""
    words = _read(file).split()
    return _whole(words[0], words[1]) if len(words) == 2 else MOST


def _first(folder: str) -> int:
    """Return the limit of version 1, from two files; a quota of -1 means no limit."""
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

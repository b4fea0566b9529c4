"""The pool of this process: its memory and its functions, made when a region is first asked for.

Machine code creates the threads later, when a region first needs them. A forked child, whose state reads zero, creates
its own. Memory and code stay for good, since a worker may read them until the process ends.
"""

from __future__ import annotations

import atexit
import os
import struct
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from ...encoder.records import NamedTuple
from ...microkernels.errors import UnsupportedError
from ..host.detect import host
from ..memory.executable import publish_for_good
from ..memory.linked import placed
from ..scalar.native import MACHINES
from ..system import libc
from ..system.architecture import arch
from ..system.interpreters import in_subinterpreter
from . import layout, policy

if TYPE_CHECKING:
    from ...encoder.code import Code
    from ..scalar.machine import Scalar
    from . import functions, verbs_a64, verbs_lse, verbs_x86
    from .verbs import Verbs

functions = lazy(__package__, ".functions")
verbs_x86 = lazy(__package__, ".verbs_x86")
verbs_a64 = lazy(__package__, ".verbs_a64")
verbs_lse = lazy(__package__, ".verbs_lse")

MICROSECOND = 1e-6
SPIN, LATENESS, HOPE, PROMPT = 50 * MICROSECOND, 20 * MICROSECOND, 500 * MICROSECOND, 2 * MICROSECOND
LEAST_BACKOFF, MOST_BACKOFF = 2000 * MICROSECOND, 60000 * MICROSECOND
"""How long waiting threads spin, and the limits of `backoff_code`."""
LEAST_WORK, WORTH_WAKING = 6_000, 60_000
"""Cycles of one thread, at some 3 GHz as in `kernel.LONG`. `LEAST_WORK`: the minimum work to hand to a worker that
spins, 2 us, since that costs 0.02 to 0.18 us. `WORTH_WAKING`: the minimum work to wake a worker for, 20 us, since the
caller spends 16 us in the system to wake it, and it comes some 40 us later (`tilesmith bench regions`, Zen 4,
2026-11-24)."""
STACK, GUARD = 8 << 20, 64 << 10
"""Bytes of a worker's stack, as large as a main thread's, and of the inaccessible pages below it."""

_MADV_WIPEONFORK = 18  # asm-generic/mman-common.h
_DETACHED = 1  # PTHREAD_CREATE_DETACHED
_FAULTS = (4, 5, 7, 8, 11, 31)  # SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS: raised by a thread's own code
_OF_THE_C_LIBRARY = (32, 33, 34)  # for pthread_cancel, setuid and timers
_CALIBRATION = 50 * MICROSECOND
_PAGE = os.sysconf("SC_PAGESIZE")


class ThreadPool(NamedTuple):
    """The addresses of the pool's memory and functions."""

    state: int
    settings: int
    region: int
    claims: int
    weighed: int
    barrier: int
    claim: int
    end: int


NAMES = "worker", "grow", "region", "claims", "weighed", "barrier", "claim", "end"
_pools: list[ThreadPool] = []


def pool() -> ThreadPool:
    """Return the pool of this process. Raises UnsupportedError if there can be none."""
    if not _pools:
        refused = refusal()
        if refused:
            raise UnsupportedError(f"threads: {refused}")
        _pools.append(_started())  # if two threads come here, all use the first pool, and nobody the second
        atexit.register(libc.ffi.cast("void(*)(void)", _pools[0].end))
    return _pools[0]


def _started() -> ThreadPool:
    state, settings = _memory()
    _settle(settings)
    made = {"state": state, "settings": settings, "pthread_create": libc.address("pthread_create")}
    for name in NAMES:
        made[name] = placed(publish_for_good, f"threads_{name}", _emitter(name), made, _variant(), host().features)
    return ThreadPool(state, settings, *(made[name] for name in ThreadPool._fields[2:]))


def _emitter(name: str) -> Callable[[Scalar], Code]:
    return lambda machine: functions.FUNCTIONS[name](verbs(machine))


def refusal() -> str:
    """Return the reason why there can be no pool, or an empty string."""
    if arch() not in MACHINES:
        return f"no workers are emitted for {arch()}"
    if in_subinterpreter():
        return "a subinterpreter cannot have workers, which belong to the process; call from the main interpreter"
    if not libc.address("pthread_create"):
        return "this process has no pthread_create"
    return ""


def _memory() -> tuple[int, int]:
    """Allocate the state and the settings."""
    state_size = -(-layout.STATE // _PAGE) * _PAGE
    protection, kind = libc.PROT_READ | libc.PROT_WRITE, libc.MAP_PRIVATE | libc.MAP_ANONYMOUS
    state = libc.mmap(0, state_size + _PAGE, protection, kind, -1, 0)
    try:
        libc.madvise(state, state_size, _MADV_WIPEONFORK)
    except OSError as error:
        raise UnsupportedError(
            f"threads: a child of a fork needs a pool of its own, and {error.strerror}: "
            "madvise(MADV_WIPEONFORK) is in Linux 4.14 and later"
        ) from error
    return state, state + state_size


def _settle(settings: int) -> None:
    """Write the settings."""
    ticks = _ticks_per_second()
    spans = (SPIN, LATENESS, LEAST_BACKOFF, MOST_BACKOFF, HOPE, PROMPT)
    blocked = (1 << 64) - 1 - sum(1 << (number - 1) for number in _FAULTS + _OF_THE_C_LIBRARY)
    words = struct.pack("<6Qq16sQ", *(int(span * ticks) for span in spans), 0, b"tilesmith", blocked)
    libc.ffi.memmove(libc.ffi.cast("char *", settings), words, len(words))
    cycles = libc.ffi.cast("int64_t *", settings + layout.LEAST_WORK)
    cycles[0], cycles[1] = LEAST_WORK, WORTH_WAKING
    policy.tell(libc.ffi.cast("int64_t *", settings + layout.PROCESSORS))
    at = settings + layout.ATTRIBUTES
    for name, *rest in (("init",), ("setstacksize", STACK), ("setguardsize", GUARD), ("setdetachstate", _DETACHED)):
        function = libc.ffi.cast("int(*)(uintptr_t, size_t)", libc.address(f"pthread_attr_{name}"))
        failed = function(at, *rest or (0,))
        if failed:
            raise OSError(failed, f"pthread_attr_{name}: {os.strerror(failed)}")


def _ticks_per_second() -> float:
    """Measure the frequency of the processor's clock."""

    def emit(m: Scalar) -> Code:
        m.begin("ticks")
        verbs(m).ticks(m.result)
        m.ret()
        code: Code = m.asm.finish("ts_ticks")
        return code

    ticks = libc.ffi.cast(
        "int64_t(*)(void)", placed(publish_for_good, "threads_ticks", emit, {}, _variant(), host().features)
    )

    def once() -> float:
        first, start = ticks(), time.perf_counter()
        while (end := time.perf_counter()) < start + _CALIBRATION:
            pass
        return float((ticks() - first) / (end - start))

    return min(once() for _ in range(3))  # any interruption between two readings makes the number larger


VERBS: dict[str, Callable[[], type[Verbs]]] = {
    "x86": lambda: verbs_x86.X86Verbs,
    "a64": lambda: verbs_a64.A64Verbs,
    "lse": lambda: verbs_lse.LseVerbs,
}
"""The verbs of threads, keyed by architecture or by a variant of it."""


def _variant() -> str:
    return "lse" if "LSE" in host().features else arch()


def verbs(machine: Scalar) -> Verbs:
    """Return the verbs of threads for this processor, on one of its scalar machines."""
    return VERBS[_variant()]()(machine)

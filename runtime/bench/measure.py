"""Times calls without Python's overhead: emitted loops make the calls, contenders take turns, the best sample counts.

    beside = {"ours": NativeCall(kernel.address, (a, b, c)), "peer": NativeCall(address, (a, b, c))}
    timings = seconds_per_call(beside, budget=0.1)

One sample runs a contender for a fraction of a millisecond, so that the microsecond of Python does not matter; then the
next contender has its turn. A disturbance (interrupt, change of frequency, stolen time) therefore affects all alike,
and the minimum excludes it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from ...encoder.code import Code
from ...encoder.features import Target
from ...encoder.records import NamedTuple, dataclass
from ...microkernels.errors import UnsupportedError
from ..host.detect import runs
from ..memory.executable import ExecutableBlock, publish
from ..system.libc import ffi
from . import measure_code

SAMPLE = 400e-6
"""The seconds of a sample: long compared with a call from Python, short compared with a time slice of the scheduler."""
MIN_SAMPLES = 5
"""The minimum number of samples per contender, whatever the budget."""

_TURNS, _ASLEEP = 3, 0.25

BYTES = {"f32": 4, "f64": 8}


class Contender(Protocol):
    """Something that can be timed."""

    def run(self, count: int) -> None:
        """Do it `count` times, count >= 1."""


@dataclass(frozen=True)
class NativeCall:
    """A C function at an address, called with these integer and pointer arguments by the emitted repeat loop.

    `keep` holds objects that must stay alive: the pages of the code and the arrays behind the pointers.
    """

    address: int
    args: tuple[int, ...] = ()
    keep: object = None

    def run(self, count: int) -> None:
        repeat(self.address, self.args, count)


@dataclass(frozen=True)
class PythonCall:
    """A Python callable without arguments. The interpreter's loop is part of its time."""

    function: Callable[[], object]

    def run(self, count: int) -> None:
        function = self.function
        for _ in range(count):
            function()


class Timing(NamedTuple):
    """Seconds per call."""

    best: float
    median: float
    samples: int
    calls: int  # in one sample


# Timing


def seconds_per_call(contenders: Mapping[str, Contender], budget: float = 0.1) -> dict[str, Timing]:
    """Time the contenders side by side, with about `budget` seconds for each. Their samples alternate."""
    counts = {name: _calibrate(contender) for name, contender in contenders.items()}
    samples: dict[str, list[float]] = {name: [] for name in contenders}
    order = list(contenders)
    end = time.perf_counter() + budget * len(contenders)
    while time.perf_counter() < end or len(samples[order[0]]) < MIN_SAMPLES:
        for name in order:
            samples[name].append(_sample(contenders[name], counts[name]))
        order.reverse()  # no contender always follows the same neighbour
    return {
        name: Timing(min(times), statistics.median(times), len(times), counts[name]) for name, times in samples.items()
    }


def samples(
    contenders: Mapping[str, Contender],
    seconds: float = 0.0,
    rounds: int = MIN_SAMPLES,
    *,
    count: int = 1,
    clock: Callable[[], int] = time.thread_time_ns,
) -> dict[str, list[float]]:
    """Return the seconds per call of samples of `count` calls, at least `rounds` of each contender, for `seconds` each.
    Contenders take turns in a new random order for each round, after one that warms up. Calls of milliseconds, during
    which other programs run as well, are measured in thread time; what the call before left in the caches makes them up
    to twice as slow, so that quartiles and medians of such samples are compared."""
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for contender in contenders.values():
        contender.run(1)
    order, shuffled, end = list(contenders), random.Random(1), time.perf_counter() + seconds * len(contenders)
    while time.perf_counter() < end or len(taken[order[0]]) < rounds:
        shuffled.shuffle(order)
        for name in order:
            start = clock()
            contenders[name].run(count)
            taken[name].append((clock() - start) * 1e-9 / count)
    return taken


def asleep(calls: Mapping[str, Callable[[], object]], seconds: float, each: int = 1) -> dict[str, float]:
    """Return the least seconds per call, over samples of `each` calls, of contenders that use threads.

    They take three turns. Between two turns all threads fall asleep, because OpenMP's threads spin for up to 0.2 s
    after a call, on processors that the next contender needs.
    """
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(_TURNS):
        for name, call in calls.items():
            time.sleep(_ASLEEP)
            call()
            end, taken = time.perf_counter() + seconds / _TURNS, float("inf")
            while time.perf_counter() < end or taken == float("inf"):
                taken = min(taken, _sample(PythonCall(call), each))
            least[name] = min(least[name], taken)
    return least


def _sample(contender: Contender, count: int) -> float:
    """Return the seconds per call over `count` calls."""
    start = time.perf_counter_ns()
    contender.run(count)
    return (time.perf_counter_ns() - start) * 1e-9 / count


def _calibrate(contender: Contender) -> int:
    """Return the number of calls that fill a sample. This also warms the caches and the branch predictors."""
    count = 1
    while True:
        # The better of two: a disturbance must not look like a slow call.
        seconds = min(_sample(contender, count) for _ in range(2)) * count
        if seconds >= SAMPLE / 4:
            return max(1, round(count * SAMPLE / seconds))
        count *= max(2, min(16, int(SAMPLE / 2 / (seconds + 1e-9))))


@contextlib.contextmanager
def one_cpu() -> Iterator[int]:
    """Stay on one processor meanwhile, since a migration loses the hot caches; yields its number.

    Only the calling thread is pinned. Worker threads that a library has already started are not.
    """
    allowed = os.sched_getaffinity(0)
    cpu = max(allowed)  # the first one serves more interrupts
    os.sched_setaffinity(0, {cpu})
    try:
        yield cpu
    finally:
        os.sched_setaffinity(0, allowed)


def empty_call_seconds(budget: float = 0.02) -> float:
    """Return the seconds that the repeat loop needs to call an empty function. They are part of every NativeCall."""
    block = _published(measure_code.empty)
    return seconds_per_call({"empty": NativeCall(block.address, (), block)}, budget)["empty"].best


# The repeat loop


def repeat(function: int, args: Sequence[int], count: int) -> None:
    """Call the C function at address `function` with integer arguments, `count` times, from an emitted loop."""
    if count < 1:
        raise ValueError(f"repeat: count={count}: at least one call")
    passed = [*args, *[0] * (_register_arguments() - len(args))]
    block = _published(measure_code.repeat, len(passed))
    values = ffi.new("uint64_t[]", [value & 0xFFFF_FFFF_FFFF_FFFF for value in passed])
    ffi.cast("void(*)(uintptr_t, uint64_t *, uint64_t)", block.address)(function, values, count)


@dataclass(frozen=True)
class Walk:
    """A C function that an emitted loop calls once for each row of a table of arguments. `run` counts passes over the
    table."""

    address: int
    table: Sequence[Sequence[int]]
    keep: object = None

    @functools.cached_property
    def _values(self) -> object:
        width = max(_register_arguments(), len(self.table[0]))
        rows = [value for row in self.table for value in (*row, *[0] * (width - len(row)))]
        return ffi.new("uint64_t[]", [value & 0xFFFF_FFFF_FFFF_FFFF for value in rows])

    def run(self, count: int) -> None:
        width = max(_register_arguments(), len(self.table[0]))
        block = _published(measure_code.repeat, width, True)
        loop = ffi.cast("void(*)(uintptr_t, uint64_t *, uint64_t)", block.address)
        for _ in range(count):
            loop(self.address, self._values, len(self.table))


_register_arguments = functools.cache(measure_code.register_arguments)


@functools.cache
def _published(emit: Callable[..., Code], *arguments: object) -> ExecutableBlock:
    """Return the code of an emitter in executable pages that stay for good."""
    return publish(emit(*arguments).data)


# What the processor can do


class Peak(NamedTuple):
    """A contender that executes only independent FMAs, and the FLOPs of one of its calls."""

    call: NativeCall
    flops: int


def fma_peak(target: Target, dtype: str, budget: float = 0.1) -> float:
    """Return the FLOP/s of one core with full vectors: independent FMAs on registers only, the best of many samples."""
    peak = fma_loop(target, dtype)
    return peak.flops / seconds_per_call({"peak": peak.call}, budget)["peak"].best


def fma_loop(target: Target, dtype: str) -> Peak:
    """Return the loop of `fma_peak`, to be timed beside kernels. Raises UnsupportedError if this machine cannot run
    it."""
    reason = runs(target) if dtype in BYTES else f"no FMA loop for {dtype!r}: use one of {', '.join(BYTES)}"
    if reason:
        raise UnsupportedError(reason)
    block, fmas = _published_fmas(target, dtype)
    passes = 200  # 3 to 5 us, so that entry and exit do not matter
    lanes = target.vector_bits // (8 * BYTES[dtype])
    return Peak(NativeCall(block.address, (passes,), block), passes * fmas * lanes * 2)


@functools.cache
def _published_fmas(target: Target, dtype: str) -> tuple[ExecutableBlock, int]:
    code, fmas = measure_code.fmas(target, dtype)
    return publish(code.data), fmas


def frequency(budget: float = 0.05) -> float:
    """Return the clock cycles per second, measured with a chain of additions that take one cycle each."""
    block = _published(measure_code.chain)
    passes = 100
    call = NativeCall(block.address, (passes, 1), block)
    return passes * measure_code.CHAIN / seconds_per_call({"chain": call}, budget)["chain"].best

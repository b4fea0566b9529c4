"""Plain copies as the lower bound for transposes of the same number of bytes.

    tile      16 x 16 f32: loads and stores of 1024 bytes in whole registers, without shuffles
    matrices  larger than the caches: libc's memcpy and np.copyto

A copy of 16 MiB takes milliseconds, during which other programs run as well, so thread time is measured
(CLOCK_THREAD_CPUTIME_ID). What the call before left in the caches makes a copy up to twice as slow, so contenders take
turns in random order and medians are compared.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from ...encoder.records import NamedTuple
from ...microkernels.machines.registry import machine_for
from ..api.transforms import transpose
from ..arguments.arrays import address_of, numpy_dtype
from ..host import detect as host
from ..memory.executable import publish
from .measure import Contender, NativeCall, PythonCall
from .peers.elementwise import memcpy

Array = np.ndarray[Any, Any]

PLACES = 0, 16
"""Offsets of y from a cache line in bytes: numpy's own large arrays begin 16 bytes after the start of a page."""


class Copies(NamedTuple):
    """A large transpose with y `place` bytes after a cache line: the median seconds of each contender."""

    name: str
    place: int
    seconds: dict[str, float]

    def ratio(self, copy: str) -> float:
        """Return our speed relative to a copy."""
        return self.seconds[copy] / self.seconds["tilesmith"]

    @property
    def least(self) -> float:
        """Our speed relative to the faster copy."""
        return min(self.ratio(copy) for copy in self.seconds if copy != "tilesmith")


def moves_only(count: int, x: Array, y: Array) -> NativeCall:
    """Return loads and stores of `count` bytes in full registers of this machine: a group of loads, then the stores of
    the same bytes."""
    target = host.host()
    m = machine_for(target)
    width = target.vector_bits // 8
    together = min(count // width, 16)
    m.enter(together)
    source, result = m.arguments(2)
    with m.predicates(), m.vectors(together, "moved") as registers:
        whole = m.lanes("u8", width)
        for start in range(0, count, width * together):
            for k, register in enumerate(registers):
                m.load(register, m.at(source, start + k * width), whole)
            for k, register in enumerate(registers):
                m.store(m.at(result, start + k * width), register, whole)
    m.leave()
    block = publish(m.asm.finish("moves").data)
    return NativeCall(block.address, (address_of(x), address_of(y)), (block, x, y))


def copies(m: int, n: int, dtype: str, rounds: int) -> list[Copies]:
    """Measure a transpose of a large matrix and copies of it, with y at each of PLACES."""
    kernel = transpose(m, n, dtype=cast(Any, dtype))
    assert kernel.address is not None
    element = numpy_dtype(dtype)
    size = m * n * element.itemsize
    x, y = (np.ones(size + 128, np.uint8) for _ in "xy")
    source = _part(x, 0, size)
    made = []
    for place in PLACES:
        result = _part(y, place, size)
        calls: dict[str, Contender] = {
            "tilesmith": NativeCall(kernel.address, (address_of(source), address_of(result)), (kernel, x, y)),
            "memcpy": memcpy(source, result),
            "np.copyto": PythonCall(lambda result=result: np.copyto(result, source)),  # type: ignore[misc]
        }
        made.append(Copies(f"transpose {m} x {n} {dtype}", place, _medians(calls, rounds)))
    return made


def _part(memory: Array, place: int, size: int) -> Array:
    """Return `size` bytes that begin `place` bytes after a cache line."""
    start = -address_of(memory) % 64 + place
    return memory[start : start + size]


def _medians(calls: Mapping[str, Contender], rounds: int) -> dict[str, float]:
    """Return the median seconds of thread time per call. The first round only warms up."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    names, generator = list(calls), random.Random(rounds)
    for _ in range(rounds + 1):
        generator.shuffle(names)
        for name in names:
            start = time.thread_time_ns()
            calls[name].run(1)
            times[name].append((time.thread_time_ns() - start) * 1e-9)
    return {name: statistics.median(seconds[1:]) for name, seconds in times.items()}

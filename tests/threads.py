"""Threads for tests: run works at the same time, and check whether a thread makes progress during other work."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def together(*works: Callable[[], object]) -> None:
    """Run the works at the same time; an exception of one of them is raised here."""
    errors: list[BaseException] = []

    def guarded(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


@contextmanager
def switching(interval: float) -> Iterator[None]:
    """Make Python switch threads after this many seconds; 1e-6 allows a switch after every bytecode instruction."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(interval)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def ticks_during(work: Callable[[], object]) -> tuple[list[float], float, float]:
    """Return the times at which another thread, which wakes every millisecond, got the GIL, and the start and end of
    the work."""
    ticks: list[float] = []
    stop = threading.Event()

    def tick() -> None:
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        start = time.perf_counter()
        work()
        end = time.perf_counter()
    finally:
        stop.set()
        thread.join()
    return ticks, start, end

"""Contenders of one run: each number of threads in a process of its own, calls that take turns."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from time import perf_counter, sleep
from typing import Any

_THREADS = "TILESMITH_BENCH_THREADS"
_TURNS, _ASLEEP = 3, 0.25


def each_number_of_threads(module: str, numbers: Iterable[int], table: Callable[[int], None]) -> None:
    """Run the table for each number, in a new process of the same command line; other libraries have as many there."""
    if _THREADS in os.environ:
        table(int(os.environ[_THREADS]))
        return
    for threads in numbers:
        limits = {each: str(threads) for each in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
        environment = {**os.environ, **limits, _THREADS: str(threads)}
        subprocess.run([sys.executable, "-m", module, *sys.argv[1:]], env=environment, check=True)


def measured(calls: Mapping[str, Callable[[], Any]], seconds: float, each: int = 1) -> dict[str, float]:
    """Seconds of a call of each, the best sample of `each` calls, in turns that they take.

    Between two turns all threads fall asleep: those of OpenMP spin for up to 0.2 s after a call, on the cores that the
    next contender would have.
    """
    least = dict.fromkeys(calls, math.inf)
    for _ in range(_TURNS):
        for name, call in calls.items():
            sleep(_ASLEEP)
            call()
            end, taken = perf_counter() + seconds / _TURNS, math.inf
            while perf_counter() < end or taken == math.inf:
                start = perf_counter()
                for _ in range(each):
                    call()
                taken = min(taken, (perf_counter() - start) / each)
            least[name] = min(least[name], taken)
    return least

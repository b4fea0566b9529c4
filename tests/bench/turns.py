"""Run contenders in turns, with a separate process for each number of threads."""

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
    """Print the table for each number of threads, in a new process with the same command line; other libraries use the
    same number."""
    if _THREADS in os.environ:
        table(int(os.environ[_THREADS]))
        return
    for threads in numbers:
        limits = {each: str(threads) for each in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
        environment = {**os.environ, **limits, _THREADS: str(threads)}
        subprocess.run([sys.executable, "-m", module, *sys.argv[1:]], env=environment, check=True)


def measured(calls: Mapping[str, Callable[[], Any]], seconds: float, each: int = 1) -> dict[str, float]:
    """Return the seconds per call of each contender: the best sample of `each` calls. Contenders take turns.

    Between two turns all threads fall asleep, because OpenMP's threads spin for up to 0.2 s after a call, on cores that
    the next contender needs.
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

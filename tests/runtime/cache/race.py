"""Let processes make, keep and find the same kernels at the same time, and kill them at random.

    python -m tests.runtime.cache.race --processes 8 --requests 1000 --kills 100

Each process makes all requests in its own order and checks what each kernel computes. The parent kills one of them now
and then and starts another. In the end every entry must be complete and found, and no other files must be left.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import time
import warnings

import numpy as np

import tilesmith as ts
from tilesmith.runtime.cache import folder, sealed, store
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.kernel.origin import CachedCode
from tilesmith.runtime.system import environment

WRONG = 9
"""The exit status of a process that saw a wrong kernel or a warning."""


def shapes(count: int, seed: int) -> list[tuple[int, int, int]]:
    """Return `count` different shapes of small products."""
    rng = random.Random(seed)
    every = [(m, n, k) for m in range(1, 13) for n in range(1, 13) for k in range(1, 13)]
    return rng.sample(every, count)


def right(shape: tuple[int, int, int], kernel: Kernel) -> bool:
    """Whether the kernel multiplies correctly; the operands are small integers, whose products are exact in f32."""
    m, n, k = shape
    a, b = (
        np.arange(rows * columns, dtype=np.float32).reshape(rows, columns) % 7 for rows, columns in ((m, k), (k, n))
    )
    c = np.ones((m, n), np.float32)
    kernel(a, b, c)
    return np.array_equal(c, 1 + a.astype(np.int64) @ b.astype(np.int64))


def work(every: list[tuple[int, int, int]], seed: int, needed: bool = False) -> int:
    """Make all requests in random order, and return the exit status. `needed`: every kernel must come from the
    cache."""
    order = random.Random(seed).sample(every, len(every))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for shape in order:
            kernel = Kernel(ts.gemm_spec(*shape), ts.host())
            if not right(shape, kernel) or needed and not isinstance(kernel._origin, CachedCode):
                return WRONG
    store.flush()
    return 0


def start(every: list[tuple[int, int, int]], seed: int, needed: bool = False) -> int:
    """Start a process that makes all requests, and return its id."""
    child = os.fork()
    if child:
        return child
    status = WRONG
    try:
        status = work(every, seed, needed)
    finally:
        os._exit(status)


def race(where: str, processes: int, requests: int, kills: int, seed: int = 1, pause: float = 0.05) -> int:
    """Run the race and return the number of killed processes; kills are `pause` seconds apart on average.

    Raises AssertionError if there is a wrong kernel, a missing entry or a leftover file.
    """
    os.environ[environment.CACHE] = where
    rng, every = random.Random(seed), shapes(requests, seed)
    running = {start(every, number) for number in range(processes)}
    killed, started = 0, processes
    while running:
        time.sleep(rng.uniform(0.0, 2 * pause))
        if killed < kills:
            os.kill(rng.choice(sorted(running)), signal.SIGKILL)
        for child in sorted(running):
            found, status = os.waitpid(child, os.WNOHANG)
            if not found:
                continue
            running.remove(child)
            if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
                killed, started = killed + 1, started + 1
                running.add(start(every, started))
            else:
                assert os.waitstatus_to_exitcode(status) == 0, "a process saw a wrong kernel, or faulted"
    last = start(every, 0, needed=True)
    assert os.waitstatus_to_exitcode(os.waitpid(last, 0)[1]) == 0, "an entry is missing or wrong"
    others = [name for name in os.listdir(where) if not sealed.is_name(name) and name != folder.SECRET]
    assert not others, f"left over: {others}"
    return killed


def main() -> None:
    """Run the race from the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name, default in (("processes", 8), ("requests", 1000), ("kills", 100), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as where:
        begun = time.perf_counter()
        killed = race(where, options.processes, options.requests, options.kills, options.seed, 0.3)
        entries = sum(map(sealed.is_name, os.listdir(where)))
        print(
            f"{options.processes} processes, {options.requests} requests, {killed} killed, {entries} entries, "
            f"0 wrong, 0 left over, {time.perf_counter() - begun:.0f} s"
        )


if __name__ == "__main__":
    main()

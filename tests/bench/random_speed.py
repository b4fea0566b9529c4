"""Measure nanoseconds per element of random numbers, dropout, stochastic rounding and gathers, beside numpy.

python -m tests.bench.random_speed [repetitions]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

import tilesmith as ts
from tilesmith.runtime.host import detect as host

SIZE = 256
CALLS = 4


def best(call: Callable[[], object], repetitions: int, elements: int = SIZE * SIZE) -> float:
    """Return ns per element: the minimum of many repetitions, because others use the machine."""
    found = float("inf")
    for _ in range(repetitions):
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        found = min(found, (time.perf_counter() - start) / CALLS)
    return found * 1e9 / elements


def main(repetitions: int) -> None:
    rng = np.random.Generator(np.random.SFC64(1))
    x, y = rng.standard_normal((SIZE, SIZE), np.float32), np.empty((SIZE, SIZE), np.float32)
    half, byte = np.empty((SIZE, SIZE), np.float16), np.empty((SIZE, SIZE), np.int8)
    for target in ("avx2", "avx512", "neon"):
        if host.runs(host.resolve(target)):
            continue
        made = {
            "uniform": (ts.unary("uniform", SIZE, SIZE, target=target), (5, y)),
            "dropout": (ts.unary("dropout", SIZE, SIZE, rate=0.1, target=target), (x, 5, y)),
            "round_stochastic f16": (ts.unary("round_stochastic", SIZE, SIZE, out="f16", target=target), (x, 5, half)),
            "quantize i8": (ts.unary("quantize", SIZE, SIZE, out="i8", scale=0.1, target=target), (x, byte)),
        }
        for name, (kernel, arguments) in made.items():
            print(f"{target:8} {name:22} {best(lambda: kernel(*arguments), repetitions):6.2f}")  # noqa: B023
    print(f"{'numpy':8} {'uniform (SFC64)':22} {best(lambda: rng.random(out=y, dtype=np.float32), repetitions):6.2f}")
    table, index = x.ravel()[:4096], rng.integers(0, 4096, (64, 64))
    out, bad = np.empty((64, 64), np.float32), np.empty(1, np.int64)
    gather = ts.gather("offsets", 64, 64, size=4096, bounds="kernel")
    print(f"{'host':8} {'gather 4096':22} {best(lambda: gather(table, index, out, bad), repetitions, 4096):6.2f}")
    take = best(lambda: np.take(table, index, out=out, mode="clip"), repetitions, 4096)
    print(f"{'numpy':8} {'take 4096':22} {take:6.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)

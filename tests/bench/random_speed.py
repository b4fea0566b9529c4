"""Measure nanoseconds per element of random numbers, dropout, stochastic rounding and gathers, beside numpy.

tilesmith bench random_speed [repetitions]
"""

from collections.abc import Iterator
from functools import partial
from time import perf_counter_ns
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.bench.measure import PythonCall, samples
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.host import detect as host

SIZE = 256
CALLS = 4


def measured(run: Run) -> Iterator[Row]:
    """Yield the times of all kernels and of numpy's functions, which take turns."""
    rng = np.random.Generator(np.random.SFC64(1))
    x, y = rng.standard_normal((SIZE, SIZE), np.float32), np.empty((SIZE, SIZE), np.float32)
    half, byte = np.empty((SIZE, SIZE), np.float16), np.empty((SIZE, SIZE), np.int8)
    calls: dict[tuple[str, str, int], Any] = {}
    for target in ("avx2", "avx512", "neon"):
        for name, more, arguments in (
            ("uniform", {}, (5, y)), ("dropout", {"rate": 0.1}, (x, 5, y)),
            ("round_stochastic", {"out": "f16"}, (x, 5, half)), ("quantize", {"out": "i8", "scale": 0.1}, (x, byte)),
        ) if not host.runs(host.resolve(target)) else ():
            words = f"{name} {more.get('out', '')}".rstrip()
            calls[target, words, SIZE * SIZE] = partial(ts.unary(name, SIZE, SIZE, target=target, **more), *arguments)
    calls["numpy", "uniform (SFC64)", SIZE * SIZE] = lambda: rng.random(out=y, dtype=np.float32)
    table, index = x.ravel()[:4096], rng.integers(0, 4096, (64, 64))
    out, bad = np.empty((64, 64), np.float32), np.empty(1, np.int64)
    gather = ts.gather("offsets", 64, 64, size=4096, bounds="kernel")
    calls["host", "gather 4096", 4096] = partial(gather, table, index, out, bad)
    calls["numpy", "take 4096", 4096] = lambda: np.take(table, index, out=out, mode="clip")
    taken = samples({str(key): PythonCall(call) for key, call in calls.items()}, rounds=run.options.repetitions,
                    count=CALLS, clock=perf_counter_ns)
    for key in calls:
        yield {"target": key[0], "function": key[1], "seconds": min(taken[str(key)]) / key[2]}


BENCH = Bench("random_speed", __doc__, (
    Table("random", "target; function; ns/element=seconds:2n", ((),), measured),),
    {"repetitions": {"nargs": "?", "type": int, "default": 60}})

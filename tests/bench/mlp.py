"""Measure an MLP as in the paper's figure 2: N = 512 rows, layers of 512 to 8192, bias and relu, in shares of the peak.

python -m tests.bench.mlp [--threads 1 2] [--types bf16 f32] [--sizes 512 1024 2048 4096 8192] [--seconds 1]

The network takes turns in one run with a loop that only multiplies and adds on the same number of cores. It prints the
best sample and the median. Weights are packed once, beforehand. Source: Georganas et al., PARLOOPER, section 5.1.2.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.bench.cases.matmul import TYPES, peak
from tilesmith.runtime.bench.measure import PythonCall, seconds_per_call
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main
from tilesmith.runtime.bench.table import WrongResult

ROWS = 512


def network(name: Any, size: int, layers: int) -> tuple[Any, float]:
    """Return a call of the network and its number of operations, after checking some rows against numpy in f32."""
    rng, dtype = np.random.default_rng(0), numpy_dtype(TYPES[name][0])
    net = ts.mlp(ROWS, [size] * (layers + 1), dtype=name, activation=ts.relu, last=ts.relu)
    x = rng.standard_normal((ROWS, size), np.float32).astype(dtype)
    weights = [(rng.standard_normal((size, size), np.float32) / size**0.5).astype(dtype) for _ in range(layers)]
    biases = [rng.standard_normal(size, np.float32).astype(dtype) for _ in range(layers)]
    packed, out, wanted = net.pack(weights), np.empty((ROWS, size), dtype), x[:4].astype(np.float32)
    for w, b in zip(weights, biases):
        wanted = np.maximum(wanted @ w.astype(np.float32) + b.astype(np.float32), 0).astype(dtype).astype(np.float32)
    net(x, packed, biases, out)
    error = float(np.abs(out[:4].astype(np.float32) - wanted).max() / np.abs(wanted).max())
    if error > 0.02 * layers:
        raise WrongResult(f"{name} {size}: relative error {error}")
    return lambda: net(x, packed, biases, out), float(net.flops)


def measured(run: Run, name: str, threads: int, size: int) -> Row:
    ts.set_num_threads(threads)
    (loop, flops), (call, own) = peak(name, threads), network(name, size, run.options.layers)
    timings = seconds_per_call({"net": PythonCall(call), "peak": PythonCall(loop)}, run.seconds)
    rate, net = flops / timings["peak"].best, timings["net"]
    return {"type": name, "threads": threads, "size": size, "speed": own / net.best, "of peak": own / net.best / rate,
            "median": own / net.median / rate}


def _tables(run: Run) -> Iterator[Table]:
    asked = run.options
    yield Table("networks", "type; threads; size; GFLOP/s=speed:0G; of peak:2; median of peak=median:2",
                [(name, threads, size) for name in asked.types for threads in asked.threads for size in asked.sizes],
                measured)


BENCH = Bench("mlp", __doc__, _tables, {
    "--threads": {"type": int, "nargs": "+", "default": [1, 2]},
    "--types": {"nargs": "+", "default": ["bf16"], "choices": ["bf16", "f32", "f64"]},
    "--sizes": {"type": int, "nargs": "+", "default": [512, 1024, 2048, 4096, 8192]},
    "--layers": {"type": int, "default": 3}}, seconds=1.0, alone=False,
    quick=("--sizes", "512", "1024", "--seconds", "0.3"))

if __name__ == "__main__":
    main(BENCH)

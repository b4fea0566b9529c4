"""Measure an MLP as in the paper's figure 2: N = 512 rows, layers of 512 to 8192, bias and relu, in shares of the peak.

python -m tests.bench.mlp [--threads 1 2] [--types bf16 f32] [--sizes 512 1024 2048 4096 8192] [--seconds 1]

The network takes turns in one run with a loop that only multiplies and adds on the same number of cores. It prints the
best sample and the median. Weights are packed once, beforehand. Source: Georganas et al., PARLOOPER, section 5.1.2.
"""

from __future__ import annotations

import argparse
import statistics
from time import perf_counter
from typing import Any

from tests.bench.matmul import TYPES, peak

ROWS = 512


def network(name: str, size: int, layers: int) -> tuple[Any, float]:
    """Return a call of the network and its number of operations, after checking some rows against numpy in f32."""
    import numpy as np

    import tilesmith as ts
    from tilesmith.runtime.arguments.arrays import numpy_dtype

    rng = np.random.default_rng(0)
    dtype = numpy_dtype(TYPES[name][0])
    net = ts.mlp(ROWS, [size] * (layers + 1), dtype=name, activation=ts.relu, last=ts.relu)
    x = rng.standard_normal((ROWS, size), np.float32).astype(dtype)
    weights = [(rng.standard_normal((size, size), np.float32) / size**0.5).astype(dtype) for _ in range(layers)]
    biases = [rng.standard_normal(size, np.float32).astype(dtype) for _ in range(layers)]
    packed = net.pack(weights)
    out = np.empty((ROWS, size), dtype)
    wanted = x[:4].astype(np.float32)
    for w, b in zip(weights, biases):
        wanted = np.maximum(wanted @ w.astype(np.float32) + b.astype(np.float32), 0).astype(dtype).astype(np.float32)
    net(x, packed, biases, out)
    found = out[:4].astype(np.float32)
    error = float(np.abs(found - wanted).max() / np.abs(wanted).max())
    if error > 0.02 * layers:
        raise AssertionError(f"{name} {size}: relative error {error}")
    return lambda: net(x, packed, biases, out), float(net.flops)


def measured(calls: dict[str, Any], seconds: float) -> dict[str, list[float]]:
    """Return the times of each contender; they take turns."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    end = perf_counter() + seconds * len(calls)
    while perf_counter() < end or len(found["peak"]) < 5:
        for name, call in calls.items():
            start = perf_counter()
            call()
            found[name].append(perf_counter() - start)
    return found


def main() -> None:
    """Print a line for each type, number of threads and size."""
    import tilesmith as ts

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--types", nargs="+", default=["bf16"], choices=["bf16", "f32", "f64"])
    parser.add_argument("--sizes", type=int, nargs="+", default=[512, 1024, 2048, 4096, 8192])
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    print("| type | threads | size | GFLOP/s | of peak | median of peak |\n|---|---|---|---|---|---|")
    for name in options.types:
        for threads in options.threads:
            ts.set_num_threads(threads)
            loop, flops = peak(name, threads)
            for size in options.sizes:
                call, own = network(name, size, options.layers)
                times = measured({"net": call, "peak": loop}, options.seconds)
                least = flops / min(times["peak"])
                shares = [own / each / least for each in (min(times["net"]), statistics.median(times["net"]))]
                print(f"| {name} | {threads} | {size} | {own / min(times['net']) / 1e9:.0f} | {shares[0]:.2f} | "
                      f"{shares[1]:.2f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()

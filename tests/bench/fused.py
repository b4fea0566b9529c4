"""Softmax and norms of f32 beside a copy, numpy and, where it is installed, torch: ns an element, best samples.

python -m tests.bench.fused
PYTHONPATH=... python -m tests.bench.fused      with torch there
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import tilesmith as ts

SHAPES = (64, 384), (256, 384), (1024, 384), (4096, 1024)
SAMPLES, WINDOW = 200, 3e-4


def best(call: Callable[[], Any]) -> float:
    """Seconds of one call: the best of some samples of a fraction of a millisecond."""
    call()
    start = perf_counter()
    call()
    count = max(1, int(WINDOW / max(perf_counter() - start, 1e-7)))
    samples = []
    for _ in range(SAMPLES):
        start = perf_counter()
        for _ in range(count):
            call()
        samples.append((perf_counter() - start) / count)
    return min(samples)


def numpy_softmax(x: Any) -> Any:
    """The usual formula."""
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def calls(m: int, n: int) -> dict[str, Callable[[], Any]]:
    """What is measured, by its name."""
    x = np.random.default_rng(0).standard_normal((m, n)).astype(np.float32)
    y, gamma, beta = np.empty_like(x), np.ones(n, np.float32), np.zeros(n, np.float32)
    softmax, fast = ts.fused("softmax", m, n), ts.fused("softmax", m, n, accuracy="fast")
    layer, rms, copy = ts.fused("layernorm", m, n), ts.fused("rmsnorm", m, n), ts.unary("identity", m, n)
    found: dict[str, Callable[[], Any]] = {
        "softmax": lambda: softmax(x, y), "fast softmax": lambda: fast(x, y), "numpy": lambda: numpy_softmax(x),
        "layer norm": lambda: layer(x, gamma, beta, y), "rms norm": lambda: rms(x, gamma, y),
        "copy": lambda: copy(x, y),
    }  # fmt: skip
    try:
        import torch
    except ImportError:
        return found
    torch.set_num_threads(1)
    held, weight, bias = map(torch.from_numpy, (x, gamma, beta))
    found["torch softmax"] = lambda: torch.softmax(held, 1)
    found["torch layer norm"] = lambda: torch.nn.functional.layer_norm(held, (n,), weight, bias)
    return found


def main() -> None:
    """A line for each shape."""
    for m, n in SHAPES:
        found = {name: best(call) / (m * n) * 1e9 for name, call in calls(m, n).items()}
        print(f"{m} x {n}: " + ", ".join(f"{name} {time:.3f}" for name, time in found.items()))


if __name__ == "__main__":
    main()

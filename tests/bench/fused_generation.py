"""How long machine code of fused kernels is made: processor time of the least of some runs, from the function to bytes.

    python -m tests.bench.fused_generation

The first kernel of a kind imports its modules and is not counted. No kernel is looked up: each run has another shape,
and nothing is kept on disk.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import tilesmith as ts

RUNS = 5
GOALS = {"softmax": 10.0, "layernorm": 10.0, "attention 8 x 64": 25.0, "40 nodes": 15.0}
"""Milliseconds of processor time that issue 22 asks for; the others have none."""


def graph(x: Any, w: Any) -> Any:
    """40 nodes with reductions along rows."""
    value, nodes = x, 0
    while nodes < 40:
        value = ts.maximum(value * w + x, -1.0) - ts.max(value, axis=1) * 0.25
        nodes += 6
    return value


KERNELS: dict[str, Callable[[int], Any]] = {
    "softmax": lambda n: ts.fused("softmax", 64, n),
    "layernorm": lambda n: ts.fused("layernorm", 64, n),
    "batchnorm_training": lambda n: ts.fused("batchnorm_training", 64, n),
    "clip_own_norm": lambda n: ts.fused("clip_own_norm", 64, n),
    "40 nodes": lambda n: ts.equation(graph, x=(64, n), w=(1, n)),
    "gather, multiply, sum": lambda n: ts.equation(
        lambda x, i, j: ts.sum(ts.gather(x, i) * ts.gather(x, j), axis=1), x=(64, n), i=(99,), j=(99,)),
    "softmax(x.T)": lambda n: ts.equation(lambda x: ts.softmax(x.T, axis=1), x=(n, 64)),
    "attention 8 x 64": lambda n: ts.attention(8, 4 * n, 4 * n, 64),
}  # fmt: skip


def milliseconds(make: Callable[[int], Any]) -> float:
    """Of the quickest run."""
    make(96)
    best = float("inf")
    for run in range(RUNS):
        start = time.process_time()
        make(100 + 4 * run).code  # noqa: B018  # which makes it
        best = min(best, time.process_time() - start)
    return best * 1e3


def main() -> None:
    """Print a line for each."""
    os.environ["TILESMITH_CACHE"] = "off"
    for name, make in KERNELS.items():
        goal = f"   (at most {GOALS[name]:.0f})" if name in GOALS else ""
        print(f"{name:24} {milliseconds(make):6.1f} CPU ms{goal}")


if __name__ == "__main__":
    main()

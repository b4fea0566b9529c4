"""Batches of small products with a bias and relu by `ts.matmul`, beside numpy, which makes three passes.

python -m tests.bench.batches [--rounds N]

Outputs exist. Contenders take turns, and the least time of each is shown.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

import tilesmith as ts

SIZES = (8, 16, 32)
COUNT = 1000


def finish(c: Any, bias: Any) -> Any:
    """The epilogue."""
    return ts.relu(c + bias)


def contenders(n: int) -> dict[str, Callable[[], Any]]:
    """What computes relu(a @ b + bias) for a batch of n x n matrices."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((COUNT, n, n)).astype(np.float32) for _ in "ab")
    bias, out = rng.standard_normal(n).astype(np.float32), np.empty_like(a)

    def by_numpy() -> None:
        np.matmul(a, b, out=out)
        np.add(out, bias, out=out)
        np.maximum(out, 0, out=out)

    def by(threads: int) -> Callable[[], Any]:
        return lambda: ts.matmul(a, b, out=out, epilogue=finish, operands={"bias": bias}, threads=threads)

    return {"one thread": by(1), "two threads": by(2), "without epilogue": lambda: ts.matmul(a, b, out=out, threads=1),
            "numpy": by_numpy}  # fmt: skip


def main() -> None:
    """Print microseconds for each batch."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    rounds = parser.parse_args().rounds
    for n in SIZES:
        best: dict[str, float] = {}
        runs = contenders(n)
        for _ in range(rounds):
            for name, run in runs.items():
                start = perf_counter()
                run()
                best[name] = min(best.get(name, 1.0), perf_counter() - start)
        print(f"{COUNT} x {n}^3:", ", ".join(f"{name} {time * 1e6:.0f} us" for name, time in best.items()))


if __name__ == "__main__":
    main()

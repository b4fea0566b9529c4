"""Measure `ts.matmul` of a matrix by few rows or columns: `python -m tests.bench.few_rows 2048`.

The matrix A of this many rows and columns is row-major, and A.T is the same memory. A line gives GB/s of A, which is
read once, for ts.matmul and np.matmul on one thread, least times of samples in turns. Run it with
OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tilesmith as ts

FEW = (1, 2, 4)


def least(functions: dict[str, Callable[[], Any]], samples: int) -> dict[str, float]:
    """Return the least seconds of each function."""
    found = dict.fromkeys(functions, float("inf"))
    for _ in range(samples):
        for name, function in functions.items():
            start = time.perf_counter()
            function()
            found[name] = min(found[name], time.perf_counter() - start)
    return found


def main(size: int, dtype: str) -> None:
    rng = np.random.default_rng(0)
    a = rng.random((size, size)).astype(dtype)
    samples = max(8, (8 << 28) // a.nbytes)
    for few in FEW:
        rows = rng.random((few, size)).astype(dtype)
        columns = np.ascontiguousarray(rows.T)
        cases = {"rows @ A": (rows, a), "rows @ A.T": (rows, a.T), "A @ columns": (a, columns),
                 "A.T @ columns": (a.T, columns)}  # fmt: skip
        for name, (left, right) in cases.items():
            found = least({
                "tilesmith": lambda left=left, right=right: ts.matmul(left, right, threads=1),
                "numpy": lambda left=left, right=right: np.matmul(left, right),
            }, samples)  # fmt: skip
            print(f"{few} {name:14}", *(f"{each} {a.nbytes / seconds / 1e9:6.1f}" for each, seconds in found.items()))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2048, sys.argv[2] if len(sys.argv) > 2 else "f4")

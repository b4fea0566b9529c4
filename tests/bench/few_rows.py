"""Measure products by few rows or columns, which take the time of reading one matrix.

    python -m tests.bench.few_rows 2048 f4               ts.matmul beside np.matmul
    python -m tests.bench.few_rows layers [f32|bf16] [target]   ts.linear beside torch and the rate of reading

The first form: the matrix A of this many rows and columns is row-major, and A.T is the same memory. A line gives GB/s
of A, which is read once, for both on one thread.

The second form: layers of 1, 2, 4 and 8 rows whose packed weights L2 holds or does not hold. A line gives GB/s of the
weights for the layer, for ts.matmul of the weights as they are, for torch's linear, and for a sum of the columns, which
only reads them; then how many times as fast the layer is as torch, and its share of the rate of reading. torch is left
out where it is not installed.

Times are the least process times of calls in turns, each on its own copy of the weights, which an untimed call has just
read. Run it with OPENBLAS_NUM_THREADS=1.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

import tilesmith as ts
from tilesmith.runtime.bench.peers.elementwise import torch_module

FEW = (1, 2, 4)
ROWS = (1, 2, 4, 8)
LAYERS = ((1024, 256), (256, 1024), (1024, 1024), (4096, 1024), (1024, 4096), (4096, 4096), (11008, 4096))
"""Columns and depths of layers."""


def least(functions: dict[str, Callable[[], Any]], samples: int) -> dict[str, float]:
    """Return the least seconds of each function."""
    found = dict.fromkeys(functions, float("inf"))
    for _ in range(samples):
        for name, function in functions.items():
            function()
            for _ in range(2):
                start = time.process_time_ns()
                function()
                found[name] = min(found[name], (time.process_time_ns() - start) / 1e9)
    return found


def products(size: int, dtype: str) -> None:
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


def layers(dtype: str, target: Any) -> None:
    numbers, rng = {"f32": np.float32, "bf16": ml_dtypes.bfloat16}[dtype], np.random.default_rng(0)
    torch = torch_module()
    for n, k in LAYERS:
        weights = rng.standard_normal((k, n), np.float32).astype(numbers)
        words = ts.empty((weights.nbytes // 4096, 1024))
        words[...] = rng.standard_normal(words.shape)
        read = ts.reduce("sum", *words.shape, axis=0)
        samples = max(3, min(60, (1 << 27) // weights.nbytes))
        for m in ROWS:
            layer = ts.linear(m, n, k, dtype=dtype, threads=1, target=target)
            packed, bias = layer.pack(weights), np.zeros(n, numbers)
            x, y, z = rng.standard_normal((m, k), np.float32).astype(numbers), *np.empty((2, m, n), numbers)
            functions: dict[str, Callable[[], Any]] = {
                "linear": partial(layer, x, packed, bias, y),
                "matmul": partial(ts.matmul, x, weights, out=z, threads=1),
                "read": partial(read, words),
            }  # fmt: skip
            if torch is not None:
                of = {"f32": torch.float32, "bf16": torch.bfloat16}[dtype]
                given = [torch.from_numpy(np.ascontiguousarray(each, np.float32)).to(of)
                         for each in (x, weights.T, bias)]  # fmt: skip
                functions["torch"] = partial(torch.nn.functional.linear, *given)
            found = least(functions, samples)
            rates = " ".join(f"{each} {weights.nbytes / seconds / 1e9:6.1f}" for each, seconds in found.items())
            times = f"  {found['torch'] / found['linear']:5.2f} x torch" if torch is not None else ""
            print(f"{dtype} {m} x {n:5} x {k:4}  {rates}{times}  {found['read'] / found['linear']:5.2f} of reading",
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    asked = sys.argv[1:]
    if asked[:1] == ["layers"]:
        layers(asked[1] if len(asked) > 1 else "f32", asked[2] if len(asked) > 2 else None)
    else:
        products(int(asked[0]) if asked else 2048, asked[1] if len(asked) > 1 else "f4")

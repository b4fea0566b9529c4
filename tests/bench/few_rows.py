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

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import ml_dtypes
import numpy as np

import tilesmith as ts
from tilesmith.runtime.bench.peers.elementwise import torch_module
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main

FEW = (1, 2, 4)
ROWS = (1, 2, 4, 8)
LAYERS = ((1024, 256), (256, 1024), (1024, 1024), (4096, 1024), (1024, 4096), (4096, 4096), (11008, 4096))
"""Columns and depths of layers."""


def rates(functions: dict[str, Callable[[], Any]], samples: int, size: int) -> Row:
    """Return the bytes per second of each function, of the least of samples; each follows an untimed call."""
    found = dict.fromkeys(functions, float("inf"))
    for _ in range(samples):
        for name, function in functions.items():
            function()
            for _ in range(2):
                start = time.process_time_ns()
                function()
                found[name] = min(found[name], (time.process_time_ns() - start) / 1e9)
    return {name: size / seconds for name, seconds in found.items()}


def products(run: Run, size: int, dtype: str, few: int) -> Iterator[Row]:
    rng = np.random.default_rng(0)
    a, rows = rng.random((size, size)).astype(dtype), rng.random((few, size)).astype(dtype)
    columns = np.ascontiguousarray(rows.T)
    cases = {"rows @ A": (rows, a), "rows @ A.T": (rows, a.T), "A @ columns": (a, columns),
             "A.T @ columns": (a.T, columns)}
    for name, pair in cases.items():
        functions = {"ours": partial(ts.matmul, *pair, threads=1), "numpy": partial(np.matmul, *pair)}
        yield {"few": few, "product": name, **rates(functions, max(8, (8 << 28) // a.nbytes), a.nbytes)}


def layers(run: Run, dtype: Any, target: Any, n: int, k: int) -> Iterator[Row]:
    numbers, rng = {"f32": np.float32, "bf16": ml_dtypes.bfloat16}[dtype], np.random.default_rng(0)
    torch, weights = torch_module(), rng.standard_normal((k, n), np.float32).astype(numbers)
    words = ts.empty((weights.nbytes // 4096, 1024))
    words[...] = rng.standard_normal(words.shape)
    read = ts.reduce("sum", *words.shape, axis=0)
    for m in ROWS:
        layer = ts.linear(m, n, k, dtype=dtype, threads=1, target=target)
        packed, bias = layer.pack(weights), np.zeros(n, numbers)
        x, y, z = rng.standard_normal((m, k), np.float32).astype(numbers), *np.empty((2, m, n), numbers)
        functions: dict[str, Callable[[], Any]] = {
            "linear": partial(layer, x, packed, bias, y), "matmul": partial(ts.matmul, x, weights, out=z, threads=1),
            "read": partial(read, words),
        }
        if torch is not None:
            of = {"f32": torch.float32, "bf16": torch.bfloat16}[dtype]
            given = [torch.from_numpy(np.ascontiguousarray(each, np.float32)).to(of) for each in (x, weights.T, bias)]
            functions["torch"] = partial(torch.nn.functional.linear, *given)
        found = rates(functions, max(3, min(60, (1 << 27) // weights.nbytes)), weights.nbytes)
        yield {"type": dtype, "shape": f"{m} x {n} x {k}", **found, "of reading": found["linear"] / found["read"],
               **({"by torch": found["linear"] / found["torch"]} if torch is not None else {})}


def _tables(run: Run) -> Iterator[Table]:
    first, *more = run.options.words or ["2048"]
    if first == "layers":
        dtype, target = [*more, *("f32", None)[len(more) :]]
        yield Table("layers", "type; m x n x k=shape; linear=linear:1G; matmul=matmul:1G; torch=torch:1G; "
                    "read=read:1G; x torch=by torch:2; of reading:2",
                    [(dtype, target, *each) for each in LAYERS], layers, "GB/s of the weights")
    else:
        yield Table("products", "rows or columns=few; product; tilesmith=ours:1G; numpy=numpy:1G",
                    [(int(first), more[0] if more else "f4", few) for few in FEW], products, "GB/s of A")


BENCH = Bench("few_rows", __doc__, _tables, {"words": {"nargs": "*"}})

if __name__ == "__main__":
    main(BENCH)

"""Compare calls from Python with numpy, including all overhead of a Python program: one row for each use.

    python -m tests.bench.from_python --rounds 300

Both sides of a row alternate in one process. The minimum time of each counts, and the ratio is numpy's time over ours.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.host import detect as host

COUNT = 1000
Row = tuple[str, str, Callable[[], Any], Callable[[], Any], int]
"""The text of our call and of numpy's, a function that makes each of them, and the number of calls per function."""


def repeated(calls: int, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Callable[[], None]:
    """Return a function that makes `calls` calls in a Python loop."""
    if keywords:

        def loop() -> None:
            for _ in range(calls):
                function(*arguments, **keywords)
    else:

        def loop() -> None:
            for _ in range(calls):
                function(*arguments)

    return loop


def each(kernel: Callable[..., Any], *arrays: np.ndarray[Any, Any]) -> Callable[[], None]:
    """Return a Python loop over the first axis, which makes the views on the way."""

    def loop() -> None:
        for operands in zip(*arrays):
            kernel(*operands)

    return loop


def rows() -> Iterator[Row]:
    """Yield the rows, after checking that both sides give the same result."""
    rng = np.random.default_rng(1)
    for n in (4, 13, 64):
        a, b = (rng.standard_normal((COUNT, n, n), dtype=np.float32) for _ in "ab")
        c, expected = np.empty_like(a), np.matmul(a, b)
        one, many = ts.brgemm(n, n, n, beta=0), ts.brgemm(n, n, n, beta=0, stack=COUNT)
        for run in (each(one, a, b, c), repeated(1, many, a, b, c)):
            c[:] = 0
            run()
            np.testing.assert_allclose(c, expected, atol=1e-3)
        times = 50 if n == 64 else 500
        yield (f"one {n}x{n}x{n} product", "np.matmul(a, b, out=c)", repeated(times, one, a[0], b[0], c[0]),
               repeated(times, np.matmul, a[0], b[0], out=c[0]), times)  # fmt: skip
        batched = repeated(1, np.matmul, a, b, out=c)
        yield f"{COUNT} of {n}x{n}x{n}, a Python loop", "one batched np.matmul", each(one, a, b, c), batched, 1
        yield f"{COUNT} of {n}x{n}x{n}, stack={COUNT}", "one batched np.matmul", repeated(1, many, a, b, c), batched, 1
    x = rng.standard_normal((64, 64), dtype=np.float32)
    y, tanh = np.empty_like(x), ts.unary("tanh", 64, 64)
    np.testing.assert_allclose(tanh(x), np.tanh(x), rtol=1e-6, atol=1e-7)
    yield "tanh of 64x64", "np.tanh(x, out=y)", repeated(50, tanh, x, y), repeated(50, np.tanh, x, out=y), 50


def seconds(run: Callable[[], Any]) -> float:
    """Return the seconds of one run."""
    start = perf_counter()
    run()
    return perf_counter() - start


def main() -> None:
    """Print the table, in Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=300, help="the least of so many counts")
    rounds = parser.parse_args().rounds
    print(f"CPython {sys.version.split()[0]}, numpy {np.__version__}, {host.brand()}\n")
    print("| f32 | us | beside | us | x numpy |\n|---|---|---|---|---|")
    for name, beside, ours, numpys, times in rows():
        pairs = [(seconds(ours), seconds(numpys)) for _ in range(rounds)]
        found, other = (1e6 * min(column) / times for column in zip(*pairs))
        print(f"| {name} | {found:.3g} | `{beside}` | {other:.3g} | {other / found:.3g} |", flush=True)


if __name__ == "__main__":
    main()

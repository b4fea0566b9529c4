"""Compare calls from Python with numpy, including all overhead of a Python program: one row for each use.

    python -m tests.bench.from_python --rounds 300

Both sides of a row alternate in one process. The minimum time of each counts, and the ratio is numpy's time over ours.
"""

from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main

COUNT = 1000


def repeated(calls: int, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Callable[[], None]:
    """Return a function that makes `calls` calls in a Python loop, written as a program writes them."""
    if not keywords:

        def loop() -> None:
            for _ in range(calls):
                function(*arguments)
    else:

        def loop() -> None:
            for _ in range(calls):
                function(*arguments, **keywords)

    return loop


def each(kernel: Callable[..., Any], *arrays: np.ndarray[Any, Any]) -> None:
    """Loop over the first axis in Python, which makes the views on the way."""
    for operands in zip(*arrays):
        kernel(*operands)


def cases() -> Iterator[tuple[Any, ...]]:
    """Yield the text of our call and of numpy's, a function that makes each of them, and the number of calls per
    function, after checking that both sides give the same result."""
    rng = np.random.default_rng(1)
    for n in (4, 13, 64):
        a, b = (rng.standard_normal((COUNT, n, n), dtype=np.float32) for _ in "ab")
        c, expected = np.empty_like(a), np.matmul(a, b)
        one, many = ts.brgemm(n, n, n, beta=0), ts.brgemm(n, n, n, beta=0, stack=COUNT)
        loop = partial(each, one, a, b, c)
        for run in (loop, repeated(1, many, a, b, c)):
            c[:] = 0
            run()
            np.testing.assert_allclose(c, expected, atol=1e-3)
        times = 50 if n == 64 else 500
        yield (f"one {n}x{n}x{n} product", "np.matmul(a, b, out=c)", repeated(times, one, a[0], b[0], c[0]),
               repeated(times, np.matmul, a[0], b[0], out=c[0]), times)
        batched = repeated(1, np.matmul, a, b, out=c)
        yield f"{COUNT} of {n}x{n}x{n}, a Python loop", "one batched np.matmul", loop, batched, 1
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


def measured(run: Run, name: str, beside: str, ours: Any, numpys: Any, times: int) -> Row:
    pairs = [(seconds(ours), seconds(numpys)) for _ in range(run.options.rounds)]
    found, other = (min(column) / times for column in zip(*pairs))
    return {"name": name, "ours": found, "beside": f"`{beside}`", "numpy": other, "by numpy": other / found}


BENCH = Bench("from_python", __doc__, lambda run: [
    Table("calls", "f32=name; us=ours:3u; beside; us=numpy:3u; x numpy=by numpy:2", cases(), measured)],
    {"--rounds": {"type": int, "default": 300, "help": "the least of so many counts"}}, alone=False,
    quick=("--rounds", "50"))

if __name__ == "__main__":
    main(BENCH)

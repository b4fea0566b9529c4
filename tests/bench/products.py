"""Products and other calls as programs make them, beside numpy and torch: `tilesmith bench products [--tables NAME]`.

    layouts   ts.matmul with new results, on one thread, over shapes and layouts as programs have them. With torch, the
              second half has the same operands as tensors, where no stride is negative
    batches   1,000 small products with a bias and relu in an array that exists; numpy makes three passes
    few       products by few rows or columns, which take the time of reading one matrix: GB/s of the matrix A of
              --size rows and columns, row-major; A.T is the same memory
    layers    ts.linear of few rows whose packed weights L2 holds or does not hold, in GB/s of the weights: of the
              layer, of ts.matmul of the weights as they are, of torch's linear, and of a sum of the columns
    programs  calls with all overhead of a Python program: one row for each use, with numpy's time over ours

The times of `few` and `layers` are the least process times of calls in turns, each on its own copy of the weights,
which an untimed call has just read.
"""

import time
from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter, perf_counter_ns
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.bench.measure import PythonCall, samples
from tilesmith.runtime.bench.peers.elementwise import torch_module
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table

BATCH, PROGRAMS = 1000, 1000
LAYERS = ((1024, 256), (256, 1024), (1024, 1024), (4096, 1024), (1024, 4096), (4096, 4096), (11008, 4096))
"""Columns and depths of layers of few rows."""
RNG = np.random.default_rng(0)


def array(*shape: int) -> Any:
    """Return random numbers."""
    return RNG.random(shape).astype(np.float32)


HEADS = [array(2, 64, 8, 64) for _ in range(2)]
LAYOUTS: dict[str, tuple[Any, Any]] = {
    "matrices of 64": (array(64, 64), array(64, 64)),
    "vector by matrix of 64": (array(64), array(64, 64)),
    "vector by matrix of 1024": (array(1024), array(1024, 1024)),
    "a.T by b": (array(64, 64).T, array(64, 64)),
    "a by b.T": (array(64, 64), array(64, 64).T),
    "every second column": (array(64, 128)[:, ::2], array(64, 64)),
    "from the last row on": (array(64, 64)[::-1], array(64, 64)),
    "10 of 16": (array(10, 16, 16), array(10, 16, 16)),
    "4 x 8 of 32 x 16 x 32": (array(4, 8, 32, 16), array(4, 8, 16, 32)),
    "10 of 16 by one": (array(10, 16, 16), array(16, 16)),
    "one by 10 of 16": (array(16, 16), array(10, 16, 16)),
    "1000 of 3": (array(1000, 3, 3), array(1000, 3, 3)),
    "scores, heads one after the other": (array(2, 8, 64, 64), array(2, 8, 64, 64).swapaxes(-1, -2)),
    "scores, heads side by side": (HEADS[0].transpose(0, 2, 1, 3), HEADS[1].transpose(0, 2, 3, 1)),
    "points by a rotation": (array(1000, 3), array(3, 3).T),
    "100 x 100 of vectors": (array(100, 1), array(1, 100)),
}


def layouts(run: Run, name: str) -> Row:
    ts.set_num_threads(1)
    a, b = LAYOUTS[name]
    assert np.allclose(ts.matmul(a, b), np.matmul(a, b), rtol=1e-4)
    torch, row = torch_module(), {"operands": name}
    pairs = {"": (np.matmul, a, b)}
    if torch is not None and min(*a.strides, *b.strides) >= 0:
        pairs["tensors "] = (torch.matmul, torch.from_numpy(a), torch.from_numpy(b))
    for words, (theirs, x, y) in pairs.items():
        best = run.turns({"ours": PythonCall(lambda x=x, y=y: ts.matmul(x, y)),
                          "theirs": PythonCall(lambda f=theirs, x=x, y=y: f(x, y))})
        row |= {f"{words}{who}": seconds for who, seconds in best.items()}
        row[f"{words}by"] = best["theirs"] / best["ours"]
    return row


def batches(run: Run, n: int) -> Row:
    """Return the times of relu(a @ b + bias) for a batch of n x n matrices."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((BATCH, n, n)).astype(np.float32) for _ in "ab")
    bias, out = rng.standard_normal(n).astype(np.float32), np.empty_like(a)

    def by_numpy() -> None:
        np.matmul(a, b, out=out)
        np.add(out, bias, out=out)
        np.maximum(out, 0, out=out)

    def by(threads: int, **more: object) -> PythonCall:
        return PythonCall(lambda: ts.matmul(a, b, out=out, threads=threads, **more))

    whole = {"epilogue": lambda c, bias: ts.relu(c + bias), "operands": {"bias": bias}}
    calls = {"one": by(1, **whole), "two": by(2, **whole), "plain": by(1), "numpy": PythonCall(by_numpy)}
    taken = samples(calls, rounds=run.options.rounds // 3, clock=perf_counter_ns)
    return {"n": f"{BATCH} x {n}^3", **{name: min(each) for name, each in taken.items()}}


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


def few(run: Run, size: int, dtype: str, few: int) -> Iterator[Row]:
    rng = np.random.default_rng(0)
    a, rows = rng.random((size, size)).astype(numpy_dtype(dtype)), rng.random((few, size)).astype(numpy_dtype(dtype))
    columns = np.ascontiguousarray(rows.T)
    cases = {"rows @ A": (rows, a), "rows @ A.T": (rows, a.T), "A @ columns": (a, columns),
             "A.T @ columns": (a.T, columns)}
    for name, pair in cases.items():
        functions = {"ours": partial(ts.matmul, *pair, threads=1), "numpy": partial(np.matmul, *pair)}
        yield {"few": few, "product": name, **rates(functions, max(8, (8 << 28) // a.nbytes), a.nbytes)}


def layers(run: Run, dtype: Any, target: Any, n: int, k: int) -> Iterator[Row]:
    numbers, rng = numpy_dtype(dtype), np.random.default_rng(0)
    torch, weights = torch_module(), rng.standard_normal((k, n), np.float32).astype(numbers)
    words = ts.empty((weights.nbytes // 4096, 1024))
    words[...] = rng.standard_normal(words.shape)
    read = ts.reduce("sum", *words.shape, axis=0)
    for m in (1, 2, 4, 8):
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
        a, b = (rng.standard_normal((PROGRAMS, n, n), dtype=np.float32) for _ in "ab")
        c, expected = np.empty_like(a), np.matmul(a, b)
        one, many = ts.brgemm(n, n, n, beta=0), ts.brgemm(n, n, n, beta=0, stack=PROGRAMS)
        loop = partial(each, one, a, b, c)
        for run in (loop, repeated(1, many, a, b, c)):
            c[:] = 0
            run()
            np.testing.assert_allclose(c, expected, atol=1e-3)
        times = 50 if n == 64 else 500
        yield (f"one {n}x{n}x{n} product", "np.matmul(a, b, out=c)", repeated(times, one, a[0], b[0], c[0]),
               repeated(times, np.matmul, a[0], b[0], out=c[0]), times)
        batched = repeated(1, np.matmul, a, b, out=c)
        for way, call in (("a Python loop", loop), (f"stack={PROGRAMS}", repeated(1, many, a, b, c))):
            yield f"{PROGRAMS} of {n}x{n}x{n}, {way}", "one batched np.matmul", call, batched, 1
    x = rng.standard_normal((64, 64), dtype=np.float32)
    y, tanh = np.empty_like(x), ts.unary("tanh", 64, 64)
    np.testing.assert_allclose(tanh(x), np.tanh(x), rtol=1e-6, atol=1e-7)
    yield "tanh of 64x64", "np.tanh(x, out=y)", repeated(50, tanh, x, y), repeated(50, np.tanh, x, out=y), 50


def seconds(run: Callable[[], Any]) -> float:
    """Return the seconds of one run."""
    start = perf_counter()
    run()
    return perf_counter() - start


def programs(run: Run, name: str, beside: str, ours: Any, numpys: Any, times: int) -> Row:
    pairs = [(seconds(ours), seconds(numpys)) for _ in range(run.options.rounds)]
    found, other = (min(column) / times for column in zip(*pairs))
    return {"name": name, "ours": found, "beside": f"`{beside}`", "numpy": other, "by numpy": other / found}


def _tables(run: Run) -> tuple[Table, ...]:
    asked = run.options
    return (
        Table("layouts", "operands; us=ours:2u; numpy=theirs:2u; x numpy=by:2; tensors=tensors ours:2u; "
              "torch=tensors theirs:2u; x torch=tensors by:2", LAYOUTS, layouts),
        Table("batches", "batch=n; one thread, us=one:0u; two threads=two:0u; without epilogue=plain:0u; numpy:0u",
              (8, 16, 32), batches),
        Table("few", "rows or columns=few; product; tilesmith=ours:1G; numpy=numpy:1G",
              [(asked.size, asked.type, rows) for rows in (1, 2, 4)], few, "GB/s of A"),
        Table("layers", "type; m x n x k=shape; linear=linear:1G; matmul=matmul:1G; torch=torch:1G; "
              "read=read:1G; x torch=by torch:2; of reading:2",
              [(asked.type, asked.target, *each) for each in LAYERS], layers, "GB/s of the weights"),
        Table("programs", "f32=name; us=ours:3u; beside; us=numpy:3u; x numpy=by numpy:2", cases(), programs))


BENCH = Bench("products", __doc__, _tables, {
    "--rounds": {"type": int, "default": 300, "help": "samples of each batch and program"},
    "--size": {"type": int, "default": 2048, "help": "rows and columns of A in `few`"},
    "--type": {"default": "f32", "choices": ("f32", "bf16"), "help": "of `few` and `layers`"},
    "--target": {"default": None, "help": "of `layers`"}}, seconds=0.15, alone=False, quick=("--rounds", "50"))

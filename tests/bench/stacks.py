"""Compare stacks of small products on one and two threads with numpy, torch if it is installed, and their bounds.

python -m tests.bench.stacks [--threads 1 2] [--types f64 f32] [--sizes 4 8 13 16 23 32] [--seconds 0.3]
PYTHONPATH=... python -m tests.bench.stacks      with torch in that path

Operands fill half of L2, or 96 MiB. Each stack is one call from Python. "of peak" is the share of the speed of a loop
that only multiplies and adds on the same number of cores. "of copy" is the share of the speed of numpy's copy on one
core, in bytes that are read and written.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.bench.cases.matmul import peak
from tilesmith.runtime.bench.measure import asleep
from tilesmith.runtime.bench.peers.elementwise import torch_module
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main, threads_of_child

FAR = 96 << 20


def contenders(name: Any, size: int, count: int, threads: int) -> dict[str, Callable[[], Any]]:
    """Return the contenders that compute the stack, and a copy of as many bytes."""
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((count, size, size)).astype(numpy_dtype(name)) for _ in range(2))
    c, copy = np.zeros_like(a), np.zeros_like(a)
    kernel: Any = ts.gemm(size, size, size, dtype=name, stack=count, beta=0.0)
    kernel(a, b, c)
    assert np.allclose(c, a @ b, rtol=1e-4, atol=1e-4)
    found: dict[str, Callable[[], Any]] = {
        "ours": lambda: kernel(a, b, c), "numpy": lambda: np.matmul(a, b, c), "copy": lambda: np.copyto(copy, a),
    }
    if torch := torch_module(threads):
        x, y, z = map(torch.from_numpy, (a, b, c))
        found["torch"] = lambda: torch.bmm(x, y, out=z)
    return found


def measured(run: Run, name: str, place: str, size: int) -> Row:
    threads, room = threads_of_child(), FAR if place == "memory" else ts.host().l2 // 2
    count = max(1, room // (3 * size * size * (4 if name == "f32" else 8)))
    call, flops = peak(name, threads)
    calls = contenders(name, size, count, threads)
    least = {**asleep({"peak": call}, run.seconds), **asleep(calls, run.seconds, 1 if room == FAR else 20)}
    ours = least["ours"]
    times = {who: least[who] / ours for who in ("numpy", "torch") if who in least}
    return {"type": name, "place": place, "size": size, "products": count, "each": ours / count, **times,
            "of peak": 2 * size**3 * count / ours / (flops / least["peak"]), "best": min(times.values()),
            "of copy": 1.5 * least["copy"] / ours}  # a copy moves two of the three matrices


def _tables(run: Run) -> Iterator[Table]:
    for name in run.options.types:
        for place in ("half of L2", "memory"):
            yield Table(f"{name} {place}", "threads; type; operands in=place; size; products:0; ns each=each:1n; "
                        "of peak:2; of copy:2; numpy:2; torch:2; times the best=best:2~",
                        [(name, place, size) for size in run.options.sizes], measured)


BENCH = Bench("stacks", __doc__, _tables, {
    "--threads": {"type": int, "nargs": "+", "default": [1, 2]},
    "--types": {"nargs": "+", "default": ["f64", "f32"], "choices": ["f64", "f32"]},
    "--sizes": {"type": int, "nargs": "+", "default": [4, 8, 13, 16, 23, 32]}}, seconds=0.3, alone=False, threads=True,
    quick=("--threads", "2", "--types", "f32", "--seconds", "0.1"))

if __name__ == "__main__":
    main(BENCH)

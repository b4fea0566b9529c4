"""Compare stacks of small products on one and two threads with numpy, torch if it is installed, and their bounds.

python -m tests.bench.stacks [--threads 1 2] [--types f64 f32] [--sizes 4 8 13 16 23 32] [--seconds 0.3]
PYTHONPATH=... python -m tests.bench.stacks      with torch in that path

Operands fill half of L2, or 96 MiB. Each stack is one call from Python. "of peak" is the share of the speed of a loop
that only multiplies and adds on the same number of cores. "of copy" is the share of the speed of numpy's copy on one
core, in bytes that are read and written.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Any

from tests.bench.matmul import peak
from tests.bench.turns import each_number_of_threads, measured

SIZES = (4, 8, 13, 16, 23, 32)
FAR = 96 << 20
PLACES = ("half of L2", "memory")
HEAD = "| type | operands in | size | products | ns each | of peak | of copy | numpy | torch | times the best |"


def contenders(name: str, size: int, count: int, threads: int) -> dict[str, Callable[[], Any]]:
    """Return the contenders that compute the stack, and a copy of as many bytes."""
    import numpy as np

    import tilesmith as ts
    from tilesmith.runtime.arguments.arrays import numpy_dtype

    ts.set_num_threads(threads)
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((count, size, size)).astype(numpy_dtype(name)) for _ in range(2))
    c, copy = np.zeros_like(a), np.zeros_like(a)
    kernel: Any = ts.gemm(size, size, size, dtype=name, stack=count, beta=0.0)
    kernel(a, b, c)
    assert np.allclose(c, a @ b, rtol=1e-4, atol=1e-4)
    found: dict[str, Callable[[], Any]] = {
        "ours": lambda: kernel(a, b, c), "numpy": lambda: np.matmul(a, b, c), "copy": lambda: np.copyto(copy, a),
    }  # fmt: skip
    try:
        import torch
    except ImportError:
        return found
    torch.set_num_threads(threads)
    x, y, z = map(torch.from_numpy, (a, b, c))
    return {**found, "torch": lambda: torch.bmm(x, y, out=z)}


def table(names: list[str], sizes: list[int], threads: int, seconds: float) -> None:
    """Print a line for each type, place in memory and size."""
    import tilesmith as ts

    print(f"\n{threads} threads\n\n{HEAD}\n|---|---|---|---|---|---|---|---|---|---|")
    for name in names:
        call, flops = peak(name, threads)
        for place, room in zip(PLACES, (ts.host().l2 // 2, FAR)):
            gains = []
            for size in sizes:
                bytes_ = 3 * size * size * (4 if name == "f32" else 8)
                count = max(1, room // bytes_)
                each = 1 if room == FAR else 20
                calls = contenders(name, size, count, threads)
                least = {"peak": measured({"peak": call}, seconds)["peak"], **measured(calls, seconds, each)}
                ours = least["ours"]
                of_peak = 2 * size**3 * count / ours / (flops / least["peak"])
                of_copy = 1.5 * least["copy"] / ours  # a copy moves two of the three matrices
                times = {who: least[who] / ours for who in ("numpy", "torch") if who in least}
                gains.append(min(times.values()))
                shown = " | ".join(f"{times[who]:.2f}" if who in times else "" for who in ("numpy", "torch"))
                print(f"| {name} | {place} | {size} | {count} | {1e9 * ours / count:.1f} | {of_peak:.2f} | "
                      f"{of_copy:.2f} | {shown} | {gains[-1]:.2f} |", flush=True)  # fmt: skip
            mean = math.exp(sum(map(math.log, gains)) / len(gains))
            print(f"| {name} | {place} | geometric mean | | | | | | | {mean:.2f} |", flush=True)


def main() -> None:
    """Run one process for each number of threads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--types", nargs="+", default=["f64", "f32"], choices=["f64", "f32"])
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--seconds", type=float, default=0.3)
    options = parser.parse_args()
    each_number_of_threads("tests.bench.stacks", options.threads,
                           lambda threads: table(options.types, options.sizes, threads, options.seconds))  # fmt: skip


if __name__ == "__main__":
    main()

"""Compare ts.matmul with numpy, torch if it is installed, and the peak of the same number of cores.

python -m tests.bench.matmul [--threads 1 2] [--types f32 bf16 f16 f8] [--shapes 512 64x512x128 ...] [--seconds 1]
PYTHONPATH=... python -m tests.bench.matmul      with torch in that path

Contenders and the peak take turns, and the best sample of each counts. Each number of threads has its own process, in
which the other libraries use the same number.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from typing import Any

from tests.bench.turns import each_number_of_threads, measured

CUBES = tuple((size, size, size) for size in (512, 1024, 2048, 4096))
RAGGED = ((1000, 1111, 999), (4096, 64, 4096), (64, 4096, 4096), (4096, 4096, 64), (333, 333, 333), (4096, 4096, 1),
          (17, 4096, 1000), (130, 130, 130))  # fmt: skip
TYPES = {"f32": ("f32", "f32", "f32"), "f64": ("f64", "f64", "f64"), "bf16": ("bf16", "bf16", "bf16"),
         "u8i8": ("u8", "i8", "i32"), "f16": ("f16", "f16", "f16"), "f8": ("f8e4m3", "f8e4m3", "f32"),
         "f32i8": ("f32", "i8", "f32"), "bf16i8": ("bf16", "i8", "bf16")}  # fmt: skip
OF_TORCH = ("f32", "f64", "bf16", "f16")
"""The types that torch multiplies too."""


def peak(name: str, threads: int) -> tuple[Callable[[], None], float]:
    """Return a call that only multiplies and adds on this many threads at once, and its number of operations."""
    import tilesmith as ts
    from tilesmith.runtime.bench import measure, mixed
    from tilesmith.runtime.system.libc import ffi
    from tilesmith.runtime.threads.region import entry

    if name in ("bf16", "u8i8"):
        call, flops = mixed._peak("bf16" if name == "bf16" else "i8")
    else:  # the others are multiplied as f32
        loop = measure.fma_loop(ts.host(), "f64" if name == "f64" else "f32")
        call, flops = loop.call, loop.flops
    (passes,) = call.args
    region = ffi.cast("void(*)(uintptr_t, uintptr_t, long)", entry(ts.host()))
    return lambda: region(call.address, 40 * passes, threads), 40.0 * flops * threads


def arrays(name: str, m: int, n: int, k: int) -> tuple[Any, Any, Any]:
    """Return operands of small random numbers."""
    import numpy as np

    from tilesmith.runtime.arguments.arrays import numpy_dtype

    rng = np.random.default_rng(0)
    shapes = (m, k), (k, n), (m, n)
    return tuple(rng.integers(0, 9, shape).astype(numpy_dtype(dtype)) for shape, dtype in zip(shapes, TYPES[name]))  # type: ignore[return-value]  # fmt: skip


def contenders(name: str, operands: tuple[Any, Any, Any], threads: int) -> dict[str, Callable[[], Any]]:
    """Return the contenders that compute the product."""
    import numpy as np

    import tilesmith as ts

    a, b, c = operands
    ts.set_num_threads(threads)
    found: dict[str, Callable[[], Any]] = {"ours": lambda: ts.matmul(a, b, c)}
    if name in ("f32", "f64"):
        found["numpy"] = lambda: np.matmul(a, b, c)
    try:
        import torch
    except ImportError:
        return found
    torch.set_num_threads(threads)
    if name not in OF_TORCH:
        return found
    x, y, z = (torch.from_numpy(each.view(np.int16)).view(torch.bfloat16) if name == "bf16"
               else torch.from_numpy(each) for each in operands)  # fmt: skip
    found["torch"] = lambda: torch.mm(x, y, out=z)
    return found


def table(names: list[str], shapes: list[tuple[int, int, int]], threads: int, seconds: float) -> None:
    """Print a line for each type and shape."""
    print(f"\n{threads} threads\n\n| type | m x n x k | of peak | numpy | torch | times the best of them |")
    print("|---|---|---|---|---|---|")
    for name in names:
        call, flops = peak(name, threads)
        gains = []
        for m, n, k in shapes:
            least = measured({"peak": call, **contenders(name, arrays(name, m, n, k), threads)}, seconds)
            rate = flops / least.pop("peak")
            shares = {who: 2 * m * n * k / taken / rate for who, taken in least.items()}
            ours = shares.pop("ours")
            gains += [ours / max(shares.values())] if shares else []
            others = [f"{shares[who]:.2f}" if who in shares else "" for who in ("numpy", "torch")]
            times = f"{gains[-1]:.2f}" if shares else ""
            print(f"| {name} | {m} x {n} x {k} | {ours:.2f} | {' | '.join(others)} | {times} |", flush=True)
        if gains:
            print(f"| {name} | geometric mean | | | | {math.exp(sum(map(math.log, gains)) / len(gains)):.2f} |")


def shape(text: str) -> tuple[int, int, int]:
    """Return the extents that a text names: MxNxK, or one number for all three."""
    try:
        found = tuple(map(int, text.split("x")))
        m, n, k = found * 3 if len(found) == 1 else found
    except ValueError:
        raise argparse.ArgumentTypeError(f"MxNxK, as 512x64x128, or one number for a cube, not {text!r}") from None
    if min(m, n, k) < 1:
        raise argparse.ArgumentTypeError(f"extents of 1 or more, not {text!r}")
    return m, n, k


def main() -> None:
    """Run one process for each number of threads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--types", nargs="+", default=list(TYPES), choices=list(TYPES))
    parser.add_argument("--shapes", type=shape, nargs="+", default=[*CUBES, *RAGGED], help="512x64x128; 512 is a cube")
    parser.add_argument("--seconds", type=float, default=1.0)
    options = parser.parse_args()
    each_number_of_threads("tests.bench.matmul", options.threads,
                           lambda threads: table(options.types, options.shapes, threads, options.seconds))  # fmt: skip


if __name__ == "__main__":
    main()

"""A kernel of any number of rows beside kernels of a number: `python -m tests.bench.runtime_rows`.

Each line: rows, n, k; time of a call with the rows given at the call over that of a kernel for these rows (least of
several in turn), and bytes of code of one over the other. Calls are of machine code, by ctypes.
"""

from __future__ import annotations

import ctypes
import time

import numpy as np

import tilesmith as ts

ROWS = (64, 100, 256, 1000)
SHAPES = ((64, 64), (48, 32), (256, 64), (100, 100), (512, 256))


def _seconds(call, count: int) -> float:
    start = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - start) / count


def _call(kernel, arguments):
    """A call of the kernel's machine code with these integers, arguments already converted."""
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * len(arguments))(kernel.address)
    given = [ctypes.c_int64(each) for each in arguments]
    return lambda: function(*given)


def ratios(rows: int, n: int, k: int, dtype: str = "f32") -> tuple[float, float]:
    """(time, bytes of code) of the kernel of any rows over those of the fixed one."""
    fixed, free = (ts.brgemm(m, n, k, dtype=dtype, beta=0) for m in (rows, ts.RUNTIME))
    a, b = (np.ones(shape, {"f32": np.float32, "f64": np.float64}[dtype])
            for shape in ((rows, k), (k, n)))  # fmt: skip
    c = np.empty((rows, n), a.dtype)
    places = [each.ctypes.data for each in (a, b, c)]
    calls = [_call(fixed, places), _call(free, [*places, rows])]
    count = max(3, int(2e-3 / _seconds(calls[0], 20)))
    least = [min(times) for times in zip(*([_seconds(call, count) for call in calls] for _ in range(25)))]
    return least[1] / least[0], len(free.code) / len(fixed.code)


def main() -> None:
    """Print the table."""
    for dtype in ("f32", "f64"):
        for n, k in SHAPES:
            found = [ratios(rows, n, k, dtype) for rows in ROWS]
            print(f"{dtype} {n:4} {k:4}  " + "  ".join(f"{m:4}: {t:.3f} ({s:.2f})" for m, (t, s) in zip(ROWS, found)),
                  flush=True)  # fmt: skip


if __name__ == "__main__":
    main()

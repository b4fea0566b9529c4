"""Measure the cost of the first kernel of a process, with and without the cache, beside the import of numpy.

    python -m tests.bench.cache_start --rounds 20

It prints medians over new processes, the minimum, and the ratio of medians to numpy's import in the same processes.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
KERNELS = {
    "brgemm": "ts.brgemm(13, 17, 19)",
    "brgemm, bias and gelu": "ts.brgemm(13, 17, 19, epilogue=lambda c, bias: ts.gelu(c + bias))",
    "unary exp": 'ts.unary("exp", 6, 9)',
    "transpose": "ts.transpose(13, 17)",
}
SCRIPT = """
from time import perf_counter as now
a = now(); import numpy
b = now(); import tilesmith as ts; {function}
c = now(); {kernel}
d = now(); print(b - a, c - b, d - c)
"""


def run(kernel: str, cache: str) -> list[float]:
    """Return the seconds of importing numpy, of then importing tilesmith, and of the kernel, in a new process."""
    environment = {**os.environ, "TILESMITH_CACHE": cache, "PYTHONPATH": str(ROOT)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-c", SCRIPT.format(kernel=kernel, function=kernel.partition("(")[0])]
    told = subprocess.check_output(command, env=environment, cwd=tempfile.gettempdir(), text=True)
    return [float(each) for each in told.split()]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    print(
        f"{'first kernel':24} {'cache':>6} {'numpy ms':>9} {'import':>7} {'kernel ms':>10} {'least':>7} {'x numpy':>8}"
    )
    with tempfile.TemporaryDirectory() as where:
        for name, kernel in KERNELS.items():
            for cache in ("off", where):
                run(kernel, cache)  # writes the bytecode, and the cache entry
                found = [run(kernel, cache) for _ in range(rounds)]
                numpy, ours, first = (statistics.median(column) for column in zip(*found))
                least = min(each[2] for each in found)
                state = "off" if cache == "off" else "on"
                print(f"{name:24} {state:>6} {1e3 * numpy:9.1f} {ours / numpy:7.2f} {1e3 * first:10.2f} "
                      f"{1e3 * least:7.2f} {first / numpy:8.3f}")  # fmt: skip


if __name__ == "__main__":
    main()

"""Measure the cost of keeping new kernels on disk: processor time with an empty cache, and without a cache.

    python -m tests.bench.cache_keeping
    python -m tests.bench.cache_keeping --beside /path/of/another/checkout

Each process makes 48 products that no process has made before. Entries are written by every sixteenth kernel, which
therefore takes longest, and at the end of the process. The figures are medians over processes, which alternate with
those of the other checkout.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = """
import json, time
import tilesmith as ts
from tilesmith.runtime.cache import store
ts.brgemm(64, 64, 64)
times = []
for n in range(13, 61):
    start = time.process_time_ns()
    made = ts.brgemm(n, n + 5, 2 * n + 1)
    times.append((time.process_time_ns() - start) / 1e6)
start = time.process_time_ns()
store.flush()
times.append((time.process_time_ns() - start) / 1e6)
print(json.dumps([sum(times), max(times)]))
"""


def run(checkout: Path, kept: bool) -> list[float]:
    """Return the milliseconds of all kernels and of the slowest one, in a new process with its own cache or without."""
    with tempfile.TemporaryDirectory() as folder:
        cache = os.path.join(folder, "cache") if kept else "off"
        environment = {**os.environ, "TILESMITH_CACHE": cache, "PYTHONPATH": str(checkout)}
        told = subprocess.check_output([sys.executable, "-c", SCRIPT], env=environment, cwd=folder, text=True)
    found: list[float] = json.loads(told)
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--beside", type=Path)
    arguments = parser.parse_args()
    checkouts = [ROOT, *([arguments.beside.resolve()] if arguments.beside else [])]
    runs = [(checkout, kept) for checkout in checkouts for kept in (True, False)]
    found: list[list[list[float]]] = [[] for _ in runs]
    for _ in range(arguments.rounds):
        for each, (checkout, kept) in zip(found, runs):
            each.append(run(checkout, kept))
    print(f"{'48 new kernels':24} {'cache':>6} {'CPU ms':>8} {'longest':>8}")
    for (checkout, kept), each in zip(runs, found):
        whole, longest = (statistics.median(column) for column in zip(*each))
        print(f"{checkout.name:24} {'on' if kept else 'off':>6} {whole:8.0f} {longest:8.0f}")


if __name__ == "__main__":
    main()

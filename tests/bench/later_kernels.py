"""Measure the cost of later kernels by kind: processor time from the request to a callable kernel, without the cache.

    python -m tests.bench.later_kernels
    python -m tests.bench.later_kernels --beside /path/of/another/checkout

The first kernel of a kind imports its modules and is not counted, and garbage collection is off. Each process makes
every kernel once. A figure is the minimum over processes, and the median of this over the shapes. With another
checkout, processes of both alternate, so that both see the same load.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
GOALS = {"brgemm": 1.2, "bias and relu": 3.0, "transpose": 5.0, "softmax": 10.0}
"""The goals of issues 20 and 22 in milliseconds; other kinds have no goal."""
SCRIPT = """
import gc, json, time
import tilesmith as ts
relu = lambda c, bias: ts.relu(c + bias)
kinds = {
    "brgemm": (lambda n: ts.brgemm(n, n + 5, 2 * n + 1), range(13, 63, 2)),
    "bias and relu": (lambda n: ts.brgemm(n, n + 5, 2 * n + 1, epilogue=relu), range(13, 63, 4)),
    "transpose": (lambda n: ts.transpose(n, n + 5), range(13, 63, 4)),
    "gelu": (lambda n: ts.unary("gelu", n, n + 5), range(13, 63, 4)),
    "softmax": (lambda n: ts.fused("softmax", 64, 384 + n), range(0, 24, 2)),
}
found = {}
gc.disable()  # a collection takes 20 ms, and falls on another shape after any change
for kind, (make, shapes) in kinds.items():
    make(64)
    found[kind] = []
    for n in shapes:
        start = time.process_time_ns()
        made = make(n)
        found[kind].append((time.process_time_ns() - start) / 1e6)
print(json.dumps(found))
"""


def run(checkout: Path) -> dict[str, list[float]]:
    """Return the milliseconds of each shape, keyed by kind, in a new process."""
    environment = {**os.environ, "TILESMITH_CACHE": "off", "PYTHONPATH": str(checkout)}
    told = subprocess.check_output([sys.executable, "-c", SCRIPT], env=environment, cwd="/", text=True)
    found: dict[str, list[float]] = json.loads(told)
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--beside", type=Path)
    arguments = parser.parse_args()
    checkouts = [ROOT, *([arguments.beside.resolve()] if arguments.beside else [])]
    runs: list[list[dict[str, list[float]]]] = [[] for _ in checkouts]
    for _ in range(arguments.rounds):
        for checkout, found in zip(checkouts, runs):
            found.append(run(checkout))
    print(f"{'a later kernel, CPU ms':24}" + "".join(f"{checkout.name:>14}" for checkout in checkouts))
    for kind in runs[0][0]:
        medians = [
            statistics.median(min(shape) for shape in zip(*(each[kind] for each in found))) for found in runs
        ]
        goal = f"   (at most {GOALS[kind]:g})" if kind in GOALS else ""
        print(f"{kind:24}" + "".join(f"{median:14.2f}" for median in medians) + goal)


if __name__ == "__main__":
    main()

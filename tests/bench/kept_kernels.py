"""Measure the memory of a process that multiplies matrices of many shapes, and what `ts.trim()` gives back.

    python -m tests.bench.kept_kernels
    python -m tests.bench.kept_kernels --beside /path/of/another/checkout

Extents are drawn from 1 to 300 and differ for each product. Each line is a process: with the cache of kernels switched
off, with an empty cache, and with the one that the process before has filled. Figures are MB of resident memory.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCRIPT = """
import json, random, sys
import numpy as np
import tilesmith as ts

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6

rng, a = random.Random(1), np.ones(90000, np.float32)

def products(count):
    for _ in range(count):
        m, n, k = (rng.randint(1, 300) for _ in range(3))
        ts.matmul(a[: m * k].reshape(m, k), a[: k * n].reshape(k, n))

products(2)
found = {"2 shapes": resident()}
products(int(sys.argv[1]) - 2)
found[f"{sys.argv[1]} shapes"] = resident()
ts.trim()
found["after ts.trim()"] = resident()
print(json.dumps(found))
"""


def run(checkout: Path, shapes: int, cache: str) -> dict[str, float]:
    """Return the figures of a process."""
    environment = {**os.environ, "TILESMITH_CACHE": cache, "PYTHONPATH": str(checkout)}
    told = subprocess.check_output([sys.executable, "-c", SCRIPT, str(shapes)], env=environment, cwd="/", text=True)
    found: dict[str, float] = json.loads(told)
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shapes", type=int, default=2100)
    parser.add_argument("--beside", type=Path)
    options = parser.parse_args()
    for checkout in filter(None, (options.beside, ROOT)):
        print(checkout)
        with tempfile.TemporaryDirectory() as folder:
            for name, cache in (("off", "off"), ("empty", folder + "/cache"), ("filled", folder + "/cache")):
                found = run(checkout, options.shapes, cache)
                print(f"  cache {name:6}", *(f"{each}: {figure:.0f}" for each, figure in found.items()), sep="  ")


if __name__ == "__main__":
    main()

"""Measure the memory of a process that multiplies matrices of many shapes, and what `ts.trim()` gives back.

    python -m tests.bench.kept_kernels
    python -m tests.bench.kept_kernels --beside /path/of/another/checkout

Extents are drawn from 1 to 300 and differ for each product. Each line is a process: with the cache of kernels switched
off, with an empty cache, and with the one that the process before has filled. Figures are MB of resident memory.
"""

import tempfile
from collections.abc import Iterator

from tests.bench.processes import BESIDE, checkouts, told
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main

SCRIPT = """
import json, random, sys
import numpy as np
import tilesmith as ts

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096

rng, a = random.Random(1), np.ones(90000, np.float32)

def products(count):
    for _ in range(count):
        m, n, k = (rng.randint(1, 300) for _ in range(3))
        ts.matmul(a[: m * k].reshape(m, k), a[: k * n].reshape(k, n))

products(2)
found = {"few": resident()}
products(int(sys.argv[1]) - 2)
found["many"] = resident()
ts.trim()
found["trimmed"] = resident()
print(json.dumps(found))
"""


def measured(run: Run) -> Iterator[Row]:
    for checkout in checkouts(run):
        with tempfile.TemporaryDirectory() as folder:
            for name, cache in (("off", "off"), ("empty", folder + "/cache"), ("filled", folder + "/cache")):
                found = told(SCRIPT, checkout, cache, str(run.options.shapes))
                yield {"checkout": checkout.name, "cache": name, "shapes": run.options.shapes, **found}


BENCH = Bench("kept_kernels", __doc__, (
    Table("memory", "checkout; cache; 2 shapes, MB=few:0M; shapes; MB=many:0M; after ts.trim()=trimmed:0M", ((),),
          measured),),
    {"--shapes": {"type": int, "default": 2100}, **BESIDE}, alone=False, quick=("--shapes", "300"))

if __name__ == "__main__":
    main(BENCH)

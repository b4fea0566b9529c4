"""Measure the cost of keeping new kernels on disk: processor time with an empty cache, and without a cache.

    python -m tests.bench.cache_keeping
    python -m tests.bench.cache_keeping --beside /path/of/another/checkout

Each process makes 48 products that no process has made before. Entries are written by every sixteenth kernel, which
therefore takes longest, and at the end of the process. The figures are medians over processes, which alternate with
those of the other checkout.
"""

import statistics
import tempfile
from collections import defaultdict
from collections.abc import Iterator

from tests.bench.processes import BESIDE, rounds, told
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main

SCRIPT = """
import json, time
import tilesmith as ts
from tilesmith.runtime.cache import store
ts.brgemm(64, 64, 64)
times = []
for n in range(13, 61):
    start = time.process_time_ns()
    made = ts.brgemm(n, n + 5, 2 * n + 1)
    times.append((time.process_time_ns() - start) / 1e9)
start = time.process_time_ns()
store.flush()
times.append((time.process_time_ns() - start) / 1e9)
print(json.dumps([sum(times), max(times)]))
"""


def measured(run: Run) -> Iterator[Row]:
    found = defaultdict(list)
    for checkout in rounds(run):
        for cache in ("on", "off"):
            with tempfile.TemporaryDirectory() as folder:
                where = "off" if cache == "off" else f"{folder}/cache"
                found[checkout.name, cache].append(told(SCRIPT, checkout, where))
    for (name, cache), each in found.items():
        whole, longest = (statistics.median(column) for column in zip(*each))
        yield {"48 new kernels of": name, "cache": cache, "whole": whole, "longest": longest}


BENCH = Bench("cache_keeping", __doc__, (
    Table("keeping", "48 new kernels of; cache; CPU ms=whole:0m; longest=longest:0m", ((),), measured),),
    {"--rounds": {"type": int, "default": 7}, **BESIDE}, alone=False, quick=("--rounds", "3"))

if __name__ == "__main__":
    main(BENCH)

"""What the cache of kernels costs, saves and holds in processes of their own, and what later kernels cost, beside the
import of numpy: `tilesmith bench processes [--tables keeping] [--rounds 20] [--beside /path/of/another/checkout]`.

    starts     the first kernel of a process, with and without the cache, beside the import of numpy
    keeping    processor time of 48 products that no process has made before, with an empty cache and without one: every
               sixteenth kernel writes the entries, and therefore takes longest, and so does the end of the process
    later      processor time from the request to a callable kernel, without the cache. The first kernel of a kind
               imports its modules and is not counted, and garbage collection is off. A figure is the least of the
               processes, and the median of this over the shapes
    memory     MB of a process that multiplies matrices of many shapes, extents from 1 to 300, and what ts.trim() gives
               back: with the cache switched off, empty, and as the process before has filled it

Other figures are medians over the processes. With another checkout, processes of both alternate, so that both see the
same load.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Wanted

ROOT = Path(__file__).parents[2]
KERNELS = {
    "brgemm": "ts.brgemm(13, 17, 19)",
    "brgemm, bias and gelu": "ts.brgemm(13, 17, 19, epilogue=lambda c, bias: ts.gelu(c + bias))",
    "unary exp": 'ts.unary("exp", 6, 9)',
    "transpose": "ts.transpose(13, 17)",
}
STARTS = """
import json
from time import perf_counter as now
a = now(); import numpy
b = now(); import tilesmith as ts; {function}
c = now(); {kernel}
d = now(); print(json.dumps([b - a, c - b, d - c]))
"""
KEEPING = """
import json, time
import tilesmith as ts
from tilesmith.runtime.cache import store
ts.brgemm(64, 64, 64)
times = []
def timed(function, *given):
    start = time.process_time_ns()
    made = function(*given)
    times.append((time.process_time_ns() - start) / 1e9)
for n in range(13, 61):
    timed(ts.brgemm, n, n + 5, 2 * n + 1)
timed(store.flush)
print(json.dumps([sum(times), max(times)]))
"""
LATER = """
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
found = {kind: [] for kind in kinds}
gc.disable()  # a collection takes 20 ms, and falls on another shape after any change
for kind, (make, shapes) in kinds.items():
    make(64)
    for n in shapes:
        start = time.process_time_ns()
        made = make(n)
        found[kind].append((time.process_time_ns() - start) / 1e9)
print(json.dumps(found))
"""
MEMORY = """
import json, random, sys
import numpy as np
import tilesmith as ts
rng, a, found = random.Random(1), np.ones(90000, np.float32), []
def resident():
    with open("/proc/self/statm") as file:
        found.append(int(file.read().split()[1]) * 4096)
for count in (2, int(sys.argv[1]) - 2):
    for _ in range(count):
        m, n, k = (rng.randint(1, 300) for _ in range(3))
        ts.matmul(a[: m * k].reshape(m, k), a[: k * n].reshape(k, n))
    resident()
ts.trim()
resident()
print(json.dumps(found))
"""
OF_LATER = {"brgemm": 1.2e-3, "bias and relu": 3e-3, "transpose": 5e-3, "softmax": 10e-3}
"""The goals of issues 20 and 22; other kinds have no goal."""


def checkouts(run: Run) -> list[Path]:
    """Return this checkout, and the one beside which it is measured."""
    return [ROOT, *([run.options.beside.resolve()] if run.options.beside else [])]


def told(program: str, checkout: Path = ROOT, cache: str = "off", *arguments: str) -> Any:
    """Return what a program prints as JSON, in a new process with this cache of kernels."""
    environment = {**os.environ, "TILESMITH_CACHE": cache, "PYTHONPATH": str(checkout)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return json.loads(subprocess.check_output([sys.executable, "-c", program, *arguments], env=environment, cwd="/"))


def starts(run: Run, name: str) -> Iterator[Row]:
    """Yield a row without the cache, and one with it. A first process writes the bytecode, and the cache entry."""
    program = STARTS.format(kernel=KERNELS[name], function=KERNELS[name].partition("(")[0])
    with tempfile.TemporaryDirectory() as where:
        for state, cache in (("off", "off"), ("on", where)):
            found = [told(program, ROOT, cache) for _ in range(run.options.rounds + 1)][1:]
            numpy, ours, first = (statistics.median(column) for column in zip(*found))
            yield {"first kernel": name, "cache": state, "numpy": numpy, "import": ours / numpy, "first": first,
                   "least": min(each[2] for each in found), "by numpy": first / numpy}


def keeping(run: Run) -> Iterator[Row]:
    found = defaultdict(list)
    for checkout in checkouts(run) * run.options.rounds:
        for cache in ("on", "off"):
            with tempfile.TemporaryDirectory() as folder:
                where = "off" if cache == "off" else f"{folder}/cache"
                found[checkout.name, cache].append(told(KEEPING, checkout, where))
    for (name, cache), each in found.items():
        whole, longest = (statistics.median(column) for column in zip(*each))
        yield {"48 new kernels of": name, "cache": cache, "whole": whole, "longest": longest}


def later(run: Run) -> Iterator[Row]:
    found = defaultdict(list)
    for checkout in checkouts(run) * run.options.rounds:
        found[checkout.name].append(told(LATER, checkout))
    for name, each in found.items():
        for kind in each[0]:
            least = statistics.median(map(min, zip(*(one[kind] for one in each))))
            yield {"kind": kind, "checkout": name, "seconds": least, "goal": OF_LATER.get(kind)}


def memory(run: Run) -> Iterator[Row]:
    for checkout in checkouts(run):
        with tempfile.TemporaryDirectory() as folder:
            for name, cache in (("off", "off"), ("empty", folder + "/cache"), ("filled", folder + "/cache")):
                few, many, trimmed = told(MEMORY, checkout, cache, str(run.options.shapes))
                yield {"checkout": checkout.name, "cache": name, "shapes": run.options.shapes, "few": few,
                       "many": many, "trimmed": trimmed}


BENCH = Bench("processes", __doc__, (
    Table("starts", "first kernel; cache; numpy ms=numpy:1m; import, x numpy=import:2; kernel ms=first:2m; "
          "least=least:2m; x numpy=by numpy:3", KERNELS, starts),
    Table("keeping", "48 new kernels of; cache; CPU ms=whole:0m; longest=longest:0m", ((),), keeping),
    Table("later", "a later kernel=kind; checkout; CPU ms=seconds:2m", ((),), later,
          goals=(Wanted("{kind}, {checkout}", "goal", "seconds", unit="s"),)),
    Table("memory", "checkout; cache; 2 shapes, MB=few:0M; shapes; MB=many:0M; after ts.trim()=trimmed:0M", ((),),
          memory)),
    {"--rounds": {"type": int, "default": 10}, "--shapes": {"type": int, "default": 2100},
     "--beside": {"type": Path, "help": "another checkout"}}, alone=False, quick=("--rounds", "3", "--shapes", "300"))

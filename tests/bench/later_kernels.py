"""Measure the cost of later kernels by kind: processor time from the request to a callable kernel, without the cache.

    python -m tests.bench.later_kernels
    python -m tests.bench.later_kernels --beside /path/of/another/checkout

The first kernel of a kind imports its modules and is not counted, and garbage collection is off. Each process makes
every kernel once. A figure is the minimum over processes, and the median of this over the shapes. With another
checkout, processes of both alternate, so that both see the same load.
"""

import statistics
from collections import defaultdict
from collections.abc import Iterator

from tests.bench.processes import BESIDE, rounds, told
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main
from tilesmith.runtime.bench.table import Goal

GOALS = {"brgemm": 1.2e-3, "bias and relu": 3e-3, "transpose": 5e-3, "softmax": 10e-3}
"""The goals of issues 20 and 22; other kinds have no goal."""
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
        found[kind].append((time.process_time_ns() - start) / 1e9)
print(json.dumps(found))
"""


def measured(run: Run) -> Iterator[Row]:
    found = defaultdict(list)
    for checkout in rounds(run):
        found[checkout.name].append(told(SCRIPT, checkout))
    for name, each in found.items():
        for kind in each[0]:
            least = [min(shape) for shape in zip(*(one[kind] for one in each))]
            yield {"kind": kind, "checkout": name, "seconds": statistics.median(least)}


BENCH = Bench("later_kernels", __doc__, (
    Table("later", "a later kernel=kind; checkout; CPU ms=seconds:2m", ((),), measured, goals=lambda rows: [
        Goal(f"{row['kind']}, {row['checkout']}", GOALS[row["kind"]], row["seconds"], "s")
        for row in rows if row["kind"] in GOALS]),),
    {"--rounds": {"type": int, "default": 10}, **BESIDE}, alone=False, quick=("--rounds", "3"))

if __name__ == "__main__":
    main(BENCH)

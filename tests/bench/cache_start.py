"""Measure the cost of the first kernel of a process, with and without the cache, beside the import of numpy.

    python -m tests.bench.cache_start --rounds 20

Figures are medians over new processes, the minimum, and the ratio of medians to numpy's import in the same processes.
"""

import statistics
import tempfile
from collections.abc import Iterator

from tests.bench.processes import ROOT, told
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main

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
d = now(); print([b - a, c - b, d - c])
"""


def measured(run: Run, name: str) -> Iterator[Row]:
    """Yield a row without the cache, and one with it. A first process writes the bytecode, and the cache entry."""
    program = SCRIPT.format(kernel=KERNELS[name], function=KERNELS[name].partition("(")[0])
    with tempfile.TemporaryDirectory() as where:
        for state, cache in (("off", "off"), ("on", where)):
            found = [told(program, ROOT, cache) for _ in range(run.options.rounds + 1)][1:]
            numpy, ours, first = (statistics.median(column) for column in zip(*found))
            yield {"first kernel": name, "cache": state, "numpy": numpy, "import": ours / numpy, "first": first,
                   "least": min(each[2] for each in found), "by numpy": first / numpy}


BENCH = Bench("cache_start", __doc__, (
    Table("starts", "first kernel; cache; numpy ms=numpy:1m; import, x numpy=import:2; kernel ms=first:2m; "
          "least=least:2m; x numpy=by numpy:3", KERNELS, measured),),
    {"--rounds": {"type": int, "default": 20}}, alone=False, quick=("--rounds", "5"))

if __name__ == "__main__":
    main(BENCH)

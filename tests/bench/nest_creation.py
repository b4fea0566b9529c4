"""Measure the cost of a nest with a new string beyond its kernels: tracing, proofs, loops, code in executable pages.

    python -m tests.bench.nest_creation [--profile]

Each nest is a product by the paper's rules with a string that this process has not seen; its three kernels exist
already. The figures are the median and minimum of this thread's processor time, which other programs disturb less than
wall-clock time. The goal is 1 ms.
"""

import cProfile
import pstats
import statistics
import time
from typing import Any

import tilesmith as ts
from tests.nest_cases import product_body
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table, main
from tilesmith.runtime.bench.table import Goal
from tilesmith.runtime.loops.strings import Candidate, product_rules, strings
from tilesmith.runtime.loops.tuner import blocked

COUNT, BLOCK = 32, 64
SHAPE = ((COUNT, COUNT, BLOCK, BLOCK), "f32")
WARM, NESTS = 60, 300


def made(candidate: Candidate, body: Any) -> Any:
    """Return the nest, with its code in executable pages."""
    nest = ts.nest(candidate.string, blocked(dict.fromkeys("abc", (0, COUNT, 1)), candidate), body,
                   A=SHAPE, B=SHAPE, C=SHAPE)
    assert nest.job.block.address
    return nest


def times() -> list[float]:
    """Return the processor time of each nest, in a process that has made some before. The body is a product with an
    activation, as in listing 1 of the paper."""
    first, more = (ts.brgemm(BLOCK, BLOCK, BLOCK, beta=beta) for beta in (0, 1))
    body, taken = product_body(first, more, ts.unary("relu", BLOCK, BLOCK)), []
    for candidate in strings(product_rules(), dict.fromkeys("abc", COUNT), most=WARM + NESTS):
        start = time.thread_time_ns()
        made(candidate, body)
        taken.append((time.thread_time_ns() - start) * 1e-9)
    return taken[WARM:]


def measured(run: Run) -> Row | None:
    if run.options.profile:
        profile = cProfile.Profile()
        profile.runcall(times)
        return pstats.Stats(profile).sort_stats("tottime").print_stats(35) and None
    taken = times()
    return {"nests": len(taken), "median": statistics.median(taken), "least": min(taken)}


BENCH = Bench("nest_creation", __doc__, (
    Table("nests", "nests; median, CPU ms=median:2m; least=least:2m", ((),), measured,
          goals=lambda rows: [Goal("a new nest, median", 1e-3, row["median"], "s") for row in rows]),),
    {"--profile": {"action": "store_true", "help": "print the functions that take most time"}}, alone=False)

if __name__ == "__main__":
    main(BENCH)

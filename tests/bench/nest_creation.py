"""Measure the cost of a nest with a new string beyond its kernels: tracing, proofs, loops, code in executable pages.

    python -m tests.bench.nest_creation [--profile]

Each nest is a product by the paper's rules with a string that this process has not seen; its three kernels exist
already. The figures are the median and minimum of this thread's processor time, which other programs disturb less than
wall-clock time. The goal is 1 ms.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import statistics
import time
from typing import Any

import tilesmith as ts
from tests.nest_cases import product_body
from tilesmith.runtime.loops.nest import Nest
from tilesmith.runtime.loops.strings import Candidate, product_rules, strings
from tilesmith.runtime.loops.tuner import blocked

COUNT, BLOCK = 32, 64
SHAPE = ((COUNT, COUNT, BLOCK, BLOCK), "f32")
WARM, NESTS = 60, 300


def bodies() -> Any:
    """Return the body of a product with an activation, as in listing 1 of the paper."""
    first, more = (ts.brgemm(BLOCK, BLOCK, BLOCK, beta=beta) for beta in (0, 1))
    relu = ts.unary("relu", BLOCK, BLOCK)
    return product_body(first, more, relu)


def made(candidate: Candidate, body: Any) -> Nest:
    """Return the nest, with its code in executable pages."""
    ranges = blocked(dict.fromkeys("abc", (0, COUNT, 1)), candidate)
    nest = ts.nest(candidate.string, ranges, body, A=SHAPE, B=SHAPE, C=SHAPE)
    assert nest.job.block.address
    return nest


def times() -> list[float]:
    """Return the milliseconds of processor time of each nest, in a process that has made some before."""
    found, body = strings(product_rules(), dict.fromkeys("abc", COUNT), most=WARM + NESTS), bodies()
    taken = []
    for candidate in found:
        start = time.thread_time_ns()
        made(candidate, body)
        taken.append((time.thread_time_ns() - start) * 1e-6)
    return taken[WARM:]


def main() -> None:
    """Print the figures, or a profile."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--profile", action="store_true", help="print the functions that take most time")
    if parser.parse_args().profile:
        profile = cProfile.Profile()
        profile.runcall(times)
        pstats.Stats(profile).sort_stats("tottime").print_stats(35)
        return
    taken = times()
    print(f"{len(taken)} nests: median {statistics.median(taken):.2f} ms, least {min(taken):.2f} ms of processor time")


if __name__ == "__main__":
    main()

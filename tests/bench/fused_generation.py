"""Measure how long it takes to generate fused kernels: see runtime/bench/cases/generation.py.

    python -m tests.bench.fused_generation [--only WORD] [--profile] [--target NAME]
"""

import cProfile
import pstats
from collections.abc import Iterator

from tilesmith.runtime.bench.cases import generation
from tilesmith.runtime.bench.runner import Bench, Run, Table, main


def _tables(run: Run) -> Iterator[Table]:
    profile = cProfile.Profile()
    if run.options.profile:
        profile.enable()
    yield generation.table(name for name in generation.KINDS if run.options.only in name)
    profile.disable()
    if run.options.profile:
        pstats.Stats(profile).sort_stats("tottime").print_stats(45)
        pstats.Stats(profile).sort_stats("cumulative").print_stats(60)


BENCH = Bench("fused_generation", __doc__, _tables, {
    "--only": {"default": "", "help": "kinds whose name has this in it"},
    "--target": {"help": "the target; without it, this processor"},
    "--profile": {"action": "store_true", "help": "print where the time goes as well"}}, alone=False)

if __name__ == "__main__":
    main(BENCH)

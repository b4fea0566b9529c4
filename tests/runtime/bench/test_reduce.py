"""`tilesmith bench reduce`: its measurements, its goals, and the printed and saved report. No test judges the speed."""

from __future__ import annotations

import io
import signal

import numpy as np
import pytest
from rich.console import Console

from tests.guard import guarded, run_forked
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.arguments.arrays import address_of
from tilesmith.runtime.bench import measure, runner
from tilesmith.runtime.bench.cases import reduce as bench_reduce
from tilesmith.runtime.bench.cases.reduce import AXES, NAMES, PLACES
from tilesmith.runtime.bench.measure_code import loads
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.memory.executable import publish

NATIVE = [name for name in ("avx2", "avx512") if not host.runs(host.resolve(name))]


@pytest.mark.parametrize("target", NATIVE)
@pytest.mark.parametrize(("narrower", "adding"), [(1, False), (2, False), (1, True)])
def test_the_loading_kernel_reads_all_and_nothing_else(target, narrower, adding):
    """The kernel loads every element: with one vector more per register, the call faults on a page without access."""
    resolved = host.resolve(target)
    bits = resolved.vector_bits // narrower
    step = bits // 32 * 8
    x = guarded(np.ones(4 * step, np.float32), "end", writable=False)

    def run(count: int) -> None:
        block = publish(loads(resolved, count, bits, adding=adding).data)
        measure.repeat(block.address, (address_of(x),), 2)

    run(x.size)
    assert run_forked(lambda: run(x.size + step)) == -signal.SIGSEGV


@pytest.mark.seconds
def test_everything_is_measured():
    report = runner.run(bench_reduce.BENCH, ("--seconds", "1e-9"), console=Console(file=io.StringIO(), width=120))
    rows = report.tables["reductions"]
    assert len(rows) == len(PLACES) * len(NAMES) * len(AXES)
    assert all(row["ours"] > 0 and row["loads"] > 0 and row["adds"] > 0 for row in rows)
    for goal in report.goals:
        name, _, place = goal.what.partition(",")[0].partition(" in ")
        shares = [row["by loads"] for row in rows if (row["name"], row["place"]) == (name, place)]
        assert len(shares) == len(AXES) and goal.found == min(shares)


def test_targets_of_other_machines_are_refused():
    foreign = "neon" if NATIVE else "avx512"
    with pytest.raises(UnsupportedError, match=foreign):
        runner.run(bench_reduce.BENCH, ("--target", foreign))

"""Measure the processor time of proofs: the limits of issue 24, large kernels with and without summaries of loops, and
the kernels of the coverage table.

    tilesmith bench proof_times                 the limits: 64^3 in 5 s, a 16 x 16 transpose in 0.05 s
    tilesmith bench proof_times --loops         executions with and without summaries of loops
    tilesmith bench proof_times --coverage      every name and type of the coverage table on four targets: the
                                                      slowest ones, and whether any takes more than 60 s
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tilesmith as ts
from tilesmith.emulation.symbolic.machine import execute
from tilesmith.runtime.bench.runner import Bench, Row, Run, Table
from tilesmith.runtime.bench.table import Goal
from tilesmith.runtime.coverage.table import DTYPES, SHAPE
from tilesmith.runtime.verify.operands import call_of

Make = Callable[[str], Any]
ALL = ("sse", "avx2", "avx512", "neon", "sve256", "sme512")
BARS: dict[str, tuple[float, tuple[str, ...], Make]] = {
    "transpose 16 x 16": (0.05, ALL, lambda t: ts.transpose(16, 16, target=t)),
    "brgemm f32 64 x 64 x 64": (5.0, ALL, lambda t: ts.brgemm(64, 64, 64, target=t)),
    "gelu_inv bf16 2 x 9": (5.0, ("avx2", "neon"), lambda t: ts.binary("gelu_inv", 2, 9, dtype="bf16", target=t)),
}
LOOPS: dict[str, tuple[tuple[str, ...], Make]] = {
    "relu f32 512 x 512": (("avx2", "neon"), lambda t: ts.unary("relu", 512, 512, target=t)),
    "add f32 512 x 512": (("avx512", "sve256"), lambda t: ts.binary("add", 512, 512, target=t)),
    "copy f32 1024 x 1024": (("avx2",), lambda t: ts.unary("identity", 1024, 1024, target=t)),
    "transpose f32 512 x 512": (("avx2", "neon"), lambda t: ts.transpose(512, 512, target=t)),
    "sum of rows f32 64 x 1024": (("avx2",), lambda t: ts.reduce("sum", 64, 1024, axis=1, target=t)),
}
COVERED = ("avx2", "avx512", "neon", "sve256")
MOST = 60.0


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """Return (seconds of processor time, the result)."""
    began = time.process_time()
    found = run()
    return time.process_time() - began, found


def outcome(kernel: Any) -> str:
    """Return the verdict of a proof, in a word or two."""
    try:
        proof = kernel.verify()
    except ts.UnsupportedError:
        return "no specification"
    return "proved" if proof else "REFUTED" if proof.refuted else "not proved"


def bars(run: Run, name: str, target: str) -> Row:
    """Return the time of a proof. The second of two proofs counts, when the decoder's tables exist."""
    most, _, make = BARS[name]
    outcome(make(target) if most < 1 else ts.transpose(4, 4, target=target))
    seconds, word = timed(lambda: outcome(make(target)))
    return {"kernel": name, "target": target, "most": most, "seconds": seconds, "verdict": word}


def loops(run: Run, name: str, target: str) -> Row:
    """Return the times of symbolic executions alone, which summaries shorten."""
    kernel = LOOPS[name][1](target)
    call = call_of(kernel.spec, kernel.kind)
    (whole, _), (summed, done) = (timed(lambda each=each: execute(
        kernel.code, kernel.target, call.integers, call.regions, call.symbolic(), summaries=each))
        for each in (False, True))
    seconds, word = timed(lambda: outcome(kernel))
    return {"kernel": name, "target": target, "whole": whole, "summarised": summed, "seconds": seconds, "verdict": word,
            "how": "; ".join(done.loops) or "executed whole"}


def covered(run: Run, name: str, kind: str, dtype: str, target: str) -> Row | None:
    """Return the time of a kernel of the coverage table, if there is such a kernel."""
    try:
        kernel = getattr(ts, kind)(name, *SHAPE, dtype=dtype, target=target)
    except (ts.UnsupportedError, ValueError, TypeError):
        return None
    seconds, word = timed(lambda: outcome(kernel))
    return {"kernel": f"{name} {dtype}", "target": target, "seconds": seconds, "verdict": word}


def _slow(rows: Sequence[Row]) -> Iterator[Goal]:
    worst = max(rows, key=lambda row: row["seconds"])
    yield Goal(f"the slowest of {len(rows)}: {worst['kernel']} {worst['target']}", MOST, worst["seconds"], "s")


def _tables(run: Run) -> Iterator[Table]:
    columns = "kernel; target; s=seconds:3; verdict"
    if run.options.coverage:
        cases = [(name, kind, dtype, target) for kind, names in ts.primitives().items() for name in names
                 for dtype in DTYPES for target in run.options.targets]
        yield Table("coverage", columns, cases, covered, goals=_slow)
    elif run.options.loops:
        yield Table("loops", "kernel; target; whole s=whole:2; summarised=summarised:2; proof=seconds:2; verdict; how",
                    [(name, target) for name, (targets, _) in LOOPS.items() for target in targets], loops)
    else:
        yield Table("limits", columns, [(name, target) for name, (_, targets, _) in BARS.items() for target in targets],
                    bars, goals=lambda rows: [Goal(f"{row['kernel']} {row['target']}", row["most"], row["seconds"], "s")
                                              for row in rows])


BENCH = Bench("proof_times", __doc__, _tables, {
    "--loops": {"action": "store_true"}, "--coverage": {"action": "store_true"},
    "--targets": {"nargs": "+", "default": COVERED}})

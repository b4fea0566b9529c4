"""Measure the processor time of proofs: the limits of issue 24, large kernels with and without summaries of loops, and
the kernels of the coverage table.

    python -m tests.bench.proof_times                 the limits: 64^3 in 5 s, a 16 x 16 transpose in 0.05 s
    python -m tests.bench.proof_times --loops         executions with and without summaries of loops
    python -m tests.bench.proof_times --coverage      every name and type of the coverage table on four targets: the
                                                      slowest ones, and whether any takes more than 60 s
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import tilesmith as ts
from tilesmith.emulation.symbolic.machine import execute
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.coverage.table import DTYPES, SHAPE
from tilesmith.runtime.verify.operands import call_of

Make = Callable[[str], Any]
BARS: dict[str, tuple[float, tuple[str, ...], Make]] = {
    "transpose 16 x 16": (0.05, ("sse", "avx2", "avx512", "neon", "sve256", "sme512"),
                          lambda t: ts.transpose(16, 16, target=t)),
    "brgemm f32 64 x 64 x 64": (5.0, ("sse", "avx2", "avx512", "neon", "sve256", "sme512"),
                                lambda t: ts.brgemm(64, 64, 64, target=t)),
    "gelu_inv bf16 2 x 9": (5.0, ("avx2", "neon"), lambda t: ts.binary("gelu_inv", 2, 9, dtype="bf16", target=t)),
}  # fmt: skip
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
    except UnsupportedError:
        return "no specification"
    return "proved" if proof else "REFUTED" if proof.refuted else "not proved"


def executed(kernel: Any, summaries: bool) -> Any:
    """Do only the symbolic execution."""
    call = call_of(kernel.spec, kernel.kind)
    return execute(kernel.code, kernel.target, call.integers, call.regions, call.symbolic(), summaries=summaries)


def bars() -> int:
    """Return the number of missed limits. The second of two proofs counts, when the decoder's tables exist."""
    missed = 0
    for name, (most, targets, make) in BARS.items():
        for target in targets:
            kernel = make(target)
            if most < 1:
                outcome(kernel)
            else:
                ts.transpose(4, 4, target=target).verify()
            seconds, word = timed(lambda kernel=kernel: outcome(kernel))
            missed += seconds > most
            late = "  MISSED" * (seconds > most)
            print(f"{name:26} {target:8} {seconds:8.3f} s of {most:g} {word}{late}", flush=True)
    return missed


def loops() -> int:
    """Print the times of symbolic executions alone, which summaries shorten."""
    print(f"{'':28} {'':8} {'whole':>9} {'summarised':>11} {'proof':>9}")
    for name, (targets, make) in LOOPS.items():
        for target in targets:
            kernel = make(target)
            both = [timed(lambda each=each, kernel=kernel: executed(kernel, each)) for each in (False, True)]
            seconds, word = timed(lambda kernel=kernel: outcome(kernel))
            how = "; ".join(both[1][1].loops) or "executed whole"
            print(f"{name:28} {target:8} {both[0][0]:7.2f} s {both[1][0]:9.2f} s {seconds:7.2f} s {word}; {how}",
                  flush=True)  # fmt: skip
    return 0


def covered(targets: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Yield the kernels of the coverage table."""
    for kind, names in ts.primitives().items():
        for name in names:
            for dtype in DTYPES:
                for target in targets:
                    try:
                        yield f"{name} {dtype} {target}", getattr(ts, kind)(name, *SHAPE, dtype=dtype, target=target)
                    except (UnsupportedError, ValueError, TypeError):
                        continue


def coverage(targets: tuple[str, ...]) -> int:
    """Return the number of proofs that take longer than `MOST`."""
    found = []
    for name, kernel in covered(targets):
        seconds, word = timed(lambda kernel=kernel: outcome(kernel))
        found.append((seconds, name, word))
        if seconds > MOST / 10:
            print(f"{name:40} {seconds:8.2f} s {word}", file=sys.stderr, flush=True)
    for seconds, name, word in sorted(found, reverse=True)[:12]:
        print(f"{name:40} {seconds:8.2f} s {word}")
    slow = sum(seconds > MOST for seconds, _, _ in found)
    print(f"{len(found)} kernels, {sum(each[0] for each in found):.0f} s; {slow} above {MOST:g} s")
    return slow


def main(arguments: list[str]) -> int:
    """Return 1 if a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.proof_times", description=__doc__.partition("\n")[0])
    parser.add_argument("--loops", action="store_true")
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--targets", nargs="+", default=COVERED)
    options = parser.parse_args(arguments)
    missed = loops() if options.loops else coverage(tuple(options.targets)) if options.coverage else bars()
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

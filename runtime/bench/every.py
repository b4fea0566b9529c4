"""Run the benchmark that the options of `tilesmith bench` select, or all of them within a time."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ...microkernels.errors import UnsupportedError
from .cases import (
    call,
    cold,
    conv,
    decode,
    eltwise,
    fused,
    gemm,
    graph,
    matmul,
    mixed,
    nest,
    network,
    pooling,
    precision,
    reduce,
    sparse_kernel,
    spmm,
    stack,
    start,
    tensorize,
    transpose,
    tuned,
)
from .options import MIXED
from .runner import Bench, parser_of
from .runner import run as measure

MINUTES = 30.0
"""The time of `tilesmith bench all`."""
FILES = (
    gemm,
    call,
    eltwise,
    reduce,
    fused,
    transpose,
    stack,
    nest,
    tuned,
    precision,
    start,
    matmul,
    conv,
    pooling,
    tensorize,
    graph,
    network,
    decode,
    spmm,
    sparse_kernel,
    mixed,
    cold,
)
BENCHES = {each.BENCH.name: each.BENCH for each in FILES}
"""The benchmarks of cases/ by name."""
_CHECKOUT = Path(__file__).resolve().parents[2]


def run(options: argparse.Namespace) -> None:
    """Measure and print; write `--json` and `--plot` if they are given."""
    if options.what == "all":
        everything(options.minutes or MINUTES, options.json)
        return
    name = options.what
    if name == "gemm":
        name = "cold" if options.cold else "mixed" if options.dtype in MIXED else "gemm"
    bench = BENCHES[name]
    measure(
        bench,
        json_path=options.json,
        plot=options.plot,
        options=_asked(bench, options),
        command=" ".join(["tilesmith", *sys.argv[1:]]),
    )


def _asked(bench: Bench, options: argparse.Namespace) -> argparse.Namespace:
    """Return the benchmark's own options, with those of the command line that it takes."""
    own = vars(parser_of(bench).parse_args([]))
    given = {name: value for name, value in vars(options).items() if name in own and value is not None}
    if bench.name != "gemm":
        given.pop("shapes", None)
    return argparse.Namespace(**{**own, **given})


def further() -> list[str]:
    """Return the names of the benchmarks of tests/bench, in a checkout."""
    files = sorted((_CHECKOUT / "tests" / "bench").glob("*.py"))
    return [path.stem for path in files if path.stem not in BENCHES and "main(BENCH)" in path.read_text()]


def everything(minutes: float, path: Path | None) -> dict[str, object]:
    """Run every benchmark with its quick options. Each gets its share of the time that is left; what one does not need
    goes to the others. The JSON has a report for each, or why there is none; it is written after each of them."""
    end, done = time.monotonic() + 60 * minutes, dict[str, object]()
    todo: list[tuple[str, float, Callable[[float], object]]] = [
        (name, bench.share, lambda seconds, bench=bench: _quick(bench, seconds))  # type: ignore[misc]
        for name, bench in BENCHES.items()
    ]
    todo += [(name, 1.0, lambda seconds, name=name: _of_tests(name, seconds)) for name in further()]  # type: ignore[misc]
    for number, (name, share, begin) in enumerate(todo):
        left = max(0.0, end - time.monotonic())
        print(f"{name}: {number} of {len(todo)} done, {left / 60:.1f} minutes left", file=sys.stderr, flush=True)
        seconds = left * share / sum(each for _, each, _ in todo[number:])
        try:
            done[name] = begin(seconds) if seconds else "not measured: no time was left"
        except (UnsupportedError, OSError, RuntimeError, subprocess.SubprocessError) as error:
            done[name] = f"not measured: {error}"
            print(f"{name}: {done[name]}", file=sys.stderr, flush=True)
        if path is not None:
            path.write_text(json.dumps(done, indent=1) + "\n")
    return done


def _quick(bench: Bench, seconds: float) -> object:
    command = f"tilesmith bench all: {' '.join([bench.name, *bench.quick])}"
    return measure(bench, bench.quick, until=time.monotonic() + seconds, command=command).json()


def _of_tests(name: str, seconds: float) -> object:
    """Return the report of a benchmark of tests/bench, which has a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.json")
        command = [sys.executable, "-m", f"tests.bench.{name}", "--quick", str(seconds), "--json", str(path)]
        subprocess.run(command, cwd=_CHECKOUT, check=True)
        return json.loads(path.read_text())

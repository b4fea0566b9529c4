"""Run the benchmark that the options of `tilesmith bench` select, or all of them within a time."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from ...microkernels.errors import UnsupportedError
from .options import KINDS, MIXED
from .runner import Bench, Report, parser_of
from .runner import run as measure

MINUTES = 30.0
"""The time of `tilesmith bench all`."""
_CASES = Path(__file__).parent / "cases"
_CHECKOUT = Path(__file__).resolve().parents[2]


def run(options: argparse.Namespace) -> None:
    """Measure and print; write `--json` and `--plot` if they are given."""
    if options.what == "all":
        everything(options.minutes or MINUTES, options.json)
        return
    name = options.what
    if name == "gemm":
        name = "cold" if options.cold else "mixed" if options.dtype in MIXED else "gemm"
    bench = bench_of(name)
    measure(bench, json_path=options.json, plot=options.plot, options=_asked(bench, options),
            command=" ".join(["tilesmith", *sys.argv[1:]]))  # fmt: skip


def bench_of(name: str) -> Bench:
    """Return the benchmark of a file in cases/."""
    found: Bench = importlib.import_module(f"{__package__}.cases.{name}").BENCH
    return found


def _asked(bench: Bench, options: argparse.Namespace) -> argparse.Namespace:
    """Return the benchmark's own options, with those of the command line that it takes."""
    own = vars(parser_of(bench).parse_args([]))
    given = {name: value for name, value in vars(options).items() if name in own and value is not None}
    if bench.name != "gemm":
        given.pop("shapes", None)
    return argparse.Namespace(**{**own, **given})


def benches() -> Iterator[Bench]:
    """Yield the benchmarks of cases/, and, in a checkout, those of tests/bench."""
    names = [*KINDS[:-1], *sorted(path.stem for path in _CASES.glob("*.py") if path.stem not in KINDS)]
    modules = [f"{__package__}.cases.{name}" for name in names]
    further = _CHECKOUT / "tests" / "bench"
    if further.is_dir():
        sys.path[:0] = [] if str(_CHECKOUT) in sys.path else [str(_CHECKOUT)]
        modules += [f"tests.bench.{path.stem}" for path in sorted(further.glob("*.py")) if path.stem not in KINDS]
    for name in modules:
        try:
            module = importlib.import_module(name)
        except (ImportError, UnsupportedError) as error:
            print(f"{name}: left out, {error}", file=sys.stderr)
            continue
        if hasattr(module, "BENCH"):
            yield module.BENCH


def everything(minutes: float, path: Path | None) -> dict[str, Report | str]:
    """Run every benchmark with its quick options. Each gets its share of the time that is left; what one does not need
    goes to the others. The JSON has a report for each, or why there is none; it is written after each of them."""
    end, every = time.monotonic() + 60 * minutes, list(benches())
    done: dict[str, Report | str] = {}
    for number, bench in enumerate(every):
        shares = sum(each.share for each in every[number:])
        now = time.monotonic()
        until = now + max(0.0, end - now) * bench.share / shares
        print(f"{bench.name}: {number} of {len(every)} benchmarks done, {max(0.0, end - now) / 60:.1f} minutes left",
              file=sys.stderr, flush=True)  # fmt: skip
        given = parser_of(bench).parse_args([*bench.quick])
        command = f"tilesmith bench all: {' '.join([bench.name, *bench.quick])}"
        try:
            done[bench.name] = measure(bench, bench.quick, options=given, until=until, command=command)
        except (UnsupportedError, OSError, RuntimeError) as error:
            done[bench.name] = f"not measured: {error}"
            print(f"{bench.name}: {done[bench.name]}", file=sys.stderr, flush=True)
        if path is not None:
            found = {name: each if isinstance(each, str) else each.json() for name, each in done.items()}
            path.write_text(json.dumps(found, indent=1) + "\n")
    return done

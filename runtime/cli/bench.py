"""`tilesmith bench`: the benchmarks, which are imported when one runs. Each has a parser of its own options."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ..api.brgemm import targets
from ..bench.options import ALL, BenchNames, add_common, seconds
from . import files

if TYPE_CHECKING:
    from ..bench import every, runner

every = lazy(__package__, "..bench.every")
runner = lazy(__package__, "..bench.runner")


def add_bench(commands: Any) -> None:
    """Add the command to the subparsers."""
    about = "measured speed, beside the peak and the peers"
    more = "`tilesmith bench NAME --help` has the options of one. `all` runs every one within --minutes, 30."
    benchmark = commands.add_parser("bench", help=about, description=f"{about}. {more}")
    benchmark.set_defaults(command=_bench)
    benchmark.add_argument("what", choices=BenchNames(), nargs="?", default="gemm", metavar="NAME", help="%(choices)s")
    add_common(benchmark)


def split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words that the parser of all commands reads, and the options that a benchmark's own parser reads."""
    if words[:1] != ["bench"] or len(words) == 2 and words[1] in ("-h", "--help"):
        return [*words], []
    first = 1 + (len(words) > 1 and not words[1].startswith("-"))
    return [*words[:first]], [*words[first:]]


def _bench(options: argparse.Namespace) -> int:
    parser = _of_all() if options.what == ALL else runner.parser_of(every.load(options.what))
    asked = parser.parse_args(options.own)
    for option in ("json", "plot"):
        files.output(f"--{option}", getattr(asked, option, None))
    files.target(getattr(asked, "target", None), targets())
    files.drawing("--plot", getattr(asked, "plot", None))
    if options.what == ALL:
        every.everything(asked.minutes, asked.json)
    else:
        every.run(options.what, options.own)
    return 0


def _of_all() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tilesmith bench all", description=every.everything.__doc__)
    parser.add_argument("--minutes", type=seconds, default=every.MINUTES, help="the time of all benchmarks together")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    return parser

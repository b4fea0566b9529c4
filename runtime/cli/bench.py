"""`tilesmith bench`: the benchmarks, which are imported when one runs. Each has a parser of its own options."""

from __future__ import annotations

import argparse
import shlex
import shutil
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ..api.brgemm import targets
from ..bench.options import ALL, BenchNames, abouts, add_common, bench_name, is_checkout, seconds
from ..kernel.callable import Kernel
from . import files

if TYPE_CHECKING:
    from ..bench import every, runner
    from ..bench.cases import roofline

every = lazy(__package__, "..bench.every")
runner = lazy(__package__, "..bench.runner")
roofline = lazy(__package__, "..bench.cases.roofline")


def add_bench(commands: Any) -> None:
    """Add the command to the subparsers."""
    about = "measured speed, beside the peak and the peers"
    more = "`tilesmith bench NAME --help` has the options of one. `all` runs every one within --minutes, 30."
    layout = argparse.RawDescriptionHelpFormatter
    benchmark = commands.add_parser(
        "bench", help=about, description=f"{about}.\n{more}", formatter_class=layout, add_help=False
    )
    benchmark.set_defaults(command=_bench)
    benchmark.add_argument("-h", "--help", action=_Help, nargs=0, help="show this help message and exit")
    benchmark.add_argument(
        "what", type=bench_name, choices=BenchNames(), nargs="?", default="gemm", metavar="NAME", help="see below"
    )
    add_common(benchmark)


class _Help(argparse.Action):
    """Prints the help with a paragraph for each benchmark, which is read from the files for this."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """End the program."""
        width = max(40, shutil.get_terminal_size().columns - 2)
        lines = [
            textwrap.fill(f"  {name:14} {text}", width, subsequent_indent=" " * 17)
            for name, text in (*abouts().items(), (ALL, "every one of these, each for a share of the time."))
        ]
        more = [] if is_checkout() else ["A checkout of the repository has further ones."]
        parser.epilog = "\n".join(["what each measures, and beside what:", *lines, *more])
        parser.print_help()
        parser.exit()


def split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words that the parser of all commands reads, and the options that a benchmark's own parser reads."""
    if words[:1] != ["bench"] or len(words) == 2 and words[1] in ("-h", "--help"):
        return [*words], []
    first = 1 + (len(words) > 1 and not words[1].startswith("-"))
    return [*words[:first]], [*words[first:]]


def _bench(options: argparse.Namespace) -> int:
    parser = _of_all() if options.what == ALL else runner.parser_of(every.load(options.what))
    asked = parser.parse_args(options.own)
    _check(asked)
    if options.what == ALL:
        every.everything(asked.minutes, asked.json)
    else:
        every.run(options.what, options.own)
    return 0


def _check(asked: argparse.Namespace) -> None:
    """Raise ValueError for files that cannot be written and for unknown targets, before anything is measured."""
    for option in ("json", "plot"):
        files.output(f"--{option}", getattr(asked, option, None))
    files.target(getattr(asked, "target", None), targets())
    files.drawing("--plot", getattr(asked, "plot", None))


def run_roofline(options: argparse.Namespace) -> int:
    """Measure the kernels of one request or of several below this machine's ceilings. The options of a benchmark may be
    given with any of them."""
    requests = [options, *options.others]
    kernels = [each.make(each) for each in requests]
    for each in kernels:
        if not isinstance(each, Kernel):
            raise ValueError("roofline: kernels that one thread runs: brgemm, fused, unary, transpose...")
    given: list[str] = []
    for name in ("seconds", "json", "plot", "quick"):
        found = [value for each in requests if (value := getattr(each, name)) is not None]
        if len(found) > 1:
            raise ValueError(f"--{name}: once for all kernels, not {len(found)} times")
        given += [f"--{name}", str(found[0])] if found else []
    _check(runner.parser_of(roofline.BENCH).parse_args(given))
    runner.run(roofline.of(kernels, shlex.join(["tilesmith", *options.words])), given)
    return 0


def _of_all() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tilesmith bench all", description=every.everything.__doc__)
    parser.add_argument("--minutes", type=seconds, default=every.MINUTES, help="the time of all benchmarks together")
    parser.add_argument("--json", type=Path, help="write all figures to this file")
    return parser

"""`tilesmith bench`: the options of the benchmarks, which are imported when one runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...encoder.deferred import lazy
from ..bench.options import KINDS, MIXED, SHAPES
from . import files

if TYPE_CHECKING:
    from ..bench import every

every = lazy(__package__, "..bench.every")


OWNED = {
    "plot": (
        ("eltwise", "nest", "tensorize", "spmm"),
        "error, predicted times, pairs tried, and speed against sparsity",
    ),
    "minutes": (("all",), "the time of all together; --seconds is the time of a contender"),
    "all": (("nest",), "all loop strings of the rules are measured"),
    "strings": (("nest",), "how many loop strings are measured"),
    "random": (("conv",), "it draws shapes"),
    "tables": (("conv", "tensorize", "spmm"), "which of several tables"),
    "threads": (("tensorize", "spmm"), "the number of threads of all contenders"),
}
"""The benchmarks that take an option, and what it is."""


def add_bench(commands: Any) -> None:
    """Add the command to the subparsers."""
    about = "measured speed, beside the peak and the peers"
    benchmark = commands.add_parser("bench", help=about, description=about)
    benchmark.set_defaults(command=_bench)
    benchmark.add_argument("what", choices=KINDS, nargs="?", default="gemm")
    benchmark.add_argument("--target")
    benchmark.add_argument("--dtype", choices=["f32", "f64", *MIXED])
    benchmark.add_argument("--shapes", choices=["all", *SHAPES], default="all")
    benchmark.add_argument("--cold", action="store_true", help="gemm: operands from L2, L3, memory; with prefetches")
    sample = benchmark.add_mutually_exclusive_group()
    sample.add_argument("--strings", type=_whole, help="nest: how many loop strings are drawn from those of the rules")
    sample.add_argument("--all", action="store_true", help="nest: every string of the rules, 381,786: most of a day")
    benchmark.add_argument("--random", type=_whole, metavar="SEED", help="conv: also 30 shapes drawn from this number")
    benchmark.add_argument(
        "--tables", nargs="+", metavar="NAME", help="conv, tensorize, spmm: only these tables, such as dilated"
    )
    benchmark.add_argument("--threads", type=_whole, help="tensorize, spmm: the number of threads of all contenders, 1")
    benchmark.add_argument("--seconds", type=seconds, help="for each contender of each case; 0.1 for most")
    benchmark.add_argument("--minutes", type=seconds, help="all: the time of all benchmarks together, 30")
    benchmark.add_argument("--json", type=Path, help="write all figures to this file")
    benchmark.add_argument("--plot", type=Path, help="eltwise, nest, tensorize, spmm: draw to this file")


def seconds(text: str) -> float:
    """Return a time that an option gives."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"more than 0, not {text}")
    return value


def _whole(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"1 or more, not {text}")
    return value


def _bench(options: argparse.Namespace) -> int:
    _check(options)
    for option, path in (("--json", options.json), ("--plot", options.plot)):
        files.output(option, path)
    files.drawing("--plot", options.plot)
    every.run(options)
    return 0


def _check(options: argparse.Namespace) -> None:
    """Check the options that belong to some of the benchmarks."""
    if options.plot is not None and options.what == "eltwise" and options.dtype == "f64":
        raise ValueError("--plot: `tilesmith bench eltwise` draws error against time in f32")
    if options.what == "all" and options.seconds is not None:
        raise ValueError("--seconds: `tilesmith bench all` takes --minutes; each benchmark gets its share of them")
    for name, (kinds, what) in OWNED.items():
        if getattr(options, name) and options.what not in kinds:
            those = " and ".join(f"`tilesmith bench {kind}`" for kind in kinds)
            raise ValueError(f"--{name}: only {those}: {what}")

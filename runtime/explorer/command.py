"""`tilesmith explore`: the page on this machine."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlencode

from ...encoder.deferred import lazy
from ..bench.options import seconds
from ..cli import files

if TYPE_CHECKING:
    from . import answers, server

answers = lazy(__package__, ".answers")
server = lazy(__package__, ".server")

CommandParser = TypeVar("CommandParser", bound=argparse.ArgumentParser)


def add_explore(commands: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the command."""
    about = "a page that shows plan, listing, cycles and registers of kernels, served on 127.0.0.1"
    parser = commands.add_parser("explore", help=about, description=about)
    parser.add_argument("request", nargs="?", help="what to show first, as 'brgemm 64 48 32 --dtype bf16', in quotes")
    parser.add_argument("--target", help="the target to show it for; default: that of the page")
    parser.add_argument("--port", type=int, default=8765, help="0 for a free one (default: %(default)s)")
    parser.add_argument(
        "--seconds", type=seconds, default=10.0, help="the most that an answer may take (default: %(default)g)"
    )
    parser.set_defaults(command=_explore)


def _explore(options: argparse.Namespace) -> int:
    limits = answers.QuestionLimits(seconds=options.seconds)
    if options.request is not None:
        answers.kernel_of(options.request, options.target or "avx2", limits)  # a wrong one ends the command
    try:
        made = server.Explorer(options.port, limits)
    except (OSError, OverflowError) as error:
        raise ValueError(f"--port: {options.port}: {error}; another one, or 0 for a free one") from error
    state = {"request": options.request, "target": options.target}
    shown = urlencode({name: value for name, value in state.items() if value is not None})
    print(f"{made.address}{'#' * bool(shown)}{shown}   (Control-C ends it)")
    files.flush()
    with made, suppress(KeyboardInterrupt):
        made.serve_forever()
    return 0

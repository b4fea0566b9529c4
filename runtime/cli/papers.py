"""`tilesmith papers`: the claims of the papers beside what was measured here, and the items that they specify."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from ...encoder.deferred import lazy
from .pages import CommandParser

if TYPE_CHECKING:
    from ..coverage import papers

papers = lazy(__package__, "..coverage.papers")


def add_papers(commands: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the command."""
    about = "the measurements and the items of the five papers: what they have, what was measured here, and the command"
    parser = commands.add_parser("papers", help=about, description=about)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--run", metavar="ROW", help="run the command of a row")
    what.add_argument("--items", action="store_true", help="list the items that the papers specify, and their state")
    what.add_argument("--json", action="store_true", help="the rows for programs")
    what.add_argument("--draw", metavar="FOLDER", type=Path, help="draw the rows whose values the papers print")
    parser.set_defaults(command=_papers)


def _papers(options: argparse.Namespace) -> int:
    if options.run is not None:
        status: int = papers.run(options.run)
        return status
    if options.draw is not None:
        for path in papers.draw(options.draw):
            print(path)
    elif options.json:
        print(json.dumps(papers.as_json(), indent=1, ensure_ascii=False))
    elif options.items:
        print(papers.states())
    else:
        print(papers.listed())
    return 0

"""`tilesmith docs`: the documentation pages that docstrings and errors refer to, which are part of the package."""

from __future__ import annotations

import argparse
from importlib.resources import files
from typing import Any, TypeVar

from ...microkernels.names import nearest

CommandParser = TypeVar("CommandParser", bound=argparse.ArgumentParser)


def add_docs(commands: argparse._SubParsersAction[CommandParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("docs", help="print a page of the documentation, or their names")
    parser.add_argument("page", nargs="?", help="a name as in docs/NAME.md; without one, the list of pages")
    parser.set_defaults(command=_docs)


def pages() -> dict[str, Any]:
    """Return every page, keyed by its name."""
    folder = files(__name__.partition(".")[0]) / "docs"
    found = {page.name[:-3]: page for page in folder.iterdir() if page.name.endswith(".md")}
    return dict(sorted(found.items()))


def _docs(options: argparse.Namespace) -> int:
    found = pages()
    if options.page is None:
        for name, page in found.items():
            print(f"{name:20} {page.read_text('utf-8').partition(chr(10))[0].lstrip('# ')}")
        return 0
    name = options.page.removeprefix("docs/").partition("#")[0].removesuffix(".md")
    if name not in found:
        near = nearest(name, found)
        hint = f"; did you mean {near}?" if near else ""
        raise ValueError(
            f"{options.page}: no such page here; `tilesmith docs` lists them, "
            f"those for contributors are in the repository{hint}"
        )
    print(found[name].read_text("utf-8"), end="")
    return 0

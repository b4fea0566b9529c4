"""The navigation of the site: a toctree for each section of docs/README.md, whose list of pages is the only one, and
links that mean something in the repository alone."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
_LINK = re.compile(r"\[([^][]+)\]\(([\w./-]+)\)")
_EXPLORER = "explorer"
"""The page about the explorer, which `build` puts into a folder of this name."""
_PAGE = re.compile(r"^- \[[^]]*\]\(([\w/-]+)\.md\): ", re.MULTILINE)


def sections(index: str) -> dict[str, list[str]]:
    """Return the pages of each section of the index, by its heading, in the order of the index. A page is its path
    below docs/ without the ending."""
    _, *parts = _SECTION.split(index)
    return {heading: _PAGE.findall(text) for heading, text in zip(parts[::2], parts[1::2], strict=True)}


def with_toctrees(index: str) -> str:
    """Return the index with a hidden toctree for each section, which the theme shows as the navigation."""
    trees = (
        "\n".join(["", "```{toctree}", ":hidden:", f":caption: {heading}", "", *pages, "```", ""])
        for heading, pages in sections(index).items()
    )
    return index + "".join(trees)


def without_folders(text: str, page: Path, docs: Path) -> str:
    """Return the text of a page with the text of a link in place of the link, where it leads to a folder or to
    Markdown outside docs/: a browser of the repository shows these, the site has no page of them."""

    def shown(link: re.Match[str]) -> str:
        target = (page.parent / link[2]).resolve()
        absent = target.is_dir() or target.suffix == ".md" and docs not in target.parents
        return link[1] if absent else link[0]

    return _LINK.sub(shown, text)


def _read(app: Any, page: str, source: list[str]) -> None:
    source[0] = without_folders(source[0], Path(app.env.doc2path(page)), Path(app.srcdir))
    if page == _EXPLORER:
        source[0] += f'\n<p><a href="{_EXPLORER}/index.html">Open the explorer</a></p>\n'
    if page == app.config.root_doc:
        source[0] = with_toctrees(source[0])


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""The check of built HTML: every link inside the site and every picture leads to a file, every fragment to an element,
no identifier stands twice on a page, and elements are closed in the order in which they were opened.

    python -m docs.site.links .build/site/html
"""

from __future__ import annotations

import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
_MAY_STAY_OPEN = {"p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "option"}


class Page(HTMLParser):
    """The links, identifiers and wrong nestings of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links, self.identifiers = list[str](), Counter[str]()
        self.wrong, self._open = list[str](), list[str]()
        self.feed(text)
        self.close()
        self.wrong += [f"<{tag}> is not closed" for tag in self._open if tag not in _MAY_STAY_OPEN]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the identifiers and links of an element."""
        for name, value in attrs:
            if name == "id":
                self.identifiers[value or ""] += 1
            elif name in ("href", "src") and value is not None:
                self.links.append(value)
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element such as <path/> of SVG has no end of its own."""
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        """Close an element, and those inside whose ends may be left out."""
        while self._open and self._open[-1] != tag and self._open[-1] in _MAY_STAY_OPEN:
            self._open.pop()
        if self._open and self._open[-1] == tag:
            self._open.pop()
        elif tag not in _MAY_STAY_OPEN:
            self.wrong.append(f"line {self.getpos()[0]}: </{tag}> closes nothing")


def check(folder: Path) -> list[str]:
    """Return what is wrong in the HTML files of a folder, each with its file; [] if nothing is."""
    pages = {path.resolve(): Page(path.read_text()) for path in sorted(folder.rglob("*.html"))}
    if not pages:
        raise ValueError(f"{folder} has no HTML files; `make site` builds them")
    wrong = list[str]()
    for path, page in pages.items():
        twice = [f"id {each!r} stands {count} times" for each, count in page.identifiers.items() if count > 1]
        dead = [f"{link} leads nowhere" for link in dict.fromkeys(page.links) if not _leads(link, path, pages)]
        wrong += [f"{path.relative_to(folder.resolve())}: {each}" for each in (*page.wrong, *twice, *dead)]
    return wrong


def _leads(link: str, path: Path, pages: dict[Path, Page]) -> bool:
    """Whether a link of a page leads to a file of the site and to an element of it. Links to other sites are not
    followed."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if not target.is_file():
        return False
    fragment = unquote(parts.fragment)
    return not fragment or target not in pages or fragment in pages[target].identifiers


def main() -> None:
    """Print what is wrong, and exit with 1 if anything is."""
    wrong = check(Path(sys.argv[1]))
    print("\n".join(wrong) or "every link leads somewhere")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()

"""Kernels, plans, proofs and measurements as HTML for notebooks: text that wraps, long parts in folded sections,
and no page above `MOST` bytes."""

from __future__ import annotations

from collections.abc import Sequence

from ..encoder.records import NamedTuple

MOST = 30_000
"""The most bytes of a page. A notebook keeps the page of every cell, so that forty kernels are about a megabyte."""
_SHOWN, _FOLDED = 8_000, 16_000  # the most bytes of what is shown at once, and of all folded sections together
_STYLE = "white-space:pre-wrap;overflow-wrap:anywhere;text-align:left;line-height:1.3"


class PageSection(NamedTuple):
    """A folded part of a page. `rest` says how to see the lines that a page has no room for."""

    title: str
    text: str
    rest: str


def page(text: str, sections: Sequence[PageSection] = (), rest: str = "print(...) shows all", picture: str = "") -> str:
    """Return a text and folded sections as HTML, with an SVG picture if there is room for it."""
    share = _FOLDED // max(1, len(sections))
    parts = [_lines(text, _SHOWN, rest)]
    parts += [
        f"<details><summary>{_escaped(each.title)}</summary>{_lines(each.text, share, each.rest)}</details>"
        for each in sections
        if each.text
    ]
    if picture and sum(map(len, map(str.encode, (*parts, picture)))) < MOST:
        parts.insert(1, f'<div style="overflow-x:auto">{picture}</div>')
    return "".join(parts)


def plan_page(plan: object, rejected: Sequence[object] = (), picture: str = "") -> str:
    """Return a plan as HTML, with its picture if it has one, and why other ways were not chosen in a folded section."""
    others = PageSection(f"{len(rejected)} other ways", "\n".join(map(str, rejected)), "print(plan.rejected)")
    return page(str(plan), [others] if rejected else [], "print(plan)", picture)


def summary(result: object, kind: str, title: str = "") -> str:
    """Return a result as HTML: its first line, or another title, and its lines in a folded section. `kind` is what they
    are."""
    lines = str(result).splitlines()
    shown, folded = (title, lines) if title else (lines[0], lines[1:])
    return page(shown, [PageSection(kind, "\n".join(folded), "print(...)")])


def _lines(text: str, most: int, rest: str) -> str:
    """Return a text as HTML, with as many of its lines as `most` bytes hold, at least a part of the first one."""
    lines, kept, size = text.splitlines(), [], 0
    for line in lines:
        escaped = _escaped(line)
        size += len(escaped.encode()) + 1
        if size > most:
            break
        kept.append(escaped)
    if not kept and lines:
        kept = [f"{_escaped(lines[0][: most // 8])} ..."]
    left = len(lines) - len(kept)
    more = f"\n... {left} more lines: {_escaped(rest)}" if left > 0 else ""
    shown = "\n".join(kept)
    return f'<pre style="{_STYLE}">{shown}{more}</pre>'


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

"""`tilesmith papers`: each claim of the five papers beside what was measured here, and each item that they specify.

docs/papers.md and docs/papers-items.md have them as tables, which `make docs` writes, and drawings of those whose
values a paper prints.
"""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

from ...microkernels.errors import UnsupportedError
from ...microkernels.names import nearest
from ..bench.options import CHECKOUT, is_checkout
from ..bench.plots import pyplot, save
from .claims import STATES, PaperClaim, claims, counts, items

_OURS, _THEIRS = "#1b6ca8", "#999999"
_PROGRAMS = {"tilesmith": ("-m", "tilesmith"), "python": (), "pytest": ("-m", "pytest")}


def named(name: str) -> PaperClaim:
    """Return the claim of a name. Raises ValueError if there is none."""
    found = {each.name: each for each in claims()}
    if name not in found:
        near = nearest(name, found)
        raise ValueError(
            f"--run: no row {name!r}; `tilesmith papers` has them{f'; did you mean {near}?' if near else ''}"
        )
    return found[name]


def run(name: str) -> int:
    """Run the command of a row, and return its exit status. Raises UnsupportedError if this machine cannot show it."""
    claim = named(name)
    if not claim.command:
        raise UnsupportedError(f"--run {name}: {claim.absent}")
    program, *words = claim.command.split()
    if program != "tilesmith" and not is_checkout():
        raise UnsupportedError(f"--run {name}: `{claim.command}` needs the repository, not an installed package alone")
    command = [sys.executable, *_PROGRAMS[program], *words]
    return subprocess.run(command, cwd=None if program == "tilesmith" else CHECKOUT, check=False).returncode


def as_json() -> list[dict[str, object]]:
    """Return the claims for programs, each with the texts of its figures."""
    return [
        {
            **each._asdict(),
            "here": [figure.text for figure in each.here],
            "on": each.machines,
        }
        for each in claims()
    ]


def listed() -> str:
    """Return the claims for a terminal."""
    lines = []
    for each in claims():
        lines += [f"{each.name}: {each.paper}, {each.place}", f"    {each.what}"]
        lines += [f"    paper: {each.value} ({each.machine})"]
        lines += [f"    here:  {here(each)}"]
        lines += [f"    {each.command}"] if each.command else []
    return "\n".join(lines)


def here(claim: PaperClaim) -> str:
    """Return what was measured here, beside what and on which machine; or the reason why nothing was."""
    figures = "; ".join(figure.text for figure in claim.here)
    beside = f", beside {claim.peer}" if claim.peer and figures else ""
    machines = f"; {', '.join(claim.machines)}" if figures else ""
    parts = [f"{figures}{beside}{machines}" if figures else "", claim.noted, claim.absent]
    return "; ".join(filter(None, parts))


def claims_table(paper: str) -> str:
    """Return the claims of a paper as a table of a page."""
    lines = ["| row | the paper measures | the paper has | here | command |", "|---|---|---|---|---|"]
    for each in claims():
        if each.paper == paper:
            command = f"`{each.command}`" if each.command else ""
            where = f"`{each.name}`, {each.place}"
            lines.append(f"| {where} | {each.what} | {each.value} ({each.machine}) | {here(each)} | {command} |")
    drawn = [f"![{each.what}](pictures/{picture(each)})" for each in claims() if each.series and each.paper == paper]
    return "\n".join(lines) + "".join(f"\n\n{each}" for each in drawn)


def items_table(paper: str) -> str:
    """Return the items of a paper as a table of a page."""
    lines = ["| item | where | state | command | what is missing, and why |", "|---|---|---|---|---|"]
    for each in items():
        if each.paper == paper:
            command = f"`{each.command}`" if each.command else ""
            lines.append(f"| {each.item} | {each.place} | {each.state} | {command} | {each.reason} |")
    return "\n".join(lines)


def counts_table() -> str:
    """Return how many items of each paper are in each state."""
    lines = [f"| paper | {' | '.join(STATES)} |", f"|---|{'--:|' * len(STATES)}"]
    lines += [f"| {paper} | {' | '.join(map(str, of.values()))} |" for paper, of in counts(items())]
    return "\n".join(lines)


def written(what: str) -> str:
    """Return the text between two marks of a page: `claims/TPP`, `items/TPP` or `items/counts`."""
    kind, _, paper = what.partition("/")
    if paper == "counts":
        return counts_table()
    return claims_table(paper) if kind == "claims" else items_table(paper)


def picture(claim: PaperClaim) -> str:
    """Return the name of the drawing of a claim."""
    return f"papers-{claim.name}.svg"


def draw(folder: Path) -> list[Path]:
    """Draw the claims whose values a paper prints: its values as grey bars, and those of this project beside them.
    Returns the files. Raises UnsupportedError without matplotlib."""
    made = []
    for claim in claims():
        if not claim.series:
            continue
        ours = {figure.what: figure.mean for figure in claim.here if figure.drawn and not math.isnan(figure.mean)}
        names = [*claim.series, *ours]
        heights = [*claim.series.values(), *ours.values()]
        plot = pyplot()
        figure, axes = plot.subplots(figsize=(7, 0.6 + 0.32 * len(names)), layout="constrained")
        colors = [_THEIRS] * len(claim.series) + [_OURS] * len(ours)
        drawn = axes.barh(range(len(names)), heights, color=colors)
        axes.bar_label(drawn, fmt="%.3g", fontsize=7, padding=2)
        axes.set_yticks(range(len(names)), names, fontsize=8)
        axes.invert_yaxis()
        axes.set(xlabel=claim.unit, title=f"{claim.paper}, {claim.place}: the paper grey, here blue")
        axes.title.set_fontsize(9)
        save(figure, folder / picture(claim))
        plot.close(figure)
        made.append(folder / picture(claim))
    return made


def states() -> str:
    """Return the items for a terminal."""
    return "\n".join(
        f"{each.paper}, {each.place}: {each.item}: {each.state}{f' ({each.reason})' if each.reason else ''}"
        for each in items()
    )

"""Loop strings: the loops of a nest, their order, how often each is blocked, and which worker runs what.

    spec   := level+ [ "@" "schedule(" ( "static" | "dynamic" ) [ "," chunk ] ")" ]
    level  := ["~"] letter [ "{" ("R" | "C" | "L") [ ":" ways ] "}" ] [ "|" ]

A letter is a loop. Its first occurrence is the outermost one, and a letter that occurs n times is blocked n - 1 times.
An upper-case letter divides the iterations of its loop among the workers; neighbouring upper-case letters are divided
together. {R:4}: the workers form a grid, and each of its 4 rows runs its part of the loop; without a number, the extent
follows from the number of workers. |: all workers wait for each other after the level's loop.

~bc, ~BC: the two loops are walked along a Hilbert curve, so that consecutive iterations share the blocks of one of them
(a later default of the paper's authors).

One thing goes beyond the paper. Extents need not divide: the last block of each level is clipped. Source: Georganas et
al., Harnessing Deep Learning and HPC Kernels via High-Level Loop and Tensor Abstractions on CPU Architectures
(PARLOOPER), section 2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NoReturn

from ...encoder.records import dataclass
from .code import AXES, Affine, Barrier, Grid, Header, Loop, Node, Share, affine, index
from .curve import MOST

_LEVEL = re.compile(r"\s*(~?)\s*([A-Za-z])\s*(?:\{\s*([RCL])\s*(?::\s*(\d+))?\s*\})?")
_BAR = re.compile(r"\s*\|")
_SCHEDULE = tuple(
    (re.compile(rf"\s*{pattern}"), expected)
    for pattern, expected in (
        ("schedule", "the word schedule"),
        (r"\(", "an opening bracket"),
        ("(?P<kind>static|dynamic)", "static or dynamic (chunks have one size: guided ones are not made)"),
        (r"(?:,\s*(?P<chunk>\d+))?", ""),
        (r"\)", "a comma and a number, or a closing bracket"),
        ("$", "the end"),
    )
)
_BRACES = tuple(
    (re.compile(rf"\s*{pattern}"), expected)
    for pattern, expected in (
        (r"\{", ""),
        ("[RCL]", "expected R, C or L, for rows, columns or layers of a grid of workers"),
        (r"(?::\s*\d+)?", ""),
        (r"\}", "expected a colon and a number of workers, or a closing brace"),
    )
)
_INSTEAD = {
    "|": "write a barrier | once, after a letter",
    "}": "this closing brace has no opening one: write {R:4} after a letter",
    "~": "a curve needs two letters, as in ~bc: none follows this ~",
}


class LoopStringError(ValueError):
    """An error in a loop string; the message marks the character."""

    def __init__(self, string: str, place: int, reason: str) -> None:
        shown = re.sub(r"\s", " ", string)  # on one line, so that the mark is below the character
        super().__init__(f"{reason}\n    {shown}\n    {' ' * place}^")
        self.place = place


@dataclass(frozen=True)
class Range:
    """A loop, range(start, stop, step), and the steps of its blockings, outermost first."""

    start: int
    stop: int
    step: int
    blocks: tuple[int, ...] = ()


@dataclass(frozen=True)
class LoopOccurrence:
    """An occurrence of a letter: the loop, its occurrence number in the string, and who runs it."""

    letter: str
    occurrence: int
    parallel: bool
    axis: str
    ways: int
    barrier: bool
    place: int
    curve: bool = False

    @property
    def name(self) -> str:
        """The name of its index."""
        return f"{self.letter}{self.occurrence}"


@dataclass(frozen=True)
class LoopString:
    """A parsed string: its levels, outermost first, and how iterations are divided among workers."""

    string: str
    levels: tuple[LoopOccurrence, ...]
    schedule: str = "static"
    chunk: int = 1

    @property
    def dealt(self) -> tuple[str, ...]:
        """The letters whose iterations are divided among workers."""
        return tuple(level.letter for level in self.levels if level.parallel or level.axis)

    def fail(self, level: LoopOccurrence, reason: str) -> NoReturn:
        """Raise an error that marks a level's letter."""
        raise LoopStringError(self.string, level.place, reason)


def parsed(string: str, loops: Mapping[str, Range]) -> LoopString:
    """Parse a string and check it against the loops. LoopStringError, a ValueError, marks the wrong character."""
    if not isinstance(string, str):
        raise TypeError(f"string: a loop string such as 'aBC', not {type(string).__name__}")
    text, at, directives = string.partition("@")
    schedule, chunk = _schedule(string, len(text) + 1, directives) if at else ("static", 1)
    spec = LoopString(string, tuple(_levels(string, text)), schedule, chunk)
    _check_letters(spec, loops)
    _check_who(spec)
    _check_curves(spec, loops)
    return spec


def _levels(string: str, text: str) -> list[LoopOccurrence]:
    levels: list[LoopOccurrence] = []
    seen: dict[str, int] = {}
    place = 0
    while text[place:].strip():
        found = _LEVEL.match(text, place)
        if found is None:
            begin = place + len(text[place:]) - len(text[place:].lstrip())
            raise LoopStringError(string, *_mistake(text, begin, bool(levels)))
        tilde, letter, axis, ways = found.groups()
        behind = found.end()
        bar = _BAR.match(text, behind)
        name = letter.lower()
        if ways is not None and int(ways) == 0:
            raise LoopStringError(string, found.start(4), "ways: 1 or more")
        levels.append(
            LoopOccurrence(
                name,
                seen.get(name, 0),
                letter.isupper() and not axis,
                axis or "",
                int(ways or 0),
                bar is not None,
                found.start(2),
                bool(tilde),
            )
        )
        seen[name] = seen.get(name, 0) + 1
        place = bar.end() if bar else behind
    if not levels:
        raise LoopStringError(string, 0, "a loop string has a letter for each loop")
    return levels


def _mistake(text: str, begin: int, behind: bool) -> tuple[int, str]:
    """Return the place and the description of an error where no level begins. `behind`: whether a level precedes it."""
    if text[begin] == "{" and behind:
        at = begin
        for pattern, expected in _BRACES:
            found = pattern.match(text, at)
            if found is None:
                return at + len(text[at:]) - len(text[at:].lstrip()), expected
            at = found.end()
        return begin, "write {R:ways}, {C:ways} or {L:ways} once, after a letter and before |"
    if text[begin].isdigit():
        return begin, "write a number in braces, as in b{R:4}; to block a loop, repeat its letter"
    expected = "expected a letter, optionally ~ before it, and {R:ways}, {C:ways} or {L:ways} and | after it"
    return begin, _INSTEAD.get(text[begin], expected)


def _schedule(string: str, place: int, text: str) -> tuple[str, int]:
    """Parse the text after @ into the schedule of a `Share` and its chunk. An error marks the first wrong character."""
    kind, chunk, at = "", None, 0
    for pattern, expected in _SCHEDULE:
        found = pattern.match(text, at)
        if found is None:
            begin = at + len(text[at:]) - len(text[at:].lstrip())
            raise LoopStringError(
                string,
                place + begin,
                f"expected {expected}: write schedule(static), schedule(dynamic), or either with a chunk, as in "
                "schedule(dynamic, 4), after @",
            )
        kind = found.groupdict().get("kind") or kind
        if found.groupdict().get("chunk") is not None:
            chunk = int(found["chunk"])
            if chunk == 0:
                raise LoopStringError(string, place + found.start("chunk"), "chunk: 1 or more")
        at = found.end()
    if kind == "static" and chunk is None:
        return "static", 1
    return "claims" if kind == "dynamic" else "turns", chunk or 1


def _check_letters(spec: LoopString, loops: Mapping[str, Range]) -> None:
    for level in spec.levels:
        if level.letter not in loops:
            spec.fail(level, f"there is no loop {level.letter!r}; the loops are {', '.join(loops)}")
    for letter, loop in loops.items():
        places = [level for level in spec.levels if level.letter == letter]
        if not places:
            end = len(spec.string.partition("@")[0].rstrip())
            raise LoopStringError(spec.string, end, f"loop {letter!r} is not in the string")
        if len(places) - 1 > len(loop.blocks):
            spec.fail(
                places[len(loop.blocks) + 1],
                f"loop {letter!r} has {len(loop.blocks)} blockings, so write its "
                f"letter {len(loop.blocks) + 1} times at most",
            )
        steps = (*loop.blocks[: len(places) - 1], loop.step)
        for level, outer, inner in zip(places[1:], steps, steps[1:]):
            if outer % inner:
                spec.fail(level, f"loop {letter!r}: blocks of {outer} are not a multiple of {inner}")


def _check_who(spec: LoopString) -> None:
    groups = [
        i for i, level in enumerate(spec.levels) if level.parallel and (i == 0 or not spec.levels[i - 1].parallel)
    ]
    axes = [level for level in spec.levels if level.axis]
    if len(groups) > 1:
        spec.fail(
            spec.levels[groups[1]],
            "upper-case letters must be side by side: only one group of loops is dealt out among workers",
        )
    if axes and groups:
        spec.fail(axes[0], "use a grid of workers or upper-case letters, not both")
    for number, level in enumerate(axes):
        if level.axis in [each.axis for each in axes[:number]]:
            spec.fail(level, f"axis {level.axis} of the grid is given twice")
        if not level.ways and any(not each.ways for each in axes[:number]):
            spec.fail(level, "only one axis of a grid may omit its number of workers, and this is the second")
    if not groups and spec.schedule != "static":
        raise LoopStringError(
            spec.string,
            spec.string.index("@"),
            "a schedule needs upper-case letters, whose iterations it deals out, and there are none",
        )
    dealt = False
    for level, following in zip(spec.levels, (*spec.levels[1:], None)):
        dealt = dealt or level.parallel
        last = level.parallel and not (following and following.parallel)
        if level.barrier and (axes or (dealt and not last)):
            what = "a grid" if axes else "loops that are dealt out"
            spec.fail(level, f"a barrier cannot be inside {what}: not every worker would reach it equally often")


def _check_curves(spec: LoopString, loops: Mapping[str, Range]) -> None:
    for at, level in enumerate(spec.levels):
        if not level.curve:
            continue
        if at + 1 == len(spec.levels):
            spec.fail(level, "a curve needs two loops, as in ~bc: none follows this one")
        other = spec.levels[at + 1]
        if other.letter == level.letter or other.curve:
            spec.fail(other, "a curve needs two different loops, as in ~bc")
        if level.axis or other.axis or level.barrier or level.parallel != other.parallel:
            spec.fail(
                other,
                "the loops of a curve must both be upper-case, as in ~BC, or both lower-case, without a "
                "grid axis, and without a barrier between them",
            )
        around = spec.levels[max(at - 1, 0) : at] + spec.levels[at + 2 : at + 3]
        if level.parallel and any(each.parallel for each in around):
            spec.fail(level, "upper-case loops on a curve cannot be next to other upper-case loops")
        trips = _header(spec, level, loops).trips * _header(spec, other, loops).trips
        if trips > MOST:
            spec.fail(level, f"{trips} iterations on a curve are too many (at most {MOST}); use larger blocks")


def nest(spec: LoopString, loops: Mapping[str, Range], body: Sequence[Node], barrier: int) -> tuple[Node, ...]:
    """Return the nest of a string around a body that uses the innermost indices. `barrier` is the operand of the
    barrier's function, behind which are those of its state and of the function of claims."""
    nodes: tuple[Node, ...] = tuple(body)
    levels = list(spec.levels)
    while levels:
        level = levels.pop()
        group = [level]
        while levels and (level.parallel and levels[-1].parallel or levels[-1].curve):
            group.insert(0, levels.pop())
        headers = tuple(_header(spec, each, loops) for each in group)
        if group[0].curve or level.parallel:
            schedule = spec.schedule if level.parallel else "whole"
            team = barrier if schedule == "claims" else -1
            nodes = (Share(headers, nodes, schedule, spec.chunk, group[0].curve, team),)
        else:
            nodes = (Loop(headers[0], nodes, level.axis),)
        if level.barrier:
            nodes = (*nodes, Barrier(barrier))
    grid = [(level.axis, level.ways) for level in spec.levels if level.axis]
    return (Grid(tuple(sorted(grid, key=lambda each: AXES.index(each[0]))), nodes),) if grid else nodes


def innermost(spec: LoopString, letter: str) -> Affine:
    """Return the value of a loop in the body: the index of its last occurrence."""
    return index([level.name for level in spec.levels if level.letter == letter][-1])


def _header(spec: LoopString, level: LoopOccurrence, loops: Mapping[str, Range]) -> Header:
    loop, count = loops[level.letter], sum(each.letter == level.letter for each in spec.levels)
    steps = (*loop.blocks[: count - 1], loop.step)
    step = steps[level.occurrence]
    if level.occurrence == 0:
        return Header(level.name, affine(loop.start), (affine(loop.stop),), step, -(-(loop.stop - loop.start) // step))
    outer = steps[level.occurrence - 1]
    start = index(f"{level.letter}{level.occurrence - 1}")
    clip = (affine(loop.stop),) if (loop.stop - loop.start) % steps[0] else ()
    return Header(level.name, start, (start + outer, *clip), step, outer // step)

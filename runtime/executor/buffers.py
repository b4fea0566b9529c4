"""Which buffers hold the intermediate results of a chain of steps: those of results that are alive together differ.

A result is alive from the step that writes it to the last step that reads it, both included, since a step may read any
element of its arguments after it has written elements of its result. Such intervals, in the order of their first steps,
take the first colours that are free. That needs no more buffers than results are alive at once, which is the least.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...encoder.records import NamedTuple


class Life(NamedTuple):
    """A result: its bytes, the step that writes it, and the last one that reads it."""

    size: int
    first: int
    last: int


class Assignment(NamedTuple):
    """The bytes of each buffer, and the number of the buffer that holds each result."""

    sizes: tuple[int, ...]
    of: tuple[int, ...]


def assigned(lives: Sequence[Life]) -> Assignment:
    """Return the fewest buffers that hold results, which are in the order of their first steps.

    A result takes the smallest free buffer that is large enough. If none is, the largest free one grows.
    """
    sizes: list[int] = []
    busy: list[int] = []  # the last step of the result that each buffer holds
    found: list[int] = []
    for life in lives:
        free = [number for number, last in enumerate(busy) if last < life.first]
        wide = [number for number in free if sizes[number] >= life.size]
        if wide:
            number = min(wide, key=sizes.__getitem__)
        elif free:
            number = max(free, key=sizes.__getitem__)
        else:
            number = len(sizes)
            sizes.append(0)
            busy.append(0)
        sizes[number] = max(sizes[number], life.size)
        busy[number] = life.last
        found.append(number)
    return Assignment(tuple(sizes), tuple(found))


def most_alive(lives: Sequence[Life]) -> int:
    """Return the most bytes of results that are alive at once: no placement needs fewer."""
    steps = {life.first for life in lives}
    return max((sum(life.size for life in lives if life.first <= step <= life.last) for step in steps), default=0)

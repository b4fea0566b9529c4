"""Windows that slide over an image: the taps of convolutions and poolings, along rows and columns."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import groupby

from ..encoder.errors import shown
from ..encoder.records import NamedTuple
from .operands import whole

Pair = tuple[int, int]
Padding = tuple[Pair, Pair]
"""The zeros before and after rows, and before and after columns."""


class Stretch(NamedTuple):
    """Blocks along an axis that are alike: `times` blocks of `results` each. `taps` are the first tap of each result
    that lies inside the image, and the one behind the last."""

    results: int
    times: int
    taps: tuple[Pair, ...]


class Axis(NamedTuple):
    """An axis of an image: its extent, the results along it, and where the taps of a result lie."""

    extent: int
    results: int
    taps: int
    stride: int
    before: int
    dilation: int

    def at(self, result: int, tap: int) -> int:
        """Return the position of a tap, from that of the first tap of result 0 without padding."""
        return result * self.stride - self.before + tap * self.dilation

    def inside(self, result: int) -> Pair:
        """Return the first tap of a result that lies inside the image, and the one behind the last."""
        first = -(min(0, self.at(result, 0)) // self.dilation)
        last = min(self.taps, -((self.at(result, 0) - self.extent) // self.dilation))
        return (first, last) if first < last else (0, 0)


@lru_cache(maxsize=256)
def stretches(axis: Axis, block: int) -> tuple[Stretch, ...]:
    """Return the blocks of at most so many results, in order."""
    every = [axis.inside(each) for each in range(axis.results)]
    patterns = (tuple(every[at : at + block]) for at in range(0, axis.results, block))
    return tuple(Stretch(len(taps), len(list(alike)), taps) for taps, alike in groupby(patterns))


@lru_cache(maxsize=256)
def shared(axis: Axis, block: int) -> Pair:
    """Return how many positions the taps of a block have, and the most taps that share one."""
    uses = Counter(axis.at(result, tap) for result in range(block) for tap in range(axis.taps))
    return len(uses), max(uses.values())


def extents(size: Pair, taps: Pair, stride: Pair, padding: Padding, dilation: Pair) -> Pair:
    """Return the height and width of a result. Raises ValueError with the axis and the number if it would be empty."""
    made = []
    for axis, n, t, step, (before, after), apart in zip(("height", "width"), size, taps, stride, padding, dilation):
        reach = (t - 1) * apart + 1
        if n + before + after < reach:
            padded_to = f", with padding {n + before + after}" if before + after else ""
            raise ValueError(f"{axis}: {t} taps of dilation {apart} reach over {reach}, and x has {n}{padded_to}")
        made.append((n + before + after - reach) // step + 1)
    return made[0], made[1]


def pair(name: str, value: object, least: int = 1) -> Pair:
    """Return a whole number for both axes, or one for each."""
    both = tuple(value) if isinstance(value, (tuple, list)) else (value, value)
    numbers = [each for each in map(whole, both) if each is not None]
    if len(numbers) != 2 or len(both) != 2:
        raise TypeError(f"{name}: a whole number, or one for rows and one for columns, not {shown(value)}")
    if min(numbers) < least:
        raise ValueError(f"{name}: at least {least}, not {shown(value)}")
    return numbers[0], numbers[1]


def padded(value: object) -> Padding:
    """Return the zeros before and after rows and columns: a number, one for each axis, or a pair for each axis."""
    if isinstance(value, (tuple, list)) and len(value) == 2 and all(isinstance(each, (tuple, list)) for each in value):
        return pair("padding", value[0], 0), pair("padding", value[1], 0)
    rows, columns = pair("padding", value, 0)
    return (rows, rows), (columns, columns)

"""Where the pairs of a batch lie whose size a request fixes: its counts and distances, level by level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ...encoder.errors import shown
from ...encoder.records import NamedTuple
from ..operands import LARGEST, Leading, whole

LARGEST_BATCH = 1 << 40  # more pairs than fit into memory, few enough for 64-bit counts of steps along k


class Level(NamedTuple):
    """A level of a batch: `count` pairs, or groups of the pairs of the levels inside it, whose matrices of a and of b
    lie these distances apart, in places: elements, or groups of a packed operand."""

    count: int
    a: int
    b: int

    def of(self, name: str) -> int:
        """Return the distance of the matrices of a or of b."""
        return self.a if name == "a" else self.b


def count_of(value: Any) -> int:
    """Check a number of pairs."""
    number = whole(value)
    if number is None:
        raise TypeError(f"batch: None, a count, a tuple of counts, STRIDE, OFFSET or ADDRESS, not {value!r}")
    if not 0 <= number <= LARGEST_BATCH:
        raise ValueError(f"batch: a count from 0 to {LARGEST_BATCH}, not {number}")
    return number


def is_pair(value: Any) -> bool:
    """Whether the distances of a single level are given."""
    return isinstance(value, (tuple, list)) and len(value) == 2 and not any(isinstance(x, (tuple, list)) for x in value)


def dense_levels(counts: Sequence[int], a: int, b: int) -> tuple[Level, ...]:
    """Return the levels of matrices without gaps between them, which are a and b places long."""
    inner = [math.prod(counts[at + 1 :]) for at in range(len(counts))]
    return tuple(Level(each, a * pairs, b * pairs) for each, pairs in zip(counts, inner))


def given_levels(counts: Sequence[int], strides: Any) -> tuple[Level, ...]:
    """Return the levels of a batch with these distances."""
    if isinstance(strides, Leading):
        raise ValueError(f"strides: RUNTIME needs a batch that is a count, not the counts {tuple(counts)}")
    if not isinstance(strides, (tuple, list)):
        raise TypeError(
            "strides: None (dense pairs), RUNTIME (as the arrays of the call have them), or a pair of distances, of a "
            f"and of b, for each level of the batch, not {strides!r}"
        )
    if len(strides) != len(counts) or not all(map(is_pair, strides)):
        pairs = ", ".join(["(a, b)"] * len(counts))
        raise ValueError(
            f"strides: ({pairs},), distances of a and of b for the counts {tuple(counts)}, not {strides!r}"
        )
    return tuple(Level(count, _distance_of("a", a), _distance_of("b", b)) for count, (a, b) in zip(counts, strides))


def _distance_of(name: str, value: Any) -> int:
    number = whole(value)
    if number is None:
        raise TypeError(f"strides: the distances of {name} are numbers of elements, not {shown(value)}")
    if not 0 <= number <= LARGEST:
        raise ValueError(f"strides: the distances of {name} are from 0 to {LARGEST} elements, not {shown(number)}")
    return number


def loops_of(levels: Sequence[Level]) -> tuple[Level, ...]:
    """Return levels as loops around the pairs: without those of one pair, and with neighbours joined whose distances
    are those of a single level."""
    found: list[Level] = []
    for level in levels:
        outer = found[-1] if found else None
        if level.count == 1:
            continue
        if outer and (outer.a, outer.b) == (level.count * level.a, level.count * level.b):
            found[-1] = level._replace(count=outer.count * level.count)
        else:
            found.append(level)
    return tuple(found)

"""Where the pairs of a batch lie whose size a request fixes: its counts and distances, level by level."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import Enum

from ...encoder.errors import shown
from ...encoder.records import NamedTuple
from ..errors import UnsupportedError
from ..operands import LARGEST, Leading, LeadingDimension, whole
from ..tensor.extent import SymbolicExtent

LARGEST_BATCH = 1 << 40  # more pairs than fit into memory, few enough for 64-bit counts of steps along k


class PairBatch(Enum):
    """How a kernel finds the matrices A_i and B_i of a batch whose size is given at the call."""

    STRIDE = "stride"  # a count, and the distance in bytes between neighbours
    OFFSET = "offset"  # arrays of int64 byte offsets
    ADDRESS = "address"  # arrays of addresses

    def __repr__(self) -> str:
        return self.name


class BatchLevel(NamedTuple):
    """A level of a batch: `times` pairs, or groups of the pairs of the levels inside it, whose matrices of a and of b
    lie these distances apart, in places: elements, or groups of a packed operand."""

    times: int
    a: int
    b: int

    def of(self, name: str) -> int:
        """Return the distance of the matrices of a or of b."""
        return self.a if name == "a" else self.b


Strides = Leading | tuple[BatchLevel, ...] | None
"""The distances between the pairs of a fixed batch: None, dense; RUNTIME, as the call gives them; or the levels of the
batch, the outermost first."""
Dense = Callable[[], tuple[int, int] | None]
"""Returns the places from each matrix of a and of b to the next in a dense batch; None: the call decides it."""


def pairs_of(batch: object, strides: object, dense: Dense) -> tuple[int | PairBatch | None, Strides]:
    """Return the number of pairs of a request, or how the call gives it, and their distances. A single level of dense
    pairs is a count without levels."""
    if isinstance(batch, (tuple, list)):
        return _in_levels([_count(each) for each in batch], strides, dense)
    pairs = batch if batch is None or isinstance(batch, PairBatch) else _count(batch)
    if strides is None or (isinstance(strides, Leading) and isinstance(pairs, int)):
        return pairs, strides
    if isinstance(pairs, int):
        return _in_levels([pairs], [strides] if _is_pair(strides) else strides, dense)
    hint = "; batch=STRIDE has count and strides at the call" if pairs is not None else ""
    what = "RUNTIME needs" if isinstance(strides, Leading) else "distances of pairs need"
    raise ValueError(f"strides: {what} a batch that is a count, not {pairs!r}{hint}")


def _in_levels(counts: list[int], strides: object, dense: Dense) -> tuple[int, Strides]:
    pairs = math.prod(counts)
    if not counts or pairs > LARGEST_BATCH:
        raise ValueError(f"batch: from one count on, of at most {LARGEST_BATCH} pairs together, not {tuple(counts)}")
    known = dense()
    of_dense = None if known is None else _dense_levels(counts, *known)
    if strides is None and of_dense is None:
        raise UnsupportedError(
            "strides: what the call gives decides how far dense matrices lie apart, so a batch of "
            f"{tuple(counts)} needs a pair of distances for each count"
        )
    levels = of_dense if strides is None else _given_levels(counts, strides)
    return pairs, None if len(counts) == 1 and levels == of_dense else levels


def _count(value: object) -> int:
    """Check a number of pairs."""
    number = whole(value)
    if number is None:
        raise TypeError(f"batch: None, a count, a tuple of counts, STRIDE, OFFSET or ADDRESS, not {value!r}")
    if not 0 <= number <= LARGEST_BATCH:
        raise ValueError(f"batch: a count from 0 to {LARGEST_BATCH}, not {number}")
    return number


def _is_pair(value: object) -> bool:
    """Whether the distances of a single level are given."""
    return isinstance(value, (tuple, list)) and len(value) == 2 and not any(isinstance(x, (tuple, list)) for x in value)


def _dense_levels(counts: Sequence[int], a: int, b: int) -> tuple[BatchLevel, ...]:
    """Return the levels of matrices without gaps between them, which are a and b places long."""
    inner = [math.prod(counts[at + 1 :]) for at in range(len(counts))]
    return tuple(BatchLevel(each, a * pairs, b * pairs) for each, pairs in zip(counts, inner))


def _given_levels(counts: Sequence[int], strides: object) -> tuple[BatchLevel, ...]:
    """Return the levels of a batch with these distances."""
    if isinstance(strides, Leading):
        raise ValueError(f"strides: RUNTIME needs a batch that is a count, not the counts {tuple(counts)}")
    if not isinstance(strides, (tuple, list)):
        raise TypeError(
            "strides: None (dense pairs), RUNTIME (as the arrays of the call have them), or a pair of distances, of a "
            f"and of b, for each level of the batch, not {strides!r}"
        )
    if len(strides) != len(counts) or not all(map(_is_pair, strides)):
        pairs = ", ".join(["(a, b)"] * len(counts))
        raise ValueError(
            f"strides: ({pairs},), distances of a and of b for the counts {tuple(counts)}, not {strides!r}"
        )
    return tuple(
        BatchLevel(count, _distance_of("a", a), _distance_of("b", b)) for count, (a, b) in zip(counts, strides)
    )


def _distance_of(name: str, value: object) -> int:
    number = whole(value)
    if number is None:
        raise TypeError(f"strides: the distances of {name} are numbers of elements, not {shown(value)}")
    if not 0 <= number <= LARGEST:
        raise ValueError(f"strides: the distances of {name} are from 0 to {LARGEST} elements, not {shown(number)}")
    return number


def loops_of(levels: Sequence[BatchLevel]) -> tuple[BatchLevel, ...]:
    """Return levels as loops around the pairs: without those of one pair, and with neighbours joined whose distances
    are those of a single level."""
    found: list[BatchLevel] = []
    for level in levels:
        outer = found[-1] if found else None
        if level.times == 1:
            continue
        if outer and (outer.a, outer.b) == (level.times * level.a, level.times * level.b):
            found[-1] = level._replace(times=outer.times * level.times)
        else:
            found.append(level)
    return tuple(found)


def dense_steps(
    orders: Sequence[str], leading: Sequence[LeadingDimension], shapes: Sequence[tuple[int, int]]
) -> tuple[int, int] | None:
    """Return the places from each matrix of a and of b to the next in a dense batch; None: the call decides it."""
    lines = [rows if order == "C" else columns for order, (rows, columns) in zip(orders, shapes)]
    a, b, _ = (
        each * step if isinstance(step, int) and not isinstance(each, SymbolicExtent) else None
        for each, step in zip(lines, leading)
    )
    return None if a is None or b is None else (a, b)

"""The elements of several vectors folded together, by trees of shuffles: element j of what is left is of row j."""

from __future__ import annotations

from collections.abc import Sequence

from ..contract.machine import Lanes, Vector
from .emitter import Walk
from .plan import Output

Value = Sequence[Vector]
"""The registers of one row of an output, settled; folding destroys them."""


def levels(lanes: Lanes) -> int:
    """Of a tree that folds all elements of a register."""
    return (lanes.count - 1).bit_length()


def met(walk: Walk, output: Output, level: int, x: Value, y: Value, low: Value, lanes: Lanes) -> None:
    """x = x and y, of neighbouring groups of rows; y may be x, where there are no more rows."""
    m = walk.m
    if output.adds:
        m.pairwise(level, x[0], x[0], y[0], low[0], lanes)
    else:
        for high, other, spare in zip(x, y, low):
            m.neighbours(level, spare, high, high, other, lanes)
        walk.paired(output.fold, [x, low[: len(x)]], lanes)


def _halved(walk: Walk, output: Output, x: Value, low: Value, wide: Lanes, half: Lanes) -> None:
    """x = its lower and its upper half, in a narrower register."""
    for register, upper in zip(x, low):
        walk.m.halve(upper, register, wide)
    walk.paired(output.fold, [x, low[: len(x)]], half)


def folded(walk: Walk, outputs: Sequence[Output], values: Sequence[Sequence[Value]], low: Value) -> Lanes:
    """All rows of each output; returns what is left: as many results in the first of so many rows, and in the next.

    Rows meet within 128 bits of whole registers, which leaves few of these to be halved until they have no more
    elements than there are rows. All chains go on side by side, those of all outputs too: each step waits for the one
    before it.
    """
    rows, lanes = len(values[0]), walk.whole
    within = min(levels(walk.lanes[walk.plan.narrower[-1]]), (rows - 1).bit_length()) if walk.plan.narrower else 0
    for level in range(within):
        _met(walk, outputs, values, level, low, lanes)
    for count in walk.plan.narrower:
        if count < rows:
            break
        half = walk.lanes[count]
        for row in range(0, rows, 1 << within):
            for output, those in zip(outputs, values):
                _halved(walk, output, those[row], low, lanes, half)
        lanes = half
    for level in range(within, levels(lanes)):
        _met(walk, outputs, values, level, low, lanes)
    return lanes


def _met(walk: Walk, outputs: Sequence[Output], values: Sequence[Sequence[Value]], level: int, low: Value,
         lanes: Lanes) -> None:  # fmt: skip
    """Neighbouring groups of 2^level rows, for as many rows at a time as a register has elements."""
    rows, reach = len(values[0]), 1 << level
    for first in range(0, rows, lanes.count):
        end = min(first + lanes.count, rows)
        for row in range(first, end, 2 * reach):
            for output, those in zip(outputs, values):
                other = those[row + reach] if row + reach < end else those[row]
                met(walk, output, level, those[row], other, low, lanes)

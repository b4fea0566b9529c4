"""Fold the lanes of several vectors by trees of shuffles: lane j of the register that is left belongs to row j."""

from __future__ import annotations

from collections.abc import Sequence

from ..contract.machine import Lanes, Vector
from .accumulators import Accumulators
from .code import Output

Value = Sequence[Vector]
"""The settled registers of one row of an output; folding destroys them."""


def levels(lanes: Lanes) -> int:
    """Return the number of levels of a tree that folds all lanes of a register."""
    return (lanes.count - 1).bit_length()


def combine(
    accumulators: Accumulators, output: Output, level: int, x: Value, y: Value, spare: Value, lanes: Lanes
) -> None:
    """Combine x and y, which belong to neighbouring groups of rows, into x. y may be x if there are no more rows."""
    m = accumulators.m
    if output.adds:
        m.pairwise(level, x[0], x[0], y[0], spare[0], lanes)
    else:
        for register, other, low in zip(x, y, spare):
            m.neighbours(level, low, register, register, other, lanes)
        accumulators.combined(output.fold, [x, spare[: len(x)]], lanes)


def fold_rows(
    accumulators: Accumulators, outputs: Sequence[Output], values: Sequence[Sequence[Value]], spare: Value
) -> Lanes:
    """Fold all rows of each output. Return the lanes of the registers that are left: the register of row 0 holds the
    results of the first `lanes.count` rows, the register of row `lanes.count` those of the next ones, and so on.

    Rows are first combined within 128 bits of whole registers, which leaves few registers to halve. These are halved
    until they have no more elements than there are rows. The chains of all rows and outputs advance together, because
    each step of a chain waits for the one before it.
    """
    rows, lanes = len(values[0]), accumulators.whole
    within = (
        min(levels(accumulators.lanes[accumulators.narrower[-1]]), (rows - 1).bit_length())
        if accumulators.narrower
        else 0
    )
    for level in range(within):
        _combine_groups(accumulators, outputs, values, level, spare, lanes)
    for count in accumulators.narrower:
        if count < rows:
            break
        half = accumulators.lanes[count]
        for row in range(0, rows, 1 << within):
            for output, row_values in zip(outputs, values):
                _halve(accumulators, output, row_values[row], spare, lanes, half)
        lanes = half
    for level in range(within, levels(lanes)):
        _combine_groups(accumulators, outputs, values, level, spare, lanes)
    return lanes


def _halve(accumulators: Accumulators, output: Output, x: Value, spare: Value, wide: Lanes, half: Lanes) -> None:
    """Combine the lower and the upper half of x into a narrower register."""
    for register, upper in zip(x, spare):
        accumulators.m.halve(upper, register, wide)
    accumulators.combined(output.fold, [x, spare[: len(x)]], half)


def _combine_groups(
    accumulators: Accumulators,
    outputs: Sequence[Output],
    values: Sequence[Sequence[Value]],
    level: int,
    spare: Value,
    lanes: Lanes,
) -> None:
    """Combine neighbouring groups of 2^level rows, for `lanes.count` rows at a time, which end up in one register."""
    rows, reach = len(values[0]), 1 << level
    for first in range(0, rows, lanes.count):
        end = min(first + lanes.count, rows)
        for row in range(first, end, 2 * reach):
            for output, row_values in zip(outputs, values):
                other = row_values[row + reach] if row + reach < end else row_values[row]
                combine(accumulators, output, level, row_values[row], other, spare, lanes)

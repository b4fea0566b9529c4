"""What is known of nodes: in every case, as far as their form shows it, and in one case of a proof (equality.py)."""

from __future__ import annotations

import numpy as np

from ...encoder.records import NamedTuple
from .values import Table, place

# In every case


def bounds(table: Table, node: int, size: int, depth: int = 4) -> tuple[int, int]:
    """Return the range of a signed integer as far as its form shows it. `depth` limits the recursion into
    selections."""
    value, half = table.value(node), 1 << 8 * size - 1
    if value is not None:
        return (value - 2 * half if value >= half else value,) * 2
    if node & 1:
        data = table.specials[node >> 1]
        zeros = next(at for at in range(size) if data[size - 1 - at] != -1)
        whole = longer(table, node, size)
        if whole is not None:
            low, high = bounds(table, whole, table.size(whole))
            if -half <= low and high < half:
                return low, high
        return (0, (1 << 8 * (size - zeros)) - 1) if zeros else (-half, half - 1)
    return _bounds_of_result(table, node, size, depth)


def longer(table: Table, node: int, size: int) -> int | None:
    """Return the longer integer of which a node is the low bytes, or None."""
    data = table.specials[node >> 1] if node & 1 else (-1,)
    whole, first = place(data[0]) if data[0] >= 0 else (0, 1)
    return None if first or data != tuple(range(data[0], data[0] + size)) else whole


def _bounds_of_result(table: Table, node: int, size: int, depth: int) -> tuple[int, int]:
    """Return the range of the result of an operation, as `bounds`."""
    operation, args = table.parts(node)
    half = 1 << 8 * size - 1
    every = -half, half - 1
    if operation is None:
        return every
    signed = operation.to[0] == "i"
    if operation.name == "right_shift" and 0 < (by := table.value(args[1]) or 0) < 8 * size:
        return (-half >> by, half - 1 >> by) if signed else (0, (2 * half - 1) >> by)
    if operation.name == "bitwise_and":
        least = [value for arg in args if (value := table.value(arg)) is not None and value < half]
        return (0, min(least)) if least else every
    if operation.name == "absolute" and signed:
        low, high = bounds(table, args[0], size)
        return (0, max(-low, high)) if low > -half else every
    if operation.name in ("minimum", "maximum") and operation.to[0] in "iu":
        choose = min if operation.name == "minimum" else max
        ends = [bounds(table, arg, size) for arg in args]
        positive = min(ends)[0] >= 0
        return (choose(low for low, _ in ends), choose(high for _, high in ends)) if signed or positive else every
    if operation.name == "where" and depth:
        ends = [bounds(table, arg, size, depth - 1) for arg in args[1:]]
        return min(low for low, _ in ends), max(high for _, high in ends)
    if operation.name == "astype" and operation.types[0][0] == "i":
        narrow = 1 << 8 * int(operation.types[0][1]) - 1
        return -narrow, narrow - 1
    return every


_EXACT = {4: 1 << 24, 8: 1 << 53}


class ExactInteger(NamedTuple):
    """An integer that a float is, exactly: its node, its type and its bounds."""

    node: int
    kind: str
    low: int
    high: int


def held(table: Table, node: int) -> ExactInteger | None:
    """Return the integer that a float is exactly, or None."""
    operation, args = table.parts(node)
    if operation is not None and operation.key in (("astype", "f4", "f8"), ("extend", "f4", np.dtype(np.float64))):
        return held(table, args[0])
    if operation is None or operation.name != "astype" or operation.types[0][0] not in "iu" or operation.to[0] != "f":
        return None
    low, high = bounds(table, args[0], int(operation.types[0][1]))
    if max(-low, high) > _EXACT.get(table.size(node), 0) or (operation.types[0][0] == "u" and low < 0):
        return None
    return ExactInteger(args[0], operation.types[0], low, high)


def ends_of(node: int, table: Table) -> tuple[int, int]:
    """Return the range in which a node's bits lie in every case, as unsigned numbers."""
    value = table.value(node)
    if value is not None:
        return value, value
    operation, args = table.parts(node)
    if operation is None or operation.name != "bitwise_and":
        return 0, (1 << 8 * table.size(node)) - 1
    return 0, min(ends_of(arg, table)[1] for arg in args)


# In one case


class Facts(NamedTuple):
    """The facts that hold in one case."""

    values: dict[int, int]
    """Nodes that equal other nodes."""
    order: dict[tuple[int, int, str], str]
    """The order ("<" or ">") of two nodes, the smaller node number first, in the type of the comparison."""
    nan: frozenset[int]
    whole: frozenset[int]
    """Nodes that are not NaN."""
    ranges: dict[int, tuple[int, int]]
    """The range in which a node's bits lie, as unsigned numbers. The ends have the same sign, and both are NaN or
    neither is."""


NOTHING = Facts({}, {}, frozenset(), frozenset(), {})
INFINITY = {4: 0x7F800000, 8: 0x7FF << 52}


def cuts_of(size: int) -> list[int]:
    """Return the starts of the ranges of bits: zeros, numbers and NaNs, of each sign."""
    top = 1 << 8 * size - 1
    ends = [0, 1] + ([INFINITY[size] + 1] if size in INFINITY else [])
    return [sign + end for sign in (0, top) for end in ends]


def within(number: int, node: int, table: Table, facts: Facts) -> bool:
    """Whether a node can have the value of the constant node `number`."""
    low, high = facts.ranges.get(node) or ends_of(node, table)
    value = table.value(number)
    return value is not None and low <= value <= high


def possible(facts: Facts) -> bool:
    """Whether the known orders are compatible with the known ranges."""
    for (a, b, kind), order in facts.order.items():
        if a in facts.ranges and b in facts.ranges:
            low, high = (a, b) if order == "<" else (b, a)
            dtype = np.dtype(kind)
            ends = [np.array(facts.ranges[each], f"u{dtype.itemsize}").view(dtype) for each in (low, high)]
            if not ends[0].min() < ends[1].max():
                return False
    return True


def with_nan(facts: Facts, node: int) -> Facts:
    return facts._replace(nan=facts.nan | {node})


def range_of(node: int, name: str, facts: Facts, table: Table) -> tuple[int, int]:
    """Return the range in which an integer of a type lies."""
    value, size = table.value(node), table.size(node)
    ends = (value, value) if value is not None else facts.ranges.get(node) or ends_of(node, table)
    half = 1 << 8 * size - 1
    if name[0] == "u" or ends[1] < half:
        return ends
    return (ends[0] - 2 * half, ends[1] - 2 * half) if ends[0] >= half else (-half, half - 1)

"""The facts that hold in one case of a proof; see equality.py."""

from __future__ import annotations

import numpy as np

from ...encoder.records import NamedTuple
from .values import Table


class CaseFacts(NamedTuple):
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


NOTHING = CaseFacts({}, {}, frozenset(), frozenset(), {})
INFINITY = {4: 0x7F800000, 8: 0x7FF << 52}


def cuts_of(size: int) -> list[int]:
    """Return the starts of the ranges of bits: zeros, numbers and NaNs, of each sign."""
    top = 1 << 8 * size - 1
    ends = [0, 1] + ([INFINITY[size] + 1] if size in INFINITY else [])
    return [sign + end for sign in (0, top) for end in ends]


def ends_of(node: int, table: Table) -> tuple[int, int]:
    """Return the range in which a node's bits lie in every case."""
    operation, args = table.parts(node)
    every = (1 << 8 * table.size(node)) - 1
    if operation is None or operation.name != "bitwise_and":
        return 0, every
    return 0, min([every, *(value for arg in args if (value := table.value(arg)) is not None)])


def within(number: int, node: int, table: Table, facts: CaseFacts) -> bool:
    """Whether a node can have the value of the constant node `number`."""
    low, high = facts.ranges.get(node) or ends_of(node, table)
    value = table.value(number)
    return value is not None and low <= value <= high


def possible(facts: CaseFacts) -> bool:
    """Whether the known orders are compatible with the known ranges."""
    for (a, b, kind), order in facts.order.items():
        if a in facts.ranges and b in facts.ranges:
            low, high = (a, b) if order == "<" else (b, a)
            dtype = np.dtype(kind)
            ends = [np.array(facts.ranges[each], f"u{dtype.itemsize}").view(dtype) for each in (low, high)]
            if not ends[0].min() < ends[1].max():
                return False
    return True


def with_nan(facts: CaseFacts, node: int) -> CaseFacts:
    return facts._replace(nan=facts.nan | {node})


def range_of(node: int, name: str, facts: CaseFacts, table: Table) -> tuple[int, int]:
    """Return the range in which an integer of a type lies."""
    value, size = table.value(node), table.size(node)
    ends = (value, value) if value is not None else facts.ranges.get(node) or ends_of(node, table)
    half = 1 << 8 * size - 1
    if name[0] == "u" or ends[1] < half:
        return ends
    return (ends[0] - 2 * half, ends[1] - 2 * half) if ends[0] >= half else (-half, half - 1)

"""The words that a call gives: numbers among its integers, and the elements of operands that hold indices or offsets.

    symbols = Symbols({"x": 4, "index": 8}, {1: "seed"}, {"index"})

Numbers are words without a value: what holds, holds for all of them. The elements of `valued` operands keep the values
that the call has for them, and what they decide is recorded (`words`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ....encoder.a64.abi import ARGUMENTS as A64
from ....encoder.x86.abi import ARGUMENTS as X86
from ...core.u64 import WORD
from ..values import Array, Table
from . import numbers
from .words import Given, Words, given, sources

_BYTES = 8
_HALF = 4
"""A number without a value consists of two words of this many bytes, as the functions that use it take them."""
_REGISTERS: dict[str, Sequence[Any]] = {"x86": X86, "a64": A64}


class Symbols(dict[str, int]):
    """What is symbolic in a call: the element size in bytes of each symbolic operand, keyed by its name.

    numbers   the names of integers of the call that may have any value, by their position
    pinned    the names of integers that keep their value, by their position
    valued    the names of the operands whose elements keep their values
    """

    def __init__(self, sizes: Mapping[str, int], numbers: Mapping[int, str] = {}, valued: Iterable[str] = (),
                 pinned: Mapping[int, str] = {}) -> None:  # fmt: skip
        super().__init__(sizes)
        self.numbers, self.valued, self.pinned = dict(numbers), frozenset(valued), dict(pinned)


def words_of(symbolic: Mapping[str, int], memory: Any, integers: Sequence[int]) -> tuple[Words | None, list[Any]]:
    """Return the words of a call, and its integers with the words among them. `memory` gets the nodes of both halves
    of each number under its name, like the elements of operands."""
    if not isinstance(symbolic, Symbols) or not (symbolic.numbers or symbolic.valued or symbolic.pinned):
        return None, list(integers)
    table: Table = memory.table
    values: dict[int, int] = {}
    for region in memory.regions:
        if region.name in symbolic.valued:
            values |= _values(memory.inputs[region.name], region.array)
    nodes = {}
    for at, name in {**symbolic.numbers, **symbolic.pinned}.items():
        known, size = memory.known.get(name), _HALF if at in symbolic.numbers else _BYTES
        parts = memory.inputs[name] = table.inputs(name, _BYTES // size, size) if known is None else known
        nodes[at] = tuple(byte for node in parts.tolist() for byte in table.split(node, size))
    open_ = {node for at in symbolic.numbers for node in sources(nodes[at])}
    values |= {node: integers[at] & WORD for at in symbolic.pinned for node in sources(nodes[at])}
    words = Words(table, open_, values)
    return words, [given(words, numbers.of_bytes(nodes[at], words.values)) if at in nodes else each
                   for at, each in enumerate(integers)]  # fmt: skip


def _values(nodes: Array, array: Array) -> dict[int, int]:
    """Return the values of an operand's elements as unsigned numbers, keyed by their nodes."""
    unsigned = np.ascontiguousarray(array).view(f"u{array.itemsize}")
    return dict(zip(nodes.reshape(-1).tolist(), unsigned.reshape(-1).tolist()))


def plain(integers: Iterable[Any]) -> list[int]:
    """Return the integers of a call with zeros in place of words."""
    return [0 if isinstance(each, Given) else each for each in integers]


def place(process: Any, integers: Sequence[Any]) -> None:
    """Put the words among the integers of a call where the calling convention passes them."""
    registers, state = _REGISTERS[process.arch], process.state
    for at, each in enumerate(integers):
        if not isinstance(each, Given):
            continue
        if at < len(registers):
            process.general[registers[at].num] = each
            continue
        stack = state.sp if process.arch == "a64" else state.r[4] + _BYTES  # x86-64: above the return address
        address = stack + _BYTES * (at - len(registers))
        segment = state.memory.segment(address)
        start = address - segment.start
        state.memory.tracks[segment.start].ids[start : start + _BYTES] = each.bytes(_BYTES)

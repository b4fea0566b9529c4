"""The words that a call gives: numbers among its integers, and the elements of operands that hold indices or offsets.

    symbols = Symbols({"x": 4, "index": 8}, {1: "seed"}, {"index"})

Numbers are words without a value: what holds, holds for all of them. The elements of `valued` operands keep the values
that the call has for them, and what they decide is recorded (`words`). A number is named by its position among the
integers of the call, or it is an `Open` among them or in a table of a job's operands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ....encoder.a64.abi import ARGUMENTS as A64
from ....encoder.x86.abi import ARGUMENTS as X86
from ...core.u64 import WORD
from ..memory import SymbolicMemory
from ..values import Array, Table
from ..words import Word
from . import numbers
from .words import Given, Words, given, sources

_BYTES = 8
_HALF = 4
"""A number without a value consists of two words of this many bytes, as the functions that use it take them."""
_REGISTERS: dict[str, Sequence[Any]] = {"x86": X86, "a64": A64}


class Open(int):
    """A number of a call that may be any, plus what has been added to it. As an integer it is the value that executions
    on numbers use."""

    name: str
    ahead: int

    def __new__(cls, value: int, name: str, ahead: int = 0) -> Open:
        made = super().__new__(cls, value)
        made.name, made.ahead = name, ahead
        return made

    def __add__(self, other: int) -> Open:
        return Open(int(self) + other, self.name, self.ahead + other)

    __radd__ = __add__


class Symbols(dict[str, int]):
    """What is symbolic in a call: the element size in bytes of each symbolic operand, keyed by its name.

    numbers   the names of integers of the call that may have any value, by their position
    tables    the numbers among the words of tables, by the name of the table and their position
    pinned    the names of integers that keep their value, by their position
    valued    the names of the operands whose elements keep their values
    """

    def __init__(
        self,
        sizes: Mapping[str, int],
        numbers: Mapping[int, str] = {},
        valued: Iterable[str] = (),
        pinned: Mapping[int, str] = {},
        tables: Mapping[str, Mapping[int, Open]] = {},
    ) -> None:
        super().__init__(sizes)
        self.numbers, self.valued, self.pinned, self.tables = dict(numbers), frozenset(valued), dict(pinned), tables


def words_of(symbolic: Mapping[str, int], memory: Any, integers: Sequence[int]) -> tuple[Words | None, list[Any]]:
    """Return the words of a call, and its integers with the words among them. `memory` gets the nodes of both halves
    of each number under its name, like the elements of operands."""
    if not isinstance(symbolic, Symbols):
        return None, addressed(memory, integers)
    numbered = {at: Open(integers[at], name) for at, name in symbolic.numbers.items()}
    numbered |= {at: each for at, each in enumerate(integers) if isinstance(each, Open)}
    if not (numbered or symbolic.valued or symbolic.pinned or symbolic.tables):
        return None, addressed(memory, integers)
    table: Table = memory.table
    values: dict[int, int] = {}
    for region in memory.regions:
        if region.name in symbolic.valued:
            values |= _values(memory.inputs[region.name], region.array)
    pinned = {at: _nodes(memory, name, _BYTES) for at, name in symbolic.pinned.items()}
    in_tables = [(name, at, each) for name, of in symbolic.tables.items() for at, each in of.items()]
    open_ = [*numbered.values(), *[each for *_, each in in_tables]]
    every = {each.name: _nodes(memory, each.name, _HALF) for each in open_}
    values |= {node: integers[at] & WORD for at, data in pinned.items() for node in sources(data)}
    words = Words(table, {node for data in every.values() for node in sources(data)}, values)

    def moved(each: Open) -> Given:
        whole = numbers.add(numbers.of_bytes(every[each.name], {}), numbers.constant(each.ahead))
        return Given(words, numbers.both(whole, numbers.constant(WORD)))

    for name, at, each in in_tables:
        for region in memory.regions:
            if region.name == name:
                memory.held(region)[at] = moved(each).bytes(_BYTES)
    found = {at: given(words, numbers.of_bytes(data, values)) for at, data in pinned.items()}
    found |= {at: moved(each) for at, each in numbered.items()}
    return words, [found.get(at, each) for at, each in enumerate(addressed(memory, integers))]


def addressed(memory: SymbolicMemory, integers: Sequence[int]) -> list[Any]:
    """Return the integers of a call with the addresses among them as symbols."""
    return [memory.bases.of(each & WORD) or each for each in integers]


def _nodes(memory: SymbolicMemory, name: str, size: int) -> tuple[int, ...]:
    """Return the bytes of a number, which consists of inputs of `size` bytes: those that another execution has had, if
    it has had any."""
    table = memory.table
    known = memory.inputs.get(name, memory.known.get(name))
    parts = memory.inputs[name] = table.inputs(name, _BYTES // size, size) if known is None else known
    return tuple(byte for node in parts.tolist() for byte in table.split(node, size))


def _values(nodes: Array, array: Array) -> dict[int, int]:
    """Return the values of an operand's elements as unsigned numbers, keyed by their nodes."""
    unsigned = np.ascontiguousarray(array).view(f"u{array.itemsize}")
    return dict(zip(nodes.reshape(-1).tolist(), unsigned.reshape(-1).tolist()))


def plain(integers: Iterable[Any]) -> list[int]:
    """Return the integers of a call with zeros in place of words and addresses."""
    return [0 if isinstance(each, Word) else each for each in integers]


def place(process: Any, integers: Sequence[Any]) -> None:
    """Put the words and addresses among the integers of a call where the calling convention passes them."""
    registers, state = _REGISTERS[process.arch], process.state
    for at, each in enumerate(integers):
        if not isinstance(each, Word):
            continue
        if at < len(registers):
            process.general[registers[at].num] = each
            continue
        stack = state.sp if process.arch == "a64" else state.r[4] + _BYTES  # x86-64: above the return address
        address = stack + _BYTES * (at - len(registers))
        segment = state.memory.segment(address)
        start = address - segment.start
        state.memory.tracks[segment.start].ids[start : start + _BYTES] = each.bytes(_BYTES)

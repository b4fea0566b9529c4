"""Mask registers, and bits of general registers and of memory, that are conditions on data.

packed(table, conditions)       the byte whose bits are the conditions, the first one lowest
same_bits(prover, x, y)         whether a byte, however it is computed from conditions, equals a packed one
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from typing import Any

import numpy as np

from .concrete import evaluated
from .equality import Prover
from .lanes import MASK, Lanes
from .values import Array, Table, undecided
from .words import BITS, Word


class MaskBits:
    """An integer whose bits are conditions on data. The bits above the last condition are zero."""

    __slots__ = ("lanes",)

    def __init__(self, lanes: Lanes) -> None:
        self.lanes = lanes

    def booleans(self, count: int) -> Lanes:
        """Return the lowest bits as elements."""
        raw = self.lanes.raw[:count]
        zeros = np.full((max(count - len(raw), 0), 1), -1, np.int64)
        return Lanes(np.concatenate([raw, zeros]), bool, self.lanes.table)

    def _with(self, other: Any, operation: Callable[..., Any]) -> Any:
        wide = len(other.lanes) if isinstance(other, MaskBits) else int(other).bit_length()
        count = max(len(self.lanes), wide) if operation is not np.bitwise_and else len(self.lanes)
        mine = self.booleans(count)
        if isinstance(other, MaskBits):
            return operation(mine, other.booleans(count)).as_number()
        made = operation(mine, np.array([bool(other >> at & 1) for at in range(count)]))
        return made.as_number() if isinstance(made, Lanes) else sum(int(b) << at for at, b in enumerate(made.tolist()))

    def __and__(self, other: Any) -> Any:
        return self._with(other, np.bitwise_and)

    def __or__(self, other: Any) -> Any:
        return self._with(other, np.bitwise_or)

    def __xor__(self, other: Any) -> Any:
        return self._with(other, np.bitwise_xor)

    def __add__(self, other: Any) -> Any:
        """Return twice the mask, or a sum without carries."""
        if isinstance(other, MaskBits) and np.array_equal(other.lanes.raw, self.lanes.raw):
            return MaskBits(Lanes(np.concatenate([[[-1]], self.lanes.raw]), bool, self.lanes.table))
        common = self & other
        return self | other if isinstance(common, int) and not common else self._refuse()

    __rand__, __ror__, __rxor__, __radd__ = __and__, __or__, __xor__, __add__

    def __rshift__(self, by: int) -> Any:
        return Lanes(self.lanes.raw[by:], bool, self.lanes.table).as_number()

    def __lshift__(self, by: int) -> Any:
        return MaskBits(Lanes(np.concatenate([np.full((by, 1), -1), self.lanes.raw]), bool, self.lanes.table))

    def bytes(self, size: int) -> list[int]:
        """Return the lowest bytes."""
        nodes, table = self.booleans(8 * size).nodes().tolist(), self.lanes.table
        return [table.split(packed(table, nodes[at : at + 8]), 1)[0] for at in range(0, 8 * size, 8)]

    def __eq__(self, other: Any) -> Any:
        """Whether the mask equals a number, as a mask of one bit."""
        if not isinstance(other, int):
            return self._refuse()
        if other >> len(self.lanes):
            return False
        each = [self.lanes[at : at + 1] for at in range(len(self.lanes))]
        return _one(reduce(_both, [lane if other >> at & 1 else ~lane for at, lane in enumerate(each)]))

    def __gt__(self, other: Any) -> Any:
        """Whether a bit is set, as a mask of one bit."""
        if other != 0:
            return self._refuse()
        return _one(reduce(_either, [self.lanes[at : at + 1] for at in range(len(self.lanes))]))

    def _refuse(self, *given: Any) -> Any:
        raise undecided(
            self.lanes.table,
            self.lanes.raw.reshape(-1).tolist(),
            "conditions on data in a mask register decide on an address, a count or a branch",
        )

    __ne__ = __index__ = __int__ = __bool__ = __invert__ = __lt__ = _refuse
    __hash__ = object.__hash__


def _both(one: Any, other: Any) -> Any:
    return one & other


def _either(one: Any, other: Any) -> Any:
    return one | other


def _one(bit: Lanes) -> Any:
    if isinstance(bit, np.ndarray):  # the elements are not data
        return bool(bit[0])
    return MaskBits(bit) if bit.concrete() is None else bool(bit.decided()[0])


def packed(table: Table, conditions: Sequence[int]) -> int:
    """Return the byte whose lowest bits are the conditions."""
    args = [np.array([each]) for each in conditions]
    return int(table.apply(("packed", len(args), "bits"), _packed, ("b1",) * len(args), "u1", args)[0])


def _packed(*bits: Any) -> Any:
    return reduce(np.bitwise_or, [bit.astype(np.uint8) << np.uint8(at) for at, bit in enumerate(bits)])


def bits_of(data: Array, table: Table) -> Lanes:
    """Return the bits of bytes as conditions along the last axis, the lowest bit first."""
    lanes = Lanes(np.repeat(data, 8, axis=-1)[..., None], np.uint8, table)
    places = np.tile(np.uint8(1) << np.arange(8, dtype=np.uint8), data.shape[-1])
    made: Lanes = lanes & np.broadcast_to(places, lanes.shape) != np.uint8(0)
    return made


def _of_word(word: Word, count: int) -> Lanes:
    found = bits_of(np.array(word.bytes((count + 7) // 8)), word.table)
    return found[:count]


def same_bits(prover: Prover, x: int, y: int) -> bool:
    """Whether byte x equals byte y, bit by bit. y must be a constant or `packed`."""
    table = prover.table
    atoms = _conditions(table, x)
    if atoms is None or len(atoms) > _MOST:
        return False
    count = 1 << len(atoms)
    rows = np.arange(count)
    known = {each: (rows >> at & 1).astype(np.uint8).reshape(count, 1) for at, each in enumerate(atoms)}
    held = evaluated(table, [x], lambda leaf: known[leaf], count, known)[x].reshape(count)
    operation, wanted = table.parts(y)
    value = table.value(y)
    if value is None and (operation is None or operation.name != "packed"):
        return False
    for at in range(8):
        bit = (held >> at & 1).astype(bool)
        one = table.constant(value >> at & 1 if value is not None else 0, 1) if at >= len(wanted) else wanted[at]
        made = next((each for each, choice in _choices(table, atoms, rows) if (choice == bit).all()), None)
        if made is None or not prover.equal(made, one, True):
            return False
    return True


def _choices(table: Table, atoms: list[int], rows: Array) -> Iterator[tuple[int, Array]]:
    for value in (0, 1):
        yield table.constant(value, 1), np.full(len(rows), bool(value))
    for at, each in enumerate(atoms):
        chosen = (rows >> at & 1).astype(bool)
        yield each, chosen
        inverted = table.apply(("invert", "b1"), np.invert, ("b1",), "b1", [np.array([each])])
        yield int(inverted[0]), ~chosen


def _conditions(table: Table, root: int) -> list[int] | None:
    """Return the outermost conditions that a node is made of, or None if it depends on anything else."""
    found, seen, waiting = [], set(), [root]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        operation, _ = table.parts(node)
        if operation is not None and operation.to == "b1":
            found.append(node)
        elif table.leaf(node) is not None:
            return None
        else:
            waiting.extend(table.arguments(node))
    return found


_MOST = 12
MASK.append(MaskBits)
BITS.append(_of_word)

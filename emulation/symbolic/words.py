"""Data in general registers, including the undefined contents at entry.

The data may be moved, cut, masked and joined by bytes. Nothing else may be computed with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .values import Table, Undecided, undecided

_ZERO = -1
_EVERY = 0x01010101
BITS: list[Callable[..., Any]] = []
"""The function that makes conditions of bits; `masks` adds it."""
ELEMENT: list[Callable[..., Any]] = []
"""The function that makes an array of one element; `lanes` adds it."""


def held(data: tuple[int, ...], table: Table) -> Any:
    """Return bytes of data as a general register holds them."""
    if table.places is not None and (address := table.places.known.get(data)) is not None:
        return address
    if table.words is not None and type(found := table.words.word(data)) is not Word:
        return found
    return Word(data, table) if table.held is None else table.held(data)


class Word:
    """An unsigned integer whose bytes are symbolic."""

    __slots__ = ("data", "table")
    computes = False
    """Whether integers may be computed of it."""

    def __init__(self, data: tuple[int, ...], table: Table) -> None:
        self.data, self.table = data, table

    def element(self, dtype: Any) -> Any:
        """Return the lowest bytes as an array of one element."""
        return ELEMENT[0](self, dtype)

    def settled(self) -> Any:
        """Return the word as a vector holds it."""
        return self

    def placed(self) -> int:
        """Refuse to take data for an address."""
        return int(self._refuse())

    def booleans(self, count: int) -> Any:
        """Return the lowest bits as the conditions of a mask register."""
        return BITS[0](self, count)

    def bytes(self, size: int) -> list[int]:
        """Return the lowest bytes."""
        return [*self.data[:size], *[_ZERO] * (size - len(self.data))]

    def __and__(self, mask: Any) -> Any:
        if isinstance(mask, Word):  # a stack probe tests the memory with a register
            size = min(len(self.data), len(mask.data))
            return self._of(tuple(map(self._common, self.data[:size], mask.data[:size])))
        result = []
        for at, byte in enumerate(self.data):
            bits = mask >> 8 * at & 0xFF
            result.append(byte if bits == 0xFF else self._masked(byte, bits) if bits else _ZERO)
        return self._of(tuple(result))

    __rand__ = __and__

    def _masked(self, byte: int, bits: int) -> int:
        """Return the bits of a byte that a constant selects."""
        return self._anded(self.table.joined((byte,)), self.table.constant(bits, 1))

    def _common(self, one: int, other: int) -> int:
        """Return the AND of two bytes."""
        return self._anded(self.table.joined((one,)), self.table.joined((other,)))

    def _anded(self, one: int, other: int) -> int:
        nodes = np.sort([one, other])[:, None]
        made = self.table.apply(("bitwise_and", "u1"), np.bitwise_and, ("u1", "u1"), "u1", list(nodes))
        return self.table.split(int(made[0]), 1)[0]

    def __or__(self, other: Any) -> Any:
        size = max(len(self.data), len(other.data) if isinstance(other, Word) else (other.bit_length() + 7) // 8)
        mine = self.bytes(size)
        theirs = other.bytes(size) if isinstance(other, Word) else [-1 - b for b in other.to_bytes(size, "little")]
        return self._of(tuple(map(self._joined, mine, theirs)))

    def _joined(self, one: int, other: int) -> int:
        """Return the OR of two bytes."""
        if _ZERO in (one, other):
            return other if one == _ZERO else one
        nodes = np.sort([self.table.joined((each,)) for each in (one, other)])[:, None]
        made = self.table.apply(("bitwise_or", "u1"), np.bitwise_or, ("u1", "u1"), "u1", list(nodes))
        return self.table.split(int(made[0]), 1)[0]

    __ror__ = __or__

    def __lshift__(self, by: int) -> Any:
        if by % 8:
            raise self._computed("a shift of data by bits")
        return Word((_ZERO,) * (by // 8) + self.data, self.table)

    def __rshift__(self, by: int) -> Any:
        if by % 8:
            raise self._computed("a shift of data by bits")
        return self._of(self.data[by // 8 :] or (_ZERO,))

    def __xor__(self, other: Any) -> Any:
        """Return 0 for an XOR with itself, which clears a register. Anything else is refused."""
        return 0 if isinstance(other, Word) and other.data == self.data else self._refuse()

    __rxor__ = __xor__

    def __mul__(self, other: Any) -> Any:
        """Return one byte repeated four times."""
        if other == _EVERY and all(byte == _ZERO for byte in self.data[1:]):
            return Word((self.data[0],) * 4, self.table)
        raise self._computed("a product of data")

    __rmul__ = __mul__

    def signed(self, bits: int) -> Any:
        """Refuse to read data as a two's complement number."""
        return self._refuse()

    def _refuse(self, *given: Any) -> Any:
        raise self._computed("arithmetic on data in a general register")

    def _computed(self, what: str) -> Undecided:
        return undecided(
            self.table, self.data, f"{what}: integers are concrete, data only moves through general registers"
        )

    def _of(self, data: tuple[int, ...]) -> Any:
        """Return a word, or an integer if all bytes are constant."""
        if max(data) >= 0:
            return Word(data, self.table)
        return int.from_bytes(bytes([-1 - byte for byte in data]), "little")

    __add__ = __radd__ = __sub__ = __rsub__ = __neg__ = __invert__ = __rlshift__ = __rrshift__ = __mod__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __index__ = __int__ = __bool__ = _refuse
    __eq__ = __ne__ = _refuse
    __hash__ = object.__hash__

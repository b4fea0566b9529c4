"""Data in general registers: it may be moved, cut and joined by whole bytes; nothing may be computed with it."""

from __future__ import annotations

from typing import Any

from .values import Undecided

_ZERO = -1


class Word:
    """An unsigned integer whose bytes are symbolic."""

    __slots__ = ("data",)

    def __init__(self, data: tuple[int, ...]) -> None:
        self.data = data

    def bytes(self, size: int) -> list[int]:
        """The lowest bytes."""
        return [*self.data[:size], *[_ZERO] * (size - len(self.data))]

    def __and__(self, mask: Any) -> Word:
        if not isinstance(mask, int):
            raise _computed("AND of data")
        result = []
        for at, byte in enumerate(self.data):
            bits = mask >> 8 * at & 0xFF
            if bits not in (0, 0xFF):
                raise _computed("AND of data with bits that are no whole bytes")
            result.append(byte if bits else _ZERO)
        return Word(tuple(result))

    __rand__ = __and__

    def __or__(self, other: Any) -> Word:
        size = max(len(self.data), len(other.data) if isinstance(other, Word) else (other.bit_length() + 7) // 8)
        mine = self.bytes(size)
        theirs = other.bytes(size) if isinstance(other, Word) else [-1 - b for b in other.to_bytes(size, "little")]
        if any(_ZERO not in pair for pair in zip(mine, theirs)):
            raise _computed("OR of data")
        return Word(tuple(b if a == _ZERO else a for a, b in zip(mine, theirs)))

    __ror__ = __or__

    def __lshift__(self, by: int) -> Word:
        if by % 8:
            raise _computed("a shift of data by bits")
        return Word((_ZERO,) * (by // 8) + self.data)

    def __rshift__(self, by: int) -> Word:
        if by % 8:
            raise _computed("a shift of data by bits")
        return Word(self.data[by // 8 :] or (_ZERO,))

    def _refuse(self, *given: Any) -> Any:
        raise _computed("arithmetic on data in a general register")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __xor__ = __rxor__ = __neg__ = __invert__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __index__ = __int__ = __bool__ = _refuse
    __eq__ = __ne__ = _refuse
    __hash__ = object.__hash__


def _computed(what: str) -> Undecided:
    return Undecided(f"{what}: integers are concrete, data only moves through general registers")

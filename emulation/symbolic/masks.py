"""Mask registers, and bits of general registers, that are conditions on data."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np

from .lanes import MASK, Lanes
from .values import Undecided


class Mask:
    """An integer whose bits are conditions on data; behind the last one they are zero."""

    __slots__ = ("lanes",)

    def __init__(self, lanes: Lanes) -> None:
        self.lanes = lanes

    def booleans(self, count: int) -> Lanes:
        """The lowest bits as elements."""
        raw = self.lanes.raw[:count]
        zeros = np.full((max(count - len(raw), 0), 1), -1, np.int64)
        return Lanes(np.concatenate([raw, zeros]), bool, self.lanes.table)

    def _with(self, other: Any, operation: Callable[..., Any]) -> Any:
        wide = len(other.lanes) if isinstance(other, Mask) else int(other).bit_length()
        count = max(len(self.lanes), wide) if operation is not np.bitwise_and else len(self.lanes)
        mine = self.booleans(count)
        if isinstance(other, Mask):
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
        """Twice itself, or a sum without carries."""
        if isinstance(other, Mask) and np.array_equal(other.lanes.raw, self.lanes.raw):
            return Mask(Lanes(np.concatenate([[[-1]], self.lanes.raw]), bool, self.lanes.table))
        common = self & other
        return self | other if isinstance(common, int) and not common else self._refuse()

    __rand__, __ror__, __rxor__, __radd__ = __and__, __or__, __xor__, __add__

    def __rshift__(self, by: int) -> Any:
        return Lanes(self.lanes.raw[by:], bool, self.lanes.table).as_number()

    def __eq__(self, other: Any) -> Any:
        """Whether it is a number, as a mask of one bit."""
        if not isinstance(other, int):
            return self._refuse()
        if other >> len(self.lanes):
            return False
        each = [self.lanes[at : at + 1] if other >> at & 1 else ~self.lanes[at : at + 1] for at in range(len(self.lanes))]
        found = reduce(np.bitwise_and, each)
        return bool(found.decided()[0]) if found.concrete() is not None else Mask(found)

    def _refuse(self, *given: Any) -> Any:
        raise Undecided("conditions on data in a mask register decide on an address, a count or a branch")

    __ne__ = __index__ = __int__ = __bool__ = __lshift__ = __invert__ = __gt__ = __lt__ = _refuse
    __hash__ = object.__hash__


MASK.append(Mask)

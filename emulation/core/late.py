"""Flags of which the values are found only when an instruction reads them, since reading decides the path of code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Late:
    """A flag as a function, which is called each time the flag is read."""

    __slots__ = ("read",)
    key = "flag"
    """Stands for any such flag where states are compared: registers that repeat more often than flags have values
    repeat without an end."""

    def __init__(self, read: Callable[[], bool]) -> None:
        self.read = read

    def __bool__(self) -> bool:
        return self.read()

    def __int__(self) -> int:
        return int(self.read())

    __index__ = __int__

    def __eq__(self, other: object) -> bool:
        return self is other or self.read() == bool(other)

    __hash__ = object.__hash__


def late(read: Callable[[], bool]) -> Any:
    """Return a flag whose value is found when it is read, in the place of a bool."""
    return Late(read)


def may_be(value: object) -> bool:
    """Whether a value is not zero, or may not be."""
    told = getattr(value, "may_be", None)
    return bool(value) if told is None else bool(told())


def is_late(value: object) -> bool:
    """Whether flags of this value must not be found before they are read."""
    return getattr(value, "late", False)

"""Extents: numbers of rows, columns or elements, or what stands for one that each call gives."""

from __future__ import annotations


class SymbolicExtent(int):
    """An extent that each call gives, and `more`.

    As a number it is the likely one, for which kernels are planned. It is printed by its name, and equals no number:
    matrices of 64 rows do not fit to those of an extent that is likely 64.
    """

    _fields = ("name", "likely", "more")
    name: str
    likely: int
    more: int

    def __new__(cls, name: str, likely: int, more: int = 0) -> SymbolicExtent:
        """Return the extent of this name, or one that is longer by `more`."""
        made = super().__new__(cls, likely + more)
        made.name, made.likely, made.more = name, likely, more
        return made

    def __add__(self, other: int) -> SymbolicExtent:
        return SymbolicExtent(self.name, self.likely, self.more + other)

    def __getnewargs__(self) -> tuple[str, int, int]:  # type: ignore[override]
        return self.name, self.likely, self.more

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SymbolicExtent) and self.__getnewargs__() == other.__getnewargs__()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.__getnewargs__())

    def __str__(self) -> str:
        return f"{self.name} + {self.more}" if self.more else self.name

    def __repr__(self) -> str:
        return f"ts.RUNTIME + {self.more}" if self.more else "ts.RUNTIME"

"""Extents: numbers of rows, columns or elements, or what stands for one that each call gives."""

from __future__ import annotations


class SymbolicExtent(int):
    """An extent that each call gives in whole groups of `group`, counted in groups, and `more`.

    As a number it is the likely one, for which kernels are planned. It is printed by its name, and equals no number:
    matrices of 64 rows do not fit to those of an extent that is likely 64.
    """

    _fields = ("name", "likely", "more", "group")
    name: str
    likely: int
    more: int
    group: int

    def __new__(cls, name: str, likely: int, more: int = 0, group: int = 1) -> SymbolicExtent:
        """Return the extent of this name, or one that is longer by `more`."""
        made = super().__new__(cls, likely // group + more)
        made.name, made.likely, made.more, made.group = name, likely, more, group
        return made

    def __add__(self, other: int) -> SymbolicExtent:
        return SymbolicExtent(self.name, self.likely, self.more + other, self.group)

    def __getnewargs__(self) -> tuple[str, int, int, int]:  # type: ignore[override]
        return self.name, self.likely, self.more, self.group

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SymbolicExtent) and self.__getnewargs__() == other.__getnewargs__()

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self.__getnewargs__())

    def __str__(self) -> str:
        groups = f"{self.name} / {self.group}" if self.group > 1 else self.name
        return f"{groups} + {self.more}" if self.more else groups

    def __repr__(self) -> str:
        return f"ts.RUNTIME + {self.more}" if self.more else "ts.RUNTIME"


def in_groups(extent: int, group: int) -> int:
    """Return the number of groups of so many that hold an extent; one of a call that has whole groups stays its own."""
    if isinstance(extent, SymbolicExtent):
        return SymbolicExtent(extent.name, extent.likely, extent.more, extent.group * group)
    return -(-extent // group)

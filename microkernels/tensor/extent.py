"""Extents: numbers of rows, columns or elements, or what stands for one that each call gives."""

from __future__ import annotations


class SymbolicExtent(int):
    """An extent that each call gives.

    As a number it is the likely one, for which kernels are planned. It is printed by its name, and equals no number:
    matrices of 64 rows do not fit to those of an extent that is likely 64.
    """

    _fields = ("name", "likely")
    name: str

    def __new__(cls, name: str, likely: int) -> SymbolicExtent:
        """Return the extent of this name."""
        made = super().__new__(cls, likely)
        made.name = name
        return made

    @property
    def likely(self) -> int:
        """The number for which kernels are planned."""
        return int(self)

    def __getnewargs__(self) -> tuple[str, int]:  # type: ignore[override]
        return self.name, self.likely

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SymbolicExtent) and (self.name, self.likely) == (other.name, other.likely)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((self.name, self.likely))

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return "ts.RUNTIME"

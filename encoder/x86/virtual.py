"""Virtual general registers of x86-64: values that lie in memory. microkernels/machines/spilled
has assemblers that take them."""

from __future__ import annotations

from functools import cache

from .registers import R8, R32, R64, Reg

REAL = {64: R64, 32: R32, 8: R8}
"""The general registers by their width."""


class Virtual(Reg):
    """A virtual register of 64 bits, or its lowest bits. No instruction encodes it."""

    __slots__ = ("number",)

    def __init__(self, number: int, width: int) -> None:
        super().__init__(f"value{number}" + f".{width}" * (width < 64), f"r{width}", 0, width)
        self.number = number
        self.code = ()  # whoever encodes it finds no bits


@cache
def virtual(number: int, width: int = 64) -> Virtual:
    """Return the virtual register of this number, one object. It is r64, or with another width its lowest bits."""
    return Virtual(number, width)


def lowest(register: Reg, width: int = 32) -> Reg:
    """Return the name of the lowest bits of a general register."""
    return virtual(register.number, width) if isinstance(register, Virtual) else REAL[width][register.num]

"""Virtual general registers of AArch64: values that lie in memory. `spilling` has the assembler that takes them."""

from __future__ import annotations

from functools import cache

from .operand import General
from .registers import W


class Virtual(General):
    """A virtual register of 64 bits (kind "x"), or its lowest 32 ("w"). No instruction encodes it."""

    __slots__ = ("number",)

    def __init__(self, number: int, kind: str) -> None:
        super().__init__(f"{kind}value{number}", kind, -1)
        self.number = number


@cache
def virtual(number: int, kind: str = "x") -> Virtual:
    """Return the virtual register of this number, one object."""
    return Virtual(number, kind)


def lowest(register: General) -> General:
    """Return the name of the lowest 32 bits of a general register."""
    return virtual(register.number, "w") if isinstance(register, Virtual) else W[register.num]

"""The lanes of the x86 vector machines: counts of elements with the instructions that process them."""

from __future__ import annotations

from typing import Any

from ....encoder.x86.registers import Reg
from ...contract.values import Lanes


class X86Lanes(Lanes):
    """`mask` is a k register, on AVX2 a vector register; None where a count of elements is moved without one.

    `ops` are the instructions of the type at the register's width (`Ops` or `Moves` of machines/x86/avx2.py).
    """

    __slots__ = ("mask", "ops")

    def __init__(self, dtype: str, count: int, capacity: int, mask: Reg | None, ops: Any) -> None:
        super().__init__(dtype, count, capacity)
        self.mask, self.ops = mask, ops

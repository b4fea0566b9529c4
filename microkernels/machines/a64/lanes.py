"""The lanes of the AArch64 vector machines: counts of elements, with views of the registers for their type."""

from __future__ import annotations

from typing import Any

from ...contract.vector_verbs import Lanes


class A64Lanes(Lanes):
    """`mask` is a predicate register of SVE and SME, and None on NEON. `ops` are views of the vector registers.

    On NEON these are the `NeonViews` of machines/a64/neon.py, on SVE and SME one view of each register.
    """

    __slots__ = ("mask", "ops")

    def __init__(self, dtype: str, count: int, capacity: int, mask: Any, ops: Any) -> None:
        super().__init__(dtype, count, capacity)
        self.mask, self.ops = mask, ops

"""Registers of an emulated AArch64 processor.

Vector registers are rows of one array of bytes, as long as an SVE vector; NEON sees the first sixteen and clears the
rest when it writes. Predicates are rows of booleans, one for each byte of a vector. General registers are integers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.late import is_late
from ..core.memory import Memory
from ..core.u64 import WORD, placed
from ..numerics.rounding import Environment
from ..numerics.sme import Matrix

Array = np.ndarray[Any, Any]

NEON_BYTES = 16


class A64State:
    """Registers and memory of one emulated processor. `vector_bytes` is the size of an SVE vector, 16 without SVE."""

    def __init__(self, memory: Memory, vector_bytes: int) -> None:
        self.memory = memory
        self.vector_bytes = vector_bytes
        self.x = [0] * 31  # from 0 to 2^64 - 1
        self.sp = 0
        self.left = WORD  # the value of sp before an access with write-back that raises it
        self.vectors: Array = np.zeros((32, vector_bytes), np.uint8)
        self.predicates: Array = np.zeros((16, vector_bytes), bool)
        self.ffr: Array = np.ones(vector_bytes, bool)
        self.n = self.z = self.c = self.v = False
        self.fpsr = 0
        self.za = Matrix(vector_bytes)
        self.exclusive: tuple[int, int, int] | None = None  # address, size and value of the last exclusive load
        self.tpidr_el0 = 0
        self.tpidr2_el0 = 0  # null: no caller waits for ZA to be saved
        self.set_fpcr(0)

    def set_fpcr(self, word: int) -> None:
        """Load the floating-point control register. If it is not known, nothing can compute before it is settled
        (symbolic/modes/)."""
        self.fpcr = word
        known = not is_late(word)
        self.env: Any = Environment.of_fpcr(word) if known else None
        self.half_env: Any = Environment.of_fpcr(word, half=True) if known else None

    def switch(self, streaming: bool | None, enabled: bool | None) -> None:
        """Switch streaming mode and ZA; None leaves it as it is. A change of the mode clears vectors and predicates."""
        if self.za.switch(streaming, enabled):
            self.vectors[:] = 0
            self.predicates[:] = False
            self.ffr[:] = False

    def stack_end(self) -> int:
        """Return the lower end of the stack. Nothing below it may be accessed."""
        return min(placed(self.sp), placed(self.left))

    @property
    def svcr(self) -> int:
        """Return SVCR: streaming mode in bit 0, ZA in bit 1."""
        return self.za.streaming | self.za.enabled << 1

    @property
    def nzcv(self) -> int:
        """Return the condition flags, N in bit 3."""
        return self.n << 3 | self.z << 2 | self.c << 1 | self.v

    @nzcv.setter
    def nzcv(self, word: int) -> None:
        self.n, self.z, self.c, self.v = (bool(word >> bit & 1) for bit in (3, 2, 1, 0))

    def row(self, number: int, dtype: Any, size: int) -> Array:
        """Return the lowest `size` bytes of a vector register as elements: a view, which stays valid."""
        row: Array = self.vectors[number, :size].view(dtype)
        return row

    def active(self, number: int, size: int) -> Array:
        """Return a predicate for elements of `size` bytes, as a view."""
        view: Array = self.predicates[number, ::size]
        return view

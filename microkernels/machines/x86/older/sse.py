"""SSE4.2 (Nehalem): 128 bits, two operands, no masks and no FMA.

The machine itself uses xmm0 to xmm2: for masks of blends, copies, and products that are then added.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

from .....encoder.asm import Assembler
from .....encoder.deferred import lazy
from .....encoder.features import Target
from .....encoder.x86.assembler import X86Assembler
from .....encoder.x86.registers import XMM
from ....contract.machine import Facts, Vector
from ....dtypes import ELEMENT_BYTES
from ..avx2 import shuffles_of, units_of
from ..core import X86Address, X86Lanes
from ..partial_moves import load_bytes
from .avx import REGISTERS, Avx
from .legacy import SseFace

if TYPE_CHECKING:
    from . import sse_selection

sse_selection = lazy(__package__, ".sse_selection")

_TEMPORARIES = 16 - REGISTERS
_PARTS = (4, 8, 16)  # sizes in bytes that one instruction moves


class SseFacts(Facts):
    """Facts of two-operand instructions: a product overwrites a factor, which is first copied if it is still needed."""

    def products(self, row_vectors: int, columns: int) -> int:
        """Count the copies too. A column's last row vector may destroy the element, and the last column the row
        vectors."""
        return super().products(row_vectors, columns) + (row_vectors - 1) * (columns - 1)

    def broadcast_instructions(self, element_bytes: int) -> int:
        """2 for movss and shufps, 1 for movddup."""
        return 2 if element_bytes == 4 else 1

    def copies(self, element_bytes: int) -> int:
        """2 for elements of 4 bytes, because movddup loads 8 bytes into both halves."""
        return 2 if element_bytes == 4 else 1


class Sse(Avx):
    """The verbs of AVX on xmm registers, on a face of the assembler."""

    name = "sse"
    temporary = 0

    def __init__(self, target: Target, asm: Assembler) -> None:
        super().__init__(target, asm)
        self.asm = cast(X86Assembler, SseFace(cast(X86Assembler, asm), self.temporary))
        self._free_vectors = list(range(15, _TEMPORARIES - 1, -1))

    @classmethod
    def facts_of(cls, target: Target) -> Facts:
        """Describe a machine with 128-bit registers only."""
        return SseFacts(
            target,
            REGISTERS,
            (128,),
            lambda: sse_selection.ARITHMETIC,
            shuffles_of,
            interleaved_rows=8,
            multiply_add=2,
            units_of=partial(units_of, cls),
        )

    def _has_own_moves(self, count: int, capacity: int, dtype: str) -> bool:
        """True: there are no masks, and elements are moved in pieces."""
        return True

    def load(self, dst: Vector, address: X86Address, lanes: X86Lanes) -> None:
        """Load three words in pieces."""
        if lanes.bytes in _PARTS or ELEMENT_BYTES[lanes.dtype] < 4:
            super().load(dst, address, lanes)
        else:
            load_bytes(self.asm, dst, address, lanes.bytes)

    def store(self, address: X86Address, src: Vector, lanes: X86Lanes) -> None:
        """Store three words in pieces."""
        if lanes.bytes in _PARTS or ELEMENT_BYTES[lanes.dtype] < 4:
            super().store(address, src, lanes)
        else:
            self._store_low(address, XMM[src], lanes.count, lanes.dtype)

    def twice(self, low: Vector, high: Vector, src: Vector) -> None:
        """Emit unpcklps and unpckhps of the register with itself."""
        real = self.asm.real  # type: ignore[attr-defined]
        real.movaps(XMM[low], XMM[src])
        real.unpcklps(XMM[low], XMM[low])
        real.movaps(XMM[high], XMM[src])
        real.unpckhps(XMM[high], XMM[high])

    def fma_column(
        self,
        accumulators: Sequence[Vector],
        row_vectors: Sequence[Vector],
        y: Vector,
        lanes: Sequence[X86Lanes],
        spent: bool,
    ) -> None:
        """Let the last product overwrite y and, if `spent`, the others their row vectors."""
        kind, real = ("ps", self.asm.real) if ELEMENT_BYTES[lanes[0].dtype] == 4 else ("pd", self.asm.real)  # type: ignore[attr-defined]
        multiply, add = getattr(real, f"mul{kind}"), getattr(real, f"add{kind}")
        last = len(row_vectors) - 1
        for first in range(0, last + 1, _TEMPORARIES):
            products = []
            for i in range(first, min(first + _TEMPORARIES, last + 1)):
                product, factor = XMM[row_vectors[i]], XMM[y]
                if i == last:
                    product, factor = factor, product
                elif not spent:
                    real.movaps(XMM[i - first], product)
                    product = XMM[i - first]
                multiply(product, factor)
                products.append(product)
            for acc, product in zip(accumulators[first:], products):
                add(XMM[acc], product)

"""AVX without AVX2 and FMA (Sandy Bridge, Ivy Bridge, Bulldozer): floats of 256 bits, integers in halves.

The machine itself uses the last three of the 16 registers: for products that are then added, and for the upper halves
of integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from .....encoder.asm import Assembler
from .....encoder.deferred import lazy
from .....encoder.features import Target
from .....encoder.x86.assembler import X86Assembler
from .....encoder.x86.registers import Mem
from ....contract.machine import Facts, Slot, Vector
from ..avx2 import Avx2, Avx2Facts, shuffles_of, units_of
from ..core import X86Lanes
from .halves import AvxFace

if TYPE_CHECKING:
    from . import avx_selection, exact_fma

avx_selection = lazy(__package__, ".avx_selection")
exact_fma = lazy(__package__, ".exact_fma")

REGISTERS = 13
_TEMPORARIES = 3


class Avx(Avx2):
    """The verbs of AVX2, on a face of the assembler that replaces missing instructions."""

    name = "avx"
    temporary = REGISTERS

    def __init__(self, target: Target, asm: Assembler) -> None:
        face = AvxFace(cast(X86Assembler, asm), self.temporary)
        super().__init__(target, cast(Assembler, face))

    @classmethod
    def facts_of(cls, target: Target) -> Facts:
        """Describe a machine whose multiply-add is two instructions, which round twice."""
        return Avx2Facts(
            target,
            REGISTERS,
            (256, 128),
            lambda: avx_selection.ARITHMETIC,
            shuffles_of,
            interleaved_rows=8,
            halves=True,
            multiply_add=2,
            units_of=partial(units_of, cls),
        )

    def fma_column(
        self,
        accumulators: Sequence[Vector],
        row_vectors: Sequence[Vector],
        y: Vector,
        lanes: Sequence[X86Lanes],
        spent: bool,
    ) -> None:
        """Emit three products, then their sums, because a sum waits for its product."""
        together = [*zip(accumulators, row_vectors, lanes)]
        for first in range(0, len(together), _TEMPORARIES):
            some = together[first : first + _TEMPORARIES]
            for number, (_, x, held) in enumerate(some):
                self.mul(self.temporary + number, x, y, held)
            for number, (acc, _, held) in enumerate(some):
                self.add(acc, acc, self.temporary + number, held)

    def fma_once(self, acc: Vector, x: Vector, y: Any, lanes: X86Lanes, spare: Sequence[Vector]) -> None:
        """Emit a product and a sum in f64. Without a spare register the product has at most 24 significant bits."""
        exact_fma.multiply_add(self, acc, (x, y, acc), lanes, spare[0] if spare else acc, to_odd=bool(spare))

    # Memory for spilled vectors

    def slots(self, count: int) -> tuple[list[Slot], list[Mem]]:
        """Claim `count` 64-bit words, to be released by `free_slots`."""
        slots = [self.slot() for _ in range(count)]
        return slots, [self._place(slot) for slot in slots]

    def free_slots(self, slots: Sequence[Slot]) -> None:
        """Release words whose values are no longer needed."""
        self._free_slots += reversed([slot.number for slot in slots])

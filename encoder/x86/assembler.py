"""The x86-64 assembler."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..asm import Assembler
from ..code import PADDING
from ..operands import Label, integer
from ..table import InstructionTable
from .grammar import expand, takes_numbers
from .registers import Reg, X86Operand
from .rows import ROWS

TABLE = InstructionTable(ROWS, expand, X86Operand, takes_numbers)

# Intel's recommended multi-byte nops (SDM vol. 2B, NOP): one instruction of each length.
_NOPS = tuple(
    bytes.fromhex(text)
    for text in (
        "",
        "90",
        "6690",
        "0f1f00",
        "0f1f4000",
        "0f1f440000",
        "660f1f440000",
        "0f1f8000000000",
        "0f1f840000000000",
        "660f1f840000000000",
    )
)


class X86Assembler(Assembler):
    """Appends x86-64 instructions: `asm.vaddps(zmm0, zmm1, zmm2)`."""

    arch, table, fill = "x86", TABLE, b"\xcc"

    def align(self, boundary: int) -> None:
        """Pad with nops up to a multiple of `boundary` bytes."""
        gap = self.gap(boundary)
        while gap:
            step = min(gap, 9)
            self.record.append((PADDING, (), _NOPS[step]))
            self.buffer += _NOPS[step]
            gap -= step

    @contextmanager
    def loop(self, counter: Reg, count: int | Reg | None = None, align: int = 0) -> Iterator[Label]:
        """Run the body `count` times, counting `counter` down to 0; None: the counter is already loaded, at least 1."""
        if count is not None:
            self.mov(counter, count)
        if integer(align, "alignment"):
            self.align(align)
        top = self.here()
        yield top
        self.dec(counter)
        self.jne(top)

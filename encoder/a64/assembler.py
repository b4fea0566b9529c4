"""The AArch64 assembler."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..asm import Assembler
from ..errors import EncodeError, shown
from ..operands import Label, integer
from ..table import InstructionTable
from .forms import expand, takes_numbers
from .immediates import chunks16
from .names import lsl
from .registers import General, Operand
from .rows import ROWS

_UNSCALED = {
    scaled: scaled[:2] + "u" + scaled[2:]
    for scaled in ("ldr", "ldrb", "ldrh", "ldrsb", "ldrsh", "ldrsw", "str", "strb", "strh")
}
TABLE = InstructionTable(ROWS, expand, Operand, takes_numbers, _UNSCALED)
WORD = 4  # bytes of an instruction


class A64Assembler(Assembler):
    """Appends AArch64 instructions: `asm.fmla(V[0].s4, V[1].s4, V[2].s[1])`; `b.ne` is `asm.b_ne`."""

    arch, table, fill = "a64", TABLE, b"\0"  # zeros encode udf #0

    def align(self, boundary: int) -> None:
        """Pad with nops up to a multiple of `boundary` bytes."""
        for _ in range(self.gap(boundary) // WORD):
            self.nop()

    def load_immediate(self, reg: General, value: int) -> None:
        """Put a number into a general register: movz or movn, then a movk for each further 16 bits."""
        if not isinstance(reg, General) or reg.kind not in ("x", "w"):
            raise EncodeError(f"{shown(reg)} is not a general register")
        exact, bits = integer(value, f"number for {reg}"), 64 if reg.kind == "x" else 32
        if not -(1 << bits - 1) <= exact < 1 << bits:
            raise EncodeError(f"{shown(exact)} does not fit {bits} bits, those of {reg}")
        for mnemonic, part, shift in chunks16(exact, bits):
            operands = (reg, part, lsl(shift)) if shift else (reg, part)
            getattr(self, mnemonic)(*operands)

    @contextmanager
    def loop(self, counter: General, count: int | General | None = None, align: int = 0) -> Iterator[Label]:
        """Run the body `count` times, counting `counter` down to 0; None: the counter is already loaded, at least 1."""
        if isinstance(count, Operand):
            self.mov(counter, count)
        elif count is not None:
            self.load_immediate(counter, integer(count, "count"))
        if integer(align, "alignment"):
            self.align(align)
        top = self.here()
        yield top
        self.subs(counter, counter, 1)
        self.b_ne(top)

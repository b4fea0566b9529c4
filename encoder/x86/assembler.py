"""The x86-64 assembler."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from struct import Struct
from typing import Any

from ..asm import Assembler
from ..code import PADDING, Recorded
from ..operands import Label, integer
from ..table import Table
from .grammar import expand, takes_numbers
from .registers import BYTES, Mem, Reg, X86Operand
from .rows import ROWS

TABLE = Table(ROWS, expand, X86Operand, takes_numbers)

# Intel's recommended multi-byte nops (SDM vol. 2B, NOP): one instruction each, by length.
_NOPS = tuple(
    bytes.fromhex(text)
    for text in ("", "90", "6690", "0f1f00", "0f1f4000", "0f1f440000", "660f1f440000", "0f1f8000000000",
                 "0f1f840000000000", "660f1f840000000000")
)  # fmt: skip


def _moved(mem: Mem, disp: int) -> Mem:
    """The operand with another displacement, made without the checks of all that is the same."""
    if not -0x8000_0000 <= disp <= 0x7FFF_FFFF:
        return mem.offset(disp - mem.disp)  # which is an error
    made: Mem = object.__new__(Mem)
    made.base, made.index, made.scale, made.disp = mem.base, mem.index, mem.scale, disp
    made.size, made.broadcast, made.label, made.mask = mem.size, mem.broadcast, mem.label, mem.mask
    made.rip, made.kind, made.rm, made.sib, made.code = mem.rip, mem.kind, mem.rm, mem.sib, mem.code
    return made


_DISP32 = Struct("<i").pack


class X86Pattern:
    """Instructions that were emitted, and where in their bytes displacements stand. One that keeps its length is put
    into the bytes; the others are encoded anew."""

    def __init__(self, asm: X86Assembler, recorded: list[Recorded], bases: Sequence[Reg]) -> None:
        self._asm = asm
        self._parts: list[tuple[int, Any, Any, int, Any, int, bytes, int, bytes]] = []
        run: list[Recorded] = []
        numbers = {id(base): number for number, base in enumerate(bases)}
        for each in recorded:
            form, operands, data = each
            place, size = form.displacement(operands) or (-1, 0)
            if place < 0 or id(operands[place].base) not in numbers:
                run.append(each)
                continue
            self._end_run(run)
            run = []
            mem, unit = operands[place], form.disp_unit
            behind = len(data) - form.behind_displacement
            self._parts.append((numbers[id(mem.base)], form, operands, place, mem, unit, data[: behind - size], size,
                                data[behind:]))  # fmt: skip
        self._end_run(run)

    def _end_run(self, run: list[Recorded]) -> None:
        if run:
            self._parts.append((-1, None, run, 0, None, 1, b"".join([data for _, _, data in run]), 0, b""))

    def append(self, distances: Sequence[int]) -> None:
        """Append them; each address lies so many bytes further from its base."""
        record, buffer = self._asm.output
        for number, form, operands, place, mem, unit, head, size, rest in self._parts:
            if number < 0:
                record += operands
                buffer += head
                continue
            disp = mem.disp + distances[number]
            quotient = disp // unit
            near = -128 <= quotient <= 127 and quotient * unit == disp
            operands = (*operands[:place], _moved(mem, disp), *operands[place + 1 :])
            if near and size == 1 and disp:
                data = head + BYTES[quotient] + rest
            elif size == 4 and not near:
                data = head + _DISP32(disp) + rest
            else:
                data = form.encode(operands)
            record.append((form, operands, data))
            buffer += data


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

    def pattern(self, emit: Callable[[], None], bases: Sequence[Reg]) -> X86Pattern | None:
        """None where instructions refer to labels, or have notes."""
        start, before = len(self.record), (len(self._fixups), len(self.notes), len(self.labels))
        emit()
        if before != (len(self._fixups), len(self.notes), len(self.labels)):
            return None
        return X86Pattern(self, self.record[start:], bases)

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

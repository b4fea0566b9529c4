"""Mutants of the bytes of a kernel: one flipped bit makes another instruction, or nothing takes its place."""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import Any, NamedTuple

from tilesmith.encoder.decode import decode


class Mutant(NamedTuple):
    """A flipped bit of an instruction, and the instruction's text before and after. `data`: what takes its place"""

    offset: int
    bit: int
    field: str
    before: str
    after: str
    data: bytes = b""

    def of(self, code: bytes) -> bytes:
        """Return the code with the bit flipped, or the instruction replaced."""
        made = bytearray(code)
        if self.data:
            made[self.offset : self.offset + len(self.data)] = self.data
            return bytes(made)
        made[self.offset + self.bit // 8] ^= 1 << self.bit % 8
        return bytes(made)


def mutants(kernel: Any, random: Random) -> list[Mutant]:
    """Return one random mutant for each field of each instruction."""
    code, arch = kernel.code, kernel.target.arch
    found: list[Mutant] = []
    for instruction in kernel._code.instructions:
        own = decode(code, instruction.offset, arch)
        if own is None or own.length != len(instruction.data):
            continue  # padding
        fields: dict[str, list[Mutant]] = defaultdict(list)
        for bit in range(8 * own.length):
            flip = Mutant(instruction.offset, bit, "", own.text, "")
            other = decode(flip.of(code), instruction.offset, arch)
            if other is not None and other.length == own.length:
                changed = field_of(own, other)
                fields[changed].append(flip._replace(field=changed.split(" ")[0], after=other.text))
        found += [random.choice(those) for those in fields.values()]
    return found


_NOTHING = {
    "x86": ("", "90", "6690", "0f1f00", "0f1f4000", "0f1f440000", "660f1f440000", "0f1f8000000000", "0f1f840000000000"),
    "a64": ("", "", "", "", "1f2003d5"),
}
"""The instruction of each length that does nothing."""


def dropped(kernel: Any) -> list[Mutant]:
    """Return the mutants in which nothing takes the place of an instruction."""
    code, arch, found = kernel.code, kernel.target.arch, list[Mutant]()
    for instruction in kernel._code.instructions:
        own = decode(code, instruction.offset, arch)
        if own is None or own.length != len(instruction.data):
            continue
        whole, rest = divmod(own.length, 8)
        data = bytes.fromhex(
            _NOTHING[arch][own.length] if own.length <= 8 else _NOTHING[arch][8] * whole + _NOTHING[arch][rest]
        )
        found.append(Mutant(instruction.offset, -1, "dropped", own.text, "nothing", data))
    return found


def field_of(own: Any, other: Any) -> str:
    """Return the part in which two instructions differ, with the operand's number if the part belongs to an operand."""
    if own.form is not other.form:
        return "opcode" if own.form.mnemonic != other.form.mnemonic else "form"
    for number, (a, b) in enumerate(zip(own.operands, other.operands)):
        if str(a) == str(b):
            continue
        if getattr(a, "mask", None) is not getattr(b, "mask", None) or str(a).split(" {")[0] == str(b).split(" {")[0]:
            return f"mask {number}"
        if isinstance(a, int) or type(a).__name__ == "Named":
            return f"immediate {number}"
        return f"{'address' if type(a).__name__ == 'Mem' else 'register'} {number}"
    return "ignored"

"""Mutants of the bytes of a kernel: one flipped bit turns an instruction into another one."""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import Any, NamedTuple

from tilesmith.encoder.decode import decode


class Mutant(NamedTuple):
    """A flipped bit of an instruction, and the instruction's text before and after."""

    offset: int
    bit: int
    field: str
    before: str
    after: str

    def of(self, code: bytes) -> bytes:
        """Return the code with the bit flipped."""
        made = bytearray(code)
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

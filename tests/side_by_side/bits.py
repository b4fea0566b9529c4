"""Mutants of the bytes of a kernel: one bit of an instruction is another, which makes another instruction."""

from __future__ import annotations

from collections import defaultdict
from random import Random
from typing import Any, NamedTuple

from tilesmith.encoder.decode import decode


class Mutant(NamedTuple):
    """One bit of an instruction."""

    offset: int
    bit: int
    field: str
    before: str
    after: str

    def of(self, code: bytes) -> bytes:
        """The code with it."""
        made = bytearray(code)
        made[self.offset + self.bit // 8] ^= 1 << self.bit % 8
        return bytes(made)


def mutants(kernel: Any, random: Random) -> list[Mutant]:
    """One for each field of each instruction."""
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
    """Which part of an instruction differs; of operands with their number."""
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

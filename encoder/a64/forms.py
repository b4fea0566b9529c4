"""From a row of the AArch64 table to forms, the ways to write an instruction.

A row's operands are in the manual's notation (notation.py), and its encoding is 32 bits of literals and named fields
(pattern.py). Each combination of the row's variables is a form: literal bits, and a slot for each operand. Operands
have role prefixes: `w:` written (the default of the first), `x:` read and written, `r:` read (the default of the
others). Roles concern the whole register, array or memory that an operand names, so an operand that keeps a part of
itself is read too. The registers of an address are read. Effects name nzcv, ffr, sp, x30, and everything that a change
of mode clears; the modes of FPCR and the cumulative flags of FPSR are not stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..errors import EncodeError, shown
from ..form import Names, Row
from ..operands import Label
from . import notation, pattern
from .addresses import AddressSlot
from .bit_fields import BitStart, BitWidth
from .slots import BranchTarget, FormSlot, Repeat, width

# features that GNU binutils 2.40 does not know; their instructions are written as .inst
UNKNOWN_TO_GNU = frozenset(("SME2", "SVE2p1", "SME2_OR_SVE2p1", "B16B16", "SME_B16B16", "SME_F16F16"))

_READ = re.compile(r"#|label|barrier|bti|svcr")  # first operands that are never written


class A64Form:
    """One way to write an instruction: literal bits, and a slot for each operand."""

    siblings: list[A64Form]  # every form of the mnemonic, in order of preference

    def __init__(
        self, row: Row, slots: list[FormSlot], access: str, mask: int, word: int, twice: bool, features: frozenset[str]
    ) -> None:
        self.mnemonic, self.row, self.slots, self.access = row.mnemonic, row, slots, access
        self.mask, self.word, self.features = mask, word, features
        self._twice = twice  # whether a field is in two places
        self._encoders = tuple(slot.encode for slot in slots)
        self._target = next((at for at, slot in enumerate(slots) if isinstance(slot, BranchTarget)), -1)
        self._checked = any(isinstance(slot, (Repeat, BitWidth, BitStart)) for slot in slots)
        self.apart = tuple(_apart(self.mnemonic, slots, access))

    def encode(self, operands: tuple[Any, ...]) -> bytes:
        """Return the bytes. Raises EncodeError if an operand does not fit."""
        word = self.word
        for encode, operand in zip(self._encoders, operands):
            word += encode(operand)
        if self._checked and not self._agree(word, operands) or self.apart and self._clash(operands):
            raise EncodeError(f"{self.mnemonic}: operands do not go together")
        return word.to_bytes(4, "little")

    def _agree(self, word: int, operands: tuple[Any, ...]) -> bool:
        """Whether operands that share bits of the word agree on them."""
        return all(slot.decode(word) == operand for slot, operand in zip(self.slots, operands))

    def _clash(self, operands: tuple[Any, ...]) -> str:
        """Return which operand must not be the same register as another. The architecture leaves the effect of equal
        registers open."""
        for first, second in self.apart:
            if _number(operands[first]) == _number(operands[second]):
                return f"{operands[second]!r} must not use {operands[first]!r}"
        return ""

    def clash_of(self, word: int) -> str:
        """Return which operands of a word must not be the same register, or "" if none are."""
        operands = tuple(slot.decode(word) for slot in self.slots) if self.apart else (None,)
        return "" if None in operands else self._clash(operands)

    def decode(self, word: int) -> tuple[Any, ...] | None:
        """Return the operands of a word; None if it is not of this form."""
        if word & self.mask != self.word:
            return None
        operands = tuple(slot.decode(word) for slot in self.slots)
        if None in operands or self._clash(operands):
            return None
        return None if self._twice and self.encode(operands) != word.to_bytes(4, "little") else operands

    def displacement(self, operands: tuple[Any, ...]) -> None:
        """None: no bytes hold only a displacement."""

    def relocates(self, operands: tuple[Any, ...]) -> bool:
        """Whether the bytes depend on the place of a label."""
        return self._target >= 0 and isinstance(operands[self._target], Label)

    def relocate(self, asm: Any, operands: tuple[Any, ...]) -> bytes:
        """Return the bytes for the assembler's position, and register a fixup for the label."""
        # encoded first, so that an operand that does not fit leaves no fixup
        data, start = self.encode(operands), len(asm.buffer)
        asm.fixup(operands[self._target], start, self.slots[self._target], start, 0)
        return data

    def accepts(self, operands: tuple[Any, ...]) -> bool:
        """Whether every operand fits."""
        return next(self.problems(operands), None) is None

    def problems(self, operands: tuple[Any, ...]) -> Iterator[str]:
        """Why the operands do not fit: one problem, with a name, for each operand that does not."""
        if len(operands) != len(self.slots):
            yield f"takes {len(self.slots)} operands, not {len(operands)}"
        found = False
        for operand, slot in zip(operands, self.slots):
            problem = slot.problem(operand)
            if problem:
                found = True
                yield f"{shown(operand)} {problem}"
        if found or len(operands) != len(self.slots):
            return
        if self._checked:
            yield from self._disagreements(operands)
        clash = self._clash(operands)
        if clash:
            yield clash

    def _disagreements(self, operands: tuple[Any, ...]) -> Iterator[str]:
        word = self.word + sum(encode(operand) for encode, operand in zip(self._encoders, operands))
        for slot, operand in zip(self.slots, operands):
            decoded = slot.decode(word)
            if decoded != operand:
                yield f"{shown(operand)} " + (f"must be {decoded!r} here" if decoded is not None else "reaches too far")

    def sizes(self) -> tuple[int, ...]:
        """Bits of memory that each operand accesses: never ambiguous here."""
        return (0,) * len(self.slots)

    def syntax(self) -> str:
        """The form in the manual's notation, with its feature."""
        features = f" [{', '.join(sorted(self.features))}]" if self.features else ""
        return f"{self.mnemonic} {', '.join(slot.text for slot in self.slots)}".strip() + features

    def text(self, operands: tuple[Any, ...], names: Names = str) -> str:
        """The instruction in Arm syntax as LLVM prints it. `names` returns the text of a label."""
        shown = (slot.show(operand, names) for slot, operand in zip(self.slots, operands))
        return f"{self.mnemonic} {', '.join(shown)}".strip()

    def gas(self, operands: tuple[Any, ...], data: bytes, names: Names = str) -> str:
        """The text from which GNU as makes exactly `data`."""
        text = self.text(operands, names)
        # GNU as leaves the distance of adrp to the linker
        if self.features & UNKNOWN_TO_GNU or self.mnemonic == "adrp":
            return f".inst {int.from_bytes(data, 'little'):#010x}  // {text}"
        # a distance; `.` is the address of this instruction
        if self._target >= 0 and isinstance(operands[self._target], int):
            return re.sub(r"#(-?\d+)$", r". + \1", text)
        return text


def _number(operand: Any) -> int:
    """The number of a general register or of a base; -1 for the stack pointer."""
    reg = getattr(operand, "base", operand)
    return -1 if reg.kind in ("sp", "wsp") else int(reg.num)


def _apart(mnemonic: str, slots: list[FormSlot], access: str) -> Iterator[tuple[int, int]]:
    """Yield the places of operands that must not name the same register.

    These are a base that is written back and the transferred registers, both registers of a load, and the status of an
    exclusive store and its other registers.
    """
    place, memory = next(((at, slot) for at, slot in enumerate(slots) if isinstance(slot, AddressSlot)), (0, None))
    if memory is not None and memory.mode:
        yield from ((at, place) for at in range(place) if slots[at].text[0] in "XW")
    if place == 2 and access[:2] == "ww":
        yield 0, 1
    if mnemonic.startswith("st") and access[:1] == "w":
        yield from ((0, at) for at in range(1, len(slots)))


def takes_numbers(row: Row) -> bool:
    """Whether an operand of a row may be a number: an immediate or the distance to a label."""
    return any(re.match(r"(\w:)?(#|label)", text) for text in notation.split_operands(row.operands))


def expand(row: Row) -> Iterator[A64Form]:
    """Every form of a row."""
    texts = notation.split_operands(row.operands) if row.operands else []
    defaults = ["r" if at or _READ.match(text) else "w" for at, text in enumerate(texts)]
    access = "".join(text[0] if text[1:2] == ":" else role for text, role in zip(texts, defaults))
    texts = [text[2:] if text[1:2] == ":" else text for text in texts]
    features = frozenset(row.features.split("+")) - {"-"}
    choices, bits = pattern.alternatives(row.encodings)
    for values, fixed in choices:
        where = pattern.symbols(bits, fixed)
        mask, word = pattern.literal(where)
        fields = pattern.fields(where)
        slots = notation.slots([substituted(text, values) for text in texts], fields.__getitem__)
        twice = any(field.mask.bit_count() > width(field) for field in fields.values())
        yield A64Form(row, slots, access, mask, word, twice, features)


def substituted(text: str, values: dict[str, str]) -> str:
    """Return a row's operand with its variables replaced: behind a dot (Vd.T), or as the file of a register (Rd,
    Fd)."""
    for name, value in values.items():
        if name[0].isupper():
            text = re.sub(rf"(?<=\.){name}\b", value, text)
            text = re.sub(rf"(?<![A-Za-z.]){name}(?=[a-z])", value, text)
            text = re.sub(rf"\b(ZA\w*?){name}\b", rf"\g<1>{value}", text)
    return text

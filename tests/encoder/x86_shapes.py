"""Shapes of x86-64 operands: the operands after a mnemonic, as our objects and as text for an assembler.

The universe is every combination of operand classes that some form of the table has. The assemblers tell which of these
a mnemonic accepts, so the answer is independent of the row that is checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from tests.encoder.draws import CONTROLS, TARGET, all_forms
from tilesmith.encoder.x86 import registers as regs
from tilesmith.encoder.x86 import syntax
from tilesmith.encoder.x86.classes import OperandClass, operand_class
from tilesmith.encoder.x86.forms import X86Form
from tilesmith.encoder.x86.registers import Mem, Reg, StaticRounding

BASE, INDEX = regs.R64[9], regs.R64[10]
HIGH = 16  # the first vector register that only EVEX encodes
_VECTORS = {"xmm": regs.XMM, "ymm": regs.YMM, "zmm": regs.ZMM}
_NUMBERS = (7, 6, 5, 8)  # general registers by position; no opcode implies them
_GENERAL = {"r64": regs.R64, "r32": regs.R32, "r16": regs.R16, "r8": regs.R8}
# Keyed by the number of bits. LLVM may take the 8-bit number for a rounding mode, and crashes on numbers above 3 there.
_IMMEDIATES = {8: 3, 16: 500, 32: 100_000, 64: 1 << 40}


class Shape(NamedTuple):
    """The operands of one instruction."""

    text: str
    operands: tuple[Any, ...]
    classes: tuple[str, ...]

    def under(self, mask: Reg, zeroing: bool = False) -> Shape:
        """Return the same shape with a mask on the first operand."""
        first = self.operands[0].kz(mask) if zeroing else self.operands[0].k(mask)
        text, comma, rest = self.text.partition(", ")
        text += f" {{{mask.name}}}{'{z}' if zeroing else ''}{comma}{rest}"
        return Shape(text, (first, *self.operands[1:]), self.classes)

    @property
    def maskable(self) -> bool:
        """Whether the first operand is of a kind that can have a mask."""
        first = self.operands[0] if self.operands else None
        return isinstance(first, Mem) or isinstance(first, Reg) and (first.file in _VECTORS or first.file == "k")


def shape_of(names: Sequence[str], control: str = "", high: bool = False, count_bits: int = 0) -> Shape:
    """Return the shape of operand classes; with `high`, vector registers are from the upper half, which only EVEX
    encodes."""
    classes = [operand_class(name, "", True, count_bits, False, 0) for name in names]
    operands = [_operand(wanted, position, high) for position, wanted in enumerate(classes)]
    texts = [syntax._operand(operand, wanted, str) for operand, wanted in zip(operands, classes)]
    if control:
        place = _control_place(classes)
        operands.insert(place, CONTROLS[control])
        texts.insert(place, repr(CONTROLS[control]))
    return Shape(", ".join(texts), tuple(operands), tuple(names))


def _control_place(classes: Sequence[OperandClass]) -> int:
    place = len(classes) - sum(c.kind in ("signed", "bits") for c in classes)
    return place - (classes[place - 1].file in ("r32", "r64"))


def _operand(wanted: OperandClass, position: int, high: bool) -> Any:
    if wanted.kind == "register":
        return _register(wanted, position, high)
    if wanted.kind == "gather":
        return Mem(BASE, 0, _VECTORS[f"{wanted.file}mm"][9 + HIGH * high])
    if wanted.touches_memory:
        index = INDEX if wanted.name == "sib" else None
        return Mem(BASE, 0, index, size=wanted.size, broadcast=wanted.count)
    if wanted.kind == "branch":
        return TARGET
    return 1 if wanted.kind == "one" else _IMMEDIATES[wanted.size]


def _register(wanted: OperandClass, position: int, high: bool) -> Reg:
    if wanted.file in regs.IMPLIED:
        return regs.REGISTERS[wanted.file]
    if wanted.file in _GENERAL:
        return _GENERAL[wanted.file][_NUMBERS[position]]
    if wanted.name == "pair":
        return regs.K[2]
    if wanted.file in _VECTORS:
        return _VECTORS[wanted.file][position + 1 + HIGH * high]
    return (regs.K if wanted.file == "k" else regs.TMM)[position + 1]


def shapes_of_form(form: X86Form) -> Iterator[Shape]:
    """Yield the shapes that a form should accept: with low vector registers, and with high ones."""
    bits = next((c.count * c.size for c in form.classes if c.kind == "broadcast"), 0)
    for high in (False, True):
        yield shape_of([c.name for c in form.classes], form.control, high, bits)


@cache
def universe() -> tuple[Shape, ...]:
    """Return every shape that some form of the table has; shapes with equal texts count once."""
    return tuple({shape.text: shape for form in all_forms() for shape in shapes_of_form(form)}.values())


def neighbours(forms: Iterable[X86Form]) -> list[Shape]:
    """Return the shapes of the universe that differ from one of these forms in at most one operand, or have one operand
    more or less.

    The quick checks try only these; a missing form usually differs from its neighbours in one operand.
    """
    found: dict[str, Shape] = {}
    for classes, controlled in {(tuple(c.name for c in form.classes), bool(form.control)) for form in forms}:
        for key in _patterns(classes):
            for shape in _by_pattern().get(key, ()):
                if not controlled or any(isinstance(o, StaticRounding) for o in shape.operands):
                    found[shape.text] = shape
    return list(found.values())


def _patterns(classes: tuple[str, ...]) -> set[tuple[str, ...]]:
    """Return the classes unchanged, and with each operand in turn replaced by a wildcard or left out."""
    replaced = {(*classes[:i], "*", *classes[i + 1 :]) for i in range(len(classes))}
    fewer = {(*classes[:i], *classes[i + 1 :]) for i in range(len(classes))}
    return {classes, *replaced, *fewer}


@cache
def _by_pattern() -> dict[tuple[str, ...], list[Shape]]:
    found: dict[tuple[str, ...], list[Shape]] = {}
    for shape in universe():
        for pattern in _patterns(shape.classes):
            found.setdefault(pattern, []).append(shape)
    return found

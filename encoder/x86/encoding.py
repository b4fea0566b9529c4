"""One encoding of one row at one length and operand size: its fields, and the operands that it accepts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from ..errors import shown
from ..form import Row
from .classes import OperandClass
from .registers import Mem, StaticRounding
from .words import EVEX


class Prefix:
    """The prefix part of an encoding, at one vector length or operand size."""

    __slots__ = ("encoding", "length", "pp", "map", "w", "w_ignored", "scalar", "legacy")

    def __init__(
        self,
        encoding: int,
        length: int,
        pp: str,
        map_: str,
        w: int,
        *,
        w_ignored: bool = False,
        scalar: bool = False,
        legacy: tuple[str, ...] = (),
    ) -> None:
        self.encoding, self.length, self.pp, self.map, self.w = encoding, length, pp, map_, w
        self.w_ignored = w_ignored  # the processor ignores W
        self.scalar = scalar  # the processor ignores the length field
        self.legacy = legacy  # prefix bytes of legacy instructions, in order: 66 F3


@cache
def _opcode(tail: str) -> tuple[bytes, bytes, bool, int, int]:
    """Parse the part of an encoding behind the prefix. Return the opcode, the opcode of the 32-bit form of a branch,
    whether a modrm byte follows, its digit, and the unit of disp8 if it is stated."""
    parts = tail.split()
    near = bytes.fromhex(parts[2]) if "or" in parts else b""
    modifier = next((part[1:] for part in parts if part[0] == "/"), None)
    unit = next((int(part[1:]) for part in parts[1:] if part[0] == "n"), 0)
    digit = int(modifier) if modifier is not None and modifier.isdigit() else 0
    return bytes.fromhex(parts[0]), near, modifier is not None, digit, unit


class Encoding:
    """One encoding of one row at one length and operand size."""

    siblings: list[Any]  # every form of the mnemonic, in order of preference

    def __init__(
        self,
        row: Row,
        classes: tuple[OperandClass, ...],
        roles: str,
        access: str,
        prefix: Prefix,
        tail: str,
        control: str,
        features: frozenset[str],
    ) -> None:
        self.mnemonic, self.row, self.classes, self.roles, self.access = row.mnemonic, row, classes, roles, access
        self.prefix, self.control, self.features = prefix, control, features
        self.opcode, self.near, self.modrm, self.digit, unit = _opcode(tail)
        self.disp_unit, self.modrm_base, self.gathers, self.checked = 1, self.digit << 3 | 0xC0, False, False
        for each in classes:
            if each.touches_memory:
                self.modrm_base = self.digit << 3
                self.gathers = each.kind == "gather"
                if prefix.encoding == EVEX:
                    self.disp_unit = unit or (0 if self.gathers else each.size // 8) or 1
            self.checked = self.checked or each.checked
        self.checked = self.checked or (self.gathers and classes[0].kind == "register")

    def accepts(self, operands: tuple[Any, ...]) -> bool:
        """Whether every operand fits."""
        if len(operands) != len(self.classes) + bool(self.control):
            return False
        if self.control or self.gathers or self.checked:
            return next(self.problems(operands), None) is None
        return all(map(OperandClass.takes, self.classes, operands))

    def problems(self, operands: tuple[Any, ...]) -> Iterator[str]:
        """Why the operands do not fit: one problem, with a name, for each operand that does not."""
        plain = tuple(operand for operand in operands if not isinstance(operand, StaticRounding))
        controls = [operand.kind for operand in operands if isinstance(operand, StaticRounding)]
        if len(plain) != len(self.classes):
            yield f"takes {len(self.classes)} operands, not {len(plain)}"
        if controls != [self.control][: bool(self.control)]:
            yield f"takes {{{self.control}}}" if self.control else "takes no rounding or sae operand"
        elif controls and any(isinstance(operand, StaticRounding) for operand in operands[: self.control_place]):
            yield f"{{{self.control}}} stands behind the vector registers"
        wrong = False
        for operand, wanted in zip(plain, self.classes):
            problem = wanted.problem(operand)
            if problem:
                wrong = True
                yield f"{shown(operand)} {problem}"
        unmasked = all(getattr(operand, "mask", None) is None for operand in plain)
        if self.gathers and self.prefix.encoding == EVEX and unmasked and operands:
            yield f"{shown(operands[0])} needs a mask, k1 to k7"
        if not wrong and len(plain) == len(self.classes) and any(c.distinct for c in self.classes):
            yield from self.conflicts(plain)

    def conflicts(self, plain: tuple[Any, ...]) -> Iterator[str]:
        """Yield violated rules that concern several operands, or that operand kinds do not determine. plain: operands
        without rounding."""
        for operand, wanted in zip(plain, self.classes):
            if wanted.checked and wanted.problem(operand):
                yield f"{operand!r} {wanted.problem(operand)}"
        if self.gathers and self.classes[0].kind == "register":
            numbers = [o.index.num if isinstance(o, Mem) and o.index else o.num for o in plain]
            if len(set(numbers)) < len(numbers):
                yield "the same vector register twice"
        for i, wanted in enumerate(self.classes):
            if not wanted.distinct:
                continue
            for j, other in enumerate(plain):
                same = getattr(other, "file", "") == plain[i].file and other.num == plain[i].num
                if i != j and same and (i < j or not self.classes[j].distinct):
                    yield f"{plain[i].name} must differ from the other operands"

    @property
    def control_place(self) -> int:
        """The first place where a rounding operand may be: before the immediates and a last general register."""
        place = len(self.classes) - self.roles.count("I")
        last = self.classes[place - 1]
        return place - (last.kind == "register" and last.file in ("r32", "r64"))

    def sizes(self) -> tuple[int, ...]:
        """Bits of the memory operand at each position (for a broadcast, of the vector that it fills); 0 for others."""
        sizes = [c.size * max(c.count, 1) if c.touches_memory else 0 for c in self.classes]
        return tuple(sizes) + (0,)  # a rounding operand may come in between, but never with memory

    def syntax(self) -> str:
        """The form in the manual's notation, with its feature."""
        classes = [repr(wanted) for wanted in self.classes]
        if self.control:
            classes.insert(self.control_place, f"{{{self.control}}}")
        features = f" [{', '.join(sorted(self.features))}]" if self.features else ""
        return f"{self.mnemonic} {', '.join(classes)}{features}"

"""Insert instructions into a kernel: an instruction becomes a jump to the end of the code, where it and others follow.

Detours(kernel).after(place, emit)      the code with what `emit` appends behind the instruction
Detours(kernel).instead(place, emit)    the code with it instead of the instruction
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.decode import decode
from tilesmith.encoder.x86.assembler import X86Assembler

Emit = Callable[[Any], None]
_JUMP = {"x86": 5, "a64": 4}
_ALIGNED = 64


class Place(NamedTuple):
    """An instruction of a kernel."""

    offset: int
    decoded: Any

    @property
    def end(self) -> int:
        return int(self.offset + self.decoded.length)


class Detours:
    """The places of a kernel where instructions can be inserted."""

    def __init__(self, kernel: Any) -> None:
        self.code, self.target = bytes(kernel.code), kernel.target
        self.arch = kernel.target.arch
        every = [
            Place(each.offset, found)
            for each in kernel._code.instructions
            if (found := decode(self.code, each.offset, self.arch)) is not None and found.length == len(each.data)
        ]
        self._next = {each.offset: each for each in every}
        self._targets = {target for each in every for target in _goes_to(each)}
        self.places = [each for each in every if self._moved(each)]

    def after(self, place: Place, emit: Emit) -> bytes:
        """Return the code with more instructions behind one."""
        return self._made(place, lambda asm: None, emit, kept=True)

    def before(self, place: Place, emit: Emit) -> bytes:
        """Return the code with more instructions before one."""
        return self._made(place, emit, lambda asm: None, kept=True)

    def instead(self, place: Place, emit: Emit) -> bytes:
        """Return the code with other instructions in the place of one."""
        return self._made(place, emit, lambda asm: None, kept=False)

    def _moved(self, place: Place) -> list[Place]:
        """Return the instructions whose bytes a jump overwrites, or [] if one of them cannot be moved."""
        found, at = list[Place](), place.offset
        while at - place.offset < _JUMP[self.arch]:
            each = self._next.get(at)
            if each is None or _is_bound(each) or (found and at in self._targets):
                return []
            found.append(each)
            at = each.end
        return found

    def _made(self, place: Place, before: Emit, after: Emit, kept: bool) -> bytes:
        moved, start = self._moved(place), -(-len(self.code) // _ALIGNED) * _ALIGNED
        asm: Any = (X86Assembler if self.arch == "x86" else A64Assembler)(self.target)
        before(asm)
        if kept:
            asm.buffer += self.code[place.offset : place.end]
        after(asm)
        asm.buffer += self.code[place.end : moved[-1].end]
        asm.buffer += self._jump(start + len(asm.buffer), moved[-1].end)
        jump = self._jump(place.offset, start)
        jump += (b"\x90" if self.arch == "x86" else b"") * (moved[-1].end - place.offset - len(jump))
        head = self.code[: place.offset] + jump + self.code[moved[-1].end :]
        return head.ljust(start, b"\xcc") + bytes(asm.finish("detour").data)

    def _jump(self, at: int, to: int) -> bytes:
        if self.arch == "x86":
            return b"\xe9" + (to - at - 5).to_bytes(4, "little", signed=True)
        return (0x14000000 | (to - at) // 4 & 0x3FFFFFF).to_bytes(4, "little")


def _goes_to(place: Place) -> list[int]:
    """Return the places that a branch goes to."""
    form, operands = place.decoded.form, place.decoded.operands
    if form.row.class_ != "branch":
        return []
    start = place.end if hasattr(form, "classes") else place.offset
    return [start + each for each in operands if isinstance(each, int)]


def _is_bound(place: Place) -> bool:
    """Whether an instruction depends on its own place: a branch, or an address relative to it."""
    form, operands = place.decoded.form, place.decoded.operands
    relative = any(getattr(each, "rip", False) for each in operands) or form.mnemonic in ("adr", "adrp")
    literal = not hasattr(form, "classes") and any(slot.text.startswith("label") for slot in form.slots)
    return form.row.class_ == "branch" or relative or literal

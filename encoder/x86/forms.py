"""The forms of x86-64: what encodes and prints one encoding of one row (rows to forms: grammar.py)."""

from __future__ import annotations

from typing import Any

from ..errors import EncodeError
from ..forks import cached_property
from ..form import Names
from ..operands import Label
from . import syntax
from .closures import Encoder, encoder
from .encoding import Encoding
from .registers import Mem


class X86Form(Encoding):
    """An encoding with the functions that are made of it."""

    siblings: list[X86Form]

    @cached_property
    def encode(self) -> Encoder:
        """The function from operands to bytes, made when the form is first used."""
        return encoder(self)

    def relocates(self, operands: tuple[Any, ...]) -> bool:
        """Whether the bytes depend on where a label is: branches, and memory relative to rip."""
        return "D" in self.roles or any(isinstance(o, Mem) and o.label is not None for o in operands)

    def relocate(self, asm: Any, operands: tuple[Any, ...]) -> bytes:
        """The bytes for the assembler's position, with a fixup for the label registered."""
        start = len(asm.buffer)
        if "D" in self.roles:
            return self._branch(asm, start, operands[0])
        data = self.encode(operands)
        behind = sum(c.size // 8 if role == "I" else role == "S" for c, role in zip(self.classes, self.roles))
        mem = next(o for o in operands if isinstance(o, Mem))
        end = start + len(data)
        asm.fixup(mem.label, end - behind - 4, 4, end, mem.disp)
        return data

    def _branch(self, asm: Any, start: int, target: Label | int) -> bytes:
        """The shortest encoding: 8 bits when the target is known and close (or has no other form), else 32."""
        short, near = (self.opcode, self.near) if self.classes[0].size == 8 else (b"", self.opcode)
        end = start + len(short) + 1
        offset = target.offset if isinstance(target, Label) else end + target
        reachable = offset is not None and -128 <= offset - end <= 127
        opcode, size = (short, 1) if short and (reachable or not near) else (near, 4)
        end = start + len(opcode) + size
        if isinstance(target, Label):
            asm.fixup(target, end - size, size, end, 0)
            return opcode + bytes(size)
        if not (near or reachable):
            raise EncodeError(f"{self.mnemonic} {target}: a distance that does not fit 8 bits, -128 to 127")
        return opcode + target.to_bytes(size, "little", signed=True)

    def text(self, operands: tuple[Any, ...], names: Names = str) -> str:
        """The instruction in Intel syntax as LLVM prints it; `names` gives the text of a label."""
        return syntax.intel(self, operands, names)

    def gas(self, operands: tuple[Any, ...], data: bytes, names: Names = str) -> str:
        """The text from which GNU as makes exactly `data`."""
        return syntax.gas(self, operands, data, names)

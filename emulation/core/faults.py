"""What can go wrong in an emulated call."""

from __future__ import annotations


class Fault(RuntimeError):
    """An instruction that could not be executed.

    reason      in words
    text        of the instruction, empty where the bytes are none
    offset      of the instruction in the code
    address     that it accessed, None where it accessed none
    name        of the operand beside that address
    outside     how many of the bytes it accessed are outside of all operands
    """

    def __init__(self, reason: str, text: str = "", offset: int = 0, address: int | None = None, name: str = "",
                 outside: int = 0) -> None:  # fmt: skip
        super().__init__(f"at {offset:#x}: {text}: {reason}" if text else f"at {offset:#x}: {reason}")
        self.reason, self.text, self.offset = reason, text, offset
        self.address, self.name, self.outside = address, name, outside


class TooLong(Fault):
    """A call was given up after as many instructions as its limit says."""


class Refusal(Exception):
    """Raised by an instruction that cannot be executed with what it has: the loop makes a Fault of it."""


class AbiViolation(RuntimeError):
    """The code returned without keeping the calling convention."""

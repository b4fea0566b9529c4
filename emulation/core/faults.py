"""The errors of an emulated call."""

from __future__ import annotations


class Fault(RuntimeError):
    """An instruction that could not be executed.

    reason      a description
    text        the instruction's text; empty if the bytes are not an instruction
    offset      the instruction's offset in the code
    address     the address that it accessed; None if it accessed none
    name        the name of the operand next to that address
    outside     how many of the accessed bytes are outside of all operands
    """

    def __init__(
        self, reason: str, text: str = "", offset: int = 0, address: int | None = None, name: str = "", outside: int = 0
    ) -> None:
        super().__init__(f"at {offset:#x}: {text}: {reason}" if text else f"at {offset:#x}: {reason}")
        self.reason, self.text, self.offset = reason, text, offset
        self.address, self.name, self.outside = address, name, outside


class TooLong(Fault):
    """A call was abandoned after the number of instructions in its limit."""


class CannotRun(Exception):
    """Raised by an instruction that cannot be executed in the current state. The main loop turns it into a Fault."""


class AbiViolation(RuntimeError):
    """The code returned without keeping the calling convention."""

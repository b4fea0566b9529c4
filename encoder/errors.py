"""The one exception class of the encoder, and the errors that remain Python's own.

Any value that a program passes to an instruction, a method of an assembler, an operand or its constructor, or to the
decoder, either works as documented or raises EncodeError, whatever its type and whatever was requested before. Python's
own errors remain in these cases:

TypeError       a wrong number of arguments, or a name that a function does not have; an operator whose left side is not
                an operand (`1.5 - rax`), or that operands do not have (`rax / 2`); an unhashable argument of
                `x86.registers.mem`, which looks its arguments up first
AttributeError  an instruction or attribute that does not exist
IndexError      a register that does not exist: `X[31]`

Functions that take a Code (`listing`, `elf`) expect the result of `finish`.
"""

from __future__ import annotations

from typing import Any

_LONGEST = 120  # most characters of a value in a message
_WIDEST = 256  # most bits of an integer that a message shows in full: Python refuses to print the longest ones


class EncodeError(ValueError):
    """An instruction, operand, label or target that cannot be encoded. The message names it, and what would work."""


class FarDisplacement(EncodeError):
    """A displacement that needs more bits than an instruction has."""


def shown(value: Any) -> str:
    """Return a value's text for messages: short, and for any object."""
    try:
        if isinstance(value, int) and value.bit_length() > _WIDEST:
            return f"an integer of {value.bit_length()} bits"
        name = f"({', '.join(map(shown, value))})" if type(value) is tuple else repr(value)
        return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 3]}..."
    except Exception:  # raised by a foreign __repr__, or for an integer inside it that is too long
        return f"an object of type {type(value).__name__}"


def raised_here(error: BaseException, below: str = "") -> bool:
    """Whether the function that catches the error raised it, or C code that it called, or itself a Python function
    named `below`: then it refuses something. An error of other Python code may have another reason: a signal handler
    can raise between any two steps."""
    traceback = error.__traceback__
    further = None if traceback is None else traceback.tb_next
    if further is None:
        return True
    return further.tb_next is None and further.tb_frame.f_code.co_name == below

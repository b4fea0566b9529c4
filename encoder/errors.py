"""The one exception class of the encoder room, and the errors that remain Python's own.

Any value that a program passes to an instruction, a method of an assembler, an operand or its constructor, or to the
decoder, either works as documented or raises EncodeError, whatever its type and whatever was requested before. Python's
own errors remain in these cases:

TypeError       a wrong number of arguments, or a name that a function does not have; an operator whose left side is not
                an operand (`1.5 * rax`), or that operands do not have (`rax / 2`); an unhashable argument of
                `x86.registers.mem`, which looks its arguments up first
AttributeError  an instruction or attribute that does not exist
IndexError      a register that does not exist: `X[31]`

Functions that take a Code (`listing`, `elf`) expect the result of `finish`.
"""


class EncodeError(ValueError):
    """An instruction, operand, label or target that cannot be encoded. The message names it, and what would work."""

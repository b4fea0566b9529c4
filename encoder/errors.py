"""The one exception class of the encoder room, and what is left to Python's own.

Whatever a program hands to an instruction, a method of an assembler, an operand or its constructor, or to the decoder,
either does what it says or raises EncodeError, whatever its type, and whatever was asked before. Python's own remain:

TypeError       a wrong number of arguments, or a name that a function does not have; an operator whose left side is no
                operand (`1.5 * rax`), or which operands do not have (`rax / 2`); what `hash` raises of an argument of
                `x86.registers.mem`, which looks them up first
AttributeError  an instruction or attribute that does not exist
IndexError      a register that does not exist: `X[31]`

What takes a Code (`listing`, `elf`) is given what `finish` returned.
"""


class EncodeError(ValueError):
    """An instruction, operand, label or target that cannot be encoded; the message names it and what would do."""

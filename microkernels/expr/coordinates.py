"""Inputs of an expression that are not in memory: the row and column of an element, and numbers given at the call.

They are 32-bit integers, with names that no operand can have.
"""

from __future__ import annotations

from ..errors import UnsupportedError
from .graph import Expr, apply, constant, multiply_add, operand, shift_right_logical, to_float
from .program import Program
from .program import number_word as number_word

ROW, COLUMN = "@row", "@column"


def row() -> Expr:
    """Return the row of the element, counted from the origin of the request; low 32 bits."""
    return operand(ROW, "i32")


def column() -> Expr:
    """Return the column of the element, counted in the same way."""
    return operand(COLUMN, "i32")


EXACT = 1 << 24
"""Whole numbers up to this one are exact in f32."""


def check_columns(program: Program, n: int) -> None:
    """Raise UnsupportedError if column numbers of n columns are rounded to f32, so that several have one number."""
    if n <= EXACT:
        return
    steps = program.steps
    rounded = (step.op == "to_float" and step.dtype == "f32" and steps[step.args[0]].value == COLUMN for step in steps)
    if any(rounded):
        raise UnsupportedError(
            "argmax, argmin and cross entropy compare column numbers in f32, which are exact up to "
            f'{EXACT} columns, not {n}; dtype="f64" takes more, and ts.reduce finds positions '
            "alone, as integers"
        )


def is_place(name: str) -> bool:
    """Whether an input of this name is not in memory."""
    return name in (ROW, COLUMN) or number_word(name) is not None


def number(name: str, word: int = 0) -> Expr:
    """Return a whole number given at the call, the same for all elements: its low 32 bits, or with word=1 the high
    ones."""
    return operand(f"@{name}.{word}", "i32")


def counted(name: str, dtype: str) -> Expr:
    """Return a whole number below 2^63, given at the call, as a float. It is rounded once if it is below 2^32."""
    low, high = number(name), number(name, 1)
    if dtype == "f64":
        low_word, high_word = (to_float(apply("low_word", word)) for word in (low, high))
        return multiply_add(high_word, constant(2.0**32, dtype), low_word)
    upper, lower = to_float(shift_right_logical(low, 16)), to_float(low & 0xFFFF)
    lower = multiply_add(upper, constant(2.0**16, dtype), lower)
    return multiply_add(to_float(high), constant(2.0**32, dtype), lower)

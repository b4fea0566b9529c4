"""Inputs of an expression that no memory holds: the row and column of an element, and numbers given at the call.

They are 32-bit integers, with names that no operand can have.
"""

from __future__ import annotations

from .graph import Expr, operand
from .program import number_word as number_word

ROW, COLUMN = "@row", "@column"


def row() -> Expr:
    """The row of the element, counted from the origin of the request; low 32 bits."""
    return operand(ROW, "i32")


def column() -> Expr:
    """The column of the element, counted in the same way."""
    return operand(COLUMN, "i32")


def number(name: str, word: int = 0) -> Expr:
    """A whole number given at the call, the same for all elements: its low 32 bits, or with word=1 the high ones."""
    return operand(f"@{name}.{word}", "i32")

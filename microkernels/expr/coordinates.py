"""Inputs of an expression that no memory holds: where an element is, and numbers that are given at the call.

They are 32-bit integers, with names that no operand can have.
"""

from __future__ import annotations

from .graph import Expr, operand

ROW, COLUMN = "@row", "@column"


def row() -> Expr:
    """The row of the element, from the origin that the kernel is asked for; low 32 bits."""
    return operand(ROW, "i32")


def column() -> Expr:
    """The column of the element, in the same way."""
    return operand(COLUMN, "i32")


def number(name: str, word: int = 0) -> Expr:
    """A whole number given at the call, the same for all elements: its low 32 bits, or with word=1 the high ones."""
    return operand(f"@{name}.{word}", "i32")


def number_word(name: str) -> tuple[str, int] | None:
    """(number, word) of an input that `number` made; None for others."""
    found, dot, word = name.removeprefix("@").rpartition(".")
    return (found, int(word)) if dot and name.startswith("@") else None

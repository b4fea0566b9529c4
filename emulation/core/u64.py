"""Integers as registers hold them: from 0 to 2^64 - 1."""

from __future__ import annotations

from typing import Any

import numpy as np

WORD = (1 << 64) - 1
"""A word with every bit set."""


def signed(value: int, bits: int) -> int:
    """Return an unsigned number of at most `bits` bits as a two's complement number."""
    if not isinstance(value, int) and (of := getattr(value, "signed", None)) is not None:  # symbolic
        number: int = of(bits)
        return number
    return value - (1 << bits) if value >> bits - 1 & 1 else value


def opaque(value: Any) -> bool:
    """Whether a value is symbolic data that no arithmetic can be done with. Words that a call gives are not: like an
    integer, they may be added, compared, masked and shifted, and what results stays symbolic until it decides."""
    return not isinstance(value, int) and not getattr(value, "computes", False)


def placed(value: object) -> int:
    """Return an address as it is in this execution. Symbolic data is none."""
    found: int = value if isinstance(value, int) else getattr(value, "placed")()  # noqa: B009
    return found


def integer(element: Any) -> int:
    """Return an element of an array as an integer. Symbolic data stays symbolic."""
    word = getattr(element, "as_word", None)
    held: int = int(element) if word is None else word()
    return held


def element(value: Any, dtype: Any) -> Any:
    """Return an array of one element. Symbolic data stays symbolic."""
    held = value if isinstance(value, int) else value.settled()
    return np.array([held], dtype) if isinstance(held, int) else held.element(dtype)


def filled(count: int, value: Any, dtype: Any) -> Any:
    """Return an array of `count` elements with the same integer value. Symbolic data stays symbolic."""
    return np.full(count, value, dtype) if isinstance(value, int) else value

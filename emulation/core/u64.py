"""Integers as registers hold them: from 0 to 2^64 - 1."""

from __future__ import annotations

from typing import Any

import numpy as np

WORD = (1 << 64) - 1
"""Every bit of a general register."""


def signed(value: int, bits: int) -> int:
    """The two's complement number of an unsigned one, which has no more than `bits`."""
    return value - (1 << bits) if value >> bits - 1 & 1 else value


def integer(element: Any) -> int:
    """An element of an array as an integer; data of a symbolic execution stays data."""
    word = getattr(element, "as_word", None)
    held: int = int(element) if word is None else word()
    return held


def filled(count: int, value: Any, dtype: Any) -> Any:
    """An array of `count` elements that are an integer; data of a symbolic execution stands for as many."""
    return np.full(count, value, dtype) if isinstance(value, int) else value

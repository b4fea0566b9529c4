"""Integers as registers hold them: from 0 to 2^64 - 1."""

from __future__ import annotations

WORD = (1 << 64) - 1
"""Every bit of a general register."""


def signed(value: int, bits: int) -> int:
    """The two's complement number of an unsigned one, which has no more than `bits`."""
    return value - (1 << bits) if value >> bits - 1 & 1 else value

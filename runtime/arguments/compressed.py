"""Compressed weights among the arguments of a product, told without importing what they are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def form_of(operands: Sequence[Any]) -> Any:
    """Return the form of the second operand, b, if it is compressed weights (runtime/compressed/weights.py), or
    None."""
    return getattr(operands[1], "compressed_form", None) if len(operands) > 1 else None

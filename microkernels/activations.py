"""Activations by name: expressions with their coefficients and contracts."""

from __future__ import annotations

from collections.abc import Callable

from .expr import Expr

ACTIVATIONS: dict[str, Callable[..., Expr]] = {}
"""Name -> function(operands, accuracy=)."""

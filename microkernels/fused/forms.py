"""Composites whose passes depend on the accuracy: which of two forms a kernel has is known when it is made.

A traced function does not know the accuracy that its kernel will have, so a composite that has two forms returns both
in one node. Elementwise kernels choose where functions are expanded, fused ones before they cut passes.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..expr.graph import Expr, call, rebuilt, with_args
from ..functions.activations import EITHER, either


def by_accuracy(accurate: Expr, otherwise: Expr) -> Expr:
    """The first under "accurate", the second under "standard" and "fast"."""
    return call(EITHER, accurate, otherwise)


def chosen_forms(results: Sequence[Expr], accuracy: str) -> tuple[Expr, ...]:
    """The same expressions with one form of each choice."""

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        if expr.op == "call" and expr.value[0] == EITHER:
            return either(*args, accuracy=accuracy)
        return with_args(expr, args)

    return rebuilt(results, change)

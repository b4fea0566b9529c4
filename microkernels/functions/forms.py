"""Composites that have two forms, one of them for accuracy="accurate".

A traced function does not know the accuracy of its kernel, so such a composite returns both forms in one node.
Elementwise kernels choose the form when functions are expanded, fused kernels before the passes are cut.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..expr.graph import Expr, call, rebuilt, with_args
from .accuracies import ACCURATE
from .double_word import NARROW

EITHER = "either"


def either(accurate: Expr, otherwise: Expr, *, accuracy: str, tables: int = 0) -> Expr:
    """Return the first of two forms for "accurate", else the second."""
    return accurate if accuracy in (ACCURATE, NARROW) else otherwise


def by_accuracy(accurate: Expr, otherwise: Expr) -> Expr:
    """Return a node that stands for the first form under "accurate", for the second otherwise."""
    return call(EITHER, accurate, otherwise)


def chosen_forms(results: Sequence[Expr], accuracy: str) -> tuple[Expr, ...]:
    """Replace every such node by the form for this accuracy."""

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        if expr.op == "call" and expr.value[0] == EITHER:
            return either(*args, accuracy=accuracy)
        return with_args(expr, args)

    return rebuilt(results, change)

"""A row of the table of ATen operators: how one becomes operators of the graph compiler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from ....graph.values import GraphValue

Lowered: TypeAlias = "GraphValue | tuple[GraphValue | None, ...]"
"""What a row makes: a value, or one for each result of the operator; None for a result that only torch can make."""


class Types(Enum):
    """The type to which the tensors of a call are converted first."""

    RESULT = "that of the result"
    WIDE = "that in which kernels compute the result's: f32 for bf16 and f16"
    COMMON = "their common type, by torch's promotion"
    KEPT = "none: each keeps its own"


@dataclass(frozen=True)
class AtenRow:
    """An ATen operator.

    lower   (lowering, *all arguments of the schema): makes nodes. Tensors are values of the graph, absent ones None
    types   the type to which tensors are converted first
    """

    lower: Callable[..., Lowered]
    types: Types = Types.RESULT


class CallRefused(Exception):
    """No nodes stand for this call of an ATen operator; the message is the reason."""

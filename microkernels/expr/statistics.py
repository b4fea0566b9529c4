"""Statistics of lines inside a traced function: the reduction of the elements of each column, or of each row.

    y = relu(c + bias)
    return y, Statistic("sum", y, 0), Statistic("sum", y * y, 0)

A statistic is a result and cannot be an operand, because it is complete only with the last element of its line.
"""

from __future__ import annotations

from typing import Any

from ...encoder.records import dataclass
from ..errors import UnsupportedError
from .graph import MASKS, Expr


@dataclass(frozen=True)
class Statistic:
    """A result of a traced function: a reduction of an expression over rows (axis 0) or over columns (axis 1)."""

    reduction: str
    expr: Expr
    axis: int


def statistic(reduction: str, expr: Expr, axis: Any) -> Statistic:
    """Return a statistic of numbers, which an epilogue may have as a result."""
    if isinstance(axis, bool) or axis not in (0, 1):
        raise UnsupportedError(
            f"{reduction}: axis must be 0 (one value per column) or 1 (one per row), "
            f"not {axis!r}; ts.reduce reduces all elements to one"
        )
    if expr.dtype in MASKS:
        raise UnsupportedError(f"{reduction}: takes numbers, not a mask; ts.select(mask, 1.0, 0.0) makes numbers of it")
    return Statistic(reduction, expr, int(axis))


def _no_operand(*operands: Any) -> Any:
    raise UnsupportedError(
        "a statistic must be a result, no operand of an expression, because it is "
        "complete only after the last element; pass it as a row or column to a "
        "second kernel, ts.equation"
    )


for _name in ("add", "sub", "mul", "truediv", "and", "or", "xor", "lt", "le", "gt", "ge", "neg", "abs"):
    for _way in (_name, f"r{_name}"):
        setattr(Statistic, f"__{_way}__", _no_operand)

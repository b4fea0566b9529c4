"""Columns by their numbers: that of the largest element, and the cross entropy of classes.

Labels are whole numbers, one a row. The logit of the label is the element whose column is the label: a comparison with
the number of the column, in the pass that adds the powers, where a load by an index would wait for the index.
"""

from __future__ import annotations

from ..expr.along import along
from ..expr.coordinates import column
from ..expr.graph import Expr, apply, call, constant, select, to_float
from .normalized import powers_and_total


def _columns(dtype: str) -> Expr:
    """The number of the column as a float, which holds every one up to 2^24."""
    return to_float(apply("low_word", column()) if dtype == "f64" else column())


def first_column(x: Expr, best: Expr) -> Expr:
    """The first column whose element is the best one of the row, or the first NaN where that is NaN."""
    return along("min", select((x == best) | (x != x), _columns(x.dtype), constant(float("inf"), x.dtype)))


def cross_entropy(x: Expr, labels: Expr) -> Expr:
    """log(sum e^(x - max x)) - (x of the label - max x), one value a row; 0 where the label is below 0.

    A label of n and more gives infinity.
    """
    shifted = x - along("max", x)
    here = along("max", select(_columns(x.dtype) == labels, shifted, constant(float("-inf"), x.dtype)))
    loss = call("log", along("sum", call("exp", shifted))) - here
    return select(labels < 0.0, constant(0.0, x.dtype), loss)


def cross_entropy_inv(g: Expr, x: Expr, labels: Expr) -> Expr:
    """The derivative: g (softmax(x) - (1 in the column of the label, else 0)), 0 in rows whose label is below 0."""
    powers, total = powers_and_total(x)
    scale = select(labels < 0.0, constant(0.0, x.dtype), g)
    there = select(_columns(x.dtype) == labels, constant(1.0, x.dtype), constant(0.0, x.dtype))
    return scale * (powers * (1.0 / total) - there)

"""Functions of column numbers: the column of the largest element, and cross entropy.

Labels are integers, one per row. The logit of the label is found by comparing column numbers with the label, in the
pass that adds the powers; an indexed load would have to wait for the label.
"""

from __future__ import annotations

from ..expr.along import along
from ..expr.coordinates import column
from ..expr.graph import Expr, apply, call, constant, fma_or_twice, select, to_float
from ..functions.power_parts import BELOW
from .normalized import powers_and_total


def columns_of(dtype: str) -> Expr:
    """Return the column number as a float, which is exact up to 2^24."""
    return to_float(apply("low_word", column()) if dtype == "f64" else column())


def first_column(x: Expr, best: Expr) -> Expr:
    """Return the first column whose element equals `best`, or the first NaN if `best` is NaN."""
    return along("min", select((x == best) | (x != x), columns_of(x.dtype), constant(float("inf"), x.dtype)))


def cross_entropy(x: Expr, labels: Expr, smoothing: float = 0.0) -> Expr:
    """log(sum e^(x - max x)) - (x[label] - max x) for each row, or 0 if the label is negative.

    A label of n or more gives infinity. smoothing: the share of the mean of x in place of x[label].
    """
    shifted = x - along("max", x)
    here = along("max", select(columns_of(x.dtype) == labels, shifted, constant(float("-inf"), x.dtype)))
    if smoothing:
        here = fma_or_twice(along("mean", shifted), smoothing, here * (1 - smoothing))
    loss = call("log", along("sum", call(BELOW, shifted))) - here
    return select(labels < 0.0, constant(0.0, x.dtype), loss)


def cross_entropy_inv(g: Expr, x: Expr, labels: Expr, smoothing: float = 0.0) -> Expr:
    """The derivative: g (softmax(x) - onehot(label)), or 0 in rows with a negative label.

    smoothing: the share of 1 / n in place of onehot(label)
    """
    powers, total = powers_and_total(x)
    scale = select(labels < 0.0, constant(0.0, x.dtype), g)
    there = select(columns_of(x.dtype) == labels, constant(1.0, x.dtype), constant(0.0, x.dtype))
    if smoothing:
        there = fma_or_twice(along("mean", there), smoothing, there * (1 - smoothing))
    return scale * (powers * (1.0 / total) - there)

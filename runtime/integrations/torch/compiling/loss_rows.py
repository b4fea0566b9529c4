"""ATen's elements by an index along an axis, and losses by labels, as operators of the graph compiler."""

from __future__ import annotations

from math import prod

import numpy as np

from ....graph.values import GraphValue
from .lowering import AtenLowering
from .rows import AtenRow, Lowered, Types

_I64 = np.dtype(np.int64)
_F32, _F64 = np.dtype(np.float32), np.dtype(np.float64)
_NONE, _MEAN, _SUM = range(3)
"""torch's numbers of reductions."""
_EXACT = 1 << 24
"""Up to this number f32 has all labels."""


def _picked(g: AtenLowering, x: GraphValue, axis: int, index: GraphValue) -> GraphValue:
    """Return the element of x that an index names along an axis, for each element of the index.

    What an index adds to the place of an element is gathered, too, from a table of the extent of the axis, so that an
    index outside of it is an IndexError, and no element of another row."""
    steps = [prod(x.shape[place + 1 :]) for place in range(len(x.shape))]
    along = g.constant(np.arange(x.shape[axis], dtype=_I64) * steps[axis])
    places = g("gather", along, g.cast(index, _I64), axis=0, negative=False)
    other = np.zeros((1,) * len(x.shape), _I64)
    for place, extent in enumerate(index.shape):
        if place != axis:
            shape = [extent if each == place else 1 for each in range(len(x.shape))]
            other = other + (np.arange(extent, dtype=_I64) * steps[place]).reshape(shape)
    if other.any():
        places = g("add", places, g.constant(other))
    return g("gather", g.reshaped(x, (-1,)), places, axis=0, negative=False)


def _gather(g: AtenLowering, x: GraphValue, dim: int, index: GraphValue, _: bool) -> Lowered:
    if not x.shape:
        return g.reshaped(_picked(g, g.reshaped(x, (1,)), 0, g.reshaped(index, (-1,))), index.shape)
    return _picked(g, x, g.axis(x, dim), index)


# Losses


def _wide(g: AtenLowering, x: GraphValue) -> GraphValue:
    return x if x.dtype == _F64 else g.cast(x, _F32)


def _rows(g: AtenLowering, x: GraphValue) -> GraphValue:
    """Return classes along the second axis, or the only one, as columns of a matrix."""
    if len(x.shape) <= 2:
        return g.reshaped(x, (-1, x.shape[-1]))
    order = (0, *range(2, len(x.shape)), 1)
    return g.reshaped(g.permuted(x, order), (-1, x.shape[1]))


def _labelled(
    g: AtenLowering, labels: GraphValue, weight: GraphValue | None, ignored: int, dtype: np.dtype
) -> tuple[GraphValue, GraphValue, GraphValue]:
    """Return a class for each row, whether its loss counts, and its weight: 0 where the label is the ignored one."""
    labels = g.reshaped(g.cast(labels, _I64), (-1,))
    counts = g("not_equal", labels, ignored)
    known = g("where", counts, labels, 0)
    if weight is None:
        return known, counts, g("where", counts, g.constant(np.ones((), dtype)), 0.0)
    return known, counts, g("where", counts, g("gather", g.cast(weight, dtype), known, axis=0, negative=False), 0.0)


def _is_label(g: AtenLowering, labels: GraphValue, classes: int, dtype: np.dtype) -> GraphValue:
    """Return where a column is the class of its row, computed in the type of the losses, so that one kernel makes it."""
    g.need(dtype == _F64 or classes <= _EXACT, f"more than {_EXACT} classes")
    return g("equal", g.reshaped(g.cast(labels, dtype), (-1, 1)), g.constant(np.arange(classes).astype(dtype)))


def _nll(
    g: AtenLowering, x: GraphValue, target: GraphValue, weight: GraphValue | None, reduction: int, ignored: int
) -> Lowered:
    rows = _wide(g, _rows(g, x))
    labels, counts, weights = _labelled(g, target, weight, ignored, rows.dtype)
    picked = g.reshaped(_picked(g, rows, 1, g.reshaped(labels, (-1, 1))), (-1,))
    losses = g("negative", g("where", counts, g("multiply", picked, weights), 0.0))
    if reduction == _NONE:
        return g.reshaped(losses, g.shapes[0]), g.full((), 0)
    total, counted = g.reduced("sum", losses, None), g.reduced("sum", weights, None)
    return g("divide", total, counted) if reduction == _MEAN else total, counted


def _nll_backward(
    g: AtenLowering,
    gradient: GraphValue,
    x: GraphValue,
    target: GraphValue,
    weight: GraphValue | None,
    reduction: int,
    ignored: int,
    counted: GraphValue,
) -> Lowered:
    dtype, axis = _F64 if x.dtype == _F64 else _F32, min(1, len(x.shape) - 1)
    classes, others = x.shape[axis], (*x.shape[:axis], *x.shape[axis + 1 :])
    labels, _, weights = _labelled(g, target, weight, ignored, dtype)
    each = g.cast(gradient, dtype)
    each = g("divide", each, g.cast(counted, dtype)) if reduction == _MEAN else each
    each = g("negative", g("multiply", weights, g.reshaped(each, (-1,))))
    made = g("where", _is_label(g, labels, classes, dtype), g.reshaped(each, (-1, 1)), 0.0)
    made = g.reshaped(made, (*others, classes))
    return g.permuted(made, (0, len(x.shape) - 1, *range(1, len(x.shape) - 1))) if len(x.shape) > 2 else made


# Cross entropy of this package


def _cross_entropy(g: AtenLowering, x: GraphValue, labels: GraphValue, ignored: int, smoothing: float) -> Lowered:
    made = g("log_softmax", _wide(g, x), axis=1)
    found, counts, _ = _labelled(g, labels, None, ignored, made.dtype)
    losses = g.reshaped(_picked(g, made, 1, g.reshaped(found, (-1, 1))), (-1,))
    if smoothing:
        others = g("multiply", g("mean", made, axes=(1,)), smoothing)
        losses = g("add", g("multiply", losses, 1 - smoothing), others)
    return g("where", counts, g("negative", losses), 0.0)


def _cross_entropy_backward(
    g: AtenLowering, gradient: GraphValue, x: GraphValue, labels: GraphValue, ignored: int, smoothing: float
) -> Lowered:
    shares = g("softmax", _wide(g, x), axis=1)
    dtype, classes = shares.dtype, x.shape[1]
    found, counts, weights = _labelled(g, labels, None, ignored, dtype)
    other = smoothing / classes
    wanted = g("where", _is_label(g, found, classes, dtype), g.constant(np.array(1 - smoothing + other, dtype)), other)
    each = g.reshaped(g("multiply", weights, g.cast(gradient, dtype)), (-1, 1))
    return g("where", g.reshaped(counts, (-1, 1)), g("multiply", g("subtract", shares, wanted), each), 0.0)


LOSSES: dict[str, AtenRow] = {
    "gather": AtenRow(_gather, Types.KEPT),
    **{name: AtenRow(_nll, Types.KEPT) for name in ("nll_loss_forward", "nll_loss2d_forward")},
    **{name: AtenRow(_nll_backward, Types.KEPT) for name in ("nll_loss_backward", "nll_loss2d_backward")},
}
CROSS_ENTROPY: dict[str, AtenRow] = {
    "cross_entropy": AtenRow(_cross_entropy, Types.KEPT),
    "cross_entropy_backward": AtenRow(_cross_entropy_backward, Types.KEPT),
}
"""Operators of this package."""

"""ATen's losses by labels as operators of the graph compiler.

A loss picks the element of a row by a comparison of the numbers of columns with the label, so that the kernel of the
softmax before it computes it, too. What no comparison sees, a label that is no class, is an IndexError of each call,
because a class has a weight, which is gathered.
"""

from __future__ import annotations

import numpy as np

from .....microkernels.expr.coordinates import EXACT
from ....graph.values import GraphValue
from .lowering import AtenLowering
from .rows import AtenRow, Lowered, Types

_I64 = np.dtype(np.int64)
_F32, _F64 = np.dtype(np.float32), np.dtype(np.float64)
_NONE, _MEAN, _SUM = range(3)
"""torch's numbers of reductions."""


def _wide(g: AtenLowering, x: GraphValue) -> GraphValue:
    return x if x.dtype == _F64 else g.cast(x, _F32)


def _rows(g: AtenLowering, x: GraphValue) -> GraphValue:
    """Return classes along the second axis, or the only one, as columns of a matrix."""
    if len(x.shape) <= 2:
        return g.reshaped(x, (-1, x.shape[-1]))
    order = (0, *range(2, len(x.shape)), 1)
    return g.reshaped(g.permuted(x, order), (-1, x.shape[1]))


def _labelled(
    g: AtenLowering, labels: GraphValue, weight: GraphValue | None, classes: int, ignored: int, dtype: np.dtype
) -> tuple[GraphValue, GraphValue, GraphValue]:
    """Return columns of whether the loss of a row counts and of its weight, 0 otherwise; and where a column is the
    class of its row. Weights have the type of the losses."""
    g.need(dtype == _F64 or classes <= EXACT, f"more than {EXACT} classes")
    labels = g.reshaped(g.cast(labels, _I64), (-1, 1))
    counts = g("not_equal", labels, ignored)
    known = g("where", counts, labels, 0)
    weights = g.constant(np.ones(classes, dtype)) if weight is None else g.cast(weight, dtype)
    weights = g("where", counts, g("gather", weights, known, axis=0, negative=False), 0.0)
    return counts, weights, g("equal", g.cast(known, dtype), g.constant(np.arange(classes).astype(dtype)))


def _picked(g: AtenLowering, rows: GraphValue, own: GraphValue) -> GraphValue:
    return g("sum", g("where", own, rows, 0.0), axes=(1,), keepdims=True)


def _nll(
    g: AtenLowering, x: GraphValue, target: GraphValue, weight: GraphValue | None, reduction: int, ignored: int
) -> Lowered:
    rows = _wide(g, _rows(g, x))
    counts, weights, own = _labelled(g, target, weight, rows.shape[1], ignored, rows.dtype)
    losses = g("negative", g("where", counts, g("multiply", _picked(g, rows, own), weights), 0.0))
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
    _, weights, own = _labelled(g, target, weight, classes, ignored, dtype)
    each = g.cast(gradient, dtype)
    each = g("divide", each, g.cast(counted, dtype)) if reduction == _MEAN else each
    each = g("negative", g("multiply", weights, g.reshaped(each, (-1, 1))))
    made = g.reshaped(g("where", own, each, 0.0), (*others, classes))
    return g.permuted(made, (0, len(x.shape) - 1, *range(1, len(x.shape) - 1))) if len(x.shape) > 2 else made


# Cross entropy of this package


def _cross_entropy(g: AtenLowering, x: GraphValue, labels: GraphValue, ignored: int, smoothing: float) -> Lowered:
    made = g("log_softmax", _wide(g, x), axis=1)
    counts, weights, own = _labelled(g, labels, None, x.shape[1], ignored, made.dtype)
    losses = g("multiply", _picked(g, made, own), g("multiply", weights, 1 - smoothing))
    if smoothing:
        losses = g("add", losses, g("multiply", g("mean", made, axes=(1,), keepdims=True), smoothing))
    return g.reshaped(g("negative", g("where", counts, losses, 0.0)), x.shape[:1])


def _cross_entropy_backward(
    g: AtenLowering, gradient: GraphValue, x: GraphValue, labels: GraphValue, ignored: int, smoothing: float
) -> Lowered:
    shares = g("softmax", _wide(g, x), axis=1)
    classes, dtype = x.shape[1], shares.dtype
    counts, weights, own = _labelled(g, labels, None, classes, ignored, dtype)
    other = smoothing / classes
    wanted = g("where", own, g.constant(np.array(1 - smoothing + other, dtype)), other)
    each = g("multiply", weights, g.reshaped(g.cast(gradient, dtype), (-1, 1)))
    return g("where", counts, g("multiply", g("subtract", shares, wanted), each), 0.0)


LOSSES: dict[str, AtenRow] = {
    **{name: AtenRow(_nll, Types.KEPT) for name in ("nll_loss_forward", "nll_loss2d_forward")},
    **{name: AtenRow(_nll_backward, Types.KEPT) for name in ("nll_loss_backward", "nll_loss2d_backward")},
}
CROSS_ENTROPY: dict[str, AtenRow] = {
    "cross_entropy": AtenRow(_cross_entropy, Types.KEPT),
    "cross_entropy_backward": AtenRow(_cross_entropy_backward, Types.KEPT),
}
"""Operators of this package."""

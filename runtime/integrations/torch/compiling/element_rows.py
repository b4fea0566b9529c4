"""ATen's elements and rows that indices name, as operators of the graph compiler."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....graph.values import GraphValue
from .lowering import AtenLowering
from .rows import AtenRow, Lowered, Types


def _gather(g: AtenLowering, x: GraphValue, dim: int, index: GraphValue, _: bool) -> Lowered:
    if not x.shape:
        x, index = g.reshaped(x, (1,)), g.reshaped(index, (-1,))
    return g.reshaped(g("gather_elements", x, index, axis=g.axis(x, dim)), g.shapes[0])


def _wide(g: AtenLowering, x: GraphValue, add: bool) -> GraphValue:
    """Return x in a type whose sums kernels add up."""
    g.need(not add or x.dtype.kind not in "iub", f"sums of {x.dtype}")
    return g.cast(x, np.dtype("f4")) if add and x.dtype.itemsize <= 2 else x


def _scatter(add: bool) -> AtenRow:
    """Return the row of a tensor with values, or their sums, where an index names elements along an axis."""

    def lower(g: AtenLowering, x: GraphValue, dim: int, index: GraphValue, source: GraphValue | float) -> Lowered:
        if not x.shape:
            x, index = g.reshaped(x, (1,)), g.reshaped(index, (-1,))
        if isinstance(source, (bool, int, float)):
            source = g.full(index.shape, source, x.dtype)
        source = g.reshaped(source, (1,)) if not source.shape else source
        for axis, extent in enumerate(index.shape):
            source = g.part(source, axis, 0, extent)
        wide, values = _wide(g, x, add), g.cast(_wide(g, source, add), _wide(g, x, add).dtype)
        return g.reshaped(g("scatter_elements", wide, index, values, axis=g.axis(x, dim), add=add), g.shapes[0])

    return AtenRow(lower, Types.KEPT)


def _written(
    g: AtenLowering, x: GraphValue, axis: int, index: GraphValue, values: GraphValue, add: bool, negative: bool
) -> GraphValue:
    """Return x with slices along an axis that an index names written, or added to. negative: whether an index may count
    from the end."""
    order = (axis, *(each for each in range(len(x.shape)) if each != axis))
    turned, values = g.permuted(_wide(g, x, add), order), _wide(g, values, add)
    index = g.cast(index, np.dtype("i8"))
    if negative:
        index = g("where", g("less", index, 0), g("add", index, x.shape[axis]), index)
    values = g.broadcast(g.cast(values, turned.dtype), (*index.shape, *turned.shape[1:]))
    made = g("scatter", turned, index, values, add=add)
    return g.permuted(made, [order.index(each) for each in range(len(order))])


def _index_put(
    g: AtenLowering, x: GraphValue, indices: Sequence[GraphValue | None], values: GraphValue, add: bool, *_: object
) -> Lowered:
    index = indices[0] if len(indices) == 1 else None
    if index is None or index.dtype.kind not in "iu":
        g.refuse("a mask as an index" if index is not None else "indices of several axes")
    assert index is not None
    return _written(g, x, 0, index, values, add, negative=True)


def _along(g: AtenLowering, x: GraphValue, dim: int, index: GraphValue, source: GraphValue, add: bool) -> Lowered:
    """Return x with the slices of a source written, or added, along an axis."""
    if not x.shape:
        x, source = (g.reshaped(each, (1,)) for each in (x, source))
    axis, index = g.axis(x, dim), g.reshaped(index, (-1,))
    source = source if source.shape else g.reshaped(source, (1,) * len(x.shape))
    order = (axis, *(each for each in range(len(x.shape)) if each != axis))
    return g.reshaped(_written(g, x, axis, index, g.permuted(source, order), add, negative=False), g.shapes[0])


def _filled(g: AtenLowering, x: GraphValue, dim: int, index: GraphValue, value: GraphValue | float) -> Lowered:
    value = g.full((), value, x.dtype) if isinstance(value, (bool, int, float)) else value
    return _along(g, x, dim, index, value, False)


def _index_add(
    g: AtenLowering, x: GraphValue, dim: int, index: GraphValue, source: GraphValue, alpha: float
) -> Lowered:
    scaled = g.scaled(_wide(g, source, True), alpha)
    assert isinstance(scaled, GraphValue)
    return _along(g, x, dim, index, scaled, True)


def _running(extremum: str) -> AtenRow:
    """Return the row of the largest or smallest element so far along an axis, and its position."""

    def lower(g: AtenLowering, x: GraphValue, dim: int) -> Lowered:
        if not x.shape:
            return x, g.full((), 0, np.dtype("i8"))
        g.need(x.dtype != np.bool_, "running extrema of booleans")
        axis = g.axis(x, dim)
        return g(extremum, x, axis=axis), g(f"arg{extremum}", x, axis=axis)

    return AtenRow(lower, Types.KEPT)


ELEMENTS: dict[str, AtenRow] = {
    "gather": AtenRow(_gather, Types.KEPT),
    "scatter.src": _scatter(False),
    "scatter.value": _scatter(False),
    "scatter_add": _scatter(True),
    "index_put": AtenRow(_index_put, Types.KEPT),
    "_unsafe_index_put": AtenRow(_index_put, Types.KEPT),
    "index_add": AtenRow(_index_add, Types.KEPT),
    "index_copy": AtenRow(lambda g, x, dim, index, source: _along(g, x, dim, index, source, False), Types.KEPT),
    **{f"index_fill.int_{kind}": AtenRow(_filled, Types.KEPT) for kind in ("Scalar", "Tensor")},
    "cummax": _running("cummax"),
    "cummin": _running("cummin"),
}

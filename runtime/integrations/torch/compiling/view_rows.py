"""ATen's operators that move elements: views, slices, joined and padded tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....graph.values import GraphValue
from .lowering import AtenLowering
from .rows import AtenRow, Lowered, Types


def _squeezed(g: AtenLowering, x: GraphValue, *_: object) -> Lowered:
    """Return x in the shape of the result: squeezed, unsqueezed and flattened tensors keep the order of elements."""
    return g.reshaped(x, g.shapes[0])


def _transposed(g: AtenLowering, x: GraphValue, first: int, second: int) -> Lowered:
    if not x.shape:
        return x
    order = list(range(len(x.shape)))
    first, second = first % len(order), second % len(order)
    order[first], order[second] = order[second], order[first]
    return g.permuted(x, order)


def _bounds(extent: int, start: int | None, stop: int | None) -> tuple[int, int]:
    """Return where a slice begins and ends, as Python counts."""
    first, last, _ = slice(start, stop).indices(extent)
    return first, max(first, last)


def _sliced(g: AtenLowering, x: GraphValue, dim: int, start: int | None, stop: int | None, step: int) -> Lowered:
    axis = g.axis(x, dim)
    return g.part(x, axis, *_bounds(x.shape[axis], start, stop), step)


def _selected(g: AtenLowering, x: GraphValue, dim: int, index: int) -> Lowered:
    axis = g.axis(x, dim)
    index %= x.shape[axis]
    return g.reshaped(g.part(x, axis, index, index + 1), (*x.shape[:axis], *x.shape[axis + 1 :]))


def _split(g: AtenLowering, x: GraphValue, sizes: int | Sequence[int], dim: int) -> Lowered:
    axis = g.axis(x, dim)
    extent = x.shape[axis]
    if isinstance(sizes, int):
        sizes = [min(sizes, extent - start) for start in range(0, extent, max(sizes, 1))] or [extent]
    ends = np.cumsum(sizes).tolist()
    return tuple(g.part(x, axis, end - size, end) for size, end in zip(sizes, ends))


def _unbound(g: AtenLowering, x: GraphValue, dim: int) -> Lowered:
    axis = g.axis(x, dim)
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    return tuple(g.reshaped(g.part(x, axis, at, at + 1), shape) for at in range(x.shape[axis]))


def _joined(g: AtenLowering, tensors: Sequence[GraphValue], dim: int) -> Lowered:
    # torch leaves out tensors of shape (0,), whatever the shapes of the others
    given = [each for each in tensors if tuple(each.shape) != (0,)]
    if not given:
        return g.full((0,), 0)
    if len(given) == 1:
        return g.cast(given[0], g.result)
    return g("concatenate", *(g.cast(each, g.result) for each in given), axis=g.axis(given[0], dim))


def _padded(g: AtenLowering, x: GraphValue, pad: Sequence[int], value: float) -> Lowered:
    rank = len(x.shape)
    before, after = [0] * rank, [0] * rank
    for number in range(len(pad) // 2):
        before[rank - 1 - number], after[rank - 1 - number] = pad[2 * number : 2 * number + 2]
    for axis in range(rank):  # negative numbers cut elements off
        cut, end = max(0, -before[axis]), x.shape[axis] - max(0, -after[axis])
        x = g.part(x, axis, cut, end)
    return g.padded(x, [max(0, each) for each in before], [max(0, each) for each in after], value)


def _scattered(
    g: AtenLowering, x: GraphValue, source: GraphValue, dim: int, start: int | None, stop: int | None, step: int
) -> Lowered:
    """Return x with a slice in place of that of x."""
    axis = g.axis(x, dim)
    g.need(step == 1, "slices with gaps")
    first, last = _bounds(x.shape[axis], start, stop)
    if (first, last) == (0, x.shape[axis]):
        return source
    parts = [g.part(x, axis, 0, first)] if first else []
    parts.append(source)
    if last < x.shape[axis]:
        parts.append(g.part(x, axis, last, x.shape[axis]))
    return g("concatenate", *parts, axis=axis)


def _row_of(g: AtenLowering, x: GraphValue, axis: int) -> GraphValue:
    """Return x with a new axis of one element."""
    return g.reshaped(x, (*x.shape[:axis], 1, *x.shape[axis:]))


def _select_scattered(g: AtenLowering, x: GraphValue, source: GraphValue, dim: int, index: int) -> Lowered:
    axis = g.axis(x, dim)
    index %= x.shape[axis]
    return _scattered(g, x, _row_of(g, source, axis), axis, index, index + 1, 1)


def _slice_backward(
    g: AtenLowering, gradient: GraphValue, shape: Sequence[int], dim: int, start: int, stop: int, step: int
) -> Lowered:
    axis = dim % len(shape)
    g.need(step == 1, "slices with gaps")
    first, last = _bounds(shape[axis], start, stop)
    return g.piece(gradient, axis, first, shape[axis])


def _select_backward(g: AtenLowering, gradient: GraphValue, shape: Sequence[int], dim: int, index: int) -> Lowered:
    axis = dim % len(shape)
    index %= shape[axis]
    return _slice_backward(g, _row_of(g, gradient, axis), shape, axis, index, index + 1, 1)


def _repeated(g: AtenLowering, x: GraphValue, repeats: Sequence[int]) -> Lowered:
    shape = [1] * (len(repeats) - len(x.shape)) + list(x.shape)
    apart = [extent for pair in ((1, each) for each in shape) for extent in pair]
    wide = [extent for pair in zip(repeats, shape) for extent in pair]
    return g.reshaped(g.broadcast(g.reshaped(x, apart), wide), g.shapes[0])


def _rolled(g: AtenLowering, x: GraphValue, shifts: Sequence[int], dims: Sequence[int]) -> Lowered:
    if not dims:
        flat = g.reshaped(x, (-1,))
        return g.reshaped(_rolled(g, flat, shifts, [0]), x.shape)  # type: ignore[arg-type]
    for shift, dim in zip(shifts, dims):
        axis = g.axis(x, dim)
        extent = x.shape[axis]
        at = -shift % extent if extent else 0
        if at:
            x = g("concatenate", g.part(x, axis, at, extent), g.part(x, axis, 0, at), axis=axis)
    return x


def _triangle(g: AtenLowering, x: GraphValue, diagonal: int, lower: bool) -> Lowered:
    mask = np.tri(x.shape[-2], x.shape[-1], diagonal if lower else diagonal - 1, dtype=bool)
    kept = g.constant(mask if lower else ~mask)
    return g("logical_and", kept, x) if x.dtype == np.bool_ else g("where", kept, x, 0)


def _triangle_row(lower: bool) -> AtenRow:
    return AtenRow(lambda g, x, diagonal: _triangle(g, x, diagonal, lower), Types.KEPT)


VIEWS: dict[str, AtenRow] = {
    name: AtenRow(lower, Types.KEPT)
    for name, lower in (
        ("view", _squeezed),
        ("_unsafe_view", _squeezed),
        ("reshape", _squeezed),
        ("unsqueeze", _squeezed),
        ("squeeze", _squeezed),
        ("squeeze.dim", _squeezed),
        ("squeeze.dims", _squeezed),
        ("permute", lambda g, x, axes: g.permuted(x, axes)),
        ("t", lambda g, x: g.permuted(x, range(len(x.shape))[::-1])),
        ("transpose.int", _transposed),
        ("expand", lambda g, x, shape, implicit: g.broadcast(x, shape)),
        ("select.int", _selected),
        ("slice.Tensor", _sliced),
        ("split.Tensor", _split),
        ("split_with_sizes", _split),
        ("unbind.int", _unbound),
    )
}
"""Operators whose results are views of their first argument: torch's share its memory."""

MOVES: dict[str, AtenRow] = {
    "cat": AtenRow(_joined, Types.KEPT),
    "constant_pad_nd": AtenRow(_padded, Types.KEPT),
    "slice_scatter": AtenRow(_scattered),
    "select_scatter": AtenRow(_select_scattered),
    "slice_backward": AtenRow(_slice_backward, Types.KEPT),
    "select_backward": AtenRow(_select_backward, Types.KEPT),
    "repeat": AtenRow(_repeated, Types.KEPT),
    "roll": AtenRow(_rolled, Types.KEPT),
    "flip": AtenRow(lambda g, x, axes: g("flip", x, axes=g.axes(x, axes)) if axes and x.shape else x, Types.KEPT),
    "tril": _triangle_row(True),
    "triu": _triangle_row(False),
}

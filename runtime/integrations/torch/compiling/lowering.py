"""What the rows of the table call to make nodes: `g("add", x, y)`, and helpers that several rows share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from ....graph.builder import GraphBuilder
from ....graph.values import GraphValue
from .dtypes import numpy_dtype
from .rows import CallRefused


class SlicePieces(NamedTuple):
    """Where the elements along an axis of a value come from that is 0 elsewhere: gradients of slices."""

    axis: int
    values: tuple[tuple[int, GraphValue], ...]


class AtenLowering:
    """Makes nodes of a graph. `result` is the type of the operator's first result, `shapes` its results' shapes."""

    def __init__(self, builder: GraphBuilder) -> None:
        self.builder = builder
        self.result = np.dtype("f4")
        self.shapes: tuple[tuple[int, ...], ...] = ()
        self._pieces: dict[GraphValue, SlicePieces] = {}

    def __call__(self, operator: str, *values: GraphValue | float | None, **attributes: object) -> GraphValue:
        """Return the result of a node."""
        made: GraphValue = self.builder.apply(operator, *values, **attributes)
        return made

    def several(self, operator: str, *values: GraphValue | None, **attributes: object) -> tuple[GraphValue, ...]:
        """Return the results of a node that has several."""
        made = self.builder.apply(operator, *values, **attributes)
        return made if isinstance(made, tuple) else (made,)

    def refuse(self, reason: str) -> None:
        """Raise what leaves the call to torch."""
        raise CallRefused(reason)

    def need(self, condition: bool, reason: str) -> None:
        """Leave the call to torch, with a reason, unless a condition holds."""
        if not condition:
            raise CallRefused(reason)

    # Types

    def cast(self, x: GraphValue, dtype: np.dtype | torch.dtype | None) -> GraphValue:
        """Return x in another type; floats become integers by truncation, and booleans by comparison with 0."""
        wanted = numpy_dtype(dtype) if isinstance(dtype, torch.dtype) else dtype
        if wanted is None or x.dtype == wanted:
            return x
        if wanted == np.bool_:
            return self("not_equal", x, 0)
        if wanted.kind in "iu" and x.dtype.kind not in "iub":
            x = self("trunc", x)
        return self("cast", x, dtype=wanted)

    def truth(self, x: GraphValue) -> GraphValue:
        """Return x as booleans."""
        return self.cast(x, np.dtype(bool))

    # Arithmetic

    def scaled(self, x: GraphValue | float, factor: float) -> GraphValue | float:
        """Return factor * x."""
        if factor == 1:
            return x
        return x * factor if isinstance(x, (int, float)) else self("multiply", x, factor)

    def between(self, x: GraphValue, low: float, high: float) -> GraphValue:
        """Return where low < x < high."""
        return self("logical_and", self("greater", x, low), self("less", x, high))

    def clipped(self, x: GraphValue, low: GraphValue | float | None, high: GraphValue | float | None) -> GraphValue:
        """Return x between two bounds, of which one may be absent."""
        if low is not None:
            x = self("maximum", x, low)
        return x if high is None else self("minimum", x, high)

    # Shapes

    def axes(self, x: GraphValue, dims: int | Sequence[int] | None) -> tuple[int, ...]:
        """Return the axes of x that numbers from either end name, in order; all axes if there are none."""
        rank = len(x.shape)
        named = [dims] if isinstance(dims, int) else list(dims or range(rank))
        return tuple(sorted({each % rank for each in named})) if rank else ()

    def axis(self, x: GraphValue, dim: int) -> int:
        """Return the axis of x that a number from either end names."""
        return dim % len(x.shape)

    def count(self, x: GraphValue, axes: Sequence[int]) -> int:
        """Return the number of elements along axes."""
        return math.prod(x.shape[axis] for axis in axes)

    def reshaped(self, x: GraphValue, shape: Sequence[int]) -> GraphValue:
        """Return x in another shape, of which one extent may be -1."""
        wanted = list(shape)
        if -1 in wanted:
            rest = math.prod(each for each in wanted if each != -1)
            wanted[wanted.index(-1)] = math.prod(x.shape) // rest if rest else 0
        return x if tuple(x.shape) == tuple(wanted) else self("reshape", x, shape=tuple(wanted))

    def permuted(self, x: GraphValue, axes: Sequence[int]) -> GraphValue:
        """Return x with its axes in another order."""
        order = tuple(each % len(x.shape) for each in axes)
        return x if order == tuple(range(len(order))) else self("permute", x, axes=order)

    def broadcast(self, x: GraphValue, shape: Sequence[int]) -> GraphValue:
        """Return x repeated to a shape, in which -1 keeps an extent."""
        ahead = len(shape) - len(x.shape)
        wanted = tuple(x.shape[at - ahead] if each == -1 else each for at, each in enumerate(shape))
        return x if tuple(x.shape) == wanted else self("broadcast_to", x, shape=wanted)

    def part(self, x: GraphValue, axis: int, start: int, stop: int, step: int = 1) -> GraphValue:
        """Return a slice of x along one axis."""
        if (start, stop, step) == (0, x.shape[axis], 1):
            return x
        rank = range(len(x.shape))
        return self(
            "slice",
            x,
            starts=tuple(start if each == axis else 0 for each in rank),
            stops=tuple(stop if each == axis else x.shape[each] for each in rank),
            steps=tuple(step if each == axis else 1 for each in rank),
        )

    def padded(self, x: GraphValue, before: Sequence[int], after: Sequence[int], value: float = 0) -> GraphValue:
        """Return x with further elements around it."""
        if not any(before) and not any(after):
            return x
        return self("pad", x, before=tuple(before), after=tuple(after), value=value)

    def piece(self, x: GraphValue, axis: int, start: int, extent: int) -> GraphValue:
        """Return x with zeros before and after it along an axis, of so many elements in all."""
        return self._in_pieces(SlicePieces(axis, ((start, x),)), extent)

    def united(self, x: GraphValue, y: GraphValue) -> GraphValue | None:
        """Return x + y if both are gradients of slices that do not overlap: they are joined. None otherwise."""
        one, other = self._pieces.get(x), self._pieces.get(y)
        if one is None or other is None or one.axis != other.axis or x.shape != y.shape or x.dtype != y.dtype:
            return None
        values = tuple(sorted((*one.values, *other.values), key=lambda piece: piece[0]))
        ends = [start + each.shape[one.axis] for start, each in values]
        if any(end > start for end, (start, _) in zip(ends, values[1:])):
            return None
        return self._in_pieces(SlicePieces(one.axis, values), x.shape[one.axis])

    def _in_pieces(self, pieces: SlicePieces, extent: int) -> GraphValue:
        """Return gradients of slices one after the other, with zeros between them."""
        axis, joined, at = pieces.axis, list[GraphValue](), 0
        shape = pieces.values[0][1].shape

        def zeros(count: int) -> None:
            if count:
                joined.append(self.full((*shape[:axis], count, *shape[axis + 1 :]), 0, pieces.values[0][1].dtype))

        for start, each in pieces.values:
            zeros(start - at)
            joined.append(each)
            at = start + each.shape[axis]
        zeros(extent - at)
        made = joined[0] if len(joined) == 1 else self("concatenate", *joined, axis=axis)
        self._pieces[made] = pieces
        return made

    # Constants

    def constant(self, array: np.ndarray) -> GraphValue:
        """Return a value that is known."""
        made: GraphValue = self.builder.constant(array)
        return made

    def full(self, shape: Sequence[int], value: float, dtype: np.dtype | torch.dtype | None = None) -> GraphValue:
        """Return one number repeated to a shape."""
        kind = numpy_dtype(dtype) if isinstance(dtype, torch.dtype) else dtype or self.result
        return self.broadcast(self.constant(np.array(value).astype(kind)), shape)

    # Reductions

    def reduced(self, operator: str, x: GraphValue, dims: int | Sequence[int] | None, keep: bool = False) -> GraphValue:
        """Return a reduction along axes, along all if none are given."""
        axes = self.axes(x, dims)
        return self(operator, x, axes=axes, keepdims=keep) if axes else x

    def moments(
        self, x: GraphValue, dims: Sequence[int] | None, correction: float | None, keep: bool
    ) -> tuple[GraphValue, GraphValue]:
        """Return the variance and the mean along axes; the sum of squares is divided by their number of elements less
        the correction."""
        axes = self.axes(x, dims)
        self.need(bool(axes), "the variance of one element")
        freedom = max(0.0, self.count(x, axes) - (1.0 if correction is None else correction))
        self.need(freedom > 0, "a variance without a degree of freedom")
        mean = self("mean", x, axes=axes, keepdims=True)
        centred = self("subtract", x, mean)
        total = self("sum", self("multiply", centred, centred), axes=axes, keepdims=True)
        variance = self("multiply", total, 1 / freedom)
        if keep:
            return variance, mean
        shape = [extent for axis, extent in enumerate(x.shape) if axis not in axes]
        return self.reshaped(variance, shape), self.reshaped(mean, shape)

"""Random programs as people write them, and what numpy computes for them in f64, with bounds of the errors.

A bound is carried along: each operator adds the rounding of its own type, and passes on that of its operands by its
slope. The bounds are those of the functions' contracts (4 ulp) and of sums in any order (n ulp of the sum of
magnitudes); none is fitted to results.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, prod, sqrt

import numpy as np
from hypothesis import strategies as st

from tilesmith.runtime.graph.builder import GraphBuilder
from tilesmith.runtime.graph.values import GraphValue, TensorGraph

ULPS = 8
"""Roundings of a function or of a chain of few operations, in ulp."""


@dataclass
class Known:
    """What a value is: numbers in f64, and a bound of their error in a program whose type rounds by `ulp`."""

    value: GraphValue
    exact: np.ndarray
    error: np.ndarray


def _e(x):
    return np.asarray(x, np.float64)


class Program:
    """A program under construction, its inputs, and its values."""

    def __init__(self, draw, dtype) -> None:
        self.draw, self.dtype = draw, np.dtype(dtype)
        self.ulp = (
            2.0
            ** -(
                {"f": {2: 10, 4: 23, 8: 52}, "V": {2: 7}}[self.dtype.kind if self.dtype.kind == "f" else "V"][
                    self.dtype.itemsize
                ]
            )
        )
        self.build = GraphBuilder()
        self.rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
        self.inputs: list[np.ndarray] = []
        self.values: list[Known] = []

    def _numbers(self, shape):
        return self.rng.uniform(-2, 2, shape).astype(self.dtype)

    def input(self, shape) -> Known:
        array = self._numbers(shape)
        self.inputs.append(array)
        return self.keep(self.build.input(shape, self.dtype), array, 0)

    def constant(self, shape) -> Known:
        array = self._numbers(shape)
        return Known(self.build.constant(array), _e(array), np.zeros(shape))

    def keep(self, value, exact, error) -> Known:
        exact = _e(exact)
        assert value.shape == exact.shape, (value, exact.shape)
        known = Known(value, exact, np.broadcast_to(_e(error), exact.shape))
        if np.abs(exact).max(initial=0) < 1e3:
            self.values.append(known)
        return known

    def any(self) -> Known:
        return self.draw(st.sampled_from(self.values))

    # one method for each kind of step

    def unary(self) -> None:
        x = self.any()
        name = self.draw(st.sampled_from(sorted(UNARY)))
        function, slope = UNARY[name]
        exact = function(x.exact)
        room = np.maximum(np.abs(function(x.exact + x.error)), np.abs(exact))
        self.keep(self.build.apply(name, x.value), exact, slope * x.error + ULPS * self.ulp * (room + self.ulp))

    def binary(self) -> None:
        x = self.any()
        y = self.partner(x.exact.shape)
        if self.draw(st.booleans()):
            x, y = y, x
        name = self.draw(st.sampled_from(["add", "subtract", "multiply", "maximum", "minimum"]))
        exact = getattr(np, name)(x.exact, y.exact)
        if name == "multiply":
            error = np.abs(x.exact) * y.error + np.abs(y.exact) * x.error + x.error * y.error
        else:
            error = x.error + y.error
        self.keep(self.build.apply(name, x.value, y.value), exact, error + self.ulp * (np.abs(exact) + error))

    def partner(self, shape) -> Known:
        """An operand of this shape, or one that broadcasts to it."""
        same = [each for each in self.values if each.exact.shape == shape]
        if self.draw(st.booleans()):
            return self.draw(st.sampled_from(same))
        kept = [extent if self.draw(st.booleans()) else 1 for extent in shape]
        cut = self.draw(st.integers(0, len(shape)))
        return (self.constant if self.draw(st.booleans()) else self.input)(tuple(kept[cut:]))

    def where(self) -> None:
        x = self.any()
        mask = self.rng.integers(0, 2, x.exact.shape).astype(bool)
        self.inputs.append(mask)
        condition = self.build.input(mask.shape, np.bool_)
        other = self.draw(st.sampled_from([each for each in self.values if each.exact.shape == x.exact.shape]))
        if self.draw(st.booleans()):
            condition, mask = self.build.apply("logical_not", condition), ~mask
        made = self.build.apply("where", condition, x.value, other.value)
        self.keep(made, np.where(mask, x.exact, other.exact), np.where(mask, x.error, other.error))

    def reduction(self) -> None:
        x = self.any()
        if not x.exact.ndim:
            return
        axes = tuple(sorted(self.draw(st.sets(st.integers(0, x.exact.ndim - 1), min_size=1))))
        name, keepdims = self.draw(st.sampled_from(["sum", "mean", "max", "min"])), self.draw(st.booleans())
        exact = getattr(np, name)(x.exact, axis=axes, keepdims=keepdims)
        count = prod(x.exact.shape[axis] for axis in axes)
        if name in ("max", "min"):
            error = x.error.max(axis=axes, keepdims=keepdims) + self.ulp * np.abs(exact)
        else:
            sums = (x.error + np.abs(x.exact) * self.arithmetic * count).sum(axis=axes, keepdims=keepdims)
            error = (sums / count if name == "mean" else sums) + 2 * self.ulp * np.abs(exact)
        self.keep(self.build.apply(name, x.value, axes=axes, keepdims=keepdims), exact, error)

    @property
    def arithmetic(self) -> float:
        """An ulp of the arithmetic, which is f32 at least."""
        return min(self.ulp, 2.0**-23)

    def softmax(self) -> None:
        x = self.any()
        if not x.exact.ndim:
            return
        axis = self.draw(st.integers(-x.exact.ndim, x.exact.ndim - 1))
        powers = np.exp(x.exact - x.exact.max(axis=axis, keepdims=True))
        exact = powers / powers.sum(axis=axis, keepdims=True)
        most = x.error.max(axis=axis, keepdims=True)
        error = exact * np.expm1(2 * most) + ULPS * self.ulp * exact + x.exact.shape[axis] * self.arithmetic * exact
        self.keep(self.build.apply("softmax", x.value, axis=axis), exact, error + self.ulp**2)

    def layer_norm(self) -> None:
        x = self.any()
        if not x.exact.ndim or x.exact.shape[-1] < 2:
            return
        count, eps = x.exact.shape[-1], 0.1
        w, b = self.constant((count,)), self.input((count,))
        centre = x.exact - x.exact.mean(axis=-1, keepdims=True)
        scale = 1 / np.sqrt((centre * centre).mean(axis=-1, keepdims=True) + eps)
        normal = centre * scale
        most = x.error.max(axis=-1, keepdims=True) + count * self.arithmetic * np.abs(x.exact).max(
            axis=-1, keepdims=True
        )
        # centre moves by 2 most, and the scale by its slope, at most scale^2 times that of the deviation
        error = np.abs(w.exact) * scale * most * 2 * (1 + np.abs(normal)) * (1 + most * scale)
        error = error + ULPS * self.ulp * (np.abs(normal * w.exact) + np.abs(b.exact))
        made, mean, _ = self.build.apply("layer_norm", x.value, w.value, b.value, eps=eps)
        self.keep(made, normal * w.exact + b.exact, error)

    def matmul(self) -> None:
        x = self.any()
        if x.exact.ndim < 2:
            return
        n = self.draw(st.integers(1, 9))
        w = (self.constant if self.draw(st.booleans()) else self.input)((x.exact.shape[-1], n))
        exact, k = x.exact @ w.exact, x.exact.shape[-1]
        error = x.error @ np.abs(w.exact) + (k + 1) * self.arithmetic * (np.abs(x.exact) @ np.abs(w.exact))
        self.keep(self.build.apply("matmul", x.value, w.value), exact, error + self.ulp * np.abs(exact))

    def view(self) -> None:
        x = self.any()
        kind = self.draw(st.sampled_from(["reshape", "permute", "slice", "broadcast_to", "concatenate"]))
        shape = x.exact.shape
        if kind == "reshape":
            cut = self.draw(st.integers(0, len(shape)))
            to = (*shape[:cut], 1, prod(shape[cut:])) if self.draw(st.booleans()) else (prod(shape[:cut]), *shape[cut:])
            self.keep(self.build.apply(kind, x.value, shape=to), x.exact.reshape(to), x.error.reshape(to))
        elif kind == "permute":
            axes = tuple(self.draw(st.permutations(range(len(shape)))))
            self.keep(self.build.apply(kind, x.value, axes=axes), x.exact.transpose(axes), x.error.transpose(axes))
        elif kind == "slice" and shape:
            axis = self.draw(st.integers(0, len(shape) - 1))
            first = self.draw(st.integers(0, shape[axis] - 1))
            step = self.draw(st.sampled_from([1, 1, 2]))
            index = (*(slice(None),) * axis, slice(first, None, step))
            made = self.build.apply(kind, x.value, starts=(first,), stops=(None,), steps=(step,), axes=(axis,))
            self.keep(made, x.exact[index], x.error[index])
        elif kind == "broadcast_to":
            to = (self.draw(st.integers(1, 3)), *shape)
            if prod(to) < 4000:
                made = self.build.apply(kind, x.value, shape=to)
                self.keep(made, np.broadcast_to(x.exact, to), np.broadcast_to(x.error, to))
        elif shape:
            axis = self.draw(st.integers(0, len(shape) - 1))
            others = [each for each in self.values if each.exact.shape == shape]
            other = self.draw(st.sampled_from(others))
            made = self.build.apply(kind, x.value, other.value, axis=axis)
            pair = [(x.exact, other.exact), (x.error, other.error)]
            self.keep(made, *(np.concatenate(each, axis) for each in pair))


_STEPS = [
    "unary",
    "unary",
    "binary",
    "binary",
    "binary",
    "reduction",
    "softmax",
    "layer_norm",
    "matmul",
    "view",
    "view",
    "where",
]
UNARY = {
    "tanh": (np.tanh, 1),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), 0.25),
    "relu": (lambda x: np.maximum(x, 0), 1),
    "gelu": (lambda x: 0.5 * x * np.vectorize(erfc, [float])(-x / sqrt(2)), 1.2),
    "negative": (np.negative, 1),
    "absolute": (np.abs, 1),
}


@st.composite
def programs(draw, dtype=np.float32, most: int = 12):
    """Draw a program with its inputs, and its results as `Known`."""
    made = Program(draw, dtype)
    shape = draw(st.lists(st.integers(1, 7), min_size=1, max_size=3).map(tuple))
    made.input((*shape, draw(st.integers(1, 40))))
    for _ in range(draw(st.integers(1, most))):
        getattr(made, draw(st.sampled_from(_STEPS)))()
    count = draw(st.integers(1, min(3, len(made.values))))
    results = [made.values[-1], *(made.any() for _ in range(count - 1))]
    graph: TensorGraph = made.build.finish(*(each.value for each in results))
    return graph, made.inputs, results

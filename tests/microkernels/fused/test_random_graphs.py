"""Random graphs of 1 to 40 nodes in one kernel, on four machines, against numpy in long double.

Each node has its value and a bound on a kernel's error, propagated from its operands. Every operation adds half an ulp
of its largest possible result (a fused multiply-add omits one of two), a function its promised ulp, and a sum of n
elements n - 1 roundings in any order. No part of the bounds is fitted to results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.guard import check_canary, guarded
from tests.kernel_runs import MACHINES
from tests.profiles import scaled
from tilesmith.runtime.host.detect import runs
from tilesmith.runtime.testing.guard import SIDES

TARGETS = ("avx2", "avx512", "neon", "sve256")
UNIT = {"f32": 2.0**-24 * (1 + 2.0**-10), "f64": 2.0**-53 * (1 + 2.0**-10)}
"""Half an ulp of 1, and the error of long doubles."""
LEAST = {"f32": 2.0**-149, "f64": 2.0**-1074}
PROMISED = 8  # the error of functions under "standard", in half ulps
LARGE = 64.0
PAIRS = ("add", "sub", "mul", "div", "max", "min", "select")
SINGLE = ("neg", "abs", "root", "tanh", "sigmoid", "exp", "scaled")
ALONG = ("sum", "mean", "max", "min", "absmax", "prod")
DOWN = ("sum", "mean", "max")


class Value:
    """A traced expression, its exact value and its error bound, with one column if it is a row value."""

    def __init__(self, expr: Any, exact: Any, error: Any) -> None:
        self.expr, self.exact, self.error = expr, exact, error

    @property
    def most(self) -> Any:
        """Return the largest magnitude that a kernel's value may have."""
        return abs(self.exact) + self.error


class Graph:
    """The nodes drawn so far: expressions and long doubles."""

    def __init__(self, dtype: str, inputs: list[Value]) -> None:
        self.unit, self.least, self.values = UNIT[dtype], LEAST[dtype], inputs

    def rounded(self, expr: Any, exact: Any, error: Any, roundings: int = 1) -> Value:
        """Return a value after this number of roundings, scaled to at most LARGE by a power of two, which is exact."""
        error = error + roundings * (self.unit * (abs(exact) + error) + self.least)
        size = float(np.max(abs(exact) + error))
        if size > LARGE:
            by = 2.0 ** -np.ceil(np.log2(size / LARGE))
            expr, exact, error = expr * float(by), exact * by, error * by + self.least
        return Value(expr, exact, error)

    def pair(self, op: str, a: Value, b: Value, x: Value) -> Value:
        """Apply an operation to two values. A selection depends on x, which is exact since it is an input."""
        if op in ("add", "sub"):
            sign = 1 if op == "add" else -1
            return self.rounded(
                a.expr + b.expr if sign > 0 else a.expr - b.expr, a.exact + sign * b.exact, a.error + b.error
            )
        if op == "mul":
            return self.rounded(a.expr * b.expr, a.exact * b.exact, a.most * b.most - abs(a.exact * b.exact))
        if op == "div":  # by b * b + 1, which has two roundings
            below, error = b.exact**2 + 1, self.square_error(b)
            return self.rounded(
                a.expr / (b.expr * b.expr + 1.0),
                a.exact / below,
                (a.error + abs(a.exact) / below * error) / (below - error),
            )
        if op == "select":
            return Value(
                ts.select(x.expr > 0.0, a.expr, b.expr),
                np.where(x.exact > 0, a.exact, b.exact),
                np.where(x.exact > 0, a.error, b.error),
            )
        function = np.maximum if op == "max" else np.minimum
        traced = ts.maximum if op == "max" else ts.minimum
        return Value(traced(a.expr, b.expr), function(a.exact, b.exact), np.maximum(a.error, b.error))

    def square_error(self, b: Value) -> Any:
        """Return the error of b * b + 1."""
        error = b.most**2 - b.exact**2
        return error + 2 * (self.unit * (b.exact**2 + 1 + error) * (1 + self.unit) + self.least)

    def single(self, op: str, a: Value) -> Value:
        """Apply a function to one value. The slopes of tanh, sigmoid and the root here are at most 1, 1/4 and 1/2."""
        if op in ("neg", "abs"):
            return Value(-a.expr, -a.exact, a.error) if op == "neg" else Value(abs(a.expr), abs(a.exact), a.error)
        if op == "root":
            error = self.square_error(a)
            return self.rounded(ts.sqrt(a.expr * a.expr + 1.0), np.sqrt(a.exact**2 + 1), error / 2 + error**2)
        if op == "tanh":
            return self.rounded(ts.tanh(a.expr), np.tanh(a.exact), a.error, PROMISED)
        if op == "sigmoid":
            return self.rounded(ts.sigmoid(a.expr), 1 / (1 + np.exp(-a.exact)), a.error / 4, PROMISED)
        if op == "exp":  # of -a * a
            error = a.most**2 - a.exact**2
            error = error + self.unit * (a.exact**2 + error) + self.least
            return self.rounded(ts.exp(-(a.expr * a.expr)), np.exp(-(a.exact**2)), np.minimum(error, 1), PROMISED)
        return self.rounded(a.expr * 0.375, a.exact * np.longdouble(0.375), a.error * 0.375)

    def reduced(self, op: str, a: Value, axis: int | None, last: bool = False) -> Value:
        """Reduce along rows, down columns or over all elements, in any order. `last`: no other node uses the result."""
        count = a.exact.size if axis is None else a.exact.shape[axis]
        exact, error, most = a.exact, a.error, a.most
        if op == "prod":  # of 1 + a / 1024, so that products of rows neither vanish nor overflow
            factor = self.rounded(None, 1 + exact / 1024, error / 1024)
            expr, exact, error, most = 1.0 + a.expr * 2.0**-10, factor.exact, factor.error, factor.most
            product, largest = np.prod(exact, axis, keepdims=True), np.prod(most, axis, keepdims=True)
            growth = (1 + self.unit) ** count - 1
            loss = np.prod(abs(exact), axis, keepdims=True)
            return self.rounded(ts.prod(expr, axis=axis), product, largest - loss + growth * largest, 0)
        function = getattr(ts, op)
        if op in ("max", "min", "absmax"):
            taken = abs(exact) if op == "absmax" else exact
            best = (np.min if op == "min" else np.max)(taken, axis, keepdims=True)
            return Value(function(a.expr, axis=axis), best, np.max(error, axis, keepdims=True))
        # sums: at most n roundings of the sum of magnitudes, and two more for the division of a mean
        roundings = count + (2 if op == "mean" else 0)
        size = np.sum(most, axis, keepdims=True)
        off = np.sum(error, axis, keepdims=True) + ((1 + self.unit) ** roundings - 1) * size + roundings * self.least
        total, divisor = np.sum(exact, axis, keepdims=True), count if op == "mean" else 1
        made = function(a.expr, axis=axis), total / divisor, off / divisor
        return Value(*made) if last else self.rounded(*made, 0)


SHAPES: dict[str, Callable[[int, int], tuple[int, int]]] = {
    "x": lambda m, n: (m, n),
    "w": lambda m, n: (1, n),
    "c": lambda m, n: (m, 1),
    "e": lambda m, n: (1, 1),
}
"""Inputs: a matrix, a row, a column and one element."""
AXES = {"along": 1, "down": 0, "all": None}
REDUCED = [f"{name} along" for name in ALONG]
AGAIN = [f"{name} {axis}" for name in ALONG for axis in AXES if axis != "all" or name in DOWN]


def node(reduced: list[str]) -> st.SearchStrategy[tuple[str, int, int]]:
    """Draw an operation and the numbers of its operands."""
    return st.tuples(st.sampled_from([*PAIRS, *SINGLE, *reduced]), st.integers(0, 99), st.integers(0, 99))


def graphs(reduced: list[str], most: int) -> st.SearchStrategy[list[tuple[str, int, int]]]:
    """Draw 1 to `most` nodes."""
    return st.integers(1, most).flatmap(lambda count: st.lists(node(reduced), min_size=count, max_size=count))


DOWNS = st.lists(st.tuples(st.sampled_from(DOWN), st.integers(0, 99)), max_size=1)


def made(nodes: Any, downs: Any, dtype: str, arrays: dict[str, Any], traced: dict[str, Any]) -> list[Value]:
    """Return the results: at most four nodes that no other uses, and reductions of some nodes down the columns."""
    given = [
        Value(traced[name], arrays[name].astype(np.longdouble), np.zeros(arrays[name].shape, np.longdouble))
        for name in SHAPES
    ]
    graph, used, matrix = Graph(dtype, list(given)), set(), arrays["x"].shape
    for op, i, j in nodes:
        a, b = (graph.values[each % len(graph.values)] for each in (i, j))
        if op.split()[-1] in AXES:
            axis = AXES[op.split()[-1]]
            whole = a.exact.shape == matrix if axis != 1 else a.exact.shape[1] == matrix[1]
            a = a if whole else given[0]
            value = graph.reduced(op.split()[0], a, axis)
        else:
            value = graph.pair(op, a, b, given[0]) if op in PAIRS else graph.single(op, a)
        used |= {id(a), id(b)} if op in PAIRS else {id(a)}
        graph.values.append(value)
    free = [value for value in graph.values[len(given) :] if id(value) not in used]
    results = [*free[-3:], graph.values[-1]] if len(free) > 3 else free
    wide = [value for value in graph.values if value.exact.shape == matrix]
    return [*dict.fromkeys(results), *(graph.reduced(op, wide[i % len(wide)], 0, True) for op, i in downs)]


MODES = {"once": (REDUCED, 40), "again": (AGAIN, 12), "rows": (REDUCED, 20)}
"""The reductions among the nodes, and the largest number of nodes."""


def operands(mode: str, dtype: str, m: int, n: int, rng: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the inputs of the graph and the operands of the call, which in mode "rows" are tables and indices."""
    kind = np.float32 if dtype == "f32" else np.float64
    arrays = {each: rng.standard_normal(shape(m, n)).astype(kind) for each, shape in SHAPES.items()}
    if mode != "rows":
        return arrays, arrays
    rows = int(rng.integers(1, 6))
    table, column = rng.standard_normal((rows, n)).astype(kind), rng.standard_normal((rows, 1)).astype(kind)
    i, j = rng.integers(0, rows, m).astype(np.int32), rng.integers(0, rows, m)
    given = {"x": table, "w": arrays["w"], "c": column, "e": arrays["e"], "i": i, "j": j}
    return arrays | {"x": table[i], "c": column[j]}, given


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", TARGETS)
def test_random_graphs_against_long_doubles(name: str, mode: str) -> None:
    """Mode "again": other nodes use reductions down the columns and of all elements. Mode "rows": x and c are gathered
    by an index."""
    target = MACHINES[name]
    native = not runs(target)
    reduced, most = MODES[mode]

    @settings(max_examples=scaled(25 if native else 8, 40))
    @given(
        graphs(reduced, most),
        DOWNS,
        st.sampled_from(["f32", "f64"]),
        st.integers(1, 4),
        st.integers(2, 40),
        st.sampled_from(SIDES),
        st.integers(0, 99),
    )
    def check(nodes: Any, downs: Any, dtype: str, m: int, n: int, side: str, seed: int) -> None:
        arrays, given = operands(mode, dtype, m, n, np.random.default_rng(seed))
        kept: list[Value] = []

        def function(x: Any, w: Any, c: Any, e: Any, i: Any = None, j: Any = None) -> Any:
            found = (ts.gather(x, i), ts.gather(c, j)) if mode == "rows" else (x, c)
            kept[:] = made(nodes, downs, dtype, arrays, {"x": found[0], "w": w, "c": found[1], "e": e})
            used = 0.0 * found[0] + 0.0 * w + 0.0 * found[1] + 0.0 * e  # in the last result
            return (*(value.expr for value in kept), used)

        types = {each: "i32" if each == "i" else "i64" if each == "j" else dtype for each in given}
        kernel = ts.equation(function, dtype=types, target=target.name, **{k: v.shape for k, v in given.items()})
        kind = arrays["x"].dtype
        outputs = [np.full((each.rows, each.columns), 7, kind) for each in kernel.spec.outputs]
        if native:
            held = [guarded(given[each.name], side) for each in kernel.spec.inputs]
            outputs = [guarded(each, side) for each in outputs]
            kernel(*held, *outputs)
            for each in outputs:
                check_canary(each)
        else:
            kernel.run(*(given[each.name] for each in kernel.spec.inputs), *outputs)
        for value, found in zip(kept, outputs):
            assert np.isfinite(value.error).all()
            assert (abs(found - value.exact) <= value.error).all(), str(kernel.plan)

    check()

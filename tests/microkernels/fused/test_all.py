"""Indices of the extrema of rows, and reductions of all elements to one number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kernel_runs import MACHINES
from tilesmith.runtime.arguments.arrays import numpy_dtype


@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16"])
@pytest.mark.parametrize("target", MACHINES)
def test_indices_of_the_best_elements_of_rows(target: str, dtype: str):
    """As in numpy, the first of equal elements or the first NaN is chosen, and -0 equals 0."""
    kernel = ts.equation(
        lambda x: (ts.argmax(x, axis=1), ts.argmin(x, axis=1)), x=(6, 37), dtype=dtype, out="i32", target=target
    )
    x = np.random.default_rng(5).integers(-3, 4, (6, 37)).astype(np.float32)
    x[1, 7], x[2, [9, 20]], x[3], x[4, 30] = np.inf, np.nan, -0.0, -np.inf
    x[3, 5], x[5, 36] = 0.0, 9.0
    largest, least = kernel.run(x.astype(numpy_dtype(dtype)))
    assert np.array_equal(largest[:, 0], x.argmax(1)) and np.array_equal(least[:, 0], x.argmin(1))


def test_an_index_is_an_expression():
    """An index may be compared with labels, which tells whether each row is classified correctly."""

    def function(x: Any, labels: Any) -> Any:
        found = ts.argmax(x, axis=1)
        return ts.select(found == labels, 1.0 + 0.0 * found, 0.0 * found)

    x = np.random.default_rng(6).normal(size=(9, 70)).astype(np.float32)
    labels = x.argmax(1).astype(np.float32)[:, None]
    labels[::2] += 1
    right = ts.equation(function, x=x.shape, labels=(9, 1))(x, labels)
    assert np.array_equal(right[:, 0], np.arange(9) % 2)


def test_indices_of_columns_are_refused():
    with pytest.raises(ts.UnsupportedError, match=r'ts.reduce\("argmax", m, n, axis=0\)'):
        ts.equation(lambda x: ts.argmax(x, axis=0), x=(3, 3))


NAMES = {"sum": np.sum, "mean": np.mean, "prod": np.prod, "max": np.max, "min": np.min}


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("target", MACHINES)
def test_reductions_of_all_elements(target: str, dtype: str):
    """Reductions of all elements may be used beside elements and row values, for odd and even numbers of rows, one row,
    and one column."""
    unit = 2.0**-24 if dtype == "f32" else 2.0**-53

    def function(x: Any) -> Any:
        every = (getattr(ts, name)(x) for name in NAMES)
        return *every, ts.absmax(x, axis=None), ts.sum(x * x), ts.sum(ts.max(x, axis=1), axis=0), x - ts.sum(x, axis=1)

    for shape in ((5, 37), (4, 64), (1, 9), (3, 1), (1, 1)):
        kernel = ts.equation(function, x=shape, dtype=dtype, target=target)
        assert [y.rows * y.columns for y in kernel.spec.outputs[:-1]] == [1] * 8
        rng = np.random.default_rng(shape[1])  # magnitudes near 1, so that no partial product overflows or underflows
        x = (rng.uniform(0.8, 1.2, shape) * rng.choice([-1, 1], shape)).astype(numpy_dtype(dtype))
        *found, largest, squares, of_rows, rest = kernel.run(x)
        wide = x.astype(np.longdouble)
        steps = (x.size + 4) * unit
        for name, y in zip(NAMES, found):
            size = {"max": 0, "min": 0, "prod": abs(np.prod(wide)), "mean": abs(wide).mean()}.get(name, abs(wide).sum())
            assert abs(y.item() - NAMES[name](wide)) <= size * steps / (1 - steps), name
        assert largest.item() == abs(x).max()
        assert abs(squares.item() - (wide**2).sum()) <= (wide**2).sum() * steps / (1 - steps)
        assert abs(of_rows.item() - wide.max(1).sum()) <= abs(wide.max(1)).sum() * steps
        exact = wide - wide.sum(1, keepdims=True)
        assert (abs(rest - exact) <= steps * (abs(wide).sum(1, keepdims=True) + abs(exact))).all()


@pytest.mark.parametrize("side", SIDES)
def test_one_number_between_guard_pages(side: str):
    """The kernel writes nothing beside its results, and a NaN in any row reaches them."""
    kernel = ts.equation(lambda x: (ts.max(x), ts.sum(x * x)), x=(7, 133))
    x = np.random.default_rng(8).normal(size=(7, 133)).astype(np.float32)
    held, largest, squares = (
        guarded(x, side),
        *(guarded(np.zeros((1, 1), np.float32), side, writable=True) for _ in "ab"),
    )
    kernel(held, largest, squares)
    check_canary(largest)
    check_canary(squares)
    assert largest.item() == x.max() and np.isclose(squares.item(), (x.astype("f8") ** 2).sum(), rtol=1e-6)
    x[3, 40] = np.nan
    assert all(np.isnan(y.item()) for y in kernel(x))

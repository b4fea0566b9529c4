"""A product that is the left factor of another one, beside which its result adds it, lay in the array of the result, in
whose columns the other product was stored while it still read them: x @ w0 @ w1 + x @ w0 was wrong on every target."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.kernel_runs import called

Array = np.ndarray[Any, Any]


def _residual(x: Any, w0: Any, w1: Any) -> Any:
    s = x @ w0
    return s @ w1 + s


def _gated(x: Any, w0: Any, w1: Any) -> Any:
    s = x @ w0
    return ts.select(s @ w1 > 0.0, x, s)


def _of_both(x: Any, w0: Any, w1: Any) -> Any:
    s = x @ w0
    return s @ w1 + s @ w0 + s


def _gated_in_numpy(x: Array, w0: Array, w1: Array) -> Array:
    s = x @ w0
    return np.where(s @ w1 > 0, x, s)


FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "residual": (_residual, _residual),
    "gated": (_gated, _gated_in_numpy),
    "of both": (_of_both, _of_both),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    ("target", "dtype", "rows", "n"),
    [
        ("sse", "f32", 3, 33),
        ("avx2", "f64", 7, 64),
        ("avx2", "f32", ts.RUNTIME, 100),
        ("avx512", "f32", 3, 257),
        ("neon", "f32", 3, 40),
        ("sve256", "f64", 2, 40),
    ],
)
def test_left_factor(name: str, target: str, dtype: str, rows: Any, n: int) -> None:
    function, of_numpy = FUNCTIONS[name]
    kernel = ts.equation(function, x=(rows, n), w0=(n, n), w1=(n, n), dtype=dtype, target=target)
    rng, count = np.random.default_rng(0), 5 if rows is ts.RUNTIME else rows
    given = [rng.integers(-2, 3, shape).astype(f"f{int(dtype[1:]) // 8}") for shape in ((count, n), (n, n), (n, n))]
    whole = of_numpy(*(each.astype("i8") for each in given))
    assert abs(whole).max() < 1 << 24, "the sums are exact"
    y = np.full((count, n), 7, given[0].dtype)
    (found,) = called(kernel, given, made=[y])
    np.testing.assert_array_equal(found, whole)

"""Scans along rows against numpy's, which are exact on small integers; floats are within the bound of their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import both_sides, guarded
from tilesmith.microkernels.errors import UnsupportedError

TARGETS = ("sse", "avx", "avx2", "avx512", "neon", "sve128", "sve256", "sve512", "sme256")
SCANS: dict[str, Any] = {
    "cumsum": (np.add, 0),
    "cumprod": (np.multiply, 1),
    "cummax": (np.maximum, -np.inf),
    "cummin": (np.minimum, np.inf),
}


def expected(name: str, x: np.ndarray, exclusive: bool) -> np.ndarray:
    """Return the scan by numpy, one element after the other."""
    function, first = SCANS[name]
    if x.dtype.kind == "i" and np.isinf(first):
        first = np.iinfo(x.dtype).min if first < 0 else np.iinfo(x.dtype).max
    found = function.accumulate(x, axis=1)
    return np.hstack([np.full((len(x), 1), first, x.dtype), found[:, :-1]]) if exclusive else found


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("columns", [7, 45])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64", "int8", "float16"])
@pytest.mark.parametrize("name", SCANS)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.grid(8)
def test_every_machine(target: str, name: str, dtype: str, columns: int, exclusive: bool) -> None:
    rng = np.random.default_rng(columns)
    numbers = [-1, 1] if dtype in ("int8", "float16") else [-1, 1, 2]
    x = rng.choice(numbers, (3, columns)).astype(dtype)

    def made() -> Any:
        return ts.equation(
            lambda x: getattr(ts, name)(x, axis=1, exclusive=exclusive), x=x.shape, dtype=x.dtype, target=target
        )

    if (name, dtype) == ("cumprod", "int64"):
        with pytest.raises(TypeError, match="mul of i64"):
            made()
    else:
        assert np.array_equal(made().run(x), expected(name, x, exclusive))


@both_sides
def test_sums_of_floats(side: str) -> None:
    """Steps within vectors of up to 16 elements round four times, and the carry once for each vector before."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((9, 331), np.float32)
    k = ts.equation(lambda x: ts.cumsum(x, axis=1), x=x.shape)
    y = guarded(np.empty_like(x), side)
    k(guarded(x, side, False), y)
    size = np.cumsum(abs(x.astype(float)), 1)
    assert (abs(y - np.cumsum(x.astype(float), 1)) <= (5 + np.arange(331) // 4) * 2.0**-24 * size).all()
    assert ts.spread(k, threads=2)(x).tobytes() == y.tobytes()
    k(x, x)
    assert x.tobytes() == y.tobytes()


def test_in_expressions() -> None:
    """Scans of scans, beside reductions in both directions, of products, of any number of rows and down columns."""
    rng = np.random.default_rng(2)
    x = rng.integers(-4, 5, (6, 21)).astype("f4")
    w = rng.integers(-2, 3, (21, 37)).astype("f4")
    k = ts.equation(
        lambda x: (
            ts.cummax(ts.cumsum(x, axis=1) * 2 - ts.max(x, axis=1), axis=1),
            ts.sum(ts.cumsum(x, axis=1), axis=0),
        ),
        x=(ts.RUNTIME, 21),
    )
    y, total = k(x)
    assert np.array_equal(y, np.maximum.accumulate(2 * np.cumsum(x, 1) - x.max(1, keepdims=True), 1))
    assert np.array_equal(total[0], np.cumsum(x, 1).sum(0))
    k = ts.equation(lambda x, w: ts.cumsum(ts.cumsum(x, axis=1) @ w, axis=1), x=x.shape, w=w.shape)
    assert np.array_equal(k(x, w), np.cumsum(np.cumsum(x, 1) @ w, 1))
    k = ts.equation(lambda x: ts.cumsum(x + ts.sum(x, axis=0), axis=1), x=x.shape)
    assert np.array_equal(k(x), np.cumsum(x + x.sum(0), 1))
    k = ts.equation(lambda x: ts.cumsum(x, axis=0), x=x.shape, order="F")
    assert np.array_equal(k(np.asfortranarray(x)), np.cumsum(x, 0))


def test_special_numbers() -> None:
    x = np.array([[-0.0, -0.0, 1, np.inf, 2, -np.inf, 3], [np.nan, 1, 2, 3, 4, 5, 6]], np.float32)
    y, z = ts.equation(lambda x: (ts.cumsum(x, axis=1), ts.cummin(x, axis=1)), x=x.shape)(x)
    with np.errstate(invalid="ignore"):
        wanted = np.cumsum(x, 1)
    assert np.array_equal(y, wanted, equal_nan=True) and np.signbit(y[0, :2]).all()
    assert np.array_equal(z, np.minimum.accumulate(x, 1), equal_nan=True)


@pytest.mark.parametrize("target", ["sse", "avx2", "avx512", "neon", "sve256"])
@pytest.mark.parametrize("dtype", ["f32", "i32"])
@pytest.mark.grid(2)
def test_proofs(target: str, dtype: str) -> None:
    k = ts.equation(lambda x: ts.cumsum(x, axis=1), x=(1, 11), dtype=dtype, target=target)
    proof = k.verify()
    assert proof, str(proof)


def test_refusals() -> None:
    for words, function, options in (
        ('axis=1 of matrices of order "C"', lambda x: ts.cumsum(x, axis=0), {}),
        ("one value for the whole row", lambda x: ts.cumsum(ts.sum(x, axis=1), axis=1), {}),
        ("not None", lambda x: ts.cumsum(x), {}),
        ("no proof yet", lambda x: ts.cummax(x, axis=1), {}),
    ):
        with pytest.raises(UnsupportedError, match=words):
            ts.equation(function, x=(3, 5), **options).verify()
    for words, function in (
        ("not a mask", lambda x: ts.cumsum(x > 0, axis=1)),
        ("exclusive is True", lambda x: ts.cumsum(x, axis=1, exclusive=1)),
    ):
        with pytest.raises(TypeError, match=words):
            ts.equation(function, x=(3, 5))
    with pytest.raises(TypeError, match="ts.equation.lambda x: ts.cumsum.x, axis=1., x=x.shape"):
        ts.cumsum(np.ones((3, 3)), axis=1)  # type: ignore[arg-type]

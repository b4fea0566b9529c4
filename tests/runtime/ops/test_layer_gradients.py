"""`ts.linear_backward` and `ts.mlp_backward` equal finite differences in f64, and f64 in other types."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.profiles import is_soak

Array = np.ndarray[Any, Any]
ACTIVATIONS: dict[str, Any] = {"none": None, "relu": ts.relu, "gelu": ts.gelu, "tanh": ts.tanh}
if is_soak():
    for _name in ("sigmoid", "silu", "gelu_tanh", "elu", "softplus", "exp", "leaky_relu"):
        ACTIVATIONS[_name] = getattr(ts, _name)
STEP = 2.0**-18


def drawn(*shapes: Sequence[int], dtype: Any = np.float64) -> list[Array]:
    rng = np.random.default_rng(7)
    return [rng.standard_normal(shape).astype(dtype) for shape in shapes]


def along(y: Callable[..., Array], dy: Array, arrays: list[Array], place: int) -> tuple[Array, float]:
    """Return a direction of one of the arrays, and how fast the sum of dy * y grows in it."""
    direction = np.random.default_rng(place).standard_normal(arrays[place].shape)
    ends = []
    for step in (STEP, -STEP):
        moved = [each + step * direction if number == place else each for number, each in enumerate(arrays)]
        ends.append((dy * y(*moved)).sum())
    return direction, (ends[0] - ends[1]) / (2 * STEP)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_linear(name: str) -> None:
    f = ACTIVATIONS[name]
    x, w, b, dy = drawn((9, 21), (21, 13), (13,), (9, 13))
    w /= 5

    def y(x: Array, w: Array, b: Array) -> Array:
        layer = ts.linear(9, 13, 21, dtype="f64", activation=f)
        return np.asarray(layer(x, layer.pack(w), b))

    found = ts.linear_backward(dy, x, w, b, activation=f)
    for place, gradient in enumerate(found):
        direction, wanted = along(y, dy, [x, w, b], place)
        assert abs((np.asarray(gradient) * direction).sum() - wanted) <= 1e-7 * (1 + abs(wanted))
    again = ts.linear_backward(dy, x, w, activation=f, z=x @ w + b, wanted="db dx")
    for one, other in zip(again, (found[2], found[0])):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)
    for dtype, last in ((np.float32, 1e-5), (ml_dtypes.bfloat16, 0.1)):
        narrow = [each.astype(dtype) for each in (dy, x, w, b)]
        exact = ts.linear_backward(*(each.astype(np.float64) for each in narrow), activation=f)
        for one, other in zip(ts.linear_backward(*narrow, activation=f), exact):
            assert np.asarray(one).dtype == dtype
            np.testing.assert_allclose(np.asarray(one).astype(np.float64), other, atol=last)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_networks(name: str) -> None:
    f, sizes = ACTIVATIONS[name], [8, 17, 5, 11]
    x, dy = drawn((9, 8), (9, 11))
    weights, biases = drawn(*zip(sizes, sizes[1:])), drawn(*((n,) for n in sizes[1:]))
    weights = [each / 3 for each in weights]

    def y(x: Array, *parameters: Array) -> Array:
        net = ts.mlp(9, sizes, dtype="f64", activation=f, last=ts.tanh)
        return np.asarray(net(x, net.pack(parameters[:3]), parameters[3:]))

    dx, dw, db = ts.mlp_backward(dy, x, weights, biases, activation=f, last=ts.tanh)
    for place, gradient in enumerate([dx, *dw, *db]):
        direction, wanted = along(y, dy, [x, *weights, *biases], place)
        assert abs((np.asarray(gradient) * direction).sum() - wanted) <= 1e-7 * (1 + abs(wanted))
    only = ts.mlp_backward(dy, x, weights, biases, activation=f, last=ts.tanh, wanted="dw", threads=3)
    assert all(np.array_equal(one, other) for one, other in zip(only, dw))


def test_further_axes_and_no_rows() -> None:
    x, w, dy = drawn((2, 3, 8), (8, 5), (2, 3, 5), dtype=np.float32)
    dx, dw, db = ts.linear_backward(dy, x, w)
    np.testing.assert_allclose(dx, dy @ w.T, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(dw, np.einsum("abk,abn->kn", x, dy), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(db, dy.sum((0, 1)), rtol=1e-5, atol=1e-5)
    for function in (None, ts.gelu):
        dx, dw, db = ts.linear_backward(dy[:0], x[:0], w, activation=function)
        assert np.asarray(dx).shape == (0, 3, 8)
        assert np.array_equal(dw, np.zeros((8, 5))) and np.array_equal(db, np.zeros(5))
        found = ts.mlp_backward(dy[:0, 0], x[:0, 0], [w, w[:5]], activation=function)
        assert found[0].shape == (0, 8) and not any(each.any() for each in found[1])


def test_refusals() -> None:
    x, w, dy = drawn((3, 8), (8, 5), (3, 5), dtype=np.float32)
    with pytest.raises(ValueError, match=r"dy: shape \(3, 5\)"):
        ts.linear_backward(x, x, w)
    with pytest.raises(ValueError, match=r"bias: float32 of shape \(5,\)"):
        ts.linear_backward(dy, x, w, dy[0, :4], activation=ts.relu)
    with pytest.raises(ts.UnsupportedError, match="dy, x, w: of one type"):
        ts.linear_backward(dy, x.astype(np.float64), w)
    with pytest.raises(ts.UnsupportedError, match="pass that of another to linear_backward as slope="):
        ts.linear_backward(dy, x, w, activation=lambda z: z * z / 2)
    found = ts.linear_backward(dy, x, w, slope=lambda g, z: g * z, wanted="db")
    np.testing.assert_allclose(found, (dy * (x @ w)).sum(0), rtol=1e-5, atol=1e-5)
    with pytest.raises(ValueError, match=r"weights\[1\]: 5 rows"):
        ts.mlp_backward(dy, x, [w, w])

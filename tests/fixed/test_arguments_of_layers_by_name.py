"""Layers took no arguments by name, and their errors used the names of the product's operands: a, b, c for x, w, y."""

import numpy as np
import pytest

import tilesmith as ts

RNG = np.random.default_rng(3)
X, W, BIAS = (RNG.integers(-4, 5, shape).astype(np.float32) for shape in ((8, 16), (16, 12), (12,)))


def test_by_name():
    layer = ts.linear(8, 12, 16)
    packed, y = layer.pack(W), np.empty((8, 12), np.float32)
    assert layer(x=X, w=packed, bias=BIAS, out=y) is y
    assert np.array_equal(y, X @ W + BIAS)
    c = np.ones((8, 12), np.float32)
    ts.gemm(8, 12, 16)(X, W, c=c)
    assert np.array_equal(c, X @ W + 1)


MISTAKES = {
    "no bias": ((X,), {}, "this layer takes x, w, bias, y"),
    "shape of x": ((X[:4],), {"bias": BIAS}, r"x: f32 of shape \(8, 16\), not float32 of shape \(4, 16\)"),
    "type of x": ((X.astype("f8"),), {"bias": BIAS}, "x: f32 of shape .*, not float64"),
    "shape of y": ((X,), {"bias": BIAS, "out": X}, r"y: f32 of shape \(8, 12\), not float32 of shape \(8, 16\)"),
    "a name": ((X,), {"bias": BIAS, "scale": 2}, "scale: not an argument .*; it takes x, w, bias, y, threads=, out="),
    "weights": ((X,), {"w": W, "bias": BIAS}, r"packed for this layer, by layer.pack\(weights\), not ndarray"),
    "threads": ((X,), {"bias": BIAS, "threads": 0}, "threads: 0 threads"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_name_them(mistake):
    layer = ts.linear(8, 12, 16)
    args, named, message = MISTAKES[mistake]
    with pytest.raises((TypeError, ValueError), match=message):
        layer(*args, **{"w": layer.pack(W), **named})


def test_of_networks():
    net = ts.mlp(8, [16, 12])
    for wrong in (None, W):
        with pytest.raises(TypeError, match="weights: a list of one for each of 1 layers"):
            net.pack(wrong)
    with pytest.raises(TypeError, match="x: f32 of shape"):
        net(X.astype("f8"), net.pack([W]), [BIAS])
    with pytest.raises(TypeError, match="sizes: a list of whole numbers"):
        ts.mlp(8, None)

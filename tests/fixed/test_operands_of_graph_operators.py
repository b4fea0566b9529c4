"""g.softmax(x, 1) said that an Expr is not callable, g.cast(x, dtype="bf16") that numpy does not know the name."""

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts

X = np.random.default_rng(0).standard_normal((4, 16)).astype(np.float32)
REFUSED = {
    "an axis by place": (lambda g, x: g.softmax(x, 1), "^softmax: takes x, not 2; by name: axis"),
    "axes by place": (lambda g, x: g.sum(x, 1), "^sum: takes x .*not 2; by name: axes, keepdims"),
    "extents by place": (lambda g, x: g.reshape(x, 2, 32), "^reshape: takes x .*by name: shape"),
    "too few": (lambda g, x: g.layer_norm(x), r"^layer_norm: takes x, w, b \(None for one left out\), not 1"),
    "too many": (lambda g, x: g.relu(x, x), "^relu: takes x .*not 2"),
    "none": (lambda g, x: g.relu(), "^relu: takes x .*not 0"),
    "a list of values": (lambda g, x: g.concatenate([x, x], axis=0), "^concatenate: .*an argument each, not a list"),
    "compressed weights": (lambda g, x: g.linear(x, ts.compressed(X.T)), r"not CompressedWeights; .*weights.dense\(\)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_operands_are_named(name):
    call, words = REFUSED[name]
    g = ts.graph()
    with pytest.raises(TypeError, match=words):
        call(g, g.input(X.shape))


def test_types_have_the_names_of_kernels():
    g = ts.graph()
    x = g.input(X.shape, "f32")
    y = g.cast(x, dtype="bf16")
    assert (x.dtype, y.dtype) == (np.float32, ml_dtypes.bfloat16)
    other = ts.graph()
    assert other.input((2,), "bool").dtype == other.input((2,), bool).dtype == np.bool_
    assert other.input((2,), "i8").dtype == np.int8 and other.input((2,), float).dtype == np.float64
    assert np.array_equal(g.compile(y)(X), X.astype(ml_dtypes.bfloat16))


def test_a_slice_of_one_axis_by_numbers():
    g = ts.graph()
    x = g.input(X.shape)
    by_numbers, of_the_first = g.slice(x, starts=1, stops=9, steps=3, axes=1), g.slice(x, starts=-2, stops=None)
    for found, wanted in zip(g.compile(by_numbers, of_the_first)(X), (X[:, 1:9:3], X[-2:])):
        assert np.array_equal(found, wanted)

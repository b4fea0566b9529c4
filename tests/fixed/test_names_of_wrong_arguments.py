"""ts.conv2d(strides=2) spoke of _conv(), and nothing said what other functions call the argument that was meant."""

import numpy as np
import pytest

import tilesmith as ts

X, W = np.ones((2, 3, 8, 8), np.float32), np.ones((4, 3, 3, 3), np.float32)
CALLS = {
    "near": (lambda: ts.conv2d(X, W, strides=2), r"^conv2d: strides= is no argument of it; .*did you mean stride=\?"),
    "products": (lambda: ts.conv2d(X, W, activation=ts.relu), r"did you mean epilogue=\?"),
    "layers": (lambda: ts.linear(4, 4, 4, epilogue=ts.relu), r"^linear: .*did you mean activation=\?"),
    "layer": (lambda: ts.conv(X.shape, W.shape, pad=1), r"^conv: pad= is no argument of it; .*padding=\?"),
    "sparse": (lambda: ts.sparse(W[0, 0], block=2), r"^sparse: block= .*did you mean blocks=\?"),
    "a call": (lambda: ts.compressed(W[0, 0], groups=16), r"^this call: groups= .*did you mean group=\?"),
    "missing": (lambda: ts.conv2d(X), "^conv2d: missing a required argument: 'w'"),
    "too many": (lambda: ts.spmm(1, 2, 3, 4), "^spmm: too many positional arguments"),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_name_that_was_meant(name):
    call, words = CALLS[name]
    with pytest.raises(TypeError, match=words):
        call()


def test_channels_that_are_the_last_axis():
    with pytest.raises(ValueError, match=r"channels are the second axis in every layout.*x.transpose\(0, 3, 1, 2\)"):
        ts.conv2d(X.transpose(0, 2, 3, 1), W)
    with pytest.raises(ValueError, match="groups=2 fits"):
        ts.conv2d(np.ones((1, 6, 8, 8), np.float32), W)


def test_packed_weights_are_no_array():
    layer = ts.conv(X.shape, W.shape)
    with pytest.raises(TypeError, match="weights.array has the bytes"):
        np.asarray(layer.pack(W))

"""Errors of layers, networks and nests told callers to copy an output, whose results they would not have seen."""

import numpy as np
import pytest

import tilesmith as ts


def test_of_layers_and_networks():
    x, w, bias = np.ones((4, 8), np.float32), np.ones((8, 6), np.float32), np.ones(6, np.float32)
    layer, net = ts.linear(4, 6, 8), ts.mlp(4, [8, 6])
    gaps = np.zeros((4, 12), np.float32)[:, ::2]
    for name, call in (
        ("y", lambda: layer(x, layer.pack(w), bias, gaps)),
        ("out", lambda: net(x, net.pack([w]), [bias], out=gaps)),
    ):
        with pytest.raises(ValueError, match=rf"^{name}: strides .*; pass a contiguous array, and copy it to {name}"):
            call()
    with pytest.raises(ValueError, match=r"^x: strides .*np\.ascontiguousarray\(x\) copies it"):
        layer(np.ones((8, 4), np.float32).T, layer.pack(w), bias)


def test_of_nests():
    relu = ts.unary("relu", 4, 16)
    nest = ts.nest(
        "b", {"b": (0, 2, 1)}, lambda i, x, y: relu(x[i.b], y[i.b]), X=((2, 4, 16), "f32"), Y=((2, 4, 16), "f32")
    )
    whole, gaps = np.ones((2, 4, 16), np.float32), np.ones((2, 4, 32), np.float32)[:, :, ::2]
    odd = np.zeros(513, np.uint8)[1:].view(np.float32).reshape(2, 4, 16)
    for wrong in (gaps, odd):
        with pytest.raises(ValueError, match=r"^Y: .*; copy the result back: Y\[\.\.\.\] = copy$"):
            nest(whole, wrong)
        with pytest.raises(ValueError, match=r"^X: .*(copies it|aligns them)$"):
            nest(wrong, whole)

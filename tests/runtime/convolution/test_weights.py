"""Packed weights: what is folded into them, and which layers share them."""

from __future__ import annotations

import pickle
import re
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.convolution_cases import TYPES, Array, convolution, numbers


def test_folded_batch_norm() -> None:
    """Weights are multiplied by a factor for each channel of the result before they are packed."""
    x, w = numbers((1, 6, 5, 5), np.float32, 1), numbers((8, 3, 3, 3), np.float32, 2)
    scale = np.float32(2.0) ** np.arange(-4, 4, dtype=np.float32)
    layer = ts.conv(x.shape, w.shape, groups=2)
    made = layer(x, layer.pack(w, scale), np.zeros(8, np.float32))
    exact = convolution(x, w, (1, 1), ((0, 0),) * 2, (1, 1), 2) * scale.reshape(-1, 1, 1)
    assert np.array_equal(made, exact)


def _normed(w: Array, bias: Array, norm: dict[str, Array], eps: float) -> tuple[Array, Array]:
    """Return the weights and the bias of a convolution with a batch norm behind it, in f64."""
    wide = {name: value.astype(np.float64) for name, value in norm.items()}
    scale = wide.get("weight", 1.0) / np.sqrt(wide["running_var"] + eps)
    shift = (bias.astype(np.float64) - wide["running_mean"]) * scale + wide.get("bias", 0.0)
    return w.astype(np.float64) * scale.reshape(-1, 1, 1, 1), shift


@pytest.mark.parametrize("types", ["f32", "bf16", "f16", "f64"])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.grid(8)
def test_a_batch_norm_is_folded(types: str, affine: bool) -> None:
    """Weights and bias are computed in f64 and rounded once: the result is that of the rounded ones, to the bit."""
    of_x, of_w, of_y = TYPES[types]
    rng = np.random.default_rng(3)
    x, w = numbers((2, 5, 6, 7), of_x, 1), rng.standard_normal((9, 5, 3, 3)).astype(np.float32)
    w = w.astype(np.float64) if types == "f64" else w
    bias = rng.standard_normal(9).astype(np.float32)
    norm = {"running_mean": rng.standard_normal(9), "running_var": rng.random(9) + 0.1}
    norm |= {"weight": rng.standard_normal(9), "bias": rng.standard_normal(9)} if affine else {}
    wanted = _normed(w, bias, norm, 1e-3)
    layer = ts.conv(x.shape, w.shape, padding=1, dtype=types)
    expected = layer(x, layer.pack(wanted[0].astype(of_w)), wanted[1].astype(of_y))
    packed = layer.pack(w, bias=bias, batch_norm={**norm, "num_batches_tracked": np.array(5)}, eps=1e-3)
    for _ in range(2):
        assert np.array_equal(layer(x, packed), expected)
    assert np.array_equal(pickle.loads(pickle.dumps(packed)).array, packed.array)
    assert np.array_equal(layer(x, pickle.loads(pickle.dumps(packed))), expected)


def test_weights_are_shared_by_layers_of_the_same_panels() -> None:
    """Those of other numbers of images, and with other epilogues; if the panels differ, the error says so."""
    w, bias = numbers((20, 6, 3, 3), np.float32, 2), numbers((20,), np.float32, 3)
    first = ts.conv((1, 6, 9, 8), w.shape, padding=1)
    p, with_bias = first.pack(w), first.pack(w, bias=bias)
    shared = 0
    for shape in ((4, 6, 9, 8), (1, 6, 14, 14), (2, 6, 7, 5)):
        layer = ts.conv(shape, w.shape, padding=1, activation=ts.relu)
        if layer.panel_layout != first.panel_layout:
            with pytest.raises(TypeError, match=re.escape("layer.pack(weights) packs them for this one")):
                layer(numbers(shape, np.float32, 1), p, bias)
            continue
        x, shared = numbers(shape, np.float32, 1), shared + 1
        exact = np.maximum(convolution(x, w, (1, 1), ((1, 1),) * 2, (1, 1)) + bias.reshape(-1, 1, 1), 0)
        for _ in range(2):
            assert np.array_equal(layer(x, p, bias), exact) and np.array_equal(layer(x, with_bias), exact)
    assert shared
    alone = ts.conv((1, 6, 9, 8), w.shape, padding=1, bias=False)
    x = numbers((1, 6, 9, 8), np.float32, 1)
    assert np.array_equal(alone(x, p), convolution(x, w, (1, 1), ((1, 1),) * 2, (1, 1)))
    with pytest.raises(TypeError, match="packed with a bias, but this layer takes none"):
        alone(x, with_bias)
    scaled = ts.conv((1, 6, 9, 8), w.shape, padding=1, bias=False, epilogue=lambda c, scale: c * scale)
    scaled(x, p, bias)
    with pytest.raises(TypeError, match="packed with a bias, but this layer takes none"):
        scaled(x, with_bias)
    with pytest.raises(TypeError, match="weights: for a zero point of 5, not 0"):
        given: dict[str, Any] = {"dtype": ("u8", "i8", "i32"), "bias": False}
        zero, five = (ts.conv((1, 6, 9, 8), w.shape, zero_point=each, **given) for each in (0, 5))
        five(x.astype(np.uint8), zero.pack(w.astype(np.int8)))


def test_weights_are_a_copy() -> None:
    x, w = numbers((1, 3, 5, 5), np.float32, 1), numbers((4, 3, 3, 3), np.float32, 2)
    layer = ts.conv(x.shape, w.shape, bias=False)
    packed = layer.pack(w)
    expected = layer(x, packed)
    w[...] = 99
    assert np.array_equal(layer(x, packed), expected)
    assert not packed.array.flags.writeable

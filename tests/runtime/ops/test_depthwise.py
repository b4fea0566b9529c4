"""Depthwise convolutions of arrays: every layout, parameter and type, with bits that do not depend on the threads."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.profiles import scaled
from tilesmith.runtime.convolution.layers import conv

Array = np.ndarray[Any, Any]
few = st.integers(1, 3)


def depthwise(x: Array, w: Array, bias: Array | None = None, groups: int | None = None, **given: Any) -> Any:
    """Call the function with as many groups as channels."""
    return ts.conv2d(x, w, bias, groups=groups or x.shape[1], **given)


def defined(x: Array, w: Array, groups: int, stride: Any, zeros: Any, dilation: Any) -> Array:
    """Compute by definition, in f64."""
    (n, c, h, width), (k, depth, r, s) = x.shape, w.shape
    image = np.zeros((n, c, h + sum(zeros[0]), width + sum(zeros[1])))
    image[:, :, zeros[0][0] : zeros[0][0] + h, zeros[1][0] : zeros[1][0] + width] = x
    p, q = ((image.shape[2 + at] - (taps - 1) * dilation[at] - 1) // stride[at] + 1 for at, taps in ((0, r), (1, s)))
    y = np.zeros((n, k, p, q))
    for at, d, i, j in np.ndindex(k, depth, r, s):
        rows, columns = (np.arange(count) * stride[a] + t * dilation[a] for a, count, t in ((0, p, i), (1, q, j)))
        y[:, at] += image[:, at // (k // groups) * depth + d][:, rows[:, None], columns] * float(w[at, d, i, j])
    return y


def lying(x: Array, how: str) -> Array:
    """Return the same array in another layout."""
    if how == "NHWC":
        return np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    if how == "gaps":
        made = np.zeros((x.shape[0], x.shape[2], x.shape[3] + 1, x.shape[1] + 3), x.dtype)
        made = made[:, :, : x.shape[3], : x.shape[1]].transpose(0, 3, 1, 2)
    else:
        made = np.zeros(x.shape if how == "NCHW" else x.shape[::-1], x.dtype)
        made = made if how == "NCHW" else made.T
    made[...] = x
    return made


@st.composite
def cases(draw: st.DrawFn) -> Any:
    taps, dilation, stride = ((draw(few), draw(few)) for _ in range(3))
    zeros = tuple((draw(st.integers(0, 4)), draw(st.integers(0, 4))) for _ in range(2))
    size = tuple(max(1, (t - 1) * d + 1 - sum(z)) + draw(st.integers(0, 25)) for t, d, z in zip(taps, dilation, zeros))
    groups, depth, results = (
        draw(st.integers(1, 36)),
        draw(st.sampled_from([1, 1, 2])),
        draw(st.sampled_from([1, 1, 3])),
    )
    types = draw(st.sampled_from(["f32", "f32", "f64", "bf16", "u8"]))
    return (
        (draw(few), groups, depth, results, size, taps),
        stride,
        zeros,
        dilation,
        types,
        draw(st.integers(0, 1 << 20)),
    )


TYPES: dict[str, Any] = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "u8": np.uint8}
LAYOUTS = ["NCHW", "NHWC", "gaps", "transposed"]


def one(case: Any) -> None:
    (n, groups, depth, results, size, taps), stride, zeros, dilation, types, seed = case
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 4, (n, groups * depth, *size)).astype(TYPES[types])
    w = rng.integers(-3, 4, (groups * results, depth, *taps)).astype(np.int8 if types == "u8" else TYPES[types])
    bias = rng.integers(-3, 4, groups * results).astype(np.int32 if types == "u8" else TYPES[types])
    wanted = defined(x, w, groups, stride, zeros, dilation) + bias.astype(np.float64)[:, None, None]
    wanted = wanted.astype(bias.dtype)
    given = {"stride": stride, "padding": zeros, "dilation": dilation, "groups": groups}
    layouts = rng.permutation(LAYOUTS)[:2]
    for threads, how in zip(rng.permutation([1, 2, 3, 7]).tolist(), layouts):
        found = depthwise(lying(x, how), w, bias, **given, threads=threads)
        np.testing.assert_array_equal(found, wanted)
        out = lying(np.zeros_like(wanted), rng.choice(LAYOUTS))
        assert depthwise(lying(x, how), w, bias, **given, threads=threads, out=out) is out
        np.testing.assert_array_equal(out, wanted)


def test_every_parameter():
    settings(max_examples=scaled(10, 5000))(given(cases())(one))()


def test_bits():
    """They are the same for every number of threads and for both orders of memory."""
    rng = np.random.default_rng(1)
    x, w = (rng.standard_normal(shape).astype(np.float32) for shape in ((2, 64, 57, 58), (64, 1, 3, 3)))
    every = {
        np.ascontiguousarray(depthwise(lying(x, how), w, padding=1, threads=threads)).tobytes()
        for how in ("NCHW", "NHWC")
        for threads in (1, 2, 3, 7)
    }
    assert len(every) == 1


def test_many_taps_and_rims():
    """Where the rims would take too much code, each channel is a product."""
    rng = np.random.default_rng(2)
    x, w = (
        rng.integers(-3, 4, (1, 20, 35, 33)).astype(np.float32),
        rng.integers(-3, 4, (20, 1, 21, 21)).astype(np.float32),
    )
    wanted = defined(x, w, 20, (1, 1), ((10, 10), (10, 10)), (1, 1))
    np.testing.assert_array_equal(depthwise(x, w, padding=10), wanted)


def scaled_by(factor: float) -> Any:
    return lambda c, r: ts.relu(c) * factor + r


def test_epilogues():
    rng = np.random.default_rng(3)
    x, w = rng.integers(-3, 4, (2, 8, 9, 9)).astype(np.float32), rng.integers(-3, 4, (8, 1, 3, 3)).astype(np.float32)
    bias, r = rng.integers(-3, 4, 8).astype(np.float32), rng.integers(-3, 4, (2, 8, 9, 9)).astype(np.float32)
    sums = defined(x, w, 8, (1, 1), ((1, 1), (1, 1)), (1, 1)) + bias[:, None, None]
    for factor in (1.0, 2.0):  # what a function reads is a part of its key
        found = depthwise(x, w, bias, padding=1, epilogue=scaled_by(factor), operands={"r": r})
        np.testing.assert_array_equal(found, np.maximum(sums, 0) * factor + r)


CHOICES: list[tuple[Any, Any, Any, bool]] = [
    ((1, 32, 9, 10), (32, 1, 3, 3), {"groups": 32, "layout": "NHWC"}, True),
    ((2, 32, 9, 10), (32, 1, 5, 3), {"groups": 32, "layout": "NCHW", "activation": ts.relu}, True),
    ((2, 32, 40), (32, 1, 3), {"groups": 32, "dilation": 2}, True),
    ((1, 33, 9, 10), (33, 1, 3, 3), {"groups": 33, "layout": "NHWC", "residual": True}, True),
    ((1, 33, 9, 10), (33, 1, 3, 3), {"groups": 33, "layout": "NCHW", "residual": True}, False),
    ((1, 64, 9, 10), (64, 4, 3, 3), {"groups": 16, "layout": "NHWC"}, False),
    ((1, 32, 9, 10), (64, 1, 3, 3), {"groups": 32}, False),
]


@pytest.mark.parametrize(("of_x", "of_w", "given", "by_vectors"), CHOICES)
@pytest.mark.grid(len(CHOICES))
def test_layers_and_functions_choose_alike(of_x: Any, of_w: Any, given: Any, by_vectors: bool) -> None:
    """Layers computed depthwise convolutions by products, 16 times slower than conv2d, which computed grouped ones by
    vectors of copied channels, 6 times slower than layers."""
    layer = conv(of_x, of_w, padding=1, bias=False, **given)
    assert (layer.plan.loops is not None) == by_vectors
    assert any("products" in each or "vectors" in each or "A in" in each for each in layer.plan.rejected)
    rng = np.random.default_rng(4)
    x, w = (rng.integers(-3, 4, shape).astype(np.float32) for shape in (of_x, of_w))
    images = lying(x, given.get("layout", "NCHW"))
    more = [lying(np.ones(layer.shape_y, np.float32), given["layout"])] if given.get("residual") else []
    y = layer(images, layer.pack(w), *more)
    if by_vectors:
        np.testing.assert_array_equal(layer.run(images, layer.pack(w), *more, workers=2), y)
    function = ts.conv2d if len(of_x) == 4 else ts.conv1d
    wanted = function(images, w, padding=1, groups=given["groups"], dilation=given.get("dilation", 1))
    wanted = np.maximum(wanted, 0) if "activation" in given else wanted + len(more)
    np.testing.assert_array_equal(y, wanted)


def test_proof_of_a_layer() -> None:
    layer = conv((2, 5, 4, 3), (5, 1, 2, 3), padding=1, groups=5, layout="NHWC")
    assert layer.plan.loops is not None
    assert layer.verify()

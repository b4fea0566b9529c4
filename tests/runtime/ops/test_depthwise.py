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
from tilesmith.runtime.ops.depthwise import depthwise

Array = np.ndarray[Any, Any]
few = st.integers(1, 3)


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


def test_padding_by_name():
    """As in ONNX and TensorFlow: the odd zero lies behind, or before with "same_lower"."""
    x, w = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4), np.arange(4, dtype=np.float32).reshape(1, 1, 2, 2)
    for name, zeros in (("same", (0, 1)), ("same_lower", (1, 0)), ("valid", (0, 0))):
        wanted = defined(x, w, 1, (1, 1), (zeros, zeros), (1, 1))
        np.testing.assert_array_equal(depthwise(x, w, padding=name), wanted)
    assert depthwise(np.zeros((1, 1, 7, 8), np.float32), w, stride=3, padding="same").shape == (1, 1, 3, 3)


def test_many_taps_and_rims():
    """Rims that would take too much code are stored in a copy of x."""
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


@pytest.mark.parametrize(
    ("match", "ask"),
    [
        ("w: 4 groups of the 4 channels", lambda x, w: depthwise(x, w[:, :, :, :][:3])),
        ("height: 3 taps of dilation 4 reach over 9, and x has 5", lambda x, w: depthwise(x, w, dilation=4)),
        ("padding: numbers, or one of valid, same", lambda x, w: depthwise(x, w, padding="full")),
        ("out: float32 of shape", lambda x, w: depthwise(x, w, out=np.zeros((1, 4, 5, 5), np.float32))),
        ("out: must not overlap x", lambda x, w: depthwise(x, w, padding=1, out=x)),
        ("bias: shape", lambda x, w: depthwise(x, w, np.zeros(3, np.float32))),
    ],
)
def test_refusals(match, ask):
    with pytest.raises(ValueError, match=match):
        ask(np.zeros((1, 4, 5, 5), np.float32), np.zeros((4, 1, 3, 3), np.float32))

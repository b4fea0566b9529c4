"""Batch norm and its gradients equal their definitions in f64."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.guard import guarded
from tests.runtime.images.definitions import laid
from tilesmith.runtime.arguments.layouts import lying
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.images.norm import Normalisation, NormRequest

Array = np.ndarray[Any, Any]
SHAPES = {
    "first": (3, 5, 9, 11),
    "last": (2, 70, 6, 7),
    "gaps": (2, 3, 8, 9),
    "matrix": (9, 33),
    "large": (1, 3, 150, 151),
}


def by_channel(vector: Array, x: Array) -> Array:
    return vector.reshape(-1, *[1] * (x.ndim - 2))


@pytest.mark.grid(10)
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, ml_dtypes.bfloat16])
@pytest.mark.parametrize("layout", SHAPES)
def test_batch_norm(layout: str, dtype: Any, training: bool) -> None:
    rng = np.random.default_rng(0)
    values = 50 + 3 * rng.standard_normal(SHAPES[layout])
    x = laid(values.astype(dtype), layout if layout in ("last", "gaps") else "first")
    channels, wide, axes = x.shape[1], x.astype(np.float64), (0, *range(2, x.ndim))
    weight, bias, mean, var = (rng.random(channels) + 0.5 for _ in range(4))
    running = mean.copy(), var.copy()
    y, center, inverse = ts.batch_norm(x, *running, weight, bias, training=training, return_statistics=True, threads=2)
    if training:
        count, old = x.size // channels, (mean, var)
        mean, var = wide.mean(axis=axes), wide.var(axis=axes)
        for found, before, now in zip(running, old, (mean, var * count / (count - 1))):
            np.testing.assert_allclose(found, 0.9 * before + 0.1 * now, rtol=1e-5)
    spread = 1 / np.sqrt(var + 1e-5)
    near = (wide - by_channel(mean, x)) * by_channel(spread, x)
    tolerance = {np.float64: 1e-12, np.float32: 2e-5}.get(dtype, 2**-7)
    wanted = near * by_channel(weight, x) + by_channel(bias, x)
    # in f32 and bf16 x is 50 and its distance from the mean 3: the mean's rounding is a few ulp of the result
    np.testing.assert_allclose(y.astype(np.float64), wanted, rtol=tolerance, atol=tolerance)
    again = ts.batch_norm(x, *(old if training else running), weight, bias, training=training, threads=1)
    assert again.tobytes() == y.tobytes()
    dy = laid(rng.standard_normal(x.shape).astype(dtype), "last" if layout == "first" else "first")
    dx, dw, db = ts.batch_norm_backward(dy, x, weight, center, inverse, training=training)
    g = dy.astype(np.float64)
    np.testing.assert_allclose(db, g.sum(axis=axes), rtol=1e-4, atol=1e-3)
    np.testing.assert_allclose(dw, (g * near).sum(axis=axes), rtol=1e-4, atol=1e-2)
    if training:
        g = g - by_channel(g.mean(axis=axes), x) - near * by_channel((g * near).mean(axis=axes), x)
    wanted = g * by_channel(weight * spread, x)
    np.testing.assert_allclose(dx.astype(np.float64), wanted, rtol=5 * tolerance, atol=5 * tolerance)


@pytest.mark.parametrize("side", ["start", "end"])
def test_reads_and_writes_nothing_else(side: str) -> None:
    x = np.random.default_rng(0).random((2, 19, 5, 7)).astype(np.float32)
    wanted = ts.batch_norm(x, training=True)
    out = guarded(np.zeros_like(x), side)
    ts.batch_norm(guarded(x, side, writable=False), training=True, out=out)
    assert np.array_equal(out, wanted)


@pytest.mark.parametrize("target", ["sse", "sve256"])
def test_other_targets(target: str) -> None:
    x = np.random.default_rng(0).random((2, 5, 12)).astype(np.float32)
    first, second = np.zeros((2, 2, 1, 5), np.float32)
    asked = NormRequest("statistics", (2, 5, 12), lying(x).strides, "f32", host.resolve(target))
    Normalisation(asked).run([x, first, second], workers=2)
    np.testing.assert_allclose(first[:, 0], x.mean(axis=2), rtol=1e-6)
    np.testing.assert_allclose(second[:, 0], x.var(axis=2) * 12, rtol=1e-5)


def test_errors_name_the_argument() -> None:
    x = np.zeros((1, 2, 1), np.float32)
    for words, call in {
        "running_mean, running_var: both": lambda: ts.batch_norm(x),
        "x: more than 1 element": lambda: ts.batch_norm(x, training=True),
        "weight: an element for each of 2 channels": lambda: ts.batch_norm(x, x[0, :, 0], x[0, :, 0], np.zeros(3)),
        "batch norm of f64, f32, bf16 or f16, not i32": lambda: ts.batch_norm(x.astype(np.int32), training=True),
    }.items():
        with pytest.raises((ValueError, ts.UnsupportedError), match=words):
            call()  # type: ignore[no-untyped-call]

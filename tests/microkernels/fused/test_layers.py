"""Composites of layers and optimizers against numpy in long double, and derivatives against finite differences in
f64."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.guard import check_canary, guarded
from tests.kernel_runs import FOREIGN, MACHINES
from tests.profiles import is_soak
from tilesmith.microkernels.fused.composites import COMPOSITES
from tilesmith.runtime.host.detect import runs

UNIT = {"f32": 2.0**-24, "f64": 2.0**-53}
NUMPY = {"f32": np.float32, "f64": np.float64}
M, N = 4, 37


def _softmax(x: Any) -> Any:
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def _picked(x: Any, labels: Any) -> Any:
    return (np.arange(x.shape[1]) == labels).astype(x.dtype)


def _loss(x: Any, labels: Any) -> Any:
    loss = -np.log((_softmax(x) * _picked(x, labels)).sum(axis=1, keepdims=True) + (labels < 0))
    return np.where(labels < 0, 0, loss)


def _silu(x: Any) -> Any:
    return x / (1 + np.exp(-x))


def _normal(x: Any) -> Any:
    """Return the probability that a standard normal variable is below x."""
    return np.vectorize(lambda v: math.erfc(-float(v) / math.sqrt(2)) / 2)(x).astype(x.dtype)


def _gelu_slope(x: Any) -> Any:
    return _normal(x) + x * np.exp(-x * x / 2) / np.sqrt(2 * np.longdouble(math.pi))


def _slope(function: Callable[[Any], Any], x: Any) -> Any:
    """Return the slope by central differences of long doubles, with an error of about 1e-12."""
    h = np.longdouble(2.0**-20)
    return (function(x + h) - function(x - h)) / (2 * h)


def _adam(w: Any, m: Any, v: Any, g: Any, rate: Any, c1: Any, c2: Any, shrink: float = 0.0) -> Any:
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return w * (1 - rate * shrink) - rate / c1 * m / (np.sqrt(v / c2) + 1e-8), m, v


EXACT: dict[str, Callable[..., Any]] = {
    "log_softmax_inv": lambda g, y: g - np.exp(y) * g.sum(axis=1, keepdims=True),
    "cross_entropy": _loss,
    "cross_entropy_inv": lambda g, x, t: np.where(t < 0, 0, g) * (_softmax(x) - _picked(x, t)),
    "swiglu": lambda a, b: _silu(a) * b,
    "swiglu_inv": lambda g, a, b: (g * b * _slope(_silu, a), g * _silu(a)),
    "geglu": lambda a, b: a * _normal(a) * b,
    "geglu_inv": lambda g, a, b: (g * b * _gelu_slope(a), g * a * _normal(a)),
    "rope": lambda x0, x1, c, s: (x0 * c - x1 * s, x1 * c + x0 * s),
    "rope_inv": lambda x0, x1, c, s: (x0 * c + x1 * s, x1 * c - x0 * s),
    "sgd": lambda w, g, rate: w - rate * g,
    "momentum": lambda w, v, g, rate: (w - rate * (0.9 * v + g), 0.9 * v + g),
    "adam": _adam,
    "adamw": lambda *state: _adam(*state, shrink=0.01),
    "adagrad": lambda w, v, g, rate: (w - rate * g / (np.sqrt(v + g * g) + 1e-10), v + g * g),
    "rmsprop": lambda w, v, g, rate: (
        w - rate * g / (np.sqrt(0.99 * v + 0.01 * g * g) + 1e-8),
        0.99 * v + 0.01 * g * g,
    ),
    "lion": lambda w, m, g, rate: (w - rate * np.sign(0.9 * m + 0.1 * g), 0.99 * m + 0.01 * g),
    "clip_norm": lambda g, squares: g * np.minimum(1, 1 / np.sqrt(squares)),
}
ELSEWHERE = {
    "test_composites.py": ("softmax", "softmax_inv", "log_softmax", "layernorm", "rmsnorm"),
    "test_layers.py": ("bias_dropout_residual_layernorm", "split_sgd"),
    "test_down.py": (
        "layernorm_inv",
        "rmsnorm_inv",
        "batch_mean",
        "batch_variance",
        "batchnorm",
        "batchnorm_sums",
        "batchnorm_inv",
    ),
    "test_groups.py": ("group_stats", "groupnorm", "groupnorm_sums", "groupnorm_inv"),
    "../grouped/test_grouped.py": ("groupnorm_training", "groupnorm_training_inv"),
    "../sweeps/test_sweeps.py": ("batchnorm_training", "batchnorm_training_inv", "clip_own_norm"),
}
"""Composites with operands or bounds of their own, and the files that compare them with numpy."""


def test_every_composite_is_compared_with_numpy():
    missing = COMPOSITES.keys() - EXACT.keys() - {name for names in ELSEWHERE.values() for name in names}
    assert not missing, f"EXACT lacks {', '.join(sorted(missing))}: docs/add-a-function.md"
    for file, names in ELSEWHERE.items():
        text = (Path(__file__).parent / file).read_text()
        here = 1 if file == Path(__file__).name else 0  # the name in ELSEWHERE itself
        assert [name for name in names if text.count(f'"{name}"') <= here] == [], file


def _operands(kernel: Any, dtype: str) -> list[Any]:
    rng = np.random.default_rng(5)
    found = []
    for x in kernel.spec.inputs:
        if x.name == "labels":
            found.append(np.array([[3], [-100], [36], [0]], np.int32))
        elif x.name in ("v", "rate", "c1", "c2", "squares"):
            found.append(rng.uniform(0.1, 0.9, (x.rows, x.columns)).astype(NUMPY[dtype]))
        else:
            found.append((rng.standard_normal((x.rows, x.columns)) * 2).astype(NUMPY[dtype]))
    return found


def _run(kernel: Any, machine: str, arrays: list[Any]) -> list[Any]:
    dtypes = {"f32": np.float32, "f64": np.float64}
    results = [np.full(y.shape, 7, dtypes[y.dtype]) for y in kernel.spec.outputs]
    if machine in FOREIGN or runs(kernel.target):
        kernel.run(*arrays, *results)
        return results
    held = [*(guarded(each, "end") for each in arrays), *(guarded(each, "end", writable=True) for each in results)]
    kernel(*held)
    for each in held[len(arrays) :]:
        check_canary(each)
    return held[len(arrays) :]


@pytest.mark.parametrize("machine", ["avx2", "avx512", "neon", "sve256"])
@pytest.mark.parametrize("name", list(EXACT))
def test_against_numpy(name, machine):
    for dtype in UNIT if is_soak() or len(name) % 2 else ("f32",):
        kernel = ts.fused(name, M, N, dtype=dtype, target=MACHINES[machine].name)
        arrays = _operands(kernel, dtype)
        with np.errstate(all="ignore"):
            wanted = EXACT[name](*(each.astype(np.longdouble) for each in arrays))
        found = _run(kernel, machine, arrays)
        for y, exact in zip(found, wanted if isinstance(wanted, tuple) else (wanted,)):
            size = max(1.0, float(max(np.abs(each).max() for each in arrays[:1] + [exact])))
            # sums of N terms of this magnitude and a few operations; 1e-11 for slopes by differences
            bound = (N + 16) * UNIT[dtype] * size * 4 + (1e-11 if name == "swiglu_inv" else 0)
            assert np.all(np.abs(y - exact) <= bound), (name, dtype)


def _gradient(kernel: Any, arrays: list[Any], which: int, weights: Any) -> Any:
    """Return the derivative of the weighted sum of the results, by differences of the f64 kernel."""
    found = np.zeros_like(arrays[which])
    for place in np.ndindex(found.shape):
        ends = []
        for h in (1e-5, -1e-5):
            moved = [each.copy() for each in arrays]
            moved[which][place] += h
            ends.append(float((kernel(*moved) * weights).sum()))
        found[place] = (ends[0] - ends[1]) / 2e-5
    return found


@pytest.mark.parametrize("name", ["log_softmax", "cross_entropy", "swiglu", "geglu"])
def test_derivatives_by_differences(name):
    m, n = (4, 37) if name == "cross_entropy" else (3, 9)
    forward, backward = ts.fused(name, m, n, dtype="f64"), ts.fused(name + "_inv", m, n, dtype="f64")
    arrays = _operands(forward, "f64")
    y = forward(*arrays)
    g = np.random.default_rng(1).standard_normal(y.shape)
    given = [g, y] if name == "log_softmax" else [g, *arrays]
    results = backward(*given)
    for which, found in enumerate(results if isinstance(results, tuple) else (results,)):
        assert np.allclose(found, _gradient(forward, arrays, which, g), rtol=1e-6, atol=1e-8)


def test_dropout_residual_norm():
    rng = np.random.default_rng(0)
    x, residual = rng.standard_normal((2, 6, 100)).astype(np.float32)
    bias, gamma, beta = rng.standard_normal((3, 100)).astype(np.float32)
    for dtype in ("f32", "bf16"):
        kernel = ts.fused("bias_dropout_residual_layernorm", 6, 100, rate=0.25, dtype=dtype)
        given = [
            each.astype(ml_dtypes.bfloat16 if dtype == "bf16" else np.float32)
            for each in (x, bias, residual, gamma, beta)
        ]
        y, total = np.empty_like(given[0]), np.empty_like(given[0])
        mask = np.empty((6, 13), np.uint8)
        kernel(*given, 9, y, total, mask)
        kept = np.unpackbits(mask, axis=1, bitorder="little")[:, :100].astype(bool)
        alone = np.empty((6, 13), np.uint8)
        ts.unary("dropout_mask", 6, 100, rate=0.25)(x, 9, np.empty_like(x), alone)
        assert (alone == mask).all()
        a, b, r, scale, shift = (each.astype(np.float64) for each in given)
        wanted = r + np.where(kept, (a + b) / 0.75, 0)
        middle = wanted - wanted.mean(axis=1, keepdims=True)
        normed = middle / np.sqrt((middle**2).mean(axis=1, keepdims=True) + 1e-5) * scale + shift
        rtol = 2.0**-8 if dtype == "bf16" else 1e-5
        assert np.allclose(total.astype(float), wanted, rtol=rtol, atol=1e-5)
        assert np.allclose(y.astype(float), normed, rtol=rtol, atol=1e-5)


@pytest.mark.parametrize("name", ["momentum", "adamw", "adagrad", "lion", "clip_norm"])
def test_in_place(name):
    kernel = ts.fused(name, M, N)
    arrays = _operands(kernel, "f32")
    results = kernel(*arrays)
    results = results if isinstance(results, tuple) else (results,)
    kernel(*arrays, *arrays[: len(results)])
    for new, wanted in zip(arrays, results):
        assert (new == wanted).all()


def test_rope_in_place_on_halves_of_rows():
    x = np.random.default_rng(2).standard_normal((5, 34)).astype(np.float32)
    angle = np.random.default_rng(3).uniform(0, 6, (5, 17))
    cos, sin = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
    halves = dict.fromkeys(("ldx0", "ldx1", "ldy0", "ldy1"), 34)
    y = np.empty_like(x)
    ts.fused("rope", 5, 17, **halves)(x[:, :17], x[:, 17:], cos, sin, y[:, :17], y[:, 17:])
    assert np.allclose(y[:, :17], x[:, :17] * cos - x[:, 17:] * sin, atol=1e-6)
    ts.fused("rope_inv", 5, 17, **halves)(y[:, :17], y[:, 17:], cos, sin, y[:, :17], y[:, 17:])
    assert np.allclose(y, x, atol=1e-5)


def test_split_sgd_keeps_all_bits():
    w = np.random.default_rng(4).standard_normal((3, 70)).astype(np.float32)
    g = np.random.default_rng(6).standard_normal((3, 70)).astype(np.float32)
    words = w.view(np.uint32)
    high, low = (words >> 16).astype(np.uint16).view(ml_dtypes.bfloat16), words.astype(np.uint16)
    ts.fused("split_sgd", 3, 70)(high, low, g, np.full((1, 1), 0.125, np.float32), high, low)
    found = (high.view(np.uint16).astype(np.uint32) << 16 | low).view(np.float32)
    assert (found == (w - g.astype(np.float64) * 0.125).astype(np.float32)).all()
    with pytest.raises(ts.UnsupportedError, match="split_sgd: high and low are halves of f32"):
        ts.fused("split_sgd", 3, 70, dtype="f64")

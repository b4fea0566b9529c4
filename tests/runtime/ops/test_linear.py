"""Layers with packed weights: the bits of numpy, for any number of rows, workers and layers."""

from __future__ import annotations

import pickle
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tilesmith.microkernels.machines.registry import facts_of
from tilesmith.runtime.fastcall import entry
from tilesmith.runtime.ops.linear import Linear
from tilesmith.runtime.ops.schedules import Blocks, SharedSums

TYPES = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16}


def whole(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    """Return small integers, whose sums are exact in every type."""
    return rng.integers(-2, 3, shape).astype(TYPES[dtype])


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("shape", [(5, 7, 3), (70, 300, 1111), (130, 500, 600)])
@pytest.mark.parametrize("dtype", TYPES)
def test_layers(dtype: str, shape: tuple[int, int, int], side: str) -> None:
    m, n, k = shape
    rng = np.random.default_rng(0)
    layer = ts.linear(m, n, k, dtype=dtype, activation=ts.relu)
    x, weights, bias = whole(rng, (m, k), dtype), whole(rng, (k, n), dtype), whole(rng, (n,), dtype)
    packed = ts.pack_weights(weights, layer)
    wide = x.astype(np.float64) @ weights.astype(np.float64) + bias.astype(np.float64)
    wanted = np.maximum(wide, 0).astype(TYPES[dtype])
    weights[...] = 0  # the packed weights are a copy
    x, bias = guarded(x, side), guarded(bias, side)
    for workers in (1, 2, 7):
        y = guarded(np.full((m, n), 77, TYPES[dtype]), side, writable=True)
        integers, keep = layer.checked(x, layer.seen(packed), y, bias)
        layer._run(integers, workers)
        del keep
        assert y.tobytes() == wanted.tobytes()
        check_canary(y)
    assert layer(x, packed, bias, threads=2).tobytes() == wanted.tobytes()


@pytest.mark.skipif(bool(entry.refusal()), reason="calls go through Python here")
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("dtype", TYPES)
def test_calls_that_machine_code_checks(dtype: str, bias: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    layer, other = (ts.linear(m, 50, 60, dtype=dtype, bias=bias) for m in (9, 3))
    x, weights = whole(rng, (9, 60), dtype), whole(rng, (60, 50), dtype)
    more = [whole(rng, (50,), dtype)] if bias else []
    wanted = layer(x, layer.pack(weights), *more)
    assert np.array_equal(wanted, (x.astype(float) @ weights.astype(float) + sum(more)).astype(TYPES[dtype]))
    for packed in (layer.pack(weights), other.pack(weights)):
        for given in (x[:-1], x.astype(np.float16), weights):
            with pytest.raises((TypeError, ValueError), match="x: "):
                layer(given, packed, *more)
        for y in (np.broadcast_to(wanted[:1], wanted.shape), wanted[:-1], wanted.astype(np.float16)):
            with pytest.raises((TypeError, ValueError), match="y: "):
                layer(x, packed, *more, y)
    square = ts.linear(9, 9, 9, dtype=dtype, bias=False)
    of_square = square.pack(x[:, :9])
    y = x[:, :9].copy()
    assert square(y, of_square).shape == (9, 9)
    with pytest.raises(ValueError, match="y: .*overlap"):
        square(y, of_square, y)
    monkeypatch.setattr(Linear, "_placed", None)
    for packed in (layer.pack(weights), other.pack(weights)):
        y = np.full_like(wanted, 77)
        assert layer(x, packed, *more).tobytes() == wanted.tobytes()
        assert layer(x, packed, *more, y) is y and y.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("threads", [1, 3])
def test_deep_layers_have_tall_blocks(threads: int) -> None:
    """If L2 is too small for a block of weights of depth k, all rows are one block on targets without tiles."""
    m, n, k = 150, 420, 5000
    rng = np.random.default_rng(3)
    target = "avx512_bf16" if facts_of(ts.host()).tile("bf16", "bf16") else None
    layer = ts.linear(m, n, k, dtype="bf16", bias=False, threads=threads, target=target)
    assert layer.plan.kb == k and layer.plan.mb == m and layer.plan.ng <= layer.plan.nc == n
    x, weights = whole(rng, (m, k), "bf16"), whole(rng, (k, n), "bf16")
    wanted = (x.astype(np.float64) @ weights.astype(np.float64)).astype(ml_dtypes.bfloat16)
    assert layer(x, layer.pack(weights)).tobytes() == wanted.tobytes()


@pytest.mark.parametrize("workers", [1, 2, 7])
def test_sums_of_layers_in_scratch_memory(workers: int) -> None:
    """Sums in scratch memory over several blocks of k and of columns, padded to whole tiles, the last ones partial."""
    m, n, k = 101, 150, 300
    rng = np.random.default_rng(4)
    layer = ts.linear(m, n, k, dtype="bf16", activation=ts.relu)
    ts.linear.cache_clear()  # type: ignore[attr-defined]
    layer.__dict__["plan"] = Blocks(m, n, k, 40, 32, 64, SharedSums(64, 16, whole=32))
    x, weights, bias = (whole(rng, shape, "bf16") for shape in ((m, k), (k, n), (n,)))
    wide = x.astype(np.float64) @ weights.astype(np.float64) + bias.astype(np.float64)
    made = layer(x, layer.pack(weights), bias, threads=workers)
    assert made.tobytes() == np.maximum(wide, 0).astype(ml_dtypes.bfloat16).tobytes()


@pytest.mark.parametrize("dtype, k", [("f32", 300), ("bf16", 300), ("bf16", 2500)])
def test_more_rows_take_the_same_weights(dtype: str, k: int) -> None:
    rng = np.random.default_rng(1)
    weights = whole(rng, (k, 400), dtype)
    packed = ts.linear(64, 400, k, dtype=dtype, bias=False).pack(weights)
    for m in (1, 33, 200):
        x = whole(rng, (m, k), dtype)
        wanted = (x.astype(np.float64) @ weights.astype(np.float64)).astype(TYPES[dtype])
        assert ts.linear(m, 400, k, dtype=dtype, bias=False)(x, packed).tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
@pytest.mark.parametrize("workers", [1, 2, 7])
def test_networks(dtype: str, workers: int) -> None:
    """One call of a network of three layers gives the bits of three calls of layers."""
    sizes, m = [90, 210, 120, 17], 101
    rng = np.random.default_rng(2)
    net = ts.mlp(m, sizes, dtype=dtype, activation=ts.relu)
    weights = [rng.standard_normal((k, n)).astype(TYPES[dtype]) for k, n in zip(sizes, sizes[1:])]
    biases = [rng.standard_normal(n).astype(TYPES[dtype]) for n in sizes[1:]]
    x = rng.standard_normal((m, sizes[0])).astype(TYPES[dtype])
    packed = net.pack(weights)
    y = x
    for layer, w, bias in zip(net.layers, packed, biases):
        y = layer(y, w, bias)
    for _ in range(5):
        assert net(x, packed, biases, threads=workers).tobytes() == y.tobytes()
    out = np.zeros_like(y)
    assert net(x, packed, biases, out) is out and out.tobytes() == y.tobytes()


def test_errors_name_the_wrong_argument() -> None:
    layer = ts.linear(4, 5, 6)
    x, weights, bias = np.ones((4, 6), np.float32), np.ones((6, 5), np.float32), np.ones(5, np.float32)
    with pytest.raises(TypeError, match="w: must be packed"):
        layer(x, weights, bias)
    with pytest.raises(TypeError, match="w: must be packed"):
        layer(x, ts.linear(4, 6, 5).pack(weights.T.copy()), bias)
    with pytest.raises(ValueError, match="weights: float32 of shape"):
        layer.pack(weights.T)
    with pytest.raises(TypeError, match="layer: must be made by ts.linear"):
        ts.pack_weights(weights, ts.brgemm(4, 5, 6))  # type: ignore[arg-type]
    square, read_only = ts.linear(4, 4, 4), np.ones((4, 4), np.float32)
    read_only.flags.writeable = False
    w, v = square.pack(read_only), np.ones(4, np.float32)
    for call, words in (
        (lambda y: square(y[::-1], w, v), "x: strides"),
        (lambda y: square(y, w, v, y), "y: must not overlap x"),
        (lambda y: square(read_only, w, v, y.T), "y: strides"),
        (lambda y: square(y, w, v, read_only), "y: a writable"),
        (lambda y: ts.mlp(4, [4, 4])(y, [w], [v], y), "out: must not overlap x"),
    ):
        with pytest.raises(ValueError, match=words):
            call(np.ones((4, 4), np.float32))
    with pytest.raises(TypeError, match="activation: a function of an expression"):
        ts.mlp(4, [6, 5, 4], activation="relu")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="bias: must be True or False"):
        ts.linear(4, 5, 6, bias=v)  # type: ignore[arg-type]
    with pytest.raises(ts.UnsupportedError, match="mlp: the result of a layer is the x of the next one"):
        ts.mlp(4, [6, 5, 4], dtype=("u8", "i8", "i32"))
    with pytest.raises(ValueError, match="sizes: two"):
        ts.mlp(4, [5])
    with pytest.raises(ValueError, match="one for each of 2 layers"):
        ts.mlp(4, [6, 5, 4])(x, [], [])
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(ts.linear(4, 5, 6, activation=lambda x: x * 2))  # pickle finds no lambda by name

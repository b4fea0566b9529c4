"""Layers of many rows convert parts of their packed weights to f32; the packed weights are the same for few rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.ops.block_rules import rules_for_weights
from tilesmith.runtime.ops.linear import Linear
from tilesmith.runtime.ops.schedules import OwnSums

RNG = np.random.default_rng(6)
TYPES: tuple[Any, ...] = "f16", ("bf16", "i8", "bf16"), ("f32", "f8e5m2", "f32"), "f8e4m3"


def operands(m: int, n: int, k: int, types: tuple[str, str, str]) -> tuple[Any, Any, Any]:
    """Return x, weights and bias of integers so small that every sum of a test is exact."""
    x, w, bias = (
        RNG.integers(low, 2, shape).astype(numpy_dtype(dtype))
        for low, shape, dtype in zip((-1, 0, -1), ((m, k), (k, n), (n,)), types)
    )
    return x, w, bias


def exact(x: Any, w: Any, bias: Any) -> Any:
    wide = x.astype(np.float64) @ w.astype(np.float64) + bias.astype(np.float64)
    return np.maximum(wide, 0).astype(bias.dtype)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize(("n", "k"), [(200, 300), (33, 1100), (17, 2500)])
def test_layers_of_any_number_of_rows_take_the_same_weights(dtype: Any, n: int, k: int) -> None:
    layers = [ts.linear(m, n, k, dtype=dtype, activation=ts.relu) for m in (130, 65, 3)]
    w = operands(1, n, k, layers[0].product.dtypes)[1]
    packed = layers[0].pack(w)
    for layer in layers:
        m = layer.product.m
        assert layer.plan.widened == (m > 3)
        x, _, bias = operands(m, n, k, layer.product.dtypes)
        for threads in (1, 3):
            assert np.array_equal(layer(x, packed, bias, threads=threads), exact(x, w, bias)), layer.plan


def cut(m: int, n: int, k: int, kb: int, lines: int, **request: Any) -> Linear:
    """Return a layer with several blocks in each dimension."""
    layer = Linear(ts.linear(m, n, k, **request).request, None)
    layer.__dict__["plan"] = replace(layer.plan, mb=16, nb=4, kb=kb, schedule=OwnSums(8, lines))
    assert layer.plan.widened
    return layer


@pytest.mark.parametrize("target, kb", [("avx512", 6), ("avx2", 4), ("neon", 6), ("sve256", 4)])
def test_other_machines_in_the_emulator(target: str, kb: int) -> None:
    """Any number of workers computes the exact layer; the emulator allows no other memory, and finds races."""
    layer = cut(25, 5, 6, kb, 4, dtype=("bf16", "i8", "bf16"), activation=ts.relu, target=target)
    x, w, bias = operands(25, 5, 6, layer.product.dtypes)
    for workers in (1, 3):
        assert np.array_equal(layer.run(x, w, bias, workers=workers), exact(x, w, bias))


@pytest.mark.parametrize("dtype", ["f16", ("f16", "i8", "f32")], ids=str)
def test_they_are_proved(dtype: Any) -> None:
    layer = ts.linear(64, 3, 6, dtype=dtype, bias=False, target="avx2")
    assert layer.plan.widened and layer.verify()


@pytest.mark.parametrize("side", SIDES)
def test_memory_beside_the_operands(side: str) -> None:
    layer = cut(65, 50, 70, 70, 16, dtype="f16", activation=ts.relu)
    x, w, bias = operands(65, 50, 70, layer.product.dtypes)
    out = guarded(np.zeros((65, 50), np.float16), side, writable=True)
    for threads in (1, 3):
        layer(guarded(x, side), layer.pack(w), guarded(bias, side), out, threads=threads)
        check_canary(out)
        assert np.array_equal(out, exact(x, w, bias))


def test_networks() -> None:
    sizes, m = [90, 210, 120, 17], 101
    net = ts.mlp(m, sizes, dtype="f16", activation=ts.relu)
    assert all(layer.plan.widened for layer in net.layers)
    given = [operands(m, n, k, ("f16",) * 3) for k, n in zip(sizes, sizes[1:])]
    packed, biases = net.pack([w for _, w, _ in given]), [bias for *_, bias in given]
    x = y = given[0][0]
    for layer, w, bias in zip(net.layers, packed, biases):
        y = layer(y, w, bias)
    assert net(x, packed, biases, threads=2).tobytes() == y.tobytes() and y.any()


def test_parts_of_weights_are_bounded() -> None:
    """A worker's memory for converted weights, rows and sums fits L2, and plans of few rows have the same blocks."""
    for target in (TARGETS["avx512"], TARGETS["avx2"], TARGETS["neon"]):
        for dtype in TYPES:
            for n, k in ((1, 1), (100, 5000), (65536, 65536)):
                many, few = (rules_for_weights(ts.gemm_spec(m, n, k, dtype=dtype), target, 2) for m in (5000, 3))
                assert (many.nb, many.kb, many.whole) == (few.nb, few.kb, few.whole) and not few.widened
                floats = many.lines * many.nb + many.mb * (many.lines + many.nb)
                assert not many.widened or 4 * floats <= (target.l2 or 1 << 20)

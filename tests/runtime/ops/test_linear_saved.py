"""Layers and networks without Python: called by C programs, and executed in the emulator."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests import c_jobs
from tests.c_jobs import BARRIER, NONE, WORKER
from tilesmith.emulation.workers import Race
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.loops.code import without_barriers
from tilesmith.runtime.loops.job import Job
from tilesmith.runtime.ops.linear import Linear, linear


def numbers(*shape: int) -> Any:
    """Small integers, whose products and sums are exact."""
    return np.random.default_rng(sum(shape)).integers(-2, 3, shape).astype(np.float32)


def relu(x: Any) -> Any:
    return np.maximum(x, 0)


@pytest.mark.parametrize("bias", [True, False])
def test_a_c_program_computes_a_layer(bias: bool, tmp_path: Path) -> None:
    """It packs the weights by one saved function, and computes by another one."""
    layer: Any = ts.linear(40, 100, 300, activation=ts.relu, bias=bias)
    x, w, b = numbers(40, 300), numbers(300, 100), numbers(100)
    room = np.zeros(layer.packing.bytes, np.uint8)
    _, packed = c_jobs.run(tmp_path, layer.packing, [w, room], 3, name="pack")
    assert f"#define pack_bytes {layer.packing.bytes}" in (tmp_path / "job.h").read_text()
    np.testing.assert_array_equal(packed, layer.pack(w).array)
    words = [x, packed, np.zeros((40, 100), np.float32), NONE, WORKER if layer.bytes_own else NONE, BARRIER]
    found = c_jobs.run(tmp_path, layer, [*words, *([b] if bias else [])], 3, name="layer")
    np.testing.assert_array_equal(found[2], relu(x @ w + b * bias))
    header = (tmp_path / "job.h").read_text()
    assert "operands[2]: float *y" in header and f"#define layer_weights_bytes {layer.packing.bytes}" in header


UNDER_QEMU = pytest.param("neon", marks=pytest.mark.slow)


@pytest.mark.parametrize("target", [None, UNDER_QEMU])
def test_a_c_program_computes_a_network(target: str | None, tmp_path: Path) -> None:
    """Three pthreads with a barrier of the C library between the layers."""
    sizes = [30, 40, 20, 10]
    net: Any = ts.mlp(12, sizes, activation=ts.relu, target=target)
    x, weights, biases = numbers(12, 30), [numbers(*each) for each in zip(sizes, sizes[1:])], [*map(numbers, sizes[1:])]
    packed = [layer.packing.run(each).array for layer, each in zip(net.layers, weights)]
    words = [x, WORKER if net.bytes_own else NONE, BARRIER]
    wanted = x
    for number, (w, b) in enumerate(zip(weights, biases)):
        words += [packed[number], b, np.zeros((12, sizes[number + 1]), np.float32)]
        wanted = wanted @ w + b
        wanted = relu(wanted) if number < 2 else wanted
    found = c_jobs.run(tmp_path, net, words, 3, name="network", a64=target is not None)
    np.testing.assert_array_equal(found[-1], wanted)
    header = (tmp_path / "job.h").read_text()
    assert "operands[5]: const float *bias1" in header and "operands[12]: float *y3" in header
    assert f"#define network_weights3_bytes {net.layers[2].packing.bytes}" in header


@pytest.mark.parametrize("target", ["avx2", "avx512", "neon"])
def test_the_emulator_runs_layers(target: str) -> None:
    """Weights are packed there, too, since this host may lack the target's instructions."""
    layer: Any = ts.linear(8, 40, 20, activation=ts.relu, target=target)
    x, w, b = numbers(8, 20), numbers(20, 40), numbers(40)
    wanted = relu(x @ w + b)
    np.testing.assert_array_equal(layer.run(x, w, b, workers=3, seed=1), wanted)
    out = np.zeros_like(wanted)
    packed = layer.packing.run(w, workers=2)
    assert layer.run(x=x, w=packed, bias=b, out=out) is out
    np.testing.assert_array_equal(out, wanted)
    with pytest.raises(TypeError, match="must be packed for this layer"):
        layer(x, w, b)
    with pytest.raises(ValueError, match=r"weights: float32 of shape \(20, 40\)"):
        layer.run(x, w[:-1], b)


@pytest.mark.parametrize("target", ["avx2", UNDER_QEMU])
def test_the_emulator_runs_networks(target: str) -> None:
    """Without the barrier between the layers it finds a race."""
    net: Any = ts.mlp(8, [6, 24, 5], activation=ts.relu, target=target)
    x, weights, biases = numbers(8, 6), [numbers(6, 24), numbers(24, 5)], [numbers(24), numbers(5)]
    wanted = relu(x @ weights[0] + biases[0]) @ weights[1] + biases[1]
    first = net.layers[0]
    schedule = replace(first.plan.schedule, ng=8)  # workers share the columns of the first result
    first.__dict__["plan"] = replace(first.plan, nb=8, schedule=schedule)
    linear.cache_clear()  # type: ignore[attr-defined]
    np.testing.assert_array_equal(net.run(x, weights, biases, workers=2, seed=1), wanted)
    out = np.zeros_like(wanted)
    assert net.run(x, weights, biases, out, workers=1) is out
    np.testing.assert_array_equal(out, wanted)
    net.__dict__["job"] = Job(without_barriers(net.job.blob.nodes), net.target)
    with pytest.raises(Race, match="y of layer 1"):
        for seed in range(4):
            net.run(x, weights, biases, workers=2, seed=seed)


@pytest.mark.slow
def test_proofs_of_layers() -> None:
    """The packing and the product together; several blocks of columns, which lie otherwise than in the weights."""
    layer: Any = ts.linear(4, 56, 6, activation=ts.relu, target="avx2")
    assert layer.plan.nb < 56
    assert layer.verify()
    nest = layer.nest
    shifted = replace(nest, b=replace(nest.b, column=nest.b.column - 4))  # columns that lie too far left
    layer.packing.__dict__["job"] = Job(shifted.packing(), layer.target)
    linear.cache_clear()  # type: ignore[attr-defined]
    assert not layer.verify()


def test_how_they_look() -> None:
    layer: Any = ts.linear(40, 100, 300, activation=ts.relu)
    assert str(layer).startswith("linear 40 x 100 x 300 f32 for") and "(x + " in str(layer)
    assert str(inspect.signature(layer)) == "(x, w, bias, y=None, /, *, threads=None)"
    assert "bias   f32 (100,)" in layer.__doc__ and "layer.plan" in Linear.__doc__
    assert layer.name.startswith("ts_linear_f32_40x100x300_") and layer.packing.name.startswith("ts_pack_f32_300x100_")
    again = pickle.loads(pickle.dumps(layer.packing))
    assert again.code == layer.packing.code and str(again) == str(layer.packing)
    net: Any = ts.mlp(12, [30, 40, 10], activation=ts.relu)
    assert net.name.startswith("ts_mlp_f32_12x30x40x10_") and net.name in net.listing()
    assert str(net).startswith("mlp of 12 rows, 30 -> 40 -> 10, for") and "barrier: all workers" in str(net)
    assert str(net.plan).splitlines()[1].startswith("layer 2: blocks of") and "<details>" in net._repr_html_()


def test_layers_of_other_processors_say_what_works() -> None:
    layer: Any = ts.linear(8, 40, 20, target="neon")
    with pytest.raises(UnsupportedError):
        layer.pack(numbers(20, 40))

"""Steps in machine code: every kind of kernel, on any number of threads, in the emulator, between guard pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts
from tests.guard import both_sides, guarded
from tests.runtime.executor.steps_on_arrays import (
    WORKERS,
    Array,
    StepProgram,
    chain,
    random,
    rng,
)
from tilesmith.runtime.executor.stages import PackingLayer
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.images.job import Images, job_for
from tilesmith.runtime.images.nest import ImagesRequest
from tilesmith.runtime.images.pooling import LARGEST, windows
from tilesmith.runtime.ops.spread_stack import Batch


@both_sides
def test_a_chain(side: str) -> None:
    program, wanted = chain(side)
    made = program.made()
    found = []
    for threads in (*WORKERS, None):
        program.results["y"][...] = np.nan
        program.run(made, threads)
        found.append(program.results["y"].copy())
    assert np.allclose(found[0], wanted, rtol=1e-5, atol=1e-6)
    assert all(np.array_equal(found[0], each) for each in found[1:])
    assert len(made.segments) == 1 and made.verify_schedule().holds


@pytest.mark.parametrize("target", ["avx512", "sve256", "amx", "avx2"])
def test_a_chain_in_the_emulator(target: str) -> None:
    program, wanted = chain(target=target)
    made = program.made()
    for workers in (1, 3):
        program.results["y"][...] = np.nan
        made.emulated(program.arguments, workers, turns=workers)
        assert np.allclose(program.results["y"], wanted, rtol=1e-5, atol=1e-6)


# Every kind of entry, between two kernels of one core


def softmax_of(x: Array) -> Array:
    rows = np.exp(x.astype(float) - x.max(-1, keepdims=True))
    found: Array = rows / rows.sum(-1, keepdims=True)
    return found


def attention_of(x: Array) -> Array:
    q, k, v = x.astype(float).reshape(3, 2, 8, 16)
    return softmax_of(q @ k.swapaxes(1, 2) / 4) @ v


def pool(target: str | None) -> Images:
    axes = windows((8, 8), (2, 2), (2, 2), ((0, 0), (0, 0)), (1, 1), False, False)
    strides = (4 * 64, 64, 8, 1), (4 * 16, 16, 4, 1)
    return job_for(ImagesRequest((2, 4), axes, *strides, LARGEST, ("f32", "f32"), host.resolve(target)))


class Case(NamedTuple):
    """An entry of one matrix x (32, 24) and one result; the operands between and behind them; what it computes."""

    make: Callable[[str | None], Any]
    operands: Callable[[Any], Sequence[str | int]]
    shape: tuple[int, ...]
    wanted: Callable[[Array], Array]
    rows: int = 32
    columns: int = 24


CASES = {
    "spread": Case(
        lambda t: ts.spread(ts.fused("softmax", 32, 24, target=t)), lambda _: ("x", "y"), (32, 24), softmax_of
    ),
    "columns": Case(
        lambda t: ts.spread(ts.reduce("sum", 512, 24, axis=0, target=t)),
        lambda _: ("x", "y"),
        (24,),
        lambda x: x.sum(0, dtype=float),
        rows=512,
    ),
    "attention": Case(
        lambda t: ts.spread(ts.attention(2, 8, 8, 16, target=t)),
        lambda _: ("x", "x+1024", "x+2048", "y"),
        (2, 8, 16),
        attention_of,
    ),
    "stack": Case(
        lambda t: ts.spread(ts.brgemm(4, 4, 4, stack=48, beta=0.0, target=t)),
        lambda _: ("x", "x", "y", 64, 64, 64),
        (48, 4, 4),
        lambda x: x.reshape(48, 4, 4) @ x.reshape(48, 4, 4),
    ),
    "counted stack": Case(
        lambda t: ts.spread(ts.brgemm(4, 4, 4, stack=ts.RUNTIME, beta=0.0, target=t)),
        lambda _: ("x", "x", "y", 11, 64, 0, 64),
        (11, 4, 4),
        lambda x: x.reshape(48, 4, 4)[:11] @ x.reshape(48, 4, 4)[0],
    ),
    "batch": Case(
        lambda t: Batch(ts.brgemm(4, 4, 4, beta=0.0, target=t), 48, (64, 64, 64)),
        lambda _: ("x", "x", "y"),
        (48, 4, 4),
        lambda x: x.reshape(48, 4, 4) @ x.reshape(48, 4, 4),
    ),
    "rows": Case(
        lambda t: ts.spread(ts.unary("relu", ts.RUNTIME, 24, target=t)),
        lambda _: ("x", "y", 32),
        (32, 24),
        lambda x: np.maximum(x, 0),
    ),
    "pool": Case(
        pool, lambda job: ("x", "y", "tables"), (2, 4, 4, 4), lambda x: x.reshape(2, 4, 4, 2, 4, 2).max((3, 5)), 8, 64
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_every_kind_of_entry(name: str) -> None:
    for target in (None, "avx2", "sve256"):
        program, wanted = around(CASES[name], target)
        made, found = program.made(), []
        for workers in WORKERS if target is None else (1, 3):
            program.results["z"][...] = np.nan
            if target is None:
                program.run(made, workers)
            else:
                made.emulated(program.arguments, workers)
            found.append(program.results["z"].copy())
        assert np.allclose(found[0], wanted, rtol=1e-5, atol=1e-5)
        assert all(np.array_equal(found[0], each) for each in found[1:])
        assert made.verify_schedule().holds and len(made.segments) == 1


def around(case: Case, target: str | None) -> tuple[StepProgram, Array]:
    """Return -f(-x) as a program."""
    x, size = random(case.rows, case.columns), int(np.prod(case.shape))
    program, entry = StepProgram(), case.make(target)
    program.inputs = {"given": guarded(x, "start", writable=False)}
    program.results = {"z": guarded(np.zeros(size, np.float32), "end")}
    program.between("x", x.nbytes)
    program.between("y", 4 * size)
    program.constants = {"tables": entry.tables} if hasattr(entry, "tables") else {}
    program.step(ts.unary("negate", case.rows, case.columns, target=target), "given", "x")
    program.step(entry, *case.operands(entry))
    program.step(ts.unary("negate", 1, size, target=target), "y", "z")
    return program, -case.wanted(-x).ravel()


@pytest.mark.parametrize("target", [None, "avx512", "neon"])
def test_convolutions(target: str | None) -> None:
    x, w = random(2, 3, 9, 9), random(4, 3, 3, 3, seed=1)
    layer = ts.conv(x.shape, w.shape, bias=False, activation=ts.relu, padding=1, target=target)
    program = StepProgram()
    program.inputs, program.results = {"x": x}, {"y": np.zeros((2, 4, 9, 9), np.float32)}
    program.constants = {"w": layer.panels(w) if target is None else layer.panels(w)}
    program.between("a", program.results["y"].nbytes)
    program.step(layer, "x", "w", "a")
    program.step(ts.unary("negate", 8, 81, target=target), "a", "y")
    made = program.made()
    if target is None:
        program.run(made, 2)
    else:
        made.emulated(program.arguments, 3)
    padded = np.pad(x.astype(float), ((0, 0), (0, 0), (1, 1), (1, 1)))
    seen = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    assert np.allclose(program.results["y"], -np.maximum(np.einsum("nchwij,kcij->nkhw", seen, w), 0), atol=1e-5)


def test_convolutions_of_weights_that_a_step_computes() -> None:
    """The panels of the weights are packed in scratch memory, behind the arena."""
    x, w = random(2, 3, 9, 9), random(4, 3, 3, 3, seed=1)
    layer = ts.conv(x.shape, w.shape, bias=False, padding=1)
    program = StepProgram()
    program.inputs, program.results = {"x": x, "given": w}, {"y": np.zeros((2, 4, 9, 9), np.float32)}
    program.between("w", w.nbytes)
    program.between("a", program.results["y"].nbytes)
    program.step(ts.unary("negate", 12, 9), "given", "w", name="weights")
    program.step(PackingLayer(layer, (27, 9, 3, 1)), "x", "w", "a", name="conv")
    program.step(ts.unary("negate", 8, 81), "a", "y", name="negate")
    made = program.made()
    padded = np.pad(x.astype(float), ((0, 0), (0, 0), (1, 1), (1, 1)))
    seen = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    for workers in WORKERS:
        program.results["y"][...] = np.nan
        program.run(made, workers)
        assert np.allclose(program.results["y"], np.einsum("nchwij,kcij->nkhw", seen, w), atol=1e-5)
    made.emulated(program.arguments, 3)
    assert made.verify_schedule().holds


def test_tiles() -> None:
    """Products on tile registers configure them and release them, between steps that use none."""
    size, kind = 32, ml_dtypes.bfloat16
    x, w, v = (rng(seed).integers(-2, 3, (size, size)).astype(kind) for seed in range(3))
    program = StepProgram()
    program.inputs, program.results = {"x": x}, {"y": np.zeros((size, size), kind)}
    layer = ts.linear(size, size, size, dtype="bf16", bias=False, activation=ts.relu, target="amx")
    program.constants = {"w": w, "v": layer.packing.run(v).array}
    for name in "abc":
        program.between(name, x.nbytes)
    product = ts.gemm(size, size, size, dtype="bf16", beta=0.0, target="amx")
    assert "tdpbf16ps" in product.listing() and "tdpbf16ps" in layer.listing()
    program.step(product, "x", "w", "a")
    program.step(ts.equation(lambda x: x * 0.125, x=(size, size), dtype="bf16", target="amx"), "a", "b")
    program.step(ts.equation(ts.rint, x=(size, size), dtype="bf16", target="amx"), "b", "c")
    program.step(layer, "c", "v", "y")
    made, f = program.made(), np.float64
    rounded = (x.astype(f) @ w.astype(f)).astype(kind).astype(f) * 0.125
    wanted = np.maximum(np.rint(rounded.astype(kind).astype(f)) @ v.astype(f), 0).astype(kind)
    for workers in (1, 2):
        program.results["y"][...] = np.nan
        made.emulated(program.arguments, workers)
        assert np.array_equal(program.results["y"], wanted)


@pytest.mark.parametrize(("string", "divided"), [("b", 0), ("B", 0), ("b{R:2}", 1), ("b{R}", 1)])
@pytest.mark.parametrize("region", [False, True])
def test_nests(string: str, divided: int, region: bool) -> None:
    """All workers run nests whose strings say who runs what, and one worker runs a small other one, also a region whose
    nests without divided loops are for the first worker."""
    kernel = ts.unary("negate", 2, 8)
    shapes = dict.fromkeys("xy", ((16, 2, 8), "f32"))
    nest = ts.nest(string, {"b": (0, 16, 1, [8])}, lambda i, x, y: kernel(x[i.b], y[i.b]), **shapes)
    other = ts.nest("b", {"b": (0, 16, 1)}, lambda i, y, z: kernel(y[i.b], z[i.b]), y=shapes["y"], z=shapes["y"])
    x = random(32, 8)
    program = StepProgram()
    program.inputs, program.results = {"x": x}, {"y": np.zeros_like(x)}
    for name in "abc":
        program.between(name, x.nbytes)
    program.step(ts.region(nest, other) if region else nest, "x", *(["c", "a"] if region else ["a"]), name="first")
    program.step(ts.region(nest, other) if region else nest, "a", *(["b", "y"] if region else ["y"]), name="second")
    made = program.made()
    for workers in WORKERS:
        program.results["y"][...] = 0
        program.run(made, workers)
        assert np.array_equal(program.results["y"], x)
    phases = made.segments[0].schedule
    assert sum(len(phase.divided) for phase in phases) == 2 * divided
    for turns in range(3):
        made.emulated(program.arguments, 3, turns)

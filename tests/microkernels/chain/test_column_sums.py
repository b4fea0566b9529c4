"""Reductions down the columns as results of functions with products and transposes: they are accumulated band by band,
also for a number of rows given at the call."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kernel_runs import MACHINES
from tests.profiles import is_soak
from tilesmith.emulation.qemu.server import Server
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

NATIVE = [name for name in ("avx2", "avx512") if not runs(TARGETS[name])]
R = ts.RUNTIME


def layer(x: Any, w: Any, b: Any) -> tuple[Any, ...]:
    """Return a layer with sums and extrema down its columns and those of its input."""
    y = ts.relu(x @ w + b)
    return y, ts.sum(x @ w, axis=0), ts.max(y, axis=0), ts.sum(x, axis=0), ts.sum(x @ w)


def expected(x: Any, w: Any, b: Any) -> tuple[Any, ...]:
    """Return the results of `layer`, computed by numpy in f64."""
    p = x.astype(float) @ w.astype(float)
    y = np.maximum(p + b.astype(float), 0)
    of_x = x.astype(float).sum(0, keepdims=True)
    return y, p.sum(0, keepdims=True), y.max(0, keepdims=True), of_x, p.sum().reshape(1, 1)


def drawn(m: int, dtype: str) -> list[Any]:
    """Return operands of small integers, whose sums are exact."""
    rng = np.random.default_rng(m)
    return [rng.integers(-2, 3, shape).astype(numpy_dtype(dtype)) for shape in ((m, 9), (9, 21), (1, 21))]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        *((name, "f32") for name in (*MACHINES, "sme256")),
        ("avx2", "f64"),
        ("avx512", "bf16"),
        ("sve256", "f16"),
    ],
)
def test_sums_beside_products(name: str, dtype: str) -> None:
    native = name in NATIVE
    for m, of in ((1, R), (13, 13), (300, R), (0, R)) if native or is_soak() else ((13, 13), (10, R)):
        kernel = ts.equation(layer, x=(of, 9), w=(9, 21), b=(1, 21), dtype=dtype, out=numpy_name(dtype), target=name)
        given = drawn(m, dtype)
        kind = numpy_dtype(numpy_name(dtype))
        results = [np.full(shape, 7, kind) for shape in ((m, 21), (1, 21), (1, 21), (1, 9), (1, 1))]
        if native and m:
            for side in SIDES:
                held = [guarded(each, side, writable=True) for each in results]
                kernel(*(guarded(each, side) for each in given), *held)
                for y, want in zip(held, expected(*given)):
                    assert np.array_equal(y, want)
                    check_canary(y)
            continue
        kernel.run(*given, *results)
        for y, want in zip(results, expected(*given) if m else ()):
            assert np.array_equal(y, want)
        if not m:
            assert not results[1].any() and np.isneginf(results[2]).all() and not results[4].any()


def numpy_name(dtype: str) -> str:
    """Return the type of the arithmetic and of the sums."""
    return "f64" if dtype == "f64" else "f32"


@pytest.mark.parametrize("target", ["neon", "sve256"])
def test_under_qemu(target: str, aarch64: Server) -> None:
    kernel = ts.equation(layer, x=(R, 9), w=(9, 21), b=(1, 21), target=target)
    for m, side in ((0, "end"), (107, "start"), (107, "end")):
        given = drawn(m, "f32")
        results = [np.full(shape, 7, np.float32) for shape in ((m, 21), (1, 21), (1, 21), (1, 9), (1, 1))]
        aarch64.call(kernel.code, *given, *results, m, side=side, vector_bits=256 if "sve" in target else None)
        for y, want in zip(results, expected(*given) if m else ()):
            assert np.array_equal(y, want)


def test_means_transposes_gathered_rows_pickles() -> None:
    x, w, _ = drawn(40, "f32")
    means = ts.equation(lambda x, w: ts.mean(x @ w, axis=0), x=x.shape, w=w.shape)
    bound = 42 * 2.0**-24 * (abs(x).astype(float) @ abs(w)).mean(0)
    assert (abs(means(x, w) - (x.astype(float) @ w).mean(0)) <= bound).all()
    turned = ts.equation(lambda z: (ts.sum(z.T, axis=0), ts.max(z.T, axis=1)), z=(9, 40))
    sums, largest = turned(np.ascontiguousarray(x.T))
    assert np.array_equal(sums[0], x.sum(0)) and np.array_equal(largest[:, 0], x.max(1))
    index = np.arange(17) * 2
    found = ts.equation(lambda x, i, w: ts.sum(ts.gather(x, i) @ w, axis=0), x=x.shape, i=(R,), w=w.shape)
    assert np.array_equal(found(x, index, w)[0], (x[index] @ w).sum(0))
    assert pickle.loads(pickle.dumps(means)).code == means.code
    backward = ts.equation(lambda g, w: (g @ w.T, ts.sum(g, axis=0)), g=(R, 21), w=w.shape)
    g = np.ones((33, 21), np.float32)
    made, bias = backward(g, w)
    assert np.array_equal(made, g @ w.T) and (bias == 33).all()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: ts.equation(lambda x, w: ts.mean(x @ w, axis=0), x=(R, 5), w=(5, 5)), "number of rows to divide by"),
        (
            lambda: ts.equation(lambda x, w: ts.sum(x @ w, axis=0), x=(R, 5), w=(5, 5), dtype="bf16"),
            "a value of all rows",
        ),
        (lambda: ts.spread(ts.equation(lambda x, w: ts.sum(x @ w, axis=0), x=(400, 5), w=(5, 5))), "over all rows"),
        (lambda: ts.spread(ts.equation(lambda x, w: ts.sum(x @ w, axis=0), x=(R, 5), w=(5, 5))), "over all rows"),
    ],
)
def test_what_is_refused(make: Any, says: str) -> None:
    with pytest.raises(ts.UnsupportedError, match=says):
        make()

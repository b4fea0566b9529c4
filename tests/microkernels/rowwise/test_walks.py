"""Rows given at the call beside reductions down the columns that other expressions use, and means: every machine and
every remainder of blocks and strips, between guard pages, with the bits of a fixed number of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kernel_runs import MACHINES
from tests.profiles import is_soak
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

R = ts.RUNTIME
NATIVE = [name for name in ("sse", "avx2", "avx512") if not runs(TARGETS[name])]
Function = Callable[..., Any]
CASES: dict[str, tuple[Function, Function]] = {
    "sums": (lambda x: x - ts.sum(x, axis=0), lambda x: x - x.sum(0)),
    "of all": (lambda x: x * ts.max(x) + ts.min(x), lambda x: x * x.max() + x.min()),
    "both": (
        lambda x: x * ts.sum(x, axis=1) + ts.sum(ts.max(x, axis=1) * x, axis=0),
        lambda x: x * x.sum(1, keepdims=True) + (x.max(1, keepdims=True) * x).sum(0),
    ),
    "twice": (lambda x: x - ts.max(ts.absmax(x, axis=0) * x, axis=0), lambda x: x - (abs(x).max(0) * x).max(0)),
}
"""Functions of integers, exact in f32, and the same by numpy."""
WIDTHS = (1, 5, 40, 600)


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_whole_numbers_on_every_machine(name: str) -> None:
    """Several numbers of rows give exact results, with remainders of blocks; zero rows are accepted."""
    rng = np.random.default_rng(2)
    for case, (function, expected) in CASES.items():
        for n in WIDTHS if is_soak() else WIDTHS[1:3]:
            kernel = ts.equation(function, x=(R, n), target=MACHINES[name].name)
            for m in (0, 1, 2, 11):
                x = rng.integers(-3, 4, (m, n)).astype(np.float32)
                found = kernel.run(x)
                assert not m or (found == expected(x.astype(np.float64))).all(), (case, n, m)


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("name", NATIVE)
def test_the_bits_are_those_of_a_fixed_number_of_rows(name: str, dtype: str) -> None:
    """Means are divided by the number of rows that the call gives."""
    kind, rng = np.float64 if dtype == "f64" else np.float32, np.random.default_rng(5)
    for n in WIDTHS:
        kernel = ts.fused("batchnorm_training", R, n, dtype=dtype, target=name)
        clip = ts.fused("clip_own_norm", R, n, dtype=dtype, target=name)
        for m in (1, 2, 3, 17, 64, 130):
            x, gamma, beta = (rng.normal(size=shape).astype(kind) for shape in ((m, n), n, n))
            fixed = ts.fused("batchnorm_training", m, n, dtype=dtype, target=name)
            if m > 1:  # the mean of one row is the row itself, in both kernels
                for found, wanted in zip(kernel(x, gamma, beta), fixed(x, gamma, beta)):
                    assert found.tobytes() == wanted.tobytes(), (m, n)
            for found, wanted in zip(clip(x), ts.fused("clip_own_norm", m, n, dtype=dtype, target=name)(x)):
                assert np.allclose(found, wanted, rtol=1e-6, atol=0), (m, n)


@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16"])
def test_a_mean_down_the_columns_is_a_result(dtype: str) -> None:
    kernel = ts.equation(lambda x: (ts.mean(x, axis=0), ts.mean(x), x * 2.0), x=(R, 9), dtype=dtype, target="avx2")
    for m in (1, 8, 64):
        x = np.arange(m * 9).reshape(m, 9) % 7 - 3
        given = x.astype(numpy_dtype(dtype))
        mean, whole, twice = kernel.run(given)
        unit = {"f32": 2.0**-24, "f64": 2.0**-53, "bf16": 2.0**-8}[dtype]
        assert (abs(mean.astype(float) - x.mean(0)) <= 2 * unit * abs(x.mean(0))).all()
        assert abs(float(whole[0, 0]) - x.mean()) <= 2 * unit * abs(x.mean())
        assert (twice.astype(float) == 2 * x).all()


@pytest.mark.parametrize("name", NATIVE)
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("n", [5, 40, 600])
def test_between_guard_pages_in_place_and_with_gaps(name: str, side: str, n: int) -> None:
    rng, kernel = np.random.default_rng(3), ts.fused("batchnorm_training", R, n, target=name)
    apart = ts.fused("batchnorm_training", R, n, target=name, ldx=R, ldy=R)
    for m in (0, 1, 3, 9, 66):
        x, gamma, beta = (rng.normal(size=shape).astype(np.float32) for shape in ((m, n), n, n))
        wanted = kernel(x, gamma, beta)
        held = [guarded(each, side) for each in (x, gamma, beta)] if m else [x, gamma, beta]
        results = [
            guarded(np.zeros(shape, np.float32), side, writable=True) if all(shape) else np.zeros(shape, "f4")
            for shape in ((m, n), (1, n), (1, n))
        ]
        kernel(*held, *results)
        for found, each in zip(results, wanted):
            assert found.tobytes() == each.tobytes()
            if found.size:
                check_canary(found)
        over = x.copy()
        kernel(over, gamma, beta, over, *results[1:])
        assert over.tobytes() == wanted[0].tobytes()
        wide, y = np.zeros((m, n + 9), np.float32), np.full((m, n + 3), 7, np.float32)
        wide[:, :n] = x
        apart(wide[:, :n], gamma, beta, y[:, :n], *results[1:])
        assert np.allclose(y[:, :n], wanted[0], rtol=1e-5, atol=1e-6) and (y[:, n:] == 7).all()


def test_random_numbers_are_those_of_their_rows() -> None:
    """Each walk counts rows from the first one on, after any number of earlier walks."""

    def function(x: Any) -> Any:
        return ts.dropout(x - ts.sum(x, axis=0), 0.5) + ts.max(ts.dropout(x, 0.5), axis=0)

    kernel = ts.equation(function, x=(R, 12), target="avx2")
    for m in (3, 70):
        x = np.arange(m * 12, dtype=np.float32).reshape(m, 12) % 5
        fixed = ts.equation(function, x=(m, 12), target="avx2")
        for found, wanted in zip(_several(kernel.run(x, 7)), _several(fixed.run(x, 7))):
            assert found.tobytes() == wanted.tobytes()


def _several(made: Any) -> tuple[Any, ...]:
    return made if isinstance(made, tuple) else (made,)

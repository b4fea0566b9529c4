"""Reductions of matrices whose columns are contiguous, on every machine, against the same function of row-major
matrices."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tests.kernel_runs import MACHINES
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.host.detect import runs

NATIVE = [name for name in ("sse", "avx2", "avx512") if not runs(TARGETS[name])]
CASES: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "along": (
        lambda x, g, b: (x - ts.max(x, axis=1) + g, ts.sum(x * b, axis=1)),
        lambda x, g, b: (x - x.max(1, keepdims=True) + g, (x * b).sum(1, keepdims=True)),
    ),
    "down": (
        lambda x, g, b: (x * ts.sum(x, axis=0) + b, ts.min(x + g, axis=0)),
        lambda x, g, b: (x * x.sum(0) + b, (x + g).min(0, keepdims=True)),
    ),
    "all": (
        lambda x, g, b: (x - ts.sum(x), ts.absmax(x * g + b)),
        lambda x, g, b: (x - x.sum(), abs(x * g + b).max().reshape(1, 1)),
    ),
    "of sums": (
        lambda x, g, b: (x + g + b, ts.max(ts.sum(x, axis=1), axis=0)),
        lambda x, g, b: (x + g + b, x.sum(1).max().reshape(1, 1)),
    ),
}
"""Functions of a matrix, a row and a column of integers, and the same by numpy."""


def given(m: int, n: int, seed: int = 0) -> list[Any]:
    """Return a column-major matrix, a row and a column."""
    rng = np.random.default_rng(seed)
    x, g, b = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((m, n), (1, n), (m, 1)))
    return [np.asfortranarray(x), g, b]


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_every_machine(name: str) -> None:
    for m, n in ((7, 5), (5, 19)):
        arrays = given(m, n)
        for case, (function, expected) in CASES.items():
            kernel = ts.equation(function, x=(m, n), g=(1, n), b=(m, 1), order="F", target=MACHINES[name].name)
            wanted = expected(*(each.astype(float) for each in arrays))
            for found, want in zip(kernel.run(*arrays), wanted):
                assert found.shape == want.shape and (found == want).all(), (case, m, n)


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.grid(3)
def test_random_numbers_are_those_of_row_major_matrices(name: str) -> None:
    def function(x: Any) -> Any:
        return ts.dropout(x, 0.5), ts.max(x, axis=1)

    for m, n in ((7, 5), (5, 19)):
        x = given(m, n)[0]
        drop, most = ts.equation(function, x=(m, n), order="F", target=MACHINES[name].name).run(x, 7)
        wanted = ts.unary("dropout", m, n, rate=0.5, target="avx2").run(np.ascontiguousarray(x), 7)
        assert (drop == wanted).all() and (most == x.max(1, keepdims=True)).all()
        alone = ts.unary("dropout", m, n, rate=0.5, order="F", target=MACHINES[name].name).run(x, 7)
        assert (alone == wanted).all() and alone.flags.f_contiguous


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", NATIVE)
def test_softmax_between_guard_pages_in_place_and_with_gaps(name: str, side: str) -> None:
    for m, n in ((9, 40), (40, 9), (33, 600)):
        x = np.asfortranarray(np.random.default_rng(1).normal(size=(m, n)).astype(np.float32))
        wanted = ts.fused("softmax", m, n, target=name)(np.ascontiguousarray(x))
        kernel = ts.fused("softmax", m, n, order="F", target=name)
        held, y = guarded(x.T, side, writable=True), guarded(np.zeros((n, m), np.float32), side, writable=True)
        kernel(held.T, y.T)
        check_canary(y)
        assert np.allclose(y.T, wanted, rtol=2e-6, atol=0)
        assert "x" in kernel.spec.in_place and kernel(x).flags.f_contiguous
        kernel(held.T, held.T)
        assert held.tobytes() == y.tobytes()
        wide = np.full((n, m + 3), 7, np.float32)
        ts.fused("softmax", m, n, order="F", ldy=m + 3, target=name)(x, wide[:, :m].T)
        assert (wide[:, :m] == y).all() and (wide[:, m:] == 7).all()


def test_requests_are_pickled_and_printed() -> None:
    kernel = ts.fused("layernorm", 8, 20, order="F", target="avx2")
    assert pickle.loads(pickle.dumps(kernel)).spec == kernel.spec
    assert "by columns" in str(kernel.spec)


def test_orders_that_differ_are_refused() -> None:
    with pytest.raises(ts.UnsupportedError, match='the same order, "C" or "F"'):
        ts.fused("softmax", 8, 8, order="FC")
    with pytest.raises(ts.UnsupportedError, match='positions need order="C"'):
        ts.unary("dropout", ts.RUNTIME, 8, rate=0.5, order="F")
    with pytest.raises(ts.UnsupportedError, match="does not know where it begins"):
        ts.spread(ts.unary("dropout", 80, 80, rate=0.5, order="F"))

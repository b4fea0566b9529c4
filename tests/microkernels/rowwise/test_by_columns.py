"""Rows given at the call for contiguous columns: every machine and remainder, between guard pages, and matrices of two
orders, with integers whose sums are exact."""

from __future__ import annotations

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
ORDERS = ("FFF", "FCF", "CCF", "FFC")


def drawn(shape: tuple[int, int], dtype: str, order: Any, seed: int = 1) -> Any:
    """Return a matrix of small integers."""
    return np.asarray(np.random.default_rng(seed).integers(-3, 4, shape), numpy_dtype(dtype), order=order)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "order"),
    [(name, order) for i, name in enumerate(MACHINES) for j, order in enumerate(ORDERS) if is_soak() or i % 4 == j],
)
def test_every_machine(name: str, order: str) -> None:
    for dtype in ("f32", "bf16") if not is_soak() else ("f32", "f64", "bf16", "f16"):
        for n in (3, 21) if is_soak() else (5,):
            kernel = ts.binary("add", R, n, order=order, dtype=dtype, target=MACHINES[name].name)
            for m in (0, 1, 27, 86) if is_soak() else (0, 27):
                x, y = (drawn((m, n), dtype, order[i], i) for i in range(2))
                out = np.zeros((m, n), x.dtype, order=order[2])  # type: ignore[call-overload]
                kernel.run(x, y, out)
                assert (out.astype(float) == x.astype(float) + y.astype(float)).all(), (dtype, n, m)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", NATIVE)
def test_between_guard_pages_and_with_gaps(name: str, side: str) -> None:
    """A row and a column are broadcast, and columns may be further apart than the number of rows."""
    n = 7
    kernel = ts.equation(lambda x, g, b: x * g + b, x=(R, n), g=(1, n), b=(R, 1), order="F", target=name)
    for m in (1, 3, 16, 21, 64, 100, 349):
        x, g, b = drawn((m, n), "f32", "F"), drawn((1, n), "f32", "C"), drawn((m, 1), "f32", "C")
        held = [guarded(x.T, side).T, guarded(g, side), guarded(b, side)]
        y = guarded(np.zeros((n, m), np.float32), side, writable=True)
        kernel(*held, y.T)
        assert (x * g + b == y.T).all()
        check_canary(y)
        tall, low = np.zeros((n, m + 5), np.float32), np.full((n, m + 3), 9, np.float32)
        tall[:, :m] = x.T
        kernel(tall[:, :m].T, g, b, low[:, :m].T)
        assert (x * g + b == low[:, :m].T).all() and (low[:, m:] == 9).all()
        assert (kernel(x, g, b) == y.T).all() and kernel(x, g, b).flags.f_contiguous


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_reductions_along_rows(name: str) -> None:
    def function(x: Any, g: Any, b: Any) -> Any:
        return x - ts.max(x, axis=1) + g, ts.sum(x * b, axis=1)

    kernel = ts.equation(function, x=(R, 5), g=(1, 5), b=(R, 1), order="F", target=MACHINES[name].name)
    for m in (0, 1, 22):
        x, g, b = drawn((m, 5), "f32", "F"), drawn((1, 5), "f32", "C"), drawn((m, 1), "f32", "C")
        y, sums = kernel.run(x, g, b)
        assert not m or (y == x - x.max(1, keepdims=True) + g).all()
        assert (sums == (x * b).sum(1, keepdims=True)).all()


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("name", NATIVE)
def test_softmax_of_any_rows_between_guard_pages(name: str, dtype: str) -> None:
    """Strips hold one to several vectors, whole or not, or a pair of vectors with or without another one."""
    kernel = ts.fused("softmax", R, 21, order="F", target=name, dtype=dtype)
    for m in (0, 1, 7, 12, 17, 26, 64, 340):
        x = np.asfortranarray(np.random.default_rng(m).normal(size=(m, 21)).astype(numpy_dtype(dtype)))
        powers = np.exp(x.astype(np.longdouble))
        if not m:
            assert kernel(x).shape == (0, 21)
            continue
        for sides in (SIDES, SIDES[::-1]):
            held, y = guarded(x.T, sides[0]), guarded(np.zeros((21, m), x.dtype), sides[1], writable=True)
            kernel(held.T, y.T)
            check_canary(y)
            assert np.allclose(y.T, powers / powers.sum(1, keepdims=True), rtol=16 * np.finfo(x.dtype).eps, atol=0)


@pytest.mark.parametrize("name", NATIVE)
def test_a_sum_along_rows_alone_between_guard_pages(name: str) -> None:
    """The first block does not start from memory, and no block continues another one's sums."""
    kernel = ts.equation(lambda x: ts.sum(x, axis=1), x=(R, 9), order="F", target=name)
    for m in (1, 7, 64, 100, 349, 700):
        x = drawn((m, 9), "f32", "F", m)
        for side in SIDES:
            y = guarded(np.full((m, 1), np.nan, np.float32), side, writable=True)
            kernel(guarded(x.T, side).T, y)
            check_canary(y)
            assert (y == x.sum(1, keepdims=True)).all(), (m, side)

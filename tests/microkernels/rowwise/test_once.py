"""Values of a call or of a column are computed once in kernels for counted columns, not for each vector."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, laid_out
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.host.detect import runs

R, COLUMNS = ts.RUNTIME, 3
NATIVE = [name for name in ("sse", "avx", "avx2", "avx512") if not runs(TARGETS[name])]
NUMBERS = [np.full((1, 1), value, np.float32) for value in (0.1, 0.75, 0.5)]


def drawn(rows: int, columns: int, seed: int) -> Any:
    """Return positive numbers, so that roots exist."""
    return np.random.default_rng(seed).uniform(0.25, 2, (rows, columns)).astype(np.float32)


def stepped(w: Any, m: Any, v: Any, g: Any) -> tuple[Any, Any, Any]:
    """Return the weights and moments after a step of Adam, in f64."""
    w, m, v, g = (each.astype(float) for each in (w, m, v, g))
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return w - float(NUMBERS[0][0, 0]) / 0.75 * m / (np.sqrt(v / 0.5) + 1e-8), m, v


def adam(kernel: Any, rows: int, gap: int, side: str, native: bool = True) -> None:
    """Check a step of Adam for this number of rows, between guard pages."""
    given = [laid_out(drawn(rows, COLUMNS, seed), "F", gap, side) for seed in range(4)]
    made = [laid_out(np.zeros((rows, COLUMNS), np.float32), "F", gap, side) for _ in range(3)]
    wanted = stepped(*given)
    (kernel if native else kernel.run)(*given, *NUMBERS, *made)
    for found, expected in zip(made, wanted):
        np.testing.assert_allclose(found, expected, 2e-6, 1e-6)
        check_canary(found)


@pytest.mark.parametrize("target", NATIVE)
def test_every_number_of_rows(target: str) -> None:
    kernel = ts.fused("adam", R, COLUMNS, order="F", target=target)
    for rows in range(1, 131):
        adam(kernel, rows, rows % 3, SIDES[rows % len(SIDES)])


@pytest.mark.parametrize("target", ["neon", "sve256", "sme128"])
def test_other_machines(target: str) -> None:
    kernel = ts.fused("adam", R, COLUMNS, order="F", target=target)
    for rows in (1, 2, 5, 9, 19):
        adam(kernel, rows, rows % 2, SIDES[rows % len(SIDES)], native=False)


def test_no_rows() -> None:
    kernel = ts.fused("adam", R, COLUMNS, order="F", target="avx2")
    none = np.zeros((0, COLUMNS), np.float32, order="F")
    kernel.run(none, none, none, none, *NUMBERS, *(none.copy() for _ in range(3)))


@pytest.mark.parametrize("target", NATIVE)
def test_values_of_each_column(target: str) -> None:
    """Products of elements of a column are computed at its beginning."""
    kernel = ts.fused("batchnorm_inv", R, COLUMNS, order="F", target=target)
    mean, inverse, gamma, ggamma, gbeta = (drawn(1, COLUMNS, seed) for seed in range(5))
    share = np.full((1, 1), 0.25, np.float32)
    for rows in range(1, 131):
        side = SIDES[rows % len(SIDES)]
        g, x = (laid_out(drawn(rows, COLUMNS, 7 + seed), "F", rows % 3, side) for seed in range(2))
        gx = laid_out(np.zeros((rows, COLUMNS), np.float32), "F", rows % 2, side)
        kernel(g, x, mean, inverse, gamma, ggamma, gbeta, share, gx)
        z = (x.astype(float) - mean) * inverse
        wanted = gamma * inverse.astype(float) * (g - 0.25 * gbeta - z * 0.25 * ggamma)
        np.testing.assert_allclose(gx, wanted, 2e-5, 2e-5)
        check_canary(gx)


def test_divisions_by_numbers_are_executed_once() -> None:
    """A vector takes one division, by the root; the call takes one more, of the rate by c1."""
    kernel = ts.fused("adam", R, COLUMNS, order="F", target="avx512")
    w, m, v, g = (np.asfortranarray(drawn(64, COLUMNS, seed)) for seed in range(4))
    counts = kernel.emulate(w, m, v, g, *NUMBERS, *(np.zeros_like(w) for _ in range(3))).counts
    assert counts["vdivps"] == COLUMNS * 64 // 16 + 1
    assert "once per call: @r0, @r1" in str(kernel.plan)


def test_one_walk_has_no_blocks_of_rows() -> None:
    plan = str(ts.fused("momentum", R, COLUMNS, order="F", target="avx512").plan)
    assert "one walk over all rows" in plan and "256 rows" not in plan


def test_a_scale_from_a_number_is_computed_once() -> None:
    """Strips of columns took a root and a division for each vector of clip_norm: 4 to 10 times as long."""
    kernel = ts.fused("clip_norm", R, COLUMNS, order="F", target="avx512")
    g, squares = np.asfortranarray(drawn(70, COLUMNS, 1)), np.full((1, 1), 25, np.float32)
    made = np.zeros_like(g)
    counts = kernel.emulate(g, squares, made).counts
    assert counts["vdivps"] == counts["vsqrtps"] == 1
    np.testing.assert_allclose(made, g / 5, 1e-6)

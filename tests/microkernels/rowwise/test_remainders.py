"""The last elements of a column, where no mask selects them. If the code of a vector is long, they are copied to
scratch memory and processed there as a vector."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.arguments.arrays import numpy_dtype
from tilesmith.runtime.host.detect import runs

COLUMNS = 3
ERROR = {"f32": 1e-6, "bf16": 2**-8}


def long(x: Any, g: Any) -> Any:
    return ts.tanh(ts.exp(x)) * g + ts.exp(g * ts.tanh(x))


def drawn(rows: int, columns: int, dtype: str, seed: int) -> Any:
    values = np.random.default_rng(seed).uniform(-1, 1, (columns, rows))
    return values.astype(numpy_dtype(dtype))


def exact(x: Any, g: Any) -> Any:
    x, g = x.astype(float), g.astype(float)
    return np.tanh(np.exp(x)) * g + np.exp(g * np.tanh(x))


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
@pytest.mark.parametrize("target", ["sse", "avx"])
def test_every_remainder_between_guard_pages(target, dtype):
    """Columns with and without gaps; an operand of one element per row has a remainder too."""
    if reason := runs(TARGETS[target]):
        pytest.skip(reason)
    kernels = {
        wide: ts.equation(long, x=(ts.RUNTIME, COLUMNS), g=(ts.RUNTIME, wide), order="F", dtype=dtype, target=target)
        for wide in (1, COLUMNS)
    }
    for wide, k in kernels.items():
        assert k.plan.columns.aside == 4 and not k.plan.columns.masked
        for m in (*range(20), 37):
            x, g = drawn(m, COLUMNS, dtype, m), drawn(m, wide, dtype, m + 1)
            wanted = exact(x, g)
            for side in SIDES if m else ():
                for gap in (0, 3):
                    out = guarded(np.zeros((COLUMNS, m + gap), x.dtype), side, writable=True)[:, :m]
                    k(guarded(x, side).T, guarded(g, side).T, out.T)
                    check_canary(out)
                    np.testing.assert_allclose(out.astype(float), wanted, ERROR[dtype], ERROR[dtype])


def test_in_place():
    """The copies of an input are made before its place receives results."""
    k = ts.equation(lambda x: ts.tanh(ts.exp(x)), x=(ts.RUNTIME, COLUMNS), order="F", target="sse")
    x = drawn(7, COLUMNS, "f32", 5)
    y = x.copy()
    k.run(y.T, y.T)
    assert "x" in k.spec.in_place and k.plan.columns.aside == 4
    np.testing.assert_allclose(y, np.tanh(np.exp(x.astype(float))), 1e-6, 1e-6)


def test_short_code_has_none():
    """Copies of single elements would take longer than vectors of half the elements."""
    for target, function in (("sse", ts.relu), ("avx", ts.tanh), ("neon", ts.gelu)):
        assert not ts.equation(function, x=(ts.RUNTIME, COLUMNS), order="F", target=target).plan.columns.aside


@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("target", ["sme128", "sme512"])
def test_streaming_mode_counts_lanes(target, dtype):
    """Predicates are of bytes there, so a count of elements becomes one of bytes."""
    k = ts.equation(
        lambda x, g: x * g + x, x=(ts.RUNTIME, COLUMNS), g=(ts.RUNTIME, 1), order="F", dtype=dtype, target=target
    )
    assert k.plan.columns.masked == (k.plan.columns.vector >= 4)
    for m in (0, 1, 3, 5, 15, 17, 33):
        x, g = drawn(m, COLUMNS, dtype, m).T, drawn(m, 1, dtype, m + 1).T
        np.testing.assert_allclose(k.run(x, g), x * g + x, 1e-6, 1e-6)

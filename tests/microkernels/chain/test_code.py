"""The code of traced functions with products of counted rows: at most twice the bytes of one for a known number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.host.detect import runs

ROWS = (64, 100, 256, 1000)


def gathered(m: Any, n: int, h: int, dtype: str, target: str) -> Any:
    """A product of rows that an index finds."""
    return ts.equation(lambda x, i, w: ts.gather(x, i) @ w, x=(1000, n), i=(m,), w=(n, h), dtype=dtype, target=target)


def layers(m: Any, n: int, h: int, dtype: str, target: str) -> Any:
    """Two products with a function of many instructions between them."""
    shapes: dict[str, Any] = {"x": (m, n), "w": (n, h), "b": (1, h), "v": (h, n)}
    return ts.equation(lambda x, w, b, v: ts.gelu(x @ w + b) @ v, **shapes, dtype=dtype, target=target)


FORMERLY_LONGER: tuple[tuple[Any, str, str, int, int], ...] = (
    (gathered, "sse", "f32", 128, 128),
    (gathered, "avx", "f32", 64, 64),
    (gathered, "avx512", "f32", 128, 128),
    (gathered, "avx512", "f64", 64, 64),
    (gathered, "sve256", "f32", 128, 128),
    (gathered, "sve512", "f32", 128, 128),
    (layers, "sse", "f32", 512, 512),
    (layers, "avx", "f32", 64, 256),
    (layers, "avx2", "bf16", 512, 512),
    (layers, "avx2", "f16", 512, 512),
    (layers, "sve128", "f32", 256, 1024),
    (layers, "sve256", "bf16", 512, 512),
    (layers, "sve512", "f32", 512, 1024),
)
"""Functions, targets, types and columns whose code had 2.0 to 3.0 times the bytes."""


@pytest.mark.parametrize(("function", "target", "dtype", "n", "h"), FORMERLY_LONGER)
def test_code_has_at_most_twice_the_bytes(function: Any, target: str, dtype: str, n: int, h: int) -> None:
    counted = len(function(ts.RUNTIME, n, h, dtype, target).code)
    known = {rows: len(function(rows, n, h, dtype, target).code) for rows in ROWS}
    assert counted <= 2 * min(known.values()), (counted, known)


def test_single_rows_have_code_of_their_own_where_it_fits() -> None:
    """The right factors do not stay in L1, and panels for a single row are wider."""
    kernels = {target: layers(ts.RUNTIME, 512, 512, "f32", target) for target in ("sse", "avx2")}
    assert [block.rows for block in kernels["avx2"].plan.blocks][1:] == [1]
    assert [block.rows for block in kernels["sse"].plan.blocks][1:] == []


@pytest.mark.parametrize("rows", [0, 1, 3, 33, 97])
def test_bands_of_few_rows_without_code_for_single_rows(rows: int) -> None:
    if runs(TARGETS["sse"]):
        pytest.skip(runs(TARGETS["sse"]))
    rng = np.random.default_rng(rows)
    kernel = gathered(ts.RUNTIME, 128, 128, "f32", "sse")
    assert len(kernel.plan.blocks) == 1
    x, w = (rng.integers(-2, 3, shape).astype(np.float32) for shape in ((1000, 128), (128, 128)))
    i = rng.integers(0, 1000, rows)
    assert (kernel(x, i, w) == x[i].astype(float) @ w).all()

"""Found by random products on a processor with tiles: an epilogue took more mask registers than a product on tiles left
it, so the request was refused when its code was emitted."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("rows", [3, 20])
def test_few_rows_and_a_last_step_of_part_of_a_group(rows: int) -> None:
    """Masks are taken by the last step of k, by the rows of the last tile and by single elements of the bias."""
    kernel = ts.brgemm(
        rows,
        17,
        31,
        dtype="bf16",
        order="F",
        beta=0.0,
        epilogue=lambda c, bias: ts.relu(c + bias),
        operands={"bias": ("row", "bf16")},
        target="amx",
    )
    rng = np.random.default_rng(0)
    a, b, bias = (rng.integers(-2, 3, shape).astype(ml_dtypes.bfloat16) for shape in ((rows, 31), (31, 17), (17,)))
    a, b = np.asfortranarray(a), np.asfortranarray(b)
    wanted = np.maximum(a.astype(np.float64) @ b.astype(np.float64) + bias.astype(np.float64), 0)
    np.testing.assert_array_equal(kernel.run(a, b, bias=bias).astype(np.float64), wanted)
    np.testing.assert_array_equal(kernel(a, b, bias=bias).astype(np.float64), wanted)

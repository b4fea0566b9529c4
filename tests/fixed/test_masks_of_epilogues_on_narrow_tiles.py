"""On tiles of fewer than sixteen columns, with a k that ends within a group, the lanes of a panel take three or four of
the seven mask registers. The planner counted on four for the expression, so products such as 16 x 3 x 31 in bf16 with a
bias raised UnsupportedError on every processor with tiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.runtime.arguments.arrays import numpy_dtype

BF16, I8 = ("bf16",) * 3, ("i8",) * 3


@pytest.mark.parametrize(("dtypes", "bias"), [(BF16, "f32"), (BF16, "bf16"), (I8, "f32"), (I8, "bf16")])
@pytest.mark.parametrize("shape", [(16, 3, 31), (3, 13, 63), (17, 9, 5)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_rounded_bias_has_masks(shape: Any, dtypes: Any, bias: str, order: Any) -> None:
    m, n, k = shape
    kernel = ts.brgemm(
        m,
        n,
        k,
        dtype=dtypes,
        beta=0,
        order=order,
        target="amx",
        epilogue=lambda c, s: ts.relu(c + s),
        operands={"s": ("row", bias)},
    )
    rng = np.random.default_rng(n)
    a, b, s = (
        rng.integers(-1, 2, (m, k)).astype(numpy_dtype(dtypes[0]), order=order),
        rng.integers(-1, 2, (k, n)).astype(numpy_dtype(dtypes[1]), order=order),
        rng.integers(-9, 9, n).astype(numpy_dtype(bias)),
    )
    c = np.zeros((m, n), numpy_dtype(dtypes[2]), order=order)
    kernel.run(a, b, c, s)
    wanted = np.maximum(a.astype("f8") @ b.astype("f8") + s.astype("f8"), 0)
    assert np.array_equal(c.astype("f8"), wanted)

"""ts.brgemm with an epilogue that returns C as it is and the squares of C last stored the squares in the place of C:
the step that overwrote the sums came before their store."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts

TARGET = ["avx2", "avx512", "sse", "neon", "sve256", "sme256"]
FUNCTIONS = {
    "squares": lambda c: (c, ts.statistic("squares", c, 0)),
    "max, squares": lambda c: (c, ts.statistic("max", c, 0), ts.statistic("squares", c, 0)),
    "relu, squares": lambda c: (ts.relu(c), ts.statistic("squares", ts.relu(c), 0)),
    "an array": lambda c: (c, ts.relu(c) * c + 1),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("target", TARGET)
def test_c_is_stored_before_its_register_is_overwritten(target: str, name: str) -> None:
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-4, 4, shape).astype("f4") for shape in ((7, 4), (4, 21)))
    kernel = ts.brgemm(7, 21, 4, beta=0.0, target=target, epilogue=FUNCTIONS[name])
    c, *others = kernel.run(a, b) if kernel.address is None else kernel(a, b)
    exact = a @ b if "relu" not in name else np.maximum(a @ b, 0)
    np.testing.assert_array_equal(c, exact)
    last = np.maximum(exact, 0) * exact + 1 if name == "an array" else (exact * exact).sum(0)
    np.testing.assert_array_equal(np.squeeze(others[-1]), last)

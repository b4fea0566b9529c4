"""Counted strips of columns claimed a register for scratch memory that only other walks used, and found none left."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.encoder.features import TARGETS
from tilesmith.runtime.host.detect import runs

COUNT = 24


def spilled(s: Any) -> Any:
    """Return a value of a row that needs more registers than there are, so that some wait in scratch memory."""
    values = [s * float(i % 3) + float(i % 4) for i in range(COUNT)]
    total = sum(values[1:], values[0])
    return sum((a * (b + total) for a, b in zip(values[1:], values[-2::-1])), values[0] * (values[-1] + total))


@pytest.mark.parametrize("target", [name for name in ("sse", "avx", "avx2") if not runs(TARGETS[name])])
def test_a_value_of_the_row_in_scratch_memory_and_as_many_operands_as_strips_take(target: str) -> None:
    def function(x: Any, z: Any, g: Any) -> Any:
        return x * spilled(ts.sum(x, axis=1)) + z * g

    kernel = ts.equation(
        function,
        x=(ts.RUNTIME, 5),
        z=(ts.RUNTIME, 5),
        g=(1, 5),
        order="F",
        dtype={"x": "f32", "z": "i8", "g": "f32"},
        target=target,
    )
    rng = np.random.default_rng(7)
    for m in (1, 13, 300):
        x, z, g = (np.asfortranarray(rng.integers(-1, 2, shape)) for shape in ((m, 5), (m, 5), (1, 5)))
        sums = x.sum(1, keepdims=True)
        wanted = x * spilled(sums) + z * g  # whole numbers below 2^24, so exact
        y = kernel(x.astype(np.float32, order="F"), z.astype(np.int8, order="F"), g.astype(np.float32))
        assert (y == wanted).all()

"""On AVX, maxima and minima of bags of narrow integers were refused if the last vector of a row was not whole: eight
accumulators and the mask left two registers for the expression of a term, which needs three. Fewer accumulators do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import SIDES, check_canary, guarded
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.host.detect import runs

NATIVE = [each for each in ("sse", "avx", "avx2", "avx512") if not runs(TARGETS[each])]
TYPES = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16}


@pytest.mark.parametrize("target", NATIVE)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["max", "min"])
def test_every_width(name: str, dtype: str, target: str) -> None:
    rng = np.random.default_rng(3)
    for side, n in zip(SIDES * 5, (1, 3, 7, 8, 15, 17, 23, 63, 64, 101)):
        bag: Any = ts.embedding_bag(3, n, size=9, count=7, dtype=dtype, name=name, bounds="kernel", target=target)
        x = rng.integers(-5 if dtype[0] == "i" else 1, 6, (9, n)).astype(TYPES[dtype])
        index, offsets = rng.integers(0, 9, 7), np.array([0, 3, 3, 7])
        y, bad = guarded(np.full((3, n), 7, np.float32), side, writable=True), np.zeros(1, np.int64)
        bag(guarded(x, side), index, offsets, y, bad)
        rows = x[index].astype(float)
        first, last = (getattr(rows[part], name)(0) for part in (slice(3), slice(3, 7)))
        np.testing.assert_array_equal(y, [first, np.zeros(n), last])
        check_canary(y)
        assert bad[0] == -1


def test_the_plan_has_as_many_accumulators_as_fit() -> None:
    request = {"size": 9, "count": 7, "dtype": "i8", "name": "max", "target": "avx"}
    narrow, whole = ts.embedding_bag(3, 7, **request), ts.embedding_bag(3, 8, **request)  # type: ignore[arg-type]
    assert narrow.plan.accumulators == 7 and whole.plan.accumulators == 8
    assert "sums in 8 registers: the expression needs more than 2 vector registers" in str(narrow.plan.rejected)

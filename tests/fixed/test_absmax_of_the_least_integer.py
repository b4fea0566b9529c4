"""absmax of integers that are all -2^31 (or -2^63) was 0 for some shapes and -2^31 for others, because totals began
with 0."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tests.runtime.verify.test_old_bugs import proof_of
from tilesmith.emulation.cpu import execute
from tilesmith.microkernels.reduce import ops
from tilesmith.runtime.verify.requests import every_call

LEAST = {"i32": np.iinfo(np.int32).min, "i64": np.iinfo(np.int64).min}


@pytest.mark.parametrize("target", ["sse", "avx2", "avx512", "neon", "sve256"])
@pytest.mark.parametrize("dtype", LEAST)
def test_absmax_equals_that_of_numpy(target: str, dtype: str) -> None:
    for axis, size in ((0, 3), (1, 3), (1, 20), (None, 5)):
        kernel = ts.reduce("absmax", size, size, axis=axis, dtype=dtype, target=target)
        call = next(every_call(kernel.spec, kernel.kind)[1])[1]
        x, y = call.arrays[0], next(each.array for each in call.regions if each.writable)
        x[...] = LEAST[dtype]
        execute(kernel.code, kernel.target, call.integers, call.everything)
        assert (y == np.abs(x).max(axis=axis)).all()


def test_a_total_that_begins_with_0_is_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The prover refutes a total that begins with 0."""
    spec = ts.reduce("absmax", 3, 5, axis=1, dtype="i32", target="avx2").spec
    assert proof_of(spec, "avx2")
    monkeypatch.setattr(ops, "_LEAST", 0.0)
    assert proof_of(spec, "avx2").refuted

"""`verify()` of a gather beside a product raised AttributeError, so that the kernel could not be made under
TILESMITH_VERIFY=1. Such products have a proof now, and any fault of the prover is named beside a kernel that works."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.verify import check


def _layer(x: Any, i: Any, w: Any) -> Any:
    s = ts.gather(x, i)
    return s @ w + s


def _kernel(target: str, bounds: str = "call", dtype: str = "f32") -> ts.Kernel:
    types = {"x": dtype, "i": "i64", "w": "f32"}
    return ts.equation(
        _layer, x=(10, 4), i=(3,), w=(4, 4), dtype=types, out="f32", compute="f32", bounds=bounds, target=target
    )


@pytest.mark.parametrize("target", ["avx2", "neon"])
def test_gather_beside_a_product(target: str) -> None:
    kernel = _kernel(target)
    assert kernel.verify()
    other = ts.equation(
        lambda x, i, w: ts.gather(x, i) @ w + ts.gather(x, i) * 2, x=(10, 4), i=(3,), w=(4, 4), target=target
    )
    assert not check.verify(other.code, kernel.target, kernel.spec, kernel.kind)


def test_without_a_proof_it_says_so() -> None:
    assert "NOT PROVED arithmetic" in str(_kernel("avx2", "kernel", "i8").verify())


def test_faults_of_the_prover(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Any:
        raise KeyError("band7")

    kernel = _kernel("avx2")
    monkeypatch.setattr(check, "every_call", fails)
    with pytest.raises(UnsupportedError, match="no proof, because the prover failed with KeyError: 'band7'") as found:
        kernel.verify()
    assert isinstance(found.value.__cause__, KeyError)
    monkeypatch.setenv("TILESMITH_VERIFY", "1")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = ts.equation(lambda x, i, w: ts.gather(x, i) @ w - 3.0, x=(10, 4), i=(3,), w=(4, 4))
    assert any("KeyError: 'band7'" in str(each.message) for each in told)
    table, index = np.arange(40, dtype="f4").reshape(10, 4), np.array([1, 9, 0])
    np.testing.assert_array_equal(made(table, index, np.eye(4, dtype="f4")), table[index] - 3)

"""Proofs of fused kernels of groups of rows; code of another request is refuted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import tilesmith as ts
from tilesmith.microkernels.grouped.spec import GroupedSpec
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.kernel.kinds import kind_of
from tilesmith.runtime.verify.check import verify


def kernel(name: str, m: int = 8, n: int = 5, target: str = "avx2", **more: Any) -> Any:
    return ts.fused(f"groupnorm_training{name}", m, n, target=target, **{"channels": 4, "groups": 2, **more})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "more"),
    [
        ("avx2", {}),
        ("neon", {}),
        ("avx2", {"groups": 4}),
        ("neon", {"ldx": ts.RUNTIME}),
    ],
    ids=["in turn avx2", "in turn neon", "of one row", "with gaps"],
)
@pytest.mark.parametrize("name", ["", "_inv"])
@pytest.mark.grid(3)
def test_it_is_proved(name: str, more: dict[str, Any], target: str) -> None:
    found = kernel(name, target=target, **more).verify()
    assert found, str(found)
    assert "ldx" in more or "in the place of" in str(found)


def along(axis: int, *shape: Any) -> Any:
    x = (*shape, 2, 3)
    return ts.equation(lambda x, b: ts.sum(x + b, axis=1) * x, x=x, b=(3,), axis=axis, target="avx2")


@pytest.mark.slow
@pytest.mark.grid(1)
@pytest.mark.parametrize("matrices", [2, ts.RUNTIME])
def test_rows_along_an_axis_are_proved(matrices: Any) -> None:
    """Of two matrices, or of any number of them."""
    found = along(1, matrices).verify()
    assert found, str(found)
    assert "in the place of" in str(found)


def test_code_for_another_axis_is_refuted() -> None:
    wanted, other = along(1, 2), along(2, 2)
    assert verify(other.code, other.target, wanted.spec, kind_of(wanted.spec)).refuted


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "asked", "code"),
    [
        ("", {}, {"groups": 1}),
        ("", {}, {"eps": 0.5}),
        ("", {"channels": 8, "groups": 4}, {"channels": 4, "groups": 2}),
        ("_inv", {}, {"groups": 4}),
        ("_inv", {"m": 8}, {"m": 4}),
    ],
)
def test_code_of_another_request_is_refuted(name: str, asked: dict[str, Any], code: dict[str, Any]) -> None:
    """The other request has other groups, another eps, gamma of fewer channels, or more samples."""
    wanted, other = kernel(name, **asked), kernel(name, **code)
    found = verify(other.code, other.target, wanted.spec, kind_of(wanted.spec))
    assert found.refuted, str(found)


def test_sums_that_are_not_added_are_refuted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sample overwrites the sums of the previous one."""
    right = kernel("_inv")
    monkeypatch.setattr(GroupedSpec, "later", None)
    wrong = Kernel(replace(right.spec), right.target)
    assert wrong.code != right.code
    found = verify(wrong.code, right.target, right.spec, kind_of(right.spec))
    assert found.refuted and "ggamma" in str(found), str(found)

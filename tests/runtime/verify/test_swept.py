"""Proofs of fused kernels that walk the rows several times, and of transposes in traced functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tilesmith as ts

KERNELS: dict[str, Callable[[str], Any]] = {
    "transposed": lambda target: ts.equation(
        lambda x, z, w: x.T * z + w.T, x=(3, 4), z=(4, 3), w=(3, 4), target=target
    ),
    "left factor": lambda target: ts.equation(lambda x, w: x.T @ w, x=(3, 4), w=(3, 2), target=target),
    "columns": lambda target: ts.equation(lambda x: x - ts.min(x, axis=0), x=(3, 5), target=target),
    "all": lambda target: ts.fused("clip_own_norm", 3, 5, target=target),
}


@pytest.mark.parametrize("target", ["avx2", "neon"])
@pytest.mark.parametrize("name", KERNELS)
def test_it_is_proved(name: str, target: str) -> None:
    found = KERNELS[name](target).verify()
    assert found, str(found)


@pytest.mark.parametrize("target", ["avx2", "neon"])
def test_the_variance_of_columns_is_found(target: str) -> None:
    assert ts.fused("batchnorm_training", 3, 5, target=target).verify()

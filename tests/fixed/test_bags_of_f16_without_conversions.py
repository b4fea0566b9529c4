"""Embedding bags of f16 on targets that cannot convert it raised a KeyError instead of saying so."""

from __future__ import annotations

from typing import Any

import pytest

import tilesmith as ts


@pytest.mark.parametrize("bags", [2, ts.RUNTIME])
@pytest.mark.parametrize("name", ["sum", "mean", "max"])
@pytest.mark.parametrize("target", ["sse", "avx"])
def test_the_error_says_what_is_missing(target: str, name: Any, bags: Any) -> None:
    with pytest.raises(ts.UnsupportedError, match="^f16 computed in f32: this target has no conversion .* for bf16"):
        ts.embedding_bag(bags, 7, size=5, count=3, dtype="f16", name=name, target=target)

"""A row value was allowed to overwrite a one-column matrix that a later pass still reads."""

from __future__ import annotations

import pytest

import tilesmith as ts


@pytest.mark.parametrize("target", ["sse", "avx512", "neon"])
def test_no_row_value_overwrites_what_is_read_later(target: str) -> None:
    kernel = ts.equation(lambda x, w: (w * 0.5, ts.sum(x)), x=(2, 1), w=(1, 1), target=target)
    assert kernel.verify(), str(kernel.verify())
    assert "x" not in kernel.spec.in_place


def test_a_row_value_after_the_last_pass_may_overwrite() -> None:
    kernel = ts.equation(lambda x: ts.sum(x, axis=1) * 0.5, x=(2, 1), target="avx2")
    assert kernel.verify(), str(kernel.verify())
    assert kernel.spec.in_place == ("x",)

"""The proof of a layer with a zero point was refused where channels are filled up to whole groups: what lies outside of
x times the zeros of the panels of weights was counted as a term."""

from __future__ import annotations

import pytest

import tilesmith as ts


@pytest.mark.parametrize("zero_point", [0, 3])
def test_zeros_of_panels_add_nothing(zero_point: int) -> None:
    layer = ts.conv(
        (2, 3, 1, 4),
        (2, 3, 1, 1),
        stride=(2, 3),
        padding=((1, 0), (0, 2)),
        layout="NHWC",
        dtype=("i8", "u8", "i32"),
        zero_point=zero_point,
        target="avx2",
        bias=False,
    )
    assert "depth c (4)" in str(layer.plan)  # of three channels
    (terms,) = (claim for claim in layer.verify().claims if claim.what == "terms")
    assert terms.holds, terms.how

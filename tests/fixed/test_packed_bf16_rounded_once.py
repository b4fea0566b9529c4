"""On targets whose store rounds to bf16 (BFCVTN), `c_layout="vnni2"` of a bf16 C also rounded in the expression. The
bits of the rounded number were then stored as a number."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

import tilesmith as ts


@pytest.mark.parametrize("target", ["neon_bf16", "neon", "sve256"])
@pytest.mark.parametrize("order", ["CCC", "CCF"])
def test_c_in_pairs_has_the_bits_of_plain_c(target: str, order: ts.Order) -> None:
    rng = np.random.default_rng(1)
    a, b = (rng.normal(size=shape).astype(ml_dtypes.bfloat16) for shape in ((4, 7), (7, 10)))
    request = {"dtype": "bf16", "order": order, "beta": 0, "target": target}
    plain = ts.brgemm(4, 10, 7, **request).run(a, b, None).view("u2")
    pairs = ts.brgemm(4, 10, 7, c_layout="vnni2", **request).run(a, b, None).view("u2")
    wanted = plain.reshape(2, 2, 10).swapaxes(1, 2) if order[2] == "C" else plain.reshape(4, 5, 2)
    assert np.array_equal(pairs, wanted)


@pytest.mark.parametrize("target", ["neon_bf16", "avx512_bf16"])
def test_rounded_on_the_way_to_another_order(target: str) -> None:
    x = np.random.default_rng(2).normal(size=(9, 13)).astype(np.float32)
    found = ts.unary("relu", 9, 13, order="FC", out="bf16", target=target).run(np.asfortranarray(x))
    assert np.array_equal(found.view("u2"), np.maximum(x, 0).astype(ml_dtypes.bfloat16).view("u2"))

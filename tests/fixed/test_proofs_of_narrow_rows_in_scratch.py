"""Functions whose products read rows of a table of i8 or f16 had no proof: rows that are kept in scratch memory in the
table's type are converted there and back, in a form that was not recognised.
"""

from __future__ import annotations

from typing import Any

import pytest

import tilesmith as ts
from tilesmith.runtime.verify.check import verify

PACK, PACK_UNSIGNED = bytes.fromhex("c5e963d2"), bytes.fromhex("c5e967d2")  # vpacksswb and vpackuswb xmm2, xmm2, xmm2
WIDEN, WIDEN_UNSIGNED = bytes.fromhex("c4427921"), bytes.fromhex("c4427931")  # vpmovsxbd, vpmovzxbd of xmm8 to 15


def kernel(dtype: str, target: str) -> ts.Kernel:
    def function(x: Any, p: Any, t: Any, i: Any) -> Any:
        rows = ts.gather(t, i)
        return (x + rows) @ p + rows @ p + rows

    types = {"x": "f32", "p": "f32", "t": dtype, "i": "i64"}
    shapes = {"x": (1, 2), "p": (2, 2), "t": (3, 2), "i": (1,)}
    return ts.equation(function, dtype=types, compute="f32", out="f32", target=target, **shapes)


def test_rows_of_a_narrow_table_are_proved() -> None:
    assert kernel("f16", "sse").verify()


@pytest.mark.parametrize("right, wrong", [(PACK, PACK_UNSIGNED), (WIDEN, WIDEN_UNSIGNED)])
def test_another_conversion_is_not(right: bytes, wrong: bytes) -> None:
    """One that loses the sign, in the row that is kept or where it is read."""
    made = kernel("i8", "avx2")
    assert made.code.count(right) == 1
    assert not verify(made.code.replace(right, wrong), made.target, made.spec, made.kind)

"""Fused kernels with bit masks and vectors of four elements wrote before the mask: one vector gives half a byte of a
mask.

On SSE two vectors do not fit in the registers. Then the mask's pointer was advanced by 4 / 8 bytes, rounded down, for
each vector, and moved back by a byte for each row, so rows after the first wrote before the mask.
"""

from __future__ import annotations

import pytest

import tilesmith as ts
from tilesmith.emulation.cpu import execute
from tilesmith.runtime.verify.operands import call_of

NAME = "bias_dropout_residual_layernorm"


@pytest.mark.parametrize(
    ("target", "dtype"), [("sse", "f32"), ("avx", "f32"), ("avx2", "f64"), ("neon", "f32"), ("sve128", "f64")]
)
@pytest.mark.parametrize("n", [3, 5, 16, 29])
def test_masks_are_written_inside(target: str, dtype: str, n: int) -> None:
    """Every access lies inside its operand: all vectors whose bits share a byte are computed before the pointer
    moves."""
    kernel = ts.fused(NAME, 3, n, dtype=dtype, target=target)
    call = call_of(kernel.spec, kernel.kind)
    execute(kernel.code, kernel.target, call.integers, call.everything)


def test_a_step_of_several_turns_is_proved() -> None:
    """AVX2 has four f64 in a vector, and too few registers for two vectors at a time."""
    assert ts.fused(NAME, 2, 29, dtype="f64", target="avx2").verify()

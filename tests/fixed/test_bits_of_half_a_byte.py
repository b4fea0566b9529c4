"""Fused kernels whose vectors have four elements, and masks of bits: one vector at a time has half a byte of a mask.

On SSE, where two vectors do not fit into the registers, the mask's pointer was moved by 4 / 8 bytes, rounded down, for
each vector, and by a byte back for each row, so that rows behind the first wrote in front of the mask.
"""

from __future__ import annotations

import pytest

import tilesmith as ts
from tilesmith.emulation.cpu import execute
from tilesmith.runtime.verify.operands import call_of

NAME = "bias_dropout_residual_layernorm"


@pytest.mark.parametrize("target", ["sse", "avx", "neon", "sve128"])
@pytest.mark.parametrize("n", [3, 5, 16])
def test_masks_are_written_inside(target: str, n: int) -> None:
    """Every access lies inside its operand; else there is no such kernel."""
    if target == "sse" and n > 4:
        with pytest.raises(ts.UnsupportedError, match="vector registers"):
            ts.fused(NAME, 3, n, target=target)
        return
    kernel = ts.fused(NAME, 3, n, target=target)
    call = call_of(kernel.spec, kernel.kind)
    execute(kernel.code, kernel.target, call.integers, call.everything)

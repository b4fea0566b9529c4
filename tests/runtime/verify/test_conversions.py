"""Roundings to bf16: the instruction and the integer code of `stored` give the same bits, so proofs may equate them."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tests.profiles import scaled
from tilesmith.emulation.numerics import bf16
from tilesmith.runtime.verify.definition.conversions import _bf16

LOW = (0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF)
"""Lower halves on both sides of a tie."""


@pytest.mark.parametrize("sign", [0, 1])
def test_both_are_the_same_bits(sign: int) -> None:
    """Test every upper half with these lower halves; `make soak` adds all other ones, or a share of them."""
    upper = np.arange(1 << 15, dtype=np.uint32) + np.uint32(sign << 15) << np.uint32(16)
    for low in {*LOW, *Random(sign).sample(range(1 << 16), scaled(0, 1 << 16))}:
        x = (upper | np.uint32(low)).view(np.float32)
        assert np.array_equal(bf16.bfcvt(x), _bf16(x))

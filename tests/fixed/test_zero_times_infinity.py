"""Attention that multiplies its zero sums by a possibly infinite factor before the first block was proved, because the
product is zero over the reals. 16 mutants that turn ordinary numbers into NaN were proved as well, among them these."""

from __future__ import annotations

from typing import Any

import pytest

from tests.side_by_side.bits import Mutant
from tests.side_by_side.kernels import MAKERS
from tilesmith.encoder.decode import decode
from tilesmith.runtime.verify.check import verify

CHANGED = [
    ("avx2", "vmaxps xmm10, xmm1, xmm9", "vmaxps xmm10, xmm0, xmm9"),
    ("neon", "bit v19.16b, v1.16b, v20.16b", "bif v19.16b, v1.16b, v20.16b"),
]


def changed(kernel: Any, before: str, after: str) -> bytes:
    """Return the code with one bit flipped, so that the first instruction of text `before` becomes `after`."""
    arch = kernel.target.arch
    texts = {each.offset: decode(kernel.code, each.offset, arch) for each in kernel._code.instructions}
    offset = next(at for at, found in texts.items() if found is not None and found.text == before)
    for bit in range(8 * texts[offset].length):
        code = Mutant(offset, bit, "", "", "").of(kernel.code)
        found = decode(code, offset, arch)
        if found is not None and found.text == after:
            return code
    raise AssertionError(f"no bit of {before} makes {after}")


@pytest.mark.slow
@pytest.mark.parametrize(("target", "before", "after"), CHANGED)
def test_the_clamp_of_the_first_correction(target: str, before: str, after: str) -> None:
    kernel = MAKERS["attention f32 1x1x2x2"](target)
    assert kernel.verify()
    assert not verify(changed(kernel, before, after), kernel.target, kernel.spec, kernel.kind)

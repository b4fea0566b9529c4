"""A mask of one bit for all elements, beside a mask of one bit per column, was also written with a bit per column: into
the bytes after its only one, and into bits 1 to 7."""

from __future__ import annotations

import pytest

import tilesmith as ts


@pytest.mark.parametrize("columns", [5, 17])
@pytest.mark.parametrize("target", ["sse", "avx2", "avx512", "neon", "sve256"])
@pytest.mark.grid(3)
def test_the_mask_of_all_is_one_bit(target: str, columns: int) -> None:
    kernel = ts.equation(lambda x: (ts.max(x) > 3.0, ts.sum(x, axis=0) > 1.0), x=(3, columns), target=target)
    proof = kernel.verify()
    assert proof, str(proof)

"""Proofs of jobs stopped at a return: kernels with a larger stack than the first one had no stack pointer."""

from __future__ import annotations

import tilesmith as ts


def test_a_copy_and_a_product() -> None:
    layer = ts.conv(
        (1, 6, 3, 3), (10, 6, 2, 1), layout="NHWC", dtype=("u8", "i8", "i32"), target="avx512_vnni", bias=False
    )
    proof = layer.verify()
    assert proof, proof

"""Right kernels had no proof: negated products in loops of any rows, signs of bf16 in rows, long counted batches."""

from __future__ import annotations

import tilesmith as ts
from tilesmith.emulation.intervals import reachable
from tilesmith.x86 import rdi, xmm0


def test_negated_products_in_loops_of_any_rows() -> None:
    assert ts.ternary("nmuladd", ts.RUNTIME, 4, target="avx512").verify()


def test_signs_that_are_joined_in_bf16() -> None:
    kernel = ts.equation(
        lambda w, z: ts.max(w, axis=None) <= z, w=(1, 17), z=(1, 17), dtype="bf16", out="u8", target="avx2"
    )
    assert kernel.verify()


def test_intervals_do_not_stop_at_places_of_vectors() -> None:
    asm = ts.assembler("sse")
    asm.psrld(xmm0, 13)
    asm.cmp(rdi, 1024)
    asm.ret()
    found = reachable.thresholds(asm.finish("code").data, "x86")
    assert 1024 in found and 13 not in found


def test_reasons_are_stated() -> None:
    proof = ts.ternary("nmuladd", 1, 2, dtype="f64", target="sse").verify()
    assert not proof and not proof.refuted and "fused multiply-adds" in str(proof)

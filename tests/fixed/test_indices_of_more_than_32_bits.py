"""Indices were numbers in proofs, so code that compares or reads only 32 bits of them was proved: 2^32 + 1 was row 1.

With bounds="kernel" an index may have any value of its type. What an execution decides about it is now compared with
the request for all of them; addresses must follow it over 64 bits. The same holds for the counts, strides, offsets and
addresses of batches.
"""

from __future__ import annotations

from typing import Any

import pytest

import tilesmith as ts
from tilesmith.encoder.decode import decode
from tilesmith.runtime.verify.check import verify


def _gather(target: str) -> Any:
    return ts.gather("rows", 3, 5, size=4, bounds="kernel", target=target)


CASES = {
    "a load, avx2": (_gather("avx2"), "4c8b16", "448b16"),  # mov r10, [rsi] -> mov r10d, [rsi]
    "a comparison, sse": (_gather("sse"), "4d39da", "4539da"),  # cmp r10, r11 -> cmp r10d, r11d
    "a load, neon": (_gather("neon"), "250040f9", "250040b9"),  # ldr x5, [x1] -> ldr w5, [x1]
    "a comparison, neon": (_gather("neon"), "bf0006eb", "bf00066b"),  # cmp x5, x6 -> cmp w5, w6
}
SUMS = ts.equation(lambda x, i: ts.scatter(x * 2.0, i, 4, add=True), x=(3, 5), i=(3,), bounds="kernel", target="avx2")
BATCH = {each: ts.brgemm(2, 5, 3, batch=each, target="avx2") for each in (ts.STRIDE, ts.OFFSET, ts.ADDRESS)}


@pytest.mark.parametrize(("kernel", "old", "new"), CASES.values(), ids=CASES)
def test_32_bits_of_an_index_are_refuted_by_one_that_has_more(kernel: Any, old: str, new: str) -> None:
    assert (proof := kernel.verify()), str(proof)
    assert "every index of 64 bits is inside if it is from 0 to 3" in str(proof)
    code = kernel.code.replace(bytes.fromhex(old), bytes.fromhex(new), 1)
    proof = verify(code, kernel.target, kernel.spec, kernel.kind)
    assert proof.refuted and proof.refutation is not None and proof.refutation.confirmed, str(proof)


def test_32_bits_of_an_index_that_rows_are_added_by() -> None:
    assert SUMS.verify()
    for old, new in (("4d8b1b", "458b1b"), ("4939f30f82", "4139f30f82")):  # mov r11, [r11]; cmp r11, rsi; jb
        assert bytes.fromhex(old) in SUMS.code
        code = SUMS.code.replace(bytes.fromhex(old), bytes.fromhex(new), 1)
        proof = verify(code, SUMS.target, SUMS.spec, SUMS.kind)
        assert proof.refuted, str(proof)


@pytest.mark.parametrize("batch", BATCH, ids=str)
@pytest.mark.grid(1)
def test_32_bits_of_what_finds_the_matrices_of_a_batch_have_no_proof(batch: Any) -> None:
    kernel, narrowed = BATCH[batch], 0
    assert (proof := kernel.verify()), str(proof)
    assert "count decides as a number of 64 bits" in str(proof) and "addresses follow every a_" in str(proof)
    for each in kernel._code.instructions:
        data, at = bytes(each.data), each.offset
        own = decode(kernel.code, at, "x86")
        if own is None or own.form.mnemonic != "add" or data[0] & 0xF8 != 0x48 or narrowed == 3:
            continue
        narrowed += 1
        code = kernel.code[:at] + bytes([data[0] & 0xF7]) + kernel.code[at + 1 :]
        assert not verify(code, kernel.target, kernel.spec, kernel.kind), own.text
    assert narrowed == 3

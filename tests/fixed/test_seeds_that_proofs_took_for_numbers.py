"""Seeds of random numbers were numbers in proofs, so dropped and changed instructions of the generator were proved.

Code that keeps the same elements for the seed of the proof keeps others for other seeds. The seed may now be any, and
the words of the generator are compared as words.
"""

from __future__ import annotations

from typing import Any

import pytest

import tilesmith as ts
from tilesmith.encoder.decode import decode
from tilesmith.runtime.verify.check import verify

_NOTHING = {3: "0f1f00", 4: "0f1f4000", 5: "0f1f440000", 6: "660f1f440000", 7: "0f1f8000000000"}
OF_ROWS = ts.unary("dropout", 2, 5, rate=0.25, target="sse")
OF_A_SUM = ts.equation(lambda x, b: ts.dropout(ts.relu(x + b), 0.1), x=(3, 4), b=(1, 4), target="avx512")
OF_A_PRODUCT = ts.brgemm(2, 5, 2, epilogue=lambda c: ts.dropout(c, 0.25), beta=0, target="avx2")


def without(kernel: Any, offset: int) -> bytes:
    """Return the code with nothing in the place of an instruction."""
    length = decode(kernel.code, offset, "x86").length
    data: bytes = kernel.code[:offset] + bytes.fromhex(_NOTHING[length]) + kernel.code[offset + length :]
    return data


@pytest.mark.parametrize(
    ("kernel", "start", "mnemonic", "which"),
    [
        (OF_ROWS, 0x200, "pxor", 2),
        (OF_ROWS, 0x400, "paddd", 1),
        (OF_A_SUM, 0x200, "vpxord", 3),
        (OF_A_SUM, 0x200, "vprold", 5),
    ],
    ids=lambda each: getattr(each, "name", str(each)),
)
def test_an_instruction_of_the_generator_that_is_left_out(kernel: Any, start: int, mnemonic: str, which: int) -> None:
    offsets = [
        each.offset
        for each in kernel._code.instructions
        if each.offset >= start
        and kernel.code[each.offset : each.offset + 1]
        and (own := decode(kernel.code, each.offset, "x86")) is not None
        and own.form.mnemonic == mnemonic
    ]
    proof = verify(without(kernel, offsets[which]), kernel.target, kernel.spec, kernel.kind)
    assert not proof, str(proof)


def test_a_shift_that_takes_other_bits_of_the_seed() -> None:
    assert (proof := OF_A_PRODUCT.verify()), str(proof)
    assert "any seed of 64 bits" in str(proof)
    at = OF_A_PRODUCT.code.index(bytes.fromhex("48c1e820"))  # shr rax, 32
    code = bytearray(OF_A_PRODUCT.code)
    code[at + 3] = 42
    proof = verify(bytes(code), OF_A_PRODUCT.target, OF_A_PRODUCT.spec, OF_A_PRODUCT.kind)
    assert not proof, str(proof)


def test_another_half_of_the_seed() -> None:
    kernel = ts.unary("random", 1, 3, target="sve256")
    assert kernel.verify()
    lsr = next(
        each
        for each in kernel._code.instructions
        if (own := decode(kernel.code, each.offset, "a64")) is not None and own.form.mnemonic in ("lsr", "ubfm")
    )
    code = bytearray(kernel.code)
    code[lsr.offset : lsr.offset + 4] = bytes.fromhex("1f2003d5")  # nop
    assert not verify(bytes(code), kernel.target, kernel.spec, kernel.kind)

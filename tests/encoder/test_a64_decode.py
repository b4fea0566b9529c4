"""Decoding words: encoded forms come back, and random words are compared with LLVM."""

from __future__ import annotations

import random

import pytest

from tests.encoder.a64_draws import all_forms, draws
from tests.oracles import llvm_a64
from tilesmith.encoder.a64.decode import decode
from tilesmith.encoder.decode import Decoded, disassemble


def decoded_word(word: int) -> Decoded | None:
    found = decode(word.to_bytes(4, "little"))
    return Decoded(*found) if found else None


@pytest.mark.seconds
def test_every_form_decodes_to_an_instruction_of_the_same_word():
    for form in all_forms():
        for word in draws(form, 3):
            decoded = decoded_word(word)
            assert decoded is not None, f"{form.syntax()} {word:#010x}"
            assert decoded.form.encode(decoded.operands) == word.to_bytes(4, "little"), decoded.text


@pytest.mark.seconds
def test_random_words_mean_what_llvm_says():
    """Every accepted word assembles to itself, and LLVM's disassembler knows it too."""
    rng = random.Random(19)
    words = [rng.getrandbits(32) for _ in range(40_000)]
    found = [(word, decoded) for word in words if (decoded := decoded_word(word)) is not None]
    assert len(found) > 10_000
    found = [(word, decoded) for word, decoded in found if decoded.form.mnemonic != "movprfx"]
    again = llvm_a64.assemble([decoded.text for _, decoded in found])
    wrong = [f"{word:#010x} {d.text}: LLVM {a}" for (word, d), a in zip(found, again) if a != word]
    assert not wrong, wrong[:20]
    texts = llvm_a64.disassemble([word for word, _ in found])
    assert "<unknown>" not in texts


def test_disassembly_shows_places_and_skips_unknown_words():
    data = b"\x20\xcc\x22\x4e\xff\xff\xff\xff\xee\xff\xff\x54\x40\x00\x00\x58\xc0\x03\x5f\xd6"
    lines = disassemble(data, "a64").splitlines()
    assert [line[43:] for line in lines] == [
        "fmla v0.4s, v1.4s, v2.4s",
        ".byte 0xff, 0xff, 0xff, 0xff",
        "b.al 0x4",
        "ldr x0, 0x14",
        "ret",
    ]


def test_the_end_of_a_word_is_missing():
    assert decode(b"\xc0\x03\x5f") is None

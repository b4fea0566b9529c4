"""add x8, x8, #0 was decoded as mov x8, x8, which GNU as and Tilesmith's assembler encode as another instruction, so
the source of a nest for AArch64 did not assemble to the nest's bytes. With the stack pointer, the addition is a
move."""

import subprocess

import pytest

from tilesmith.encoder.decode import decode

WORDS = {
    0x91000108: "add x8, x8, #0",
    0x11000109: "add w9, w8, #0",
    0x910003E8: "mov x8, sp",
    0x9100011F: "mov sp, x8",
    0x910003FF: "mov sp, sp",
    0x1100013F: "mov wsp, w9",
    0xAA0803E8: "mov x8, x8",
    0x2A0803E9: "mov w9, w8",
}


@pytest.mark.parametrize("word", WORDS)
def test_the_text_stands_for_the_word(word):
    found = decode(word.to_bytes(4, "little"), 0, "a64")
    assert found.form.text(found.operands) == WORDS[word]


def test_as_gnu_reads_it(tmp_path):
    source, made, raw = (tmp_path / f"words.{ending}" for ending in ("s", "o", "raw"))
    source.write_text("\n".join(WORDS.values()) + "\n")
    subprocess.run(["aarch64-linux-gnu-as", source, "-o", made], check=True)
    subprocess.run(["aarch64-linux-gnu-objcopy", "-O", "binary", "-j", ".text", made, raw], check=True)
    assert raw.read_bytes() == b"".join(word.to_bytes(4, "little") for word in WORDS)

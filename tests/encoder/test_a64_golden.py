"""Words and text that llvm-mc wrote to tests/golden/a64.txt; only --update-golden needs the oracle.

A line is decoded to operands, which the assembler encodes again: table, slots and decoder are compared with the file.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.encoder.a64_draws import all_forms, draws
from tests.encoder.a64_targets import EVERYTHING
from tests.oracles import llvm_a64, tools
from tilesmith.encoder.a64.assembler import TABLE, A64Assembler

GOLDEN = Path(__file__).parents[1] / "golden" / "a64.txt"


def _write() -> None:
    """Write one instruction per row."""
    texts: dict[tuple[str, ...], str] = {}
    for form in all_forms():
        drawn = list(draws(form, 4).values()) if form.row not in texts and form.mnemonic != "movprfx" else []
        if drawn:  # a form whose operands an earlier form takes has no draws
            texts[form.row] = form.text(drawn[-1])
    words = llvm_a64.assemble(list(texts.values()))
    rejected = [f"{text}: {word}" for text, word in zip(texts.values(), words) if isinstance(word, str)]
    assert not rejected, rejected
    header = f"# Text and word, written by {llvm_a64.ASSEMBLER} ({tools.version(llvm_a64.ASSEMBLER)})"
    header += " through `make golden`; do not edit."
    lines = [f"{text:<72} | {word:08x}" for text, word in zip(texts.values(), words)]
    GOLDEN.write_text("\n".join([header, *lines]) + "\n")


def test_golden_words(request: pytest.FixtureRequest):
    if request.config.getoption("--update-golden"):
        _write()
    lines = [line for line in GOLDEN.read_text().splitlines() if not line.startswith("#")]
    assert len(lines) > 3000
    wrong = []
    for line in lines:
        text, _, expected = (part.strip() for part in line.rpartition("|"))
        asm = A64Assembler(EVERYTHING)
        for form in TABLE.forms(text.split()[0]):
            operands = form.decode(int(expected, 16))  # type: ignore[attr-defined]
            if operands is not None and form.text(operands) == text:
                getattr(asm, form.mnemonic)(*operands)
                break
        if asm.buffer != int(expected, 16).to_bytes(4, "little"):
            wrong.append(f"{text}: {asm.buffer.hex()}, golden {expected}")
    assert not wrong, "\n".join(wrong[:20])

"""Text and bytes that llvm-mc wrote to tests/golden/x86.txt; only --update-golden needs the oracle."""

from __future__ import annotations

import random
import zlib
from pathlib import Path

import pytest

from tests.encoder.draws import draws, encoded, llvm_text
from tests.encoder.parse import emit
from tests.encoder.targets import EVERYTHING
from tests.oracles import llvm, newer, tools
from tilesmith.encoder.x86.assembler import TABLE, X86Assembler
from tilesmith.encoder.x86.registers import Mem

GOLDEN = Path(__file__).parents[1] / "golden" / "x86.txt"


def _texts() -> list[str]:
    """Return one instruction per row of the table, with a form and operands that depend only on the row."""
    texts = []
    for mnemonic in (m for m in TABLE if m not in llvm.OTHER_BYTES):
        for row in TABLE.rows(mnemonic):
            forms = [form for form in TABLE.forms(mnemonic) if form.row == row and form.roles != "D"]
            forms = [form for form in forms if not form.features & newer.FEATURES]
            random.Random(zlib.crc32(" ".join(row[:-1]).encode())).shuffle(forms)
            drawn = ((form, o) for form in forms for o in draws(form, 3) if not _has_label(o))
            candidates = (llvm_text(form, o, encoded(form, o)) for form, o in drawn)
            texts += [text for text in candidates if not text.startswith("{") and not llvm.is_wrong(text)][:1]
    return list(dict.fromkeys(texts))


def _has_label(operands: tuple[object, ...]) -> bool:
    return any(isinstance(operand, Mem) and operand.label is not None for operand in operands)


def _write() -> None:
    texts = _texts()
    results = llvm.assemble(texts)
    rejected = [f"{text}: {result}" for text, result in zip(texts, results) if isinstance(result, str)]
    assert not rejected, rejected
    lines = [f"{text:<72} | {llvm.plain(result).hex(' ')}" for text, result in zip(texts, results)]  # type: ignore
    header = f"# Intel text and bytes, written by {llvm.ASSEMBLER} ({tools.version(llvm.ASSEMBLER)})"
    header += " through `make golden`; do not edit."
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text("\n".join([header, *lines]) + "\n")


def test_golden_bytes(request: pytest.FixtureRequest):
    if request.config.getoption("--update-golden"):
        _write()
    lines = [line for line in GOLDEN.read_text().splitlines() if not line.startswith("#")]
    assert len(lines) > 300
    wrong = []
    for line in lines:
        text, _, expected = (part.strip() for part in line.partition("|"))
        asm = X86Assembler(EVERYTHING)
        emit(asm, text)
        made = asm.buffer.hex(" ")
        if made != expected:
            wrong.append(f"{text}: {made}, golden {expected}")
    assert not wrong, "\n".join(wrong)

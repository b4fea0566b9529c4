"""Decoding: encoded instructions come back, any bytes are handled, and LLVM reads accepted bytes the same way."""

from __future__ import annotations

import random
import struct
from dataclasses import replace
from typing import Any

import pytest

from tests.encoder import agreement, llvm_dialect
from tests.encoder.draws import all_forms, draws, encoded
from tests.encoder.targets import EVERYTHING
from tests.oracles import gnu, llvm, newer
from tests.profiles import scaled
from tilesmith.encoder.decode import decode, disassemble, instructions
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.listing import listing
from tilesmith.encoder.x86 import decode as x86_decode
from tilesmith.encoder.x86.assembler import TABLE, X86Assembler
from tilesmith.encoder.x86.effects import implicit
from tilesmith.encoder.x86.forms import X86Form
from tilesmith.encoder.x86.registers import REGISTERS, ZMM, Mem, dword, mem, ptr

rax, rcx, rdi = (REGISTERS[name] for name in ("rax", "rcx", "rdi"))


@pytest.mark.seconds
def test_encode_decode_encode(draw_count: int):
    """Decode and encode a third of the draws that the assemblers get; the bytes are the same."""
    wrong = agreement.disagreements_with_decoder(agreement.cases_of(list(all_forms()), max(2, draw_count // 3)))
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:20])


def test_the_index_by_bytes_has_every_form_under_its_opcodes():
    index = x86_decode._by_byte()
    assert all(form.mnemonic in index[key[3]] for form in all_forms() for key in x86_decode._keys(form))


@pytest.mark.seconds
def test_bytes_after_an_instruction_are_not_read():
    """encoder/restore.py relies on this: the bytes before a displacement decide what follows it."""
    for form in all_forms():
        for operands in draws(form, 1):
            data = encoded(form, operands)
            alone = decode(data)
            for more in (b"\0" * 16, b"\xff" * 16, data):
                found = decode(data + more)
                assert (found.form, found.length, found.text) == (alone.form, alone.length, alone.text), data.hex()


@pytest.mark.seconds
def test_no_prefix_of_an_instruction_is_read_beyond_its_end():
    for form in all_forms():
        for operands in draws(form, 1):
            data = encoded(form, operands)
            for length in range(len(data)):
                found = decode(data[:length])
                assert found is None or found.length <= length, f"{data.hex()} cut at {length}"


def windows(count: int, seed: int) -> list[bytes]:
    """Return byte strings: encodings with flipped bits, which are often another instruction, and random bytes."""
    rng = random.Random(seed)
    forms = [form for form in all_forms() if not form.features & newer.FEATURES]
    seeds = [encoded(form, operands) for form in forms for operands in draws(form, 3)]
    made = []
    for _ in range(count):
        data = bytearray(rng.choice(seeds) if rng.random() < 0.7 else rng.randbytes(8))
        for _ in range(rng.choice((1, 1, 2, 3, 8))):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        made.append(bytes(data) + rng.randbytes(15))
    return made


@pytest.mark.seconds
def test_accepted_bytes_have_the_text_of_llvm():
    accepted: list[tuple[bytes, X86Form, tuple[Any, ...]]] = []
    for window in windows(scaled(12_000, 600_000), seed=1):
        found = decode(window)
        if found is not None and not found.form.features & newer.FEATURES:
            accepted.append((window[: found.length], found.form, found.operands))  # type: ignore[arg-type]
    assert len(accepted) > scaled(6_000, 300_000)
    theirs = llvm.first_instructions([data for data, _, _ in accepted])
    wrong = []
    for i, ((data, form, operands), their) in enumerate(zip(accepted, theirs)):
        ours = llvm_dialect.ours(form, operands, i * llvm.SLOT + len(data))
        if their is None or their[1] != len(data) or not _same(form, ours, llvm_dialect.normal(their[0])):
            wrong.append(f"{data.hex()}: ours {ours}, LLVM {their}")
    assert not wrong, f"{len(wrong)} of {len(accepted)}:\n" + "\n".join(wrong[:20])


def _same(form: X86Form, ours: str, theirs: str) -> bool:
    bits = min([c.size for c in form.classes if c.kind in ("bits", "signed")], default=64)
    return llvm_dialect.equal(ours, theirs, bits) or llvm.is_wrong(ours)


@pytest.mark.seconds
def test_encoded_bytes_have_the_text_of_llvm():
    forms, count = [form for form in all_forms() if not form.features & newer.FEATURES], scaled(2, 40)
    cases = [(form, operands, encoded(form, operands)) for form in forms for operands in draws(form, count)]
    theirs = llvm.first_instructions([data for _, _, data in cases])
    wrong = []
    for i, ((form, _, data), their) in enumerate(zip(cases, theirs)):
        found = decode(data)
        ours = llvm_dialect.ours(found.form, found.operands, i * llvm.SLOT + len(data))  # type: ignore
        if their is None or not _same(form, ours, llvm_dialect.normal(their[0])):
            wrong.append(f"{data.hex()}: ours {ours}, LLVM {their}")
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong[:20])


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ("", "nothing"),
        ("0f", "only an escape"),
        ("62f1", "only half a prefix"),
        ("66666690", "prefixes that change nothing"),
        ("4066 01c8", "a prefix behind REX"),
        ("c5f458", "no modrm"),
        ("62f17c48580a", "vvvv is unused by none: vaddps has it, so this is a full instruction"),
        ("62f17cc8 58c2", "zeroing without a mask"),
        ("62f17d485800", "vaddpd needs W1"),
        ("c4e24992c9", "a gather from a register"),
        ("62f27d4892040a", "a gather without mask"),
        ("c4e27b4b00", "a tile load without index"),
        ("c4e2735ec9", "a tile product onto its operand"),
    ],
)
def test_not_an_instruction(data: str, why: str):
    found = decode(bytes.fromhex(data))
    if "full instruction" in why:
        assert found is not None and found.text == "vaddps zmm1, zmm0, zmmword ptr [rdx]"
    else:
        assert found is None, why


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("c4e17458c2", "vaddps ymm0, ymm1, ymm2"),  # a longer VEX prefix than needed
        ("4881c001000000", "add rax, 1"),  # a wider immediate
        ("488b8000000000", "mov rax, qword ptr [rax]"),  # a wider displacement
        ("4001c8", "add eax, ecx"),  # a REX prefix that is not needed
        ("f366a5", "rep movsw"),  # prefixes in LLVM's order
        ("0f8400000000", "je 0"),
        ("7400", "je 0"),
        ("48b80100000000000000", "movabs rax, 1"),
    ],
)
def test_encodings_that_we_would_not_choose(data: str, text: str):
    found = decode(bytes.fromhex(data))
    assert found is not None and found.length == len(bytes.fromhex(data))
    assert found.text == text


def kernel() -> X86Assembler:
    asm = X86Assembler(EVERYTHING)
    with asm.loop(rcx, 16, align=16):
        asm.vfmadd231ps(ZMM[0], ZMM[1], mem(rdi, 64, broadcast=True))
        asm.vmulps(ZMM[0], ZMM[0], ptr[asm.const(struct.pack("<16f", *range(16)))])
        asm.lock_add(dword[rdi], 1)
        asm.rep_movsb()
    asm.ret()
    return asm


def test_a_kernel_disassembles_to_what_was_written():
    code = kernel().finish()
    text = code.data[: code.text_size]
    found = [instruction for _, _, instruction in instructions(text)]
    written = [(form.mnemonic, len(data)) for _, data, form, _ in code.instructions]
    assert [(f.form.mnemonic, f.length) for f in found if f and "nop" not in f.text] == [
        w for w in written if w[0] != "nop"
    ]
    assert all(found)


def test_disassembly_shows_targets_and_unknown_bytes():
    code = kernel().finish()
    text = disassemble(code.data[: code.text_size] + b"\x06\x07")
    lines = text.splitlines()
    assert any(line.endswith("jne 0x10") for line in lines)
    assert lines[-2].endswith(".byte 0x06") and lines[-1].endswith(".byte 0x07")
    assert disassemble(b"") == ""


def test_an_added_row_is_all_it_takes(monkeypatch: pytest.MonkeyPatch):
    """One row gives encoding, operand checks, both listings, decoding and roles. The table has no prefetchit0."""
    monkeypatch.setattr(TABLE, "_texts", list(TABLE._texts))
    monkeypatch.setattr(TABLE, "_latest", TABLE._latest)
    data = bytes.fromhex("0f183d04000000")
    assert decode(data) is None
    TABLE.add("prefetchit0  r:m8  M L.0F 18 /7  PREFETCHI  ; r:rax")
    asm = X86Assembler(replace(EVERYTHING, features=EVERYTHING.features | {"PREFETCHI"}))
    with pytest.raises(EncodeError, match="rax is not memory"):
        asm.prefetchit0(rax)
    asm.prefetchit0(Mem(disp=4, rip=True))
    code = asm.finish()
    assert code.data == data
    assert "prefetchit0 byte ptr [rip + 4]" in listing(code)
    assert gnu.assemble(listing(code, "gas")) == data
    found = decode(data)
    assert found is not None and found.text == "prefetchit0 byte ptr [rip + 4]"
    assert implicit(found.form).reads == {"rax"}  # type: ignore[arg-type]
    monkeypatch.undo()
    TABLE.version += 1
    assert decode(data) is None


def test_unknown_architecture():
    with pytest.raises(EncodeError, match="no decoder for architecture 'mips'"):
        decode(b"\0", arch="mips")

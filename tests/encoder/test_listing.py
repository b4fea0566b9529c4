"""Listings, for people and for GNU as."""

from __future__ import annotations

import struct

import pytest

from tests.encoder.targets import EVERYTHING
from tests.oracles import gnu, tools
from tilesmith.encoder.code import Code, Remark
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.listing import listing
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.registers import REGISTERS, XMM, YMM, ZMM, K, Mem, mem, ptr, rz_sae, sae

rax, rcx, rdi, rsi = (REGISTERS[name] for name in ("rax", "rcx", "rdi", "rsi"))


def program(name: str = "program") -> Code:
    """Return code with a loop, branches, a pool, notes, padding, masks, rounding, gathers and a broadcast."""
    asm = X86Assembler(EVERYTHING)
    end = asm.label("end")
    asm.note("entry: nothing to do for 0")
    asm.cmp(rcx, 0)
    asm.je(end)
    asm.note("k loop")
    asm.note("2 FMA")
    with asm.loop(rcx, align=32):
        asm.vfmadd231ps(ZMM[0], ZMM[1], mem(rdi, 64, rsi, 4, broadcast=True))
        asm.vaddps(ZMM[17].kz(K[1]), ZMM[2], ZMM[3], rz_sae)
        asm.vcmpps(K[2].k(K[1]), ZMM[2], ZMM[3], sae, 5)
        asm.vgatherdps(ZMM[3].k(K[2]), ptr[rax + ZMM[7] * 4 + 4])
        asm.vmovups(Mem(disp=64, mask=K[3]), ZMM[4])
        asm.vmovaps(XMM[0], XMM[8])
    asm.vaddps(YMM[0], YMM[1], ptr[asm.const(struct.pack("<8f", *range(8)))])
    asm.vmulsd(XMM[0], XMM[0], ptr[asm.const_f64(2.5)])
    asm.vmulss(XMM[0], XMM[0], ptr[asm.const_f32(-0.5)])
    asm.vpand(XMM[0], XMM[0], ptr[asm.const(b"\1" * 16)])
    asm.const(b"odd")
    asm.bind(end)
    asm.note("done")
    asm.ret()
    asm.note("behind the code")
    return asm.finish(name)


@pytest.mark.parametrize("name", ["program", "rax", "and", "st", "brgemm 64x48 (f32)", "4mm", "größe", "a-b.c"])
def test_gas_reassembles_to_the_same_bytes_under_any_name(name: str):
    code = program(name)
    assert gnu.assemble(listing(code, "gas")) == code.data


@pytest.mark.parametrize("label", ["rax", "loop", "and", "offset", "ptr", "1st", "a b", "zmm0", "größe", "x+y", ".LC0"])
def test_gas_labels_are_legal_and_unique(label: str):
    asm = X86Assembler(EVERYTHING)
    first, second = asm.here(label), asm.label(label)
    asm.jmp(first)
    asm.jmp(second)
    asm.mov(rax, ptr[asm.const_f64(1.0)])
    asm.lea(rax, ptr[first])
    asm.bind(second)
    code = asm.finish()
    assert gnu.assemble(listing(code, "gas")) == code.data


def test_gas_defines_a_sized_global_function(tmp_path):
    source, made = tmp_path / "program.s", tmp_path / "program.o"
    code = program()
    source.write_text(listing(code, "gas"))
    tools.run("as", "-o", str(made), str(source))
    symbols = tools.run("readelf", "-sSW", str(made)).stdout
    assert f"{len(code.data)} FUNC    GLOBAL DEFAULT    1 program" in symbols
    assert ".LC" not in symbols
    assert ".note.GNU-stack" in symbols


def test_intel_shows_offset_bytes_text_and_notes():
    code = program()
    lines = listing(code).splitlines()
    assert lines[0].startswith("program: everything, ")
    for instruction in code.instructions:
        shown = [line for line in lines if line.startswith(f"{instruction.offset:6x}  {instruction.data.hex(' ')}")]
        assert len(shown) == 1, instruction
        assert instruction.form.mnemonic in shown[0]
    assert next(line for line in lines if "cmp rcx, 0" in line).endswith("; entry: nothing to do for 0")
    # after the notes comes the alignment of the loop
    assert next(line for line in lines if "k loop" in line).endswith("; k loop; 2 FMA")
    assert next(line for line in lines if " ret" in line).endswith("; done")
    assert "; behind the code" in lines


def test_a_remark_is_made_when_the_listing_is_read():
    """A remark equals its text, so that codes with the same notes are equal."""
    made: list[int] = []

    class Counted(Remark):
        def __str__(self) -> str:
            made.append(1)
            return "three elements"

    asm = X86Assembler(EVERYTHING)
    asm.note(Counted())
    asm.ret()
    code = asm.finish("remarked")
    assert not made and code.notes == ((0, "three elements"),) and code.noted == ((0, "three elements"),)
    assert "; three elements" in listing(code) and hash(Counted()) == hash("three elements")


def test_intel_shows_labels_on_lines_of_their_own():
    lines = listing(program()).splitlines()
    at = lines.index(".Lend:")
    assert " ret" in lines[at + 1]
    assert any(line.endswith("je .Lend") for line in lines)


def test_intel_shows_constants_as_hex_and_floats():
    text = listing(program())
    assert "f32 -0.5" in text
    assert "f64 2.5" in text
    assert "f32 4 5 6 7" in text
    assert "6f 64 64" in text


def test_every_line_of_text_is_ours():
    """Every instruction's text comes from its form."""
    code = program()
    text = listing(code)
    for instruction in code.instructions:
        if not any(
            getattr(operand, "label", None) or operand.kind == "label"
            for operand in instruction.operands
            if not isinstance(operand, int)
        ):
            assert instruction.text in text


def test_unknown_syntax():
    with pytest.raises(EncodeError, match="listing syntax 'att': one of intel, gas"):
        listing(program(), "att")


def test_empty_code():
    code = X86Assembler(EVERYTHING).finish("empty")
    assert listing(code) == "empty: everything, 0 bytes\n"
    assert gnu.assemble(listing(code, "gas")) == b""

"""`tilesmith disasm` showed prefixes that compilers write as .byte, so that a load from fs:40 looked like one from 40.
Objects for AArch64 had no $x and $d, so disassemblers took constants for instructions.
"""

from __future__ import annotations

import re
import subprocess

import pytest

import tilesmith as ts
from tests.oracles import tools
from tilesmith.encoder.decode import disassemble
from tilesmith.encoder.elf import executable, relocatable
from tilesmith.runtime.cli.objects import listed


@pytest.mark.parametrize(
    "code, text",
    [
        ("64488b042528000000", "fs mov rax, qword ptr [40]"),
        ("65488b0c2510000000", "gs mov rcx, qword ptr [16]"),
        ("2e0f1f8400000000ff", "cs nop dword ptr [rax + 1*rax - 16777216]"),
        ("f3c3", "rep ret"),
        ("f2ffe0", "bnd jmp rax"),
        ("3effe0", "ds jmp rax"),
    ],
)
def test_prefixes_stand_before_their_instruction(tmp_path, code, text):
    """GNU as makes the same bytes of the text."""
    lines = disassemble(bytes.fromhex("90" + code + "90")).splitlines()
    assert [line.split("  ")[-1].strip() for line in lines] == ["nop", text, "nop"]
    assert lines[2].split()[0] == f"{1 + len(code) // 2:x}"
    (tmp_path / "k.s").write_text(f".intel_syntax noprefix\n{text}\n")
    subprocess.run([tools.require("as"), "k.s", "-o", "k.o"], cwd=tmp_path, check=True)
    subprocess.run([tools.require("objcopy"), "-O", "binary", "-j", ".text", "k.o", "k.bin"], cwd=tmp_path, check=True)
    assert (tmp_path / "k.bin").read_bytes().hex() == code


@pytest.mark.parametrize(
    "code, text",
    [
        ("66662e0f1f840000000000", "data16 data16 cs nop dword ptr [rax + 1*rax]"),  # `as` takes no prefix twice
        ("66666690", "data16 data16 xchg ax, ax"),
    ],
)
def test_padding_of_compilers_is_one_instruction(code, text):
    assert disassemble(bytes.fromhex(code)).split(None, len(code) // 2 + 1)[-1].strip() == text


@pytest.mark.parametrize("code", ["f34801c0", "6664", "f26690", "66c3"])
def test_other_prefixes_remain_bytes(code):
    lines = disassemble(bytes.fromhex(code)).splitlines()
    assert f".byte 0x{code[:2]}" in lines[0]


def test_data_in_objects_for_aarch64(tmp_path):
    kernels = [ts.unary("tanh", 3, 5, target="neon"), ts.transpose(2, 3, target="neon")]
    path = tmp_path / "k.o"
    path.write_bytes(relocatable(*(each.declared().code for each in kernels)))
    shown = tools.run("aarch64-linux-gnu-objdump", "-dz", str(path)).stdout
    code = kernels[0].declared().code
    words = {int(line.split(":")[0], 16) for line in shown.splitlines() if re.search(r"\t\.word\t", line)}
    assert {*range(code.pool[0].offset, len(code.data), 4)} <= words
    end = len(code.data) + -len(code.data) % 64  # where the second function begins
    assert not [at for at in words if at < code.text_size or at >= end]
    ours = {int(line.split()[0], 16) for line in listed(path.read_bytes(), None).splitlines() if " .word 0x" in line}
    assert ours == {*range(code.text_size, end, 4)}


def test_data_in_programs_for_aarch64(tmp_path):
    from tilesmith.a64 import S, X

    asm = ts.assembler("neon")
    asm.here("_start")
    asm.ldr(S[0], asm.const_f32(1.5))
    asm.mov(X[8], 93)
    asm.svc(0)
    (tmp_path / "program").write_bytes(executable(asm.finish("program")))
    shown = tools.run("aarch64-linux-gnu-objdump", "-d", str(tmp_path / "program")).stdout
    assert re.search(r"\.word\t0x3fc00000", shown) and "svc" in shown

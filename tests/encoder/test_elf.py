"""Relocatable objects: binutils accept them without a warning, gcc links them, and C calls them."""

from __future__ import annotations

import platform
import re
import struct
from dataclasses import replace

import pytest

from tests.encoder.a64_targets import EVERYTHING as A64_EVERYTHING
from tests.encoder.targets import EVERYTHING
from tests.oracles import tools
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.code import Code
from tilesmith.encoder.elf import executable, relocatable
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.files.header import header
from tilesmith.encoder.x86.abi import ARGUMENTS
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.registers import REGISTERS, ptr

rax = REGISTERS["rax"]


def weighted_sum(name: str = "weighted_sum") -> Code:
    """Return long weighted_sum(const long *x, long n), the sum of x[i] * 7 for n >= 1, with 7 in the constant pool."""
    asm = X86Assembler(EVERYTHING)
    x, n, weight = ARGUMENTS[0], ARGUMENTS[1], ARGUMENTS[2]
    seven = asm.const(struct.pack("<q", 7))
    asm.xor(rax, rax)
    with asm.loop(n, align=16):
        asm.mov(weight, ptr[x])
        asm.imul(weight, ptr[seven])
        asm.add(rax, weight)
        asm.add(x, 8)
    asm.ret()
    return asm.finish(name)


def test_readelf_is_content(tmp_path):
    path = tmp_path / "kernel.o"
    code = weighted_sum()
    path.write_bytes(relocatable(code))
    done = tools.run("readelf", "-aW", str(path))
    assert not done.stderr
    assert "warning" not in done.stdout.lower()
    assert "Advanced Micro Devices X86-64" in done.stdout
    assert re.search(rf"{code.text_size} FUNC    GLOBAL DEFAULT    1 weighted_sum\n", done.stdout)
    assert re.search(r"\.text +PROGBITS .* AX +0 +0 64", done.stdout)
    assert re.search(r"\.rodata +PROGBITS .* A +0 +0 64", done.stdout)
    assert re.search(r"\.eh_frame +X86_64_UNWIND .* A +0 +0 +8", done.stdout)
    relocated = re.findall(r"Relocation section '(.*)' .* contains (\d+) entr", done.stdout)
    assert relocated == [(".rela.text", "1"), (".rela.eh_frame", "1")] and done.stdout.count("R_X86_64_PC32") == 2


def test_linking_makes_our_bytes_again(tmp_path):
    """The linker moves .rodata and changes only the distances to it."""
    made, text = tmp_path / "kernel.o", tmp_path / "text.bin"
    code = weighted_sum()
    made.write_bytes(relocatable(code))
    script = tmp_path / "script"
    script.write_text("SECTIONS { .all : { *(.text) . = ALIGN(64); *(.rodata) } }")
    linked = str(tmp_path / "linked")
    tools.run("ld", "-T", str(script), "-e", "weighted_sum", "-o", linked, str(made))
    tools.run("objcopy", "-O", "binary", "-j", ".all", linked, str(text))
    pool = code.pool[0].offset
    assert text.read_bytes()[: code.text_size] == code.data[: code.text_size]
    assert text.read_bytes()[pool:] == code.data[pool:]


def test_code_without_constants_has_nothing_to_relocate(tmp_path):
    path, text = tmp_path / "kernel.o", tmp_path / "text.bin"
    asm = X86Assembler(EVERYTHING)
    asm.ret()
    code = asm.finish("nothing")
    path.write_bytes(relocatable(code))
    tools.run("objcopy", "-O", "binary", "-j", ".text", str(path), str(text))
    assert text.read_bytes() == code.data
    relocated = tools.run("readelf", "-r", str(path)).stdout
    assert ".rela.eh_frame" in relocated and ".rela.text" not in relocated


def hello() -> Code:
    """Return a program: write(1, text, 6), then exit(7)."""
    asm = X86Assembler(EVERYTHING)
    text = asm.const(b"hello\n")
    asm.ud2()
    asm.here("_start")
    for name, value in (("eax", 1), ("edi", 1), ("edx", 6)):
        asm.mov(REGISTERS[name], value)
    asm.lea(REGISTERS["rsi"], ptr[text])
    asm.syscall()
    asm.mov(REGISTERS["eax"], 60)
    asm.mov(REGISTERS["edi"], 7)
    asm.syscall()
    return asm.finish("hello")


def test_executable_is_content(tmp_path):
    path = tmp_path / "hello"
    path.write_bytes(executable(hello()))
    done = tools.run("readelf", "-aW", str(path))
    assert not done.stderr
    assert "warning" not in done.stdout.lower()
    assert re.search(r"Type: +EXEC", done.stdout) and "_start" in done.stdout
    assert "RWE" not in done.stdout and re.search(r"LOAD .* R E 0x10000", done.stdout)
    disassembled = tools.run("objdump", "-d", "-M", "intel", str(path)).stdout
    assert "<_start>:" in disassembled and "syscall" in disassembled


@pytest.mark.skipif(platform.machine() != "x86_64", reason="runs what it made")
def test_executable_runs(tmp_path):
    path = tmp_path / "hello"
    path.write_bytes(executable(hello()))
    path.chmod(0o755)
    done = tools.run(str(path), check=False)
    assert (done.stdout, done.returncode) == ("hello\n", 7)


@pytest.mark.parametrize("compiler", ["gcc", "g++"])
def test_header_is_c_and_cpp(tmp_path, compiler: str):
    """The header is included twice and compiled with all warnings; the program links with the object and succeeds."""
    code = weighted_sum()
    suffix = "c" if compiler == "gcc" else "cpp"
    kernel, declared, main, program = (tmp_path / n for n in ("kernel.o", "kernel.h", f"main.{suffix}", "program"))
    kernel.write_bytes(relocatable(code))
    declared.write_text(header(code, "long", ["const long *x", "long n"]))
    main.write_text("""
        #include "kernel.h"
        #include "kernel.h"
        int main(void) { long x[] = {1, 2, 30}; return weighted_sum(x, 3) == 7 * 33 ? 0 : 1; }
    """)
    flags = ("-Wall", "-Wextra", "-Werror", "-Wl,--fatal-warnings", "-O1", "-I", str(tmp_path))
    tools.run(compiler, *flags, "-o", str(program), str(main), str(kernel))
    if platform.machine() == "x86_64":
        tools.run(str(program))


def test_header_of_an_awkward_name():
    code = weighted_sum("a */ b")
    text = header(code, "void", [])
    assert "void a____b(void);" in text and text.count("*/") == 2


@pytest.mark.skipif(platform.machine() != "x86_64", reason="runs what it linked")
def test_called_from_c(tmp_path):
    kernel, main, program = (tmp_path / name for name in ("kernel.o", "main.c", "program"))
    kernel.write_bytes(relocatable(weighted_sum()))
    main.write_text("""
        #include <stdio.h>
        extern long weighted_sum(const long *, long);
        int main(void) { long x[] = {1, 2, 30}; printf("%ld", weighted_sum(x, 3)); return 0; }
    """)
    tools.run("gcc", "-Wall", "-Werror", "-Wl,--fatal-warnings", "-o", str(program), str(main), str(kernel))
    assert tools.run(str(program)).stdout == str(7 * (1 + 2 + 30))


def test_machine_follows_the_architecture():
    code = weighted_sum()
    machine = struct.Struct("<16xHH")
    assert machine.unpack_from(relocatable(code)) == (1, 62)
    asm = A64Assembler(A64_EVERYTHING)
    asm.ret()
    assert machine.unpack_from(relocatable(asm.finish())) == (1, 183)
    with pytest.raises(EncodeError, match="no ELF machine for architecture 'mips'"):
        relocatable(replace(code, arch="mips"))


@pytest.mark.parametrize(
    ("name", "symbol"), [("brgemm 4x4", "brgemm_4x4"), ("4mm", "_4mm"), ("", "_"), ("ok_1", "ok_1")]
)
def test_symbol_is_a_c_identifier(name: str, symbol: str):
    assert weighted_sum(name).symbol == symbol
    assert f"\0{symbol}\0".encode() in relocatable(weighted_sum(name))

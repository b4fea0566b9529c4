"""Relocatable objects: accepted by binutils without a warning, linked by gcc, called from C."""

from __future__ import annotations

import platform
import re
import struct
from dataclasses import replace

import pytest

from tests.encoder.targets import EVERYTHING
from tests.oracles import tools
from tilesmith.encoder.code import Code
from tilesmith.encoder.elf import relocatable
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.x86.abi import ARGUMENTS
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.registers import REGISTERS, ptr

rax = REGISTERS["rax"]


def weighted_sum(name: str = "weighted_sum") -> Code:
    """long weighted_sum(const long *x, long n): sum of x[i] * 7, the 7 from the constant pool; n >= 1."""
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
    assert re.search(rf"{len(code.data)} FUNC    GLOBAL DEFAULT    1 weighted_sum\n", done.stdout)
    assert re.search(r"\.text +PROGBITS .* AX +0 +0 64", done.stdout)


def test_objdump_finds_the_code(tmp_path):
    path, text = tmp_path / "kernel.o", tmp_path / "text.bin"
    code = weighted_sum()
    path.write_bytes(relocatable(code))
    tools.run("objcopy", "-O", "binary", "-j", ".text", str(path), str(text))
    assert text.read_bytes() == code.data


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
    assert machine.unpack_from(relocatable(replace(code, arch="a64"))) == (1, 183)
    with pytest.raises(EncodeError, match="no ELF machine for architecture 'mips'"):
        relocatable(replace(code, arch="mips"))


@pytest.mark.parametrize(
    ("name", "symbol"), [("brgemm 4x4", "brgemm_4x4"), ("4mm", "_4mm"), ("", "_"), ("ok_1", "ok_1")]
)
def test_symbol_is_a_c_identifier(name: str, symbol: str):
    assert weighted_sum(name).symbol == symbol
    assert f"\0{symbol}\0".encode() in relocatable(weighted_sum(name))

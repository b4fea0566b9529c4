"""Shared libraries: the dynamic linker, libgcc's unwinder, binutils and gcc read what no linker has made."""

from __future__ import annotations

import re
from pathlib import Path

import cffi
import pytest

from tests.c_jobs import QEMU
from tests.encoder.a64_targets import EVERYTHING as A64_EVERYTHING
from tests.encoder.targets import EVERYTHING
from tests.encoder.test_elf import weighted_sum
from tests.oracles import tools
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.registers import X
from tilesmith.encoder.code import Code
from tilesmith.encoder.elf import relocatable
from tilesmith.encoder.files.library import shared
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.registers import REGISTERS
from tilesmith.runtime.host import detect

COMPILERS = {"x86": "gcc", "a64": "aarch64-linux-gnu-gcc"}
native = pytest.mark.skipif(detect.arch() != "x86", reason="loads code of x86-64")


def number(value: int) -> Code:
    """Return long number_<value>(void), which returns the value and saves a register around that."""
    asm = X86Assembler(EVERYTHING)
    asm.push(REGISTERS["rbx"])
    asm.mov(REGISTERS["eax"], value)
    asm.pop(REGISTERS["rbx"])
    asm.ret()
    return asm.finish(f"number_{value}")


def a64_number() -> Code:
    """Return long number_7(void), with 7 in its constant pool."""
    asm = A64Assembler(A64_EVERYTHING)
    asm.ldr(X[0], asm.const((7).to_bytes(8, "little")))
    asm.ret()
    return asm.finish("number_7")


def codes_of(arch: str) -> list[Code]:
    return [number(7), weighted_sum()] if arch == "x86" else [a64_number()]


@pytest.mark.parametrize("arch", COMPILERS)
def test_binutils_read_it_without_a_warning(tmp_path: Path, arch: str) -> None:
    path, relocated = tmp_path / "libk.so", tmp_path / "k.o"
    path.write_bytes(shared("libk.so", codes_of(arch)))
    relocated.write_bytes(relocatable(*codes_of(arch)))
    done = tools.run("readelf", "-aW", str(path))
    assert not done.stderr and "warning" not in done.stdout.lower()
    assert "Library soname: [libk.so]" in done.stdout and "There are no relocations" in done.stdout
    assert not re.search(r"LOAD .* (RWE|WE)", done.stdout) and re.search(r"GNU_RELRO", done.stdout)
    frames = [tools.run("readelf", "--debug-dump=frames-interp", str(each)).stdout for each in (path, relocated)]
    rows = [re.findall(r"^[0-9a-f]+ +(\S+\+\d+ .*)", text, re.MULTILINE) for text in frames]
    assert rows[0] == rows[1] and len(rows[0]) >= len(codes_of(arch))
    notes = [re.findall(r"Properties: .*", tools.run("readelf", "-n", str(each)).stdout) for each in (path, relocated)]
    assert notes[0] == notes[1]


@pytest.mark.parametrize("arch", COMPILERS)
def test_programs_that_are_linked_with_it_call_it(tmp_path: Path, arch: str) -> None:
    (tmp_path / "libk.so").write_bytes(shared("libk.so", codes_of(arch)))
    source, program = tmp_path / "main.c", str(tmp_path / "main")
    source.write_text("long number_7(void);\nint main(void) { return number_7() != 7; }\n")
    flags = ("-Wall", "-Werror", "-Wl,--fatal-warnings", f"-Wl,-rpath,{tmp_path}", f"-L{tmp_path}")
    tools.run(COMPILERS[arch], *flags, "-o", program, str(source), "-lk")
    if arch == "a64":
        tools.run(QEMU[0], *QEMU[1:], "-L", "/usr/aarch64-linux-gnu", program)
    elif detect.arch() == "x86":
        tools.run(program)


@native
def test_the_dynamic_linker_finds_every_function(tmp_path: Path) -> None:
    """Names that share a bucket of the hash table are found, and none of the file stays writable."""
    path, values = tmp_path / "libnumbers.so", range(100)
    path.write_bytes(shared(path.name, [number(value) for value in values]))
    ffi = cffi.FFI()
    ffi.cdef("".join(f"long number_{value}(void);" for value in [*values, 100]))
    library = ffi.dlopen(str(path))
    assert [getattr(library, f"number_{value}")() for value in values] == [*values]
    with pytest.raises(AttributeError, match="undefined symbol: number_100"):
        library.number_100()
    lines = Path("/proc/self/maps").read_text().splitlines()
    assert {line.split()[1] for line in lines if line.endswith(str(path))} == {"---p", "r--p", "r-xp"}


@native
def test_the_unwinder_finds_the_call_frames(tmp_path: Path) -> None:
    path, codes = tmp_path / "libk.so", [number(3), weighted_sum(), number(5)]
    path.write_bytes(shared(path.name, codes))
    ffi = cffi.FFI()
    ffi.cdef("struct dwarf_eh_bases { void *tbase, *dbase, *func; };")
    ffi.cdef("const void *_Unwind_Find_FDE(void *pc, struct dwarf_eh_bases *bases);")
    ffi.cdef("".join(f"long {code.symbol}(void);" for code in codes))
    library, unwinder, bases = ffi.dlopen(str(path)), ffi.dlopen("libgcc_s.so.1"), ffi.new("struct dwarf_eh_bases *")
    for code in codes:
        start = int(ffi.cast("uintptr_t", ffi.addressof(library, code.symbol)))
        for offset in (0, code.text_size - 1):
            assert unwinder._Unwind_Find_FDE(ffi.cast("void *", start + offset), bases)
            assert int(ffi.cast("uintptr_t", bases.func)) == start
        assert not unwinder._Unwind_Find_FDE(ffi.cast("void *", start + code.text_size), bases)

"""Section F of first-contact.md: issues of a compiler author. tests/runtime/api has F2, F3 and F6."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from pathlib import Path

import pytest

import tilesmith as ts
from tests.oracles import tools
from tilesmith.encoder.decode import disassemble
from tilesmith.runtime.cli import objects
from tilesmith.runtime.cli.main import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(*arguments):
    """Return the status and the output of the command, of both streams."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        return main(arguments), out.getvalue()


ASSEMBLERS = {
    "avx2": ("gcc", "-c"),
    "avx512": ("gcc", "-c"),
    "neon": ("aarch64-linux-gnu-gcc", "-c"),
    "sve256": ("aarch64-linux-gnu-gcc", "-c"),
}


@pytest.mark.parametrize("target", ASSEMBLERS)
def test_f1_what_asm_writes_is_assembled_as_it_is(target):
    """The assembler makes the kernel's bytes of it; the file begins with the plan, and disasm reads the object."""
    kernel = ts.unary("gelu", 5, 7, target=target)
    assert said("asm", "unary", "gelu", "5", "7", "--target", target, "-o", "k.s") == (0, "")
    program, *options = ASSEMBLERS[target]
    subprocess.run([tools.require(program), *options, "k.s", "-o", "k.o"], check=True)
    _, (text,) = objects.sections(Path("k.o").read_bytes())
    assert text.data[: len(kernel.code)] == kernel.code
    assert text.functions == {0: kernel.name}
    assert str(kernel.plan).splitlines()[0] in Path("k.s").read_text()


@pytest.mark.parametrize("target", ["avx2", "neon"])
def test_f1_clang_assembles_it_too(target):
    said("asm", "brgemm", "5", "7", "3", "--target", target, "-o", "k.s")
    triple = {"avx2": "x86_64", "neon": "aarch64"}[target]
    command = [tools.require("llvm-mc-19"), f"--triple={triple}-linux-gnu", "--filetype=obj", "k.s", "-o", "k.o"]
    subprocess.run(command, check=True)
    _, (text,) = objects.sections(Path("k.o").read_bytes())
    assert text.data.startswith(ts.brgemm(5, 7, 3, target=target).code)


def test_f1_the_suffix_selects_the_format():
    kernel = ts.brgemm(4, 4, 4, target="avx2")
    request = ("asm", "brgemm", "4", "4", "4", "--target", "avx2")
    for name, text in (("k.lst", kernel.listing()), ("k.txt", kernel.listing()), ("k.s", kernel.listing("gas"))):
        assert said(*request, "-o", name) == (0, "")
        assert text in Path(name).read_text()
    assert said(*request, "-o", "k.s", "--syntax", "intel") == (0, "")
    assert kernel.listing() in Path("k.s").read_text()
    for name in ("k.foo", "k", "k.json", "k.asm"):
        status, error = said(*request, "-o", name)
        assert (status, Path(name).exists()) == (2, False)
        assert "a source for GNU as (.s), a listing (.lst, .txt), an object (.o), the raw bytes (.bin)" in error
    assert said(*request, "-o", "k.o", "--syntax", "gas")[0] == 2
    assert said(*request, "-o", "k.s", "--json")[0] == 2
    assert said(*request, "-o", "k.json", "--json")[0] == 0


def test_f4_costs_and_registers():
    """The register map names the accumulators, and the costs state what each instruction occupies."""
    kernel = ts.brgemm(8, 8, 2, target="avx2")
    assert "accumulators                 ymm2-ymm9" in kernel.registers()
    rows = [line for line in kernel.costs().splitlines() if "vfmadd231ps" in line]
    assert len(rows) >= 8


@pytest.mark.parametrize("target", ["avx2", "neon"])
def test_f5_objects_of_either_architecture(target, monkeypatch):
    """disasm follows the file's architecture, and names functions and, at relocations, constants of other sections."""
    kernel = ts.unary("exp", 3, 5, target=target)
    kernel.save("k.o")
    kernel.save("k.bin")
    status, text = said("disasm", "k.o")
    assert status == 0
    assert text.startswith(f".text: {kernel.target.arch}, ")
    assert f"\n{kernel.name}:\n     0  " in text
    assert ("; .rodata+0x" in text) == (target == "avx2")
    assert said("disasm", "k.bin") == (0, disassemble(kernel.code, kernel.target.arch))
    other = {"x86": "a64", "a64": "x86"}[kernel.target.arch]
    assert said("disasm", "k.bin", "--arch", other) == (0, disassemble(kernel.code, other))
    status, error = said("disasm", "k.o", "--arch", other)
    assert (status, f"the file says {kernel.target.arch}" in error) == (2, True)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path("k.o").read_bytes())))
    assert said("disasm", "-") == (0, text)


def test_f5_programs_and_objects_of_others():
    """Files of gcc have sections per function, symbols of the linker, and addresses of a program."""
    Path("m.c").write_text("int twice(int x) { return 2 * x; } int main(void) { return twice(0); }")
    for program, arch in (("gcc", "x86"), ("aarch64-linux-gnu-gcc", "a64")):
        for options in (["-c", "-ffunction-sections"], ["-shared", "-fPIC"]):
            subprocess.run([tools.require(program), "-O1", *options, "m.c", "-o", "m"], check=True)
            status, text = said("disasm", "m")
            assert status == 0
            assert "twice:\n" in text
            assert f": {arch}, " in text


def test_f5_damaged_files():
    """A truncated object, or one with changed header bytes, gives a listing or an error with a sentence."""
    ts.brgemm(1, 1, 1, target="neon").save("k.o")
    data = Path("k.o").read_bytes()
    damaged = [data[:length] for length in range(0, len(data), 3)]
    damaged += [
        data[:i] + bytes((data[i] ^ 0xFF,)) + data[i + 1 :] for i in (*range(64), *range(len(data) - 640, len(data), 3))
    ]
    for each in damaged:
        with contextlib.suppress(ValueError):
            objects.listed(each, None)
    with pytest.raises(ValueError, match="cut off or damaged"):
        objects.listed(data[:-1], None)
    with pytest.raises(ValueError, match="ar x"):
        objects.listed(b"!<arch>\n", None)
    with pytest.raises(ValueError, match="64 bits, little-endian, for x86 or a64, not of class 1"):
        objects.listed(b"\x7fELF\1" + data[5:], None)

"""`tilesmith disasm` skipped one byte of an instruction that it does not know, and invented instructions from the rest.
Addresses of linked files were offsets, and files of other systems were read as raw bytes.
"""

from __future__ import annotations

import platform
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.oracles import tools
from tests.profiles import is_soak
from tilesmith.encoder.decode import texts
from tilesmith.encoder.x86.decode import decode
from tilesmith.runtime.cli.objects import listed, sections

_LINE = re.compile(r"\s*([0-9a-f]+):\t([0-9a-f ]+?)\s*\t(.*)")
_BYTES = 1 << 15  # of each section that `make test` compares


def _objdump(path: Path, start: int, stop: int) -> Iterator[tuple[int, bytes, str]]:
    """Yield address, bytes and text of what objdump finds between two addresses."""
    between = (f"--start-address={start}", f"--stop-address={stop}")
    shown = tools.run("objdump", "-d", "-w", "-M", "intel", *between, str(path))
    for line in shown.stdout.splitlines():
        if found := _LINE.match(line):
            yield int(found[1], 16), bytes.fromhex(found[2]), found[3]


def _libraries() -> list[Path]:
    """Shared libraries of this machine: all in soak, the C library's else."""
    folder = Path("/usr/lib/x86_64-linux-gnu")
    if is_soak():
        found = [path for root in ("/usr/lib", "/opt") for path in Path(root).rglob("*.so*") if not path.is_symlink()]
        return sorted(path for path in found if path.is_file() and path.read_bytes()[:20][18:] == b"\x3e\0")
    return [path for name in ("libm.so.6", "libc.so.6") if (path := folder / name).exists()]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="reads this machine's libraries")
def test_no_instruction_is_invented_or_lost():
    """Every line begins where an instruction of objdump does and is as long, and what a row writes is not .byte."""
    rng, wrong = random.Random(53), []
    for path in _libraries():
        _, found = sections(path.read_bytes())
        for text in found:
            functions = sorted(text.functions) or [0]
            first = 0 if is_soak() or len(text.data) <= _BYTES else rng.choice(functions)
            wrong += _wrong(path, text.address, text.data, first, len(text.data) if is_soak() else first + _BYTES)
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:20])


def _wrong(path: Path, address: int, data: bytes, first: int, end: int) -> list[str]:
    lines = _objdump(path, address + first, min(address + end, address + len(data)))
    theirs = {at: (chunk, text) for at, chunk, text in lines}
    wrong, is_data = [], -1
    for offset, chunk, text in texts(data[first:end], "x86", address + first):
        at = address + first + offset
        other, said = theirs.get(at, (b"", ""))
        if "(bad)" in said or said.startswith((".byte", "rex")):
            is_data = at + 64  # a table of numbers among the code, whose bytes nobody executes
        if at < is_data or chunk == other or at + 15 >= address + end:
            continue
        if other[:1] == b"\x9b" or data[first + offset - 1] == 0x9B:  # objdump joins fwait and the next instruction
            continue
        wrong.append(f"{path.name} {at:#x}: {chunk.hex()} {text} | objdump: {other.hex()} {said}")
    return wrong


@pytest.mark.parametrize(
    "text",
    [
        "fxch st(1)",
        "fnstcw [rsp + 2]",
        "fnclex",
        "fld tbyte ptr [rax]",
        "fstp qword ptr [rsp + 0x1234]",
        "vfmaddpd xmm0, xmm1, xmm2, [rax + 8]",
        "vpcomb xmm1, xmm2, [rip + 5], 3",
        "bextr eax, ecx, 0x12345678",
        "movabs eax, [0x1122334455667788]",
        "movabs [0x1122334455667788], al",
        "pfadd mm1, [rcx]",
        "mov rax, cr0",
        "mov dr7, rax",
        "in al, 7",
        "out dx, eax",
        "insb",
        "lidt [rax]",
        "rdmsr",
        "vmcall",
        "iretq",
        "pause",
        "extrq xmm1, 2, 3",
        "lss eax, [rcx]",
        "retf 4",
        "sysretd",
        "xlatb",
        "loop .",
        "jrcxz .",
        "lwpval eax, ecx, 7",
    ],
)
def test_the_length_of_each_is_that_of_the_assembler(tmp_path, text):
    """Between two instructions that are known, what GNU as writes is one line, whether a row writes it or not."""
    (tmp_path / "k.s").write_text(f".intel_syntax noprefix\nmov ecx, 7\n{text}\nret\n")
    subprocess.run([tools.require("as"), "k.s", "-o", "k.o"], cwd=tmp_path, check=True)
    subprocess.run([tools.require("objcopy"), "-O", "binary", "-j", ".text", "k.o", "k.bin"], cwd=tmp_path, check=True)
    code = (tmp_path / "k.bin").read_bytes()
    lines = list(texts(code))
    assert [line[2] for line in (lines[0], lines[-1])] == ["mov ecx, 7", "ret"]
    assert len(lines) == 3 and lines[1][1] == code[5:-1]
    assert lines[1][2].startswith(".byte") == (decode(code, 5) is None)


def test_addresses_of_linked_files(tmp_path):
    """Functions, lines and branches have the addresses that the program has in memory."""
    (tmp_path / "k.c").write_text("int g(int x) { return x + 1; }\nint _start(void) { return g(1) + g(2); }\n")
    for machine, compiler in (("x86_64", "gcc"), ("aarch64", "aarch64-linux-gnu-gcc")):
        program = tmp_path / machine
        subprocess.run(
            [
                tools.require(compiler),
                "-O1",
                "-fno-inline",
                "-nostdlib",
                "-static",
                "-Ttext=0x400800",
                "k.c",
                "-o",
                program,
            ],
            cwd=tmp_path,
            check=True,
        )
        objdump = "objdump" if compiler == "gcc" else "aarch64-linux-gnu-objdump"
        shown = tools.run(objdump, "-d", "-w", str(program)).stdout
        found = re.findall(r"([0-9a-f]+):\t[0-9a-f ]+\t(?:bl|call)\s+([0-9a-f]+)", shown)
        calls = {int(at, 16): int(to, 16) for at, to in found}
        ours = listed(program.read_bytes(), None)
        assert len(calls) == 2
        assert calls == {
            int(at, 16): int(to, 16)
            for at, to in re.findall(r"([0-9a-f]+)  [0-9a-f ]+  (?:bl|call) 0x([0-9a-f]+)", ours)
        }


@pytest.mark.parametrize(
    "triple, name",
    [
        ("x86_64-apple-macos", "Mach-O"),
        ("aarch64-apple-macos", "Mach-O"),
        ("x86_64-windows", "COFF"),
        ("aarch64-windows", "COFF"),
    ],
)
def test_files_of_other_systems_are_refused_by_name(tmp_path, triple, name):
    tools.run("llvm-mc-19", f"-triple={triple}", "-filetype=obj", "-o", str(tmp_path / "k.o"), stdin="f:\nret\n")
    data = (tmp_path / "k.o").read_bytes()
    with pytest.raises(ValueError, match=f"a {name} .*llvm-objdump -d"):
        listed(data, None)
    assert "ret" in tools.run("llvm-objdump-19", "-d", str(tmp_path / "k.o")).stdout


def test_programs_of_windows_are_refused_by_name():
    """The header is that of Microsoft's specification, section 2: e_lfanew at offset 0x3C points to the signature."""
    with pytest.raises(ValueError, match="a PE file"):
        listed(b"MZ" + bytes(58) + (128).to_bytes(4, "little") + bytes(64) + b"PE\0\0" + bytes(20), None)
    assert "nop" in listed(b"MZ" + b"\x90" * 80, "x86")  # raw bytes may begin with these letters

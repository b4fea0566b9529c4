"""Statements of docs/ about the encoder: the examples run, and the page of all instructions lists every mnemonic."""

from __future__ import annotations

import platform
import re
import subprocess
from pathlib import Path

import pytest

from tests.oracles import gnu, gnu_a64
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.x86 import assembler, reference, stubs

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page: str, heading: str) -> list[str]:
    """Return the Python blocks of a page's section."""
    section = (DOCS / page).read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^```python\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(
    platform.machine() != "x86_64" or "avx2" not in Path("/proc/cpuinfo").read_text(), reason="runs AVX2 code"
)
def test_x86_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    (virtual, _) = blocks("assembler.md", "Virtual registers")
    for block in (*blocks("assembler.md", "x86-64"), virtual):
        exec(compile(block, "assembler.md", "exec"), names)
    assert "vfmadd231ps ymm0, ymm1" in capsys.readouterr().out
    code, source = names["code"], names["source"]
    assert gnu.assemble(str(source)) == code.data  # type: ignore[attr-defined]
    assert "float dot(const float *x, const float *y, int64_t n);" in (tmp_path / "dot.h").read_text()
    program = tmp_path / "hello"
    program.write_bytes(names["program"])  # type: ignore[arg-type]
    program.chmod(0o755)
    assert subprocess.run([program], capture_output=True, check=True).stdout == b"hello\n"


def test_a64_example(aarch64: Server, capsys: pytest.CaptureFixture[str]):
    """The fixture only skips the test: without an emulator the example cannot run."""
    names: dict[str, object] = {}
    (_, virtual) = blocks("assembler.md", "Virtual registers")
    for block in (*blocks("assembler.md", "AArch64"), virtual):
        exec(compile(block, "assembler.md", "exec"), names)
    assert "fmla v1.4s, v0.4s, v2.s[0]" in capsys.readouterr().out
    code = names["code"]
    assert gnu_a64.assemble(str(names["source"]), "-march=armv8-a") == code.data  # type: ignore[attr-defined]


def test_the_instruction_page_has_every_mnemonic():
    """The page that `make docs` builds has a row for each mnemonic, and the aliases at its end."""
    page, _, aliases = reference.page().partition("\n## Aliases\n")
    rows = [line.split(" | ")[0].removeprefix("| ") for line in page.splitlines() if line.startswith("| ")]
    assert set(rows) - {"mnemonic"} == set(assembler.TABLE)
    assert all(f"`{alias}` = `{name}`" in aliases for alias, name in assembler.TABLE.aliases.items())


def test_stubs_are_up_to_date():
    path = Path(__file__).parents[2] / "encoder" / "x86" / "assembler.pyi"
    assert path.read_text() == stubs.stub(), "run `make docs`"


def test_stubs_name_every_mnemonic():
    methods = set(re.findall(r"def (\w+)\(self", stubs.stub()))
    assert {stubs.method_name(mnemonic) for mnemonic in (*assembler.TABLE, *assembler.TABLE.aliases)} <= methods

"""`tilesmith disasm` showed no names in libraries without a symbol table, although the dynamic linker's are there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import tilesmith as ts
from tests.oracles import gnu
from tilesmith.runtime.cli.objects import listed


def test_names_that_the_dynamic_linker_needs(tmp_path: Path) -> None:
    """The names and places are those of nm."""
    gnu.assemble("ret")  # skipped, or failed, where binutils are missing
    first, second = ts.unary("relu", 4, 8, target="avx2"), ts.unary("exp", 4, 8, target="avx2")
    ts.save(tmp_path / "k.o", relu_here=first, exp_here=second)
    subprocess.run(["ld", "-shared", "-s", "-o", tmp_path / "k.so", tmp_path / "k.o"], check=True)
    told = subprocess.run(["nm", "-D", "--defined-only", tmp_path / "k.so"], capture_output=True, text=True, check=True)
    wanted = {name: int(place, 16) for place, _, name in map(str.split, told.stdout.splitlines())}
    assert set(wanted) == {"relu_here", "exp_here"}
    lines = listed((tmp_path / "k.so").read_bytes(), None).splitlines()
    found = {line[:-1]: int(lines[at + 1].split()[0], 16) for at, line in enumerate(lines) if line[:-1] in wanted}
    assert found == wanted

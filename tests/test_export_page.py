"""The programs and build files of docs/export.md are built and run."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

import tilesmith as ts
from tests.oracles import tools
from tilesmith.runtime.cli.main import main

PAGE = (Path(__file__).parent.parent / "docs" / "export.md").read_text()
C_PROGRAM = """
#include "kernels.h"
#include "product.h"
int main(void) {
    float a[16] = {[0] = 1, [5] = 1, [10] = 1, [15] = 1}, b[16], c[16], d[16];
    for (int i = 0; i < 16; ++i) b[i] = (float)(i - 8);
    product(a, b, c);
    rectify(c, d);
    return !(c[0] == -8 && c[15] == 7 && d[0] == 0 && d[15] == 7);
}
"""


def blocks(language: str) -> list[str]:
    """Return the blocks of the page in this language; "" for the commands."""
    every = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [text for named, text in every if named == language]


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with the C program, with `product` and `rectify` in files named kernels."""
    monkeypatch.chdir(tmp_path)
    Path("main.c").write_text(C_PROGRAM)
    rectify = ts.unary("relu", 4, 4)
    for name in ("kernels.a", "kernels.h", "libkernels.so"):
        ts.save(name, rectify=rectify)
    ts.brgemm(4, 4, 4, beta=0).save("product.h", "product")
    ts.brgemm(4, 4, 4, beta=0).save("product.o", "product")


def test_a_fortran_program_calls_a_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own `matmul` on whole numbers says what is right."""
    monkeypatch.chdir(tmp_path)
    Path("main.f90").write_text(blocks("fortran")[0])
    commands = next(block for block in blocks("") if "gfortran" in block)
    (_, *request), (compiler, *files) = map(str.split, commands.splitlines())
    assert main(request) == 0
    tools.run(compiler, "-std=f2003", "-Wall", "-Werror", *files)
    tools.run("./main")


@pytest.mark.grid(0)  # seconds of processor; `make soak` runs it
def test_cmake_builds_a_program(kernels: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    start = "cmake_minimum_required(VERSION 3.16)\nset(CMAKE_C_COMPILER_WORKS 1)\nproject(example LANGUAGES C)\n"
    Path("CMakeLists.txt").write_text(start + blocks("cmake")[0])
    Path("product.h").unlink()
    Path("product.o").unlink()
    tools.run("cmake", "-B", "build")
    tools.run("cmake", "--build", "build")
    tools.run("build/main")


def test_pkg_config_finds_an_installed_library(kernels: None, monkeypatch: pytest.MonkeyPatch) -> None:
    here = Path.cwd()
    for folder, name in (("lib", "libkernels.so"), ("include", "kernels.h")):
        Path(folder).mkdir()
        Path(name).rename(Path(folder, name))
    Path("kernels.pc").write_text(blocks("pkgconfig")[0].replace("/usr/local", str(here)))
    monkeypatch.setenv("PKG_CONFIG_PATH", str(here))
    flags = tools.run("pkg-config", "--cflags", "--libs", "kernels").stdout.split()
    tools.run("gcc", "-Wall", "-Werror", "main.c", "product.o", *flags, f"-Wl,-rpath,{here}/lib", "-o", "main")
    tools.run("./main")


def test_commands_write_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of the page that write objects, archives and libraries do so."""
    monkeypatch.chdir(tmp_path)
    lines = [line.partition(" # ")[0] for block in blocks("") for line in block.splitlines()]
    several = [line.split()[1:] for line in lines if line.startswith("tilesmith elf unary") or " + unary" in line]
    assert len(several) == 3
    for words in several:
        assert main(words) == 0
        assert Path(words[words.index("-o") + 1]).with_suffix(".h").is_file()

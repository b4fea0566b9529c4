"""`tilesmith asm` and `tilesmith elf`: names of functions, and several functions in one file."""

from __future__ import annotations

import pytest

import tilesmith as ts
from tests.oracles import tools
from tilesmith.runtime.cli.main import main

RELU = ["unary", "relu", "4", "4", "--target", "avx2"]


@pytest.mark.parametrize("option", ("--name", "--symbol"))
def test_the_name_is_in_the_object_and_the_header(tmp_path, capsys, option):
    path = tmp_path / "k.o"
    assert main(["elf", *RELU, "-o", str(path), option, "my_relu"]) == 0
    assert "void my_relu(" in capsys.readouterr().out and "void my_relu(" in path.with_suffix(".h").read_text()
    assert " T my_relu" in tools.run("nm", str(path)).stdout
    source = tmp_path / "k.s"
    assert main(["asm", *RELU, "-o", str(source), option, "my_relu"]) == 0
    assert "my_relu:" in source.read_text()


def test_a_name_that_is_not_one_of_c_is_refused(tmp_path, capsys):
    assert main(["elf", "unary", "relu", "4", "4", "-o", str(tmp_path / "k.o"), "--symbol", "my relu"]) != 0
    assert "my relu" in capsys.readouterr().err


@pytest.mark.parametrize("ending", ("o", "a", "so"))
def test_several_functions_are_those_that_save_writes(tmp_path, monkeypatch, capsys, ending):
    monkeypatch.chdir(tmp_path)
    sum_of = ["equation", "x + y", "4", "8", "--target", "avx2"]
    without = RELU[:-2]  # the target that one names is that of all
    assert main(["elf", *without, "--name", "rectify", "+", *sum_of, "-o", f"k.{ending}", "--fortran"]) == 0
    total = ts.equation(lambda x, y: x + y, x=(4, 8), y=(4, 8), target="avx2")
    assert capsys.readouterr().out.startswith(f"k.{ending}, k.h, k.f90: void rectify(")
    made = {path.suffix: path.read_bytes() for path in tmp_path.iterdir()}
    assert set(made) == {f".{ending}", ".h", ".f90"}
    for suffix, data in made.items():
        ts.save(f"k{suffix}", **{"rectify": ts.unary("relu", 4, 4, target="avx2"), total.name: total})
        assert (tmp_path / f"k{suffix}").read_bytes() == data


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (["+", *RELU], "-o: one file for all functions, not 0"),
        (["-o", "k.o", "+", *RELU, "-o", "l.o"], "-o: one file for all functions, not 2"),
        (["-o", "k.o", "+", *RELU], "two functions of an object are named"),
        (["-o", "k.s"], "-o: a name ending in .o, .a or .so, not 'k.s'"),
        (["+", *RELU[:-1], "avx3", "-o", "k.o"], "--target"),
        (
            ["+", *RELU[:-1], "sse", "+", *RELU[:-2], "-o", "k.o"],
            "--target: one for all functions, or one of each, not",
        ),
        (["--name", "k", "--fortran", "-o", "k.o"], "k: a second name of the module is the same"),
    ],
)
def test_requests_that_cannot_be_in_one_file_are_refused(tmp_path, monkeypatch, capsys, more, reason):
    monkeypatch.chdir(tmp_path)
    assert main(["elf", *RELU, *more]) == 2
    assert reason in capsys.readouterr().err and not list(tmp_path.iterdir())

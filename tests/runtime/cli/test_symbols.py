"""`--symbol` of `tilesmith asm` and `tilesmith elf`: the name of the C function."""

from __future__ import annotations

from tests.oracles import tools
from tilesmith.runtime.cli.main import main


def test_the_name_is_in_the_object_and_the_header(tmp_path, capsys):
    path = tmp_path / "k.o"
    assert main(["elf", "unary", "relu", "4", "4", "--target", "avx2", "-o", str(path), "--symbol", "my_relu"]) == 0
    assert "void my_relu(" in capsys.readouterr().out and "void my_relu(" in path.with_suffix(".h").read_text()
    assert " T my_relu" in tools.run("nm", str(path)).stdout
    source = tmp_path / "k.s"
    assert main(["asm", "unary", "relu", "4", "4", "--target", "avx2", "-o", str(source), "--symbol", "my_relu"]) == 0
    assert "my_relu:" in source.read_text()


def test_a_name_that_is_not_one_of_c_is_refused(tmp_path, capsys):
    assert main(["elf", "unary", "relu", "4", "4", "-o", str(tmp_path / "k.o"), "--symbol", "my relu"]) != 0
    assert "my relu" in capsys.readouterr().err

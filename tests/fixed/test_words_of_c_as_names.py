"""An operand or a function named like a keyword of C or C++ made a header that no compiler accepts."""

import shutil
import subprocess

import pytest

import tilesmith as ts


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
@pytest.mark.parametrize("language", ["c", "c++"])
def test_operands(tmp_path, language):
    kernel = ts.equation(lambda new, float, x: new * float + x, new=(4, 4), float=(1, 4), x=(4, 4))
    kernel.save(tmp_path / "k.h")
    assert kernel.c_prototype in (tmp_path / "k.h").read_text()
    subprocess.run(["gcc", "-x", language, "-fsyntax-only", tmp_path / "k.h"], check=True)


@pytest.mark.parametrize("name", ["int", "new", "a b", "", 3])
def test_functions(tmp_path, name):
    kernel = ts.brgemm(4, 4, 4)
    with pytest.raises((TypeError, ValueError), match="^name: "):
        kernel.save(tmp_path / "k.o", name=name)

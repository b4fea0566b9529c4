"""`ts.save` and `k.save(name=)` write several functions to one object; headers declare them, and C calls them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tilesmith as ts
from tests.oracles import tools
from tilesmith import x86
from tilesmith.encoder.errors import EncodeError
from tilesmith.runtime.handwritten.kernel import HandKernel

PROGRAM = """
#include "layers.h"
#include "layers.h"
int main(void) {
    float a[6] = {1, 2, 3, 4, 5, 6}, b[6] = {1, 0, 0, 1, 1, 1}, c[4] = {-100, 0, 0, 0}, y[4], one = 1.0f;
    product(a, b, c);
    rectify(c, y);
    return !(c[0] == -96 && c[3] == 11 && y[0] == 0 && y[3] == 11 && twice(one) == 2);
}
"""


def twice() -> HandKernel:
    asm = ts.assembler("avx2")
    asm.vmulss(x86.xmm0, x86.xmm0, x86.ptr[asm.const_f32(2.0)])
    asm.ret()
    return asm.finish("unnamed").kernel("float anything(float x)")


@pytest.mark.parametrize("ending", ("o", "a", "so"))
def test_several_functions_of_one_file(tmp_path: Path, ending: str) -> None:
    layers = {
        "product": ts.brgemm(2, 2, 3, target="avx2"),
        "rectify": ts.unary("relu", 2, 2, target="avx2"),
        "twice": twice(),
    }
    for suffix in (ending, "h"):
        ts.save(tmp_path / f"layers.{suffix}", **layers)
    (tmp_path / "main.c").write_text(PROGRAM)
    program, *sources = (str(tmp_path / name) for name in ("main", "main.c", f"layers.{ending}"))
    tools.run("gcc", "-Wall", "-Werror", "-Wl,--fatal-warnings", f"-Wl,-rpath,{tmp_path}", "-o", program, *sources)
    if ts.host().arch == "x86":
        assert tools.run(program, check=False).returncode == 0
    sections = tools.run("readelf", "-Wn", "--debug-dump=frames", sources[-1]).stdout
    promises = re.findall(r"feature: (.*)", sections)  # `twice` has no endbr64, so what it is in must not promise IBT
    assert promises == (["IBT, SHSTK"] * 2 if ending == "a" else []) + ["SHSTK"]
    assert len(re.findall(r" FDE cie=", sections)) == 3


def test_a_linker_takes_what_is_called_from_an_archive(tmp_path: Path) -> None:
    ts.save(tmp_path / "k.a", wanted=twice(), unwanted=twice())
    (tmp_path / "main.c").write_text("float wanted(float);\nint main(void) { return wanted(1.0f) != 2; }\n")
    program, *sources = (str(tmp_path / name) for name in ("main", "main.c", "k.a"))
    tools.run("gcc", "-o", program, *sources)
    symbols = tools.run("nm", program).stdout
    assert " T wanted" in symbols and "unwanted" not in symbols


def test_the_header_declares_the_arguments(tmp_path: Path) -> None:
    path = tmp_path / "k.h"
    ts.brgemm(4, 6, 8, order=("C", "F", "C"), lda=ts.RUNTIME, beta=0, target="avx2").save(path, name="my_product")
    text = path.read_text()
    assert "void my_product(const float *a, const float *b, float *c, int64_t lda);" in text
    assert "C = 1 * sum_i A_i @ B_i, whatever C was" in text
    assert "b   f32 (8, 6), order 'F', leading dimension 8" in text
    assert not re.search(r"[ \t]$", text, re.MULTILINE)
    assert "new array" not in text  # a call in Python returns a new array, a C function does not
    ts.brgemm(16, 16, 32, dtype="bf16", target="amx").save(path)
    assert "ARCH_REQ_XCOMP_PERM" in path.read_text()


def test_refusals(tmp_path: Path) -> None:
    kernel, path = ts.unary("relu", 2, 2, target="avx2"), tmp_path / "k.o"
    with pytest.raises(ValueError, match="no digit first, not '2nd'"):
        kernel.save(path, name="2nd")
    with pytest.raises(ValueError, match=r"a name ending in \.o, .* or \.f90, for several functions, not '.*k\.s'"):
        ts.save(tmp_path / "k.s", first=kernel, second=kernel)
    with pytest.raises(ValueError, match="at least one kernel"):
        ts.save(path)
    with pytest.raises(EncodeError, match="one architecture, not for a64 and x86"):
        ts.save(path, first=kernel, second=ts.unary("relu", 2, 2, target="neon"))
    with pytest.raises(ValueError, match="does not tell capital letters from small ones"):
        ts.save(path.with_suffix(".f90"), first=kernel, First=kernel)
    assert not list(tmp_path.iterdir())

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


def test_several_functions_of_one_object(tmp_path: Path) -> None:
    layers = {
        "product": ts.brgemm(2, 2, 3, target="avx2"),
        "rectify": ts.unary("relu", 2, 2, target="avx2"),
        "twice": twice(),
    }
    for suffix in ("o", "h"):
        ts.save(tmp_path / f"layers.{suffix}", **layers)
    (tmp_path / "main.c").write_text(PROGRAM)
    program, *sources = (str(tmp_path / name) for name in ("main", "main.c", "layers.o"))
    tools.run("gcc", "-Wall", "-Werror", "-Wl,--fatal-warnings", "-o", program, *sources)
    if ts.host().arch == "x86":
        assert tools.run(program, check=False).returncode == 0
    sections = tools.run("readelf", "-Wn", "--debug-dump=frames", str(tmp_path / "layers.o")).stdout
    assert "IBT, SHSTK" not in sections  # `twice` has no endbr64, so the object must not claim to support IBT
    assert len(re.findall(r" FDE cie=", sections)) == 3


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
    with pytest.raises(ValueError, match=r"a name ending in \.o or \.h"):
        ts.save(tmp_path / "k.s", first=kernel)
    with pytest.raises(ValueError, match="at least one kernel"):
        ts.save(path)
    with pytest.raises(EncodeError, match="one architecture, not for a64 and x86"):
        ts.save(path, first=kernel, second=ts.unary("relu", 2, 2, target="neon"))
    assert not path.exists()

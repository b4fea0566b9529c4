"""Headers of functions by hand did not compile: as C++ with restrict, with __bf16 before gcc 13, with _Float16 under
-pedantic, and with names that are words of C or C++. Declarations did not know C99's x[static n].
"""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

import tilesmith as ts
from tests.oracles import tools
from tilesmith.runtime.arguments.c_declaration import declaration

LANGUAGES = [("gcc", "c99"), ("gcc", "c11"), ("g++", "c++11"), ("g++", "c++17")]


def made(declared):
    asm = ts.assembler("avx2")
    asm.ret()
    return asm.finish("f").kernel(declared)


@pytest.mark.parametrize("compiler, standard", LANGUAGES)
def test_headers_compile_without_a_warning(tmp_path, compiler, standard):
    kernel = made(
        "void f(float *restrict x, const double y[restrict static 4], _Float16 *h, __bf16 *b, int class, int for)"
    )
    kernel.save(tmp_path / "f.h")
    (tmp_path / "main.c").write_text('#include "f.h"\nvoid g(void);\nvoid g(void) { f(0, 0, 0, 0, 1, 2); }\n')
    language = "c++" if compiler == "g++" else "c"
    subprocess.run(
        [
            tools.require(compiler),
            f"-std={standard}",
            "-x",
            language,
            "-Wall",
            "-Wextra",
            "-pedantic",
            "-Werror",
            "-c",
            "main.c",
            "-o",
            "main.o",
        ],
        cwd=tmp_path,
        check=True,
    )


@pytest.mark.parametrize("name", ["int", "class", "requires", "thread_local"])
def test_words_of_c_name_no_function(name):
    asm = ts.assembler("avx2")
    asm.ret()
    with pytest.raises(ValueError, match=f"name: {name} is a reserved word of C or C"):
        asm.finish(name).kernel(x="i32")
    with pytest.raises(ValueError, match=f"name: {name} is a reserved word of C or C"):
        declaration(f"void {name}(int x)")


def test_static_extents():
    kernel = made("void f(const float x[static n + 1], float y[restrict const 4], long n)")
    assert [each.extent for each in kernel.declaration.parameters] == ["n + 1", "4", ""]
    assert [each.restrict for each in kernel.declaration.parameters] == [False, True, False]
    kernel(np.zeros(3, np.float32), np.zeros(4, np.float32), 2)
    with pytest.raises(ValueError, match="4 elements, and this array has 3"):
        kernel(np.zeros(3, np.float32), np.zeros(4, np.float32), 3)
    with pytest.raises(ValueError, match=r"x\[n \+\]: invalid syntax; integer parameters, numbers"):
        made("void f(float x[static n +], long n)")

"""Objects of the command line are linked with a C program by aarch64-linux-gnu-gcc, and run in the emulator."""

import contextlib
import io

import pytest

import tilesmith as ts
from tests.oracles import tools
from tilesmith.microkernels.machines.registry import TARGETS
from tilesmith.runtime.cli.main import main

ARRAY = 4096  # elements of each operand, enough for every case

# The C program computes the expected result itself. Values are small integers, so every sum is exact. Elements beside C
# must not change. The program prints OK only if all of this holds.
PROGRAM = """
#include <stdio.h>
#include "k.h"

{typedef}
static {type} a[{array}], b[{array}], c[{array}], before[{array}];

static {type} element(unsigned i) {{ return ({type})((int)(i * 2654435761u >> 28) - 8); }}

int main(void) {{
    const long lda = {lda}, ldb = {ldb}, ldc = {ldc};
    for (unsigned i = 0; i < {array}; i++) {{
        a[i] = element(i); b[i] = element(i + 7777); c[i] = before[i] = element(i + 99999);
    }}
    {call}
    for (long j = 0; j < ldc * ({n} + 1); j++) {{
        const long row = j % ldc, column = j / ldc;
        {type} wanted = before[j];
        if (row < {m} && column < {n})
            for (long pair = 0; pair < {pairs}; pair++)
                for (long k = 0; k < {k}; k++)
                    wanted += a[pair * lda * {k} + row + k * lda] * b[pair * ldb * {n} + k + column * ldb];
        if (c[j] != wanted) {{ printf("c[%ld]: %g, not %g\\n", j, (double)c[j], (double)wanted); return 1; }}
    }}
    puts("OK");
    return 0;
}}
"""

# Listing 7.2.1 of the course's chapter 7 ("Primitives") also passes strides of the batch, in elements. A kernel of a
# single pair ignores the registers in which they arrive, so it can be called by this type.
CHAPTER = """
typedef void chapter(void const *a, void const *b, void *c, int64_t ld_a, int64_t ld_b, int64_t ld_c,
                     int64_t br_stride_a, int64_t br_stride_b);
"""


def made(folder, *options):
    """Write k.o and k.h by `tilesmith elf brgemm ...` in this process, and return the name of the function."""
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        status = main(["elf", "brgemm", *options, "--order", "F", "-o", str(folder / "k.o")])
    assert not status, printed.getvalue()
    return printed.getvalue().split("void ")[1].split("(")[0]


def run(folder, source, target):
    """Return the output of the program that gcc links from the source and the object."""
    (folder / "main.c").write_text(source)
    flags = ("-O1", "-std=c11", "-Wall", "-Wextra", "-Werror", "-static", "-Wl,--fatal-warnings")
    program = folder / "program"
    tools.run("aarch64-linux-gnu-gcc", *flags, "-o", str(program), str(folder / "main.c"), str(folder / "k.o"))
    vector = f",sve-default-vector-length={target.vector_bits // 8}" if target.isa == "sve" else ""
    cpu = f"max{vector}" if target.isa == "sve" else "cortex-a72"  # NEON only: nothing beyond Armv8.0
    return tools.run("qemu-aarch64", "-cpu", cpu, str(program)).stdout


def program(name, m, n, k, *, leading, call, typedef="", pairs=1, type_="float"):
    lda, ldb, ldc = leading
    names = {"typedef": typedef, "type": type_, "array": ARRAY, "call": call.format(name=name)}
    return PROGRAM.format(m=m, n=n, k=k, lda=lda, ldb=ldb, ldc=ldc, pairs=pairs, **names)


each_target = pytest.mark.parametrize("name", ["neon", "sve256"])
pytestmark = pytest.mark.slow  # each test runs a command and two compilations


@each_target
@pytest.mark.parametrize("dtype,type_", [("f32", "float"), ("f64", "double")])
@pytest.mark.parametrize("m,n,k", [(16, 6, 64), (13, 7, 11)])
def test_dense(tmp_path, name, dtype, type_, m, n, k):
    function = made(tmp_path, *map(str, (m, n, k)), "--dtype", dtype, "--target", name)
    source = program(function, m, n, k, leading=(m, k, m), type_=type_, call="{name}(a, b, c);")
    assert run(tmp_path, source, TARGETS[name]) == "OK\n"


@each_target
def test_batch_of_strides(tmp_path, name):
    m, n, k, pairs = 9, 5, 6, 7
    function = made(tmp_path, *map(str, (m, n, k)), "--batch", "stride", "--target", name)
    call = f"{{name}}(a, b, c, {pairs}, {4 * m * k}, {4 * k * n});"
    source = program(function, m, n, k, leading=(m, k, m), pairs=pairs, call=call)
    assert run(tmp_path, source, TARGETS[name]) == "OK\n"


@each_target
@pytest.mark.parametrize("k", [1, 64])
@pytest.mark.parametrize("leading", [(16, 64, 16), (19, 65, 33)])
def test_course_kernels(tmp_path, name, k, leading):
    """16x6x1 and 16x6x64 with leading dimensions at run time, called by our prototype and by the chapter's."""
    options = [part for which in ("lda", "ldb", "ldc") for part in (f"--{which}", "runtime")]
    function = made(tmp_path, "16", "6", str(k), *options, "--target", name)
    ours = program(function, 16, 6, k, leading=leading, call="{name}(a, b, c, lda, ldb, ldc);")
    assert run(tmp_path, ours, TARGETS[name]) == "OK\n"
    # volatile prevents gcc from seeing, and warning, that the types differ
    call = "chapter *volatile f = (chapter *)(void (*)(void)){name}; f(a, b, c, lda, ldb, ldc, 0, 0);"
    theirs = program(function, 16, 6, k, leading=leading, typedef=CHAPTER, call=call)
    assert run(tmp_path, theirs, TARGETS[name]) == "OK\n"


def test_a_wrong_result_is_noticed(tmp_path):
    """The C program compares the results: a kernel with another k makes it fail."""
    function = made(tmp_path, "16", "6", "63", "--lda", "16", "--ldb", "64", "--target", "neon")
    source = program(function, 16, 6, 64, leading=(16, 64, 16), call="{name}(a, b, c);")
    (tmp_path / "main.c").write_text(source)
    with pytest.raises(AssertionError, match="exit 1"):
        run(tmp_path, source, TARGETS["neon"])


def test_header_declares_the_prototype(tmp_path):
    made(tmp_path, "16", "6", "64", "--lda", "runtime", "--target", "neon")
    kernel = ts.brgemm(16, 6, 64, order="F", lda=ts.RUNTIME, target="neon")
    assert kernel.c_prototype in (tmp_path / "k.h").read_text()

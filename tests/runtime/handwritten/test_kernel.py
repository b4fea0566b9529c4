"""`ts.assembler`: hand-written functions become callables that check their arguments, natively and in the emulator."""

from __future__ import annotations

import gc
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilesmith as ts
from tests.oracles import tools
from tests.profiles import is_soak
from tilesmith import a64, x86
from tilesmith.emulation.core.faults import AbiViolation, Fault
from tilesmith.encoder.errors import EncodeError
from tilesmith.runtime.handwritten.kernel import HandKernel

DOT = "float dot(const float x[n], const float y[n], long n)"


def dot_x86(name: str = "dot") -> HandKernel:
    """Return a function that sums x[i] * y[i] one by one."""
    asm = ts.assembler("avx2")
    top, done = asm.label("top"), asm.label("done")
    asm.vxorps(x86.xmm0, x86.xmm0, x86.xmm0)
    asm.xor(x86.rax, x86.rax)
    asm.bind(top)
    asm.cmp(x86.rax, x86.rdx)
    asm.jge(done)
    asm.vmovss(x86.xmm1, x86.dword[x86.rdi + x86.rax * 4])
    asm.vfmadd231ss(x86.xmm0, x86.xmm1, x86.dword[x86.rsi + x86.rax * 4])
    asm.inc(x86.rax)
    asm.jmp(top)
    asm.bind(done)
    asm.ret()
    return asm.finish(name).kernel(DOT)


def dot_a64() -> HandKernel:
    """Return the same function for AArch64."""
    asm = ts.assembler("neon")
    top, done = asm.label("top"), asm.label("done")
    asm.fmov(a64.S[0], a64.wzr)
    asm.bind(top)
    asm.cbz(a64.X[2], done)
    asm.ldr(a64.S[1], a64.mem[a64.X[0]].post(4))
    asm.ldr(a64.S[2], a64.mem[a64.X[1]].post(4))
    asm.fmadd(a64.S[0], a64.S[1], a64.S[2], a64.S[0])
    asm.sub(a64.X[2], a64.X[2], 1)
    asm.b(top)
    asm.bind(done)
    asm.ret()
    return asm.finish("dot").kernel(DOT)


KERNELS = {"avx2": dot_x86(), "neon": dot_a64()}
vectors = st.lists(st.integers(-50, 50), max_size=40)


@pytest.mark.parametrize("target", KERNELS)
@given(vectors)
def test_dot(target: str, values: list[int]) -> None:
    kernel = KERNELS[target]
    x, y = np.array(values, "f4"), np.arange(len(values), dtype="f4")
    exact = int(np.dot(np.array(values, "i8"), np.arange(len(values))))  # below 2^24, so exact in f32
    assert kernel.run(x, y, len(values)) == exact
    if kernel.address is not None:
        assert kernel(x, y, len(values)) == exact


def test_arguments_are_checked() -> None:
    kernel, x = KERNELS[ts.host().arch == "x86" and "avx2" or "neon"], np.zeros(4, "f4")
    for arguments, error, text in [
        ((x, x), TypeError, "takes 3 arguments, not 2"),
        ((x, x, 5), ValueError, "x[n]: 5 elements, and this array has 4"),
        ((x, x, -1), ValueError, "-1 elements"),
        ((x, x.astype("f8"), 4), TypeError, "takes an array of float32, not of float64"),
        ((x[::2], x, 2), TypeError, "contiguous"),
        ((x, x, 2.0), TypeError, "takes an integer"),
        ((0, x, 0), TypeError, "x: an array"),
    ]:
        with pytest.raises(error) as raised:
            kernel(*arguments)
        assert text in str(raised.value)


def copy4(declared: str) -> HandKernel:
    asm = ts.assembler("avx2")
    asm.vmovups(x86.xmm0, x86.ptr[x86.rsi])
    asm.vmovups(x86.ptr[x86.rdi], x86.xmm0)
    asm.ret()
    return asm.finish("copy4").kernel(declared)


def test_writes_and_restrict() -> None:
    kernel = copy4("void copy4(float *restrict y, const float x[4])")
    x, y = np.arange(4, dtype="f4"), np.zeros(4, "f4")
    kernel.run(y, x)
    assert (x == y).all()
    y.flags.writeable = False
    with pytest.raises(TypeError, match="read-only"):
        kernel(y, x)
    shared = np.zeros(6, "f4")
    with pytest.raises(ValueError, match="restrict, and shares memory with x"):
        kernel(shared[:4], shared[2:])


def test_run_finds_accesses_beyond_an_unbounded_pointer() -> None:
    kernel = copy4("void copy4(float *y, const float *x)")
    with pytest.raises(Fault, match="y"):
        kernel.run(np.zeros(3, "f4"), np.zeros(4, "f4"))


def test_real_arguments_and_results() -> None:
    asm = ts.assembler("avx2")
    asm.vmulsd(x86.xmm0, x86.xmm0, x86.xmm1)
    asm.ret()
    code = asm.finish("times")
    for kernel in (code.kernel("double times(double x, double y)"), code.kernel(returns="f64", x="f64", y="f64")):
        assert kernel.run(1.25, -3) == -3.75
        if kernel.address:
            assert kernel(1.25, -3) == -3.75


def test_integers_are_cut_as_c_does() -> None:
    asm = ts.assembler("avx2")
    asm.lea(x86.rax, x86.ptr[x86.rdi + np.int64(1)])  # integers of numpy are immediates too
    asm.ret()
    kernel = asm.finish("next").kernel("int8_t next(uint8_t n)")
    assert [kernel.run(n) for n in (0, 126, 127, 255)] == [1, 127, -128, 0]


def test_code_that_does_not_end() -> None:
    asm = ts.assembler("avx2")
    asm.vxorps(x86.xmm0, x86.xmm0, x86.xmm0)
    with pytest.raises(EncodeError, match="f: runs off its end after vxorps"):
        asm.finish("f").kernel("void f()")
    with pytest.raises(EncodeError, match="no instructions"):
        ts.assembler("neon").finish("f").kernel("void f()")
    asm = ts.assembler("avx2")
    asm.jmp(asm.here())
    with pytest.raises(EncodeError, match="never returns"):
        asm.finish("f").kernel("void f()")


def test_labels_of_another_assembler() -> None:
    first, second = ts.assembler("avx2"), ts.assembler("avx2")
    second.jmp(first.here("start"))
    with pytest.raises(EncodeError, match="start is bound by another assembler"):
        second.finish()


def test_a_lost_register_is_a_warning_and_a_fault() -> None:
    asm = ts.assembler("avx2")
    asm.xor(x86.rbx, x86.rbx)
    asm.ret()
    with pytest.warns(RuntimeWarning, match="register of the caller"):
        kernel = asm.finish("f").kernel("void f()")
    with pytest.raises(AbiViolation, match="rbx"):
        kernel.run()


@pytest.mark.slow
def test_the_kernel_holds_its_page() -> None:
    x = np.ones(3, "f4")
    for _ in range(50):
        call = dot_x86().__call__ if ts.host().arch == "x86" else dot_a64().__call__
        gc.collect()
        assert call(x, x, 3) == 3


def test_objects_link(tmp_path: Path) -> None:
    tools.require("gcc")
    kernel = KERNELS["avx2"]
    kernel.save(tmp_path / "dot.o")
    kernel.save(tmp_path / "dot.h")
    program = '#include "dot.h"\nint main(void) { float x[2] = {2, 3}; return (int)dot(x, x, 2) != 13; }'
    (tmp_path / "main.c").write_text(program)
    tools.run(
        "gcc", "-Wall", "-Werror", "-o", str(tmp_path / "main"), str(tmp_path / "main.c"), str(tmp_path / "dot.o")
    )
    if ts.host().arch == "x86":
        subprocess.run([tmp_path / "main"], check=True)


def test_saved_functions_have_the_name_that_is_asked_for(tmp_path: Path) -> None:
    kernel = KERNELS["avx2"]
    for suffix in ("s", "o", "h"):
        kernel.save(tmp_path / f"k.{suffix}", name="product")
    assert ".globl product\n" in (tmp_path / "k.s").read_text() and "product:" in (tmp_path / "k.s").read_text()
    assert b"\0product\0" in (tmp_path / "k.o").read_bytes()
    assert "float product(const float *x, const float *y, int64_t n);" in (tmp_path / "k.h").read_text()
    kernel.save(tmp_path / "own.s")
    assert "dot:" in (tmp_path / "own.s").read_text()
    with pytest.raises(ValueError, match="name: "):
        kernel.save(tmp_path / "k.o", name="no name")


def test_prototype_repr_and_pickle() -> None:
    kernel = KERNELS["avx2"]
    assert kernel.c_prototype == "float dot(const float *x, const float *y, int64_t n);"
    assert repr(kernel).startswith("<float dot(") and "vfmadd231ss" in kernel.listing()
    with pytest.raises(TypeError, match="save"):
        pickle.dumps(kernel)


@pytest.mark.skipif(not is_soak(), reason="mypy reads the whole package, which takes half a minute")
def test_checkers_refuse_a_mnemonic_that_does_not_exist(tmp_path: Path) -> None:
    path = tmp_path / "user.py"
    lines = ["import tilesmith as ts", "from tilesmith.x86 import ymm0", 'asm = ts.assembler("avx2")']
    path.write_text("\n".join([*lines, *(f"asm.{name}(ymm0, ymm0, ymm0)" for name in ("vaddps", "vadps"))]))
    done = tools.run(sys.executable, "-m", "mypy", "--strict", str(path), check=False)
    assert re.findall(r"user.py:(\d+): error: .*", done.stdout) == ["5"], done.stdout

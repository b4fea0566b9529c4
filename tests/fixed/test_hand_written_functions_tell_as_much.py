"""Functions written by hand had no stack_bytes, registers, costs, verify and page for notebooks, as kernels have; and
code with a count could not be proved."""

from __future__ import annotations

import numpy as np
import pytest

import tilesmith as ts
from tilesmith.a64 import Q, X, mem
from tilesmith.microkernels.notebook import MOST
from tilesmith.x86 import byte, eax, ecx, ptr, rdi, rdx, rsi, rsp, xmm0, ymm0, ymm3


def _copy():
    asm = ts.assembler("avx2")
    asm.vmovups(ymm0, ptr[rdi])
    asm.vmovups(ymm3, ptr[rdi + 32])
    asm.vmovups(ptr[rsi], ymm0)
    asm.vmovups(ptr[rsi + 32], ymm3)
    asm.vzeroupper()
    asm.ret()
    return asm.finish("copy").kernel("void copy(const float x[16], float y[16])")


def test_registers_costs_and_pages():
    copy = _copy()
    assert copy.registers().splitlines()[1:] == [  # offsets are hexadecimal
        "     0 to 4      rdi",
        "     0 to 9      ymm0",
        "     4 to d      ymm3",
        "     9 to d      rsi",
    ]
    assert copy.target.name == "avx2" and "vmovups ymm3" in copy.costs() and "load" in copy.costs()
    page = copy._repr_html_()
    assert "void copy(" in page and "ymm0" in page and len(page.encode()) < MOST
    arm = ts.assembler("neon")
    arm.ldr(Q[1], mem[X[0]])
    arm.str(Q[1], mem[X[1]])
    arm.ret()
    four = arm.finish("four").kernel("void four(const float x[4], float y[4])")
    assert four.registers().splitlines()[1:] == ["     0 to 0      x0", "     0 to 4      v1", "     4 to 4      x1"]
    assert "ldr" in four.costs() and "four(" in four._repr_html_()


def test_the_stack():
    def stack(grow):
        asm = ts.assembler("avx2")
        if grow:
            asm.sub(rsp, grow)
            asm.add(rsp, grow)
        asm.ret()
        return asm.finish("f").kernel("void f()").stack_bytes

    assert stack(4096 + 8) - stack(0) == 4096 + 8
    asm = ts.assembler("avx2")
    asm.mov(rsp, ptr[rdi])
    asm.ret()
    with pytest.warns(RuntimeWarning):
        moved = asm.finish("f").kernel("void f(void *x)")
    with pytest.raises(ts.UnsupportedError, match="stack_bytes: .*no register is known to point into the frame"):
        moved.stack_bytes  # noqa: B018


def test_proofs():
    line = (1, 16), "f32"
    assert _copy().verify(lambda x: x, {"x": (*line, "in"), "y": (*line, "out")})
    assert _copy().verify(ts.transpose(16, 1, target="avx2"))
    assert _copy().verify(lambda x: -x, x=(1, 16)).refuted
    with pytest.raises(TypeError, match=r"a hand-written function has a method: function\.verify"):
        ts.verify(_copy(), lambda x: x, x=(1, 16))


def test_arguments_by_name():
    """By numpy: the sum of three bytes. Addresses may be written as listings print them."""
    asm = ts.assembler("avx2")
    text, n = rdi, rsi
    asm.movzx(eax, byte[text])
    asm.movzx(ecx, byte[1 + text])
    asm.add(eax, ecx)
    asm.movzx(ecx, byte[1 * n + text - 1])
    asm.add(eax, ecx)
    asm.ret()
    total = asm.finish("total").kernel("int total(const unsigned char text[n], long n)")
    data = np.array([1, 20, 200], np.uint8)
    for given, named in (((data, 3), {}), ((data,), {"n": 3}), ((), {"n": 3, "text": data})):
        assert total.run(*given, **named) == data.sum()
    for given, named, words in (
        ((data,), {"m": 3}, "m: is no parameter"),
        ((), {"n": 3}, "text: is missing"),
        ((data, 3), {"n": 3}, "n: is no parameter"),
        ((data,), {}, "takes 2 arguments"),
    ):
        with pytest.raises(TypeError, match=words):
            total.run(*given, **named)
    with pytest.raises(TypeError, match=r"np\.frombuffer\(text, np\.uint8\)"):
        total.run(data.view(np.int8), 3)


def _doubled():
    """y[i] = 2 x[i] for i below n, from the last one on."""
    asm = ts.assembler("avx2")
    y, n, x = rdi, rsi, rdx
    more, done = asm.label(), asm.label()
    asm.bind(more)
    asm.sub(n, 1)
    asm.jb(done)
    asm.movsd(xmm0, ptr[x + n * 8])
    asm.addsd(xmm0, xmm0)
    asm.movsd(ptr[y + n * 8], xmm0)
    asm.jmp(more)
    asm.bind(done)
    asm.ret()
    return asm.finish("doubled")


def _line(n, way):
    return (1, n), "f64", way


@pytest.mark.parametrize("n", [1, 2, 7])
def test_a_count_between_operands_in_another_order(n):
    operands = {"y": _line(n, "out"), "n": n, "x": _line(n, "in")}
    proof = ts.verify(_doubled(), lambda x: x + x, operands)
    assert proof and f"n {n}" in str(proof)
    assert not ts.verify(_doubled(), lambda x: x + x, {**operands, "n": n + 1})  # reads behind x
    assert not ts.verify(_doubled(), lambda x: x + x, {**operands, "n": n - 1})  # leaves y[n - 1]
    assert not ts.verify(_doubled(), lambda x: x, operands)

"""Hand-written functions that return a number, such as the `dot` of docs/assembler.md, could not be proved.

What is false must not be proved: functions that use the address of the result, the caller's stack, or the undefined
bits above a narrow argument, each of which an execution with one choice of these could take for right.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tilesmith as ts
from tilesmith.a64 import S, W, X, mem, sp
from tilesmith.x86 import dword, eax, esi, ptr, qword, rax, rbx, rdi, rsi, rsp, xmm0, ymm0

PAGE = Path(__file__).parents[2] / "docs" / "assembler.md"
TWO = {"x": ((1, 2), "f32", "in"), "sum": ((1, 1), "f32", "out")}


def _dot():
    first = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)[0]
    names = {}
    exec(first.partition("a, b = ")[0], names)
    return names["dot"]


@pytest.mark.parametrize("n", [1, 8, 21])
def test_the_dot_of_the_page(n):
    line = (1, n), "f32", "in"
    operands = {"x": line, "y": line, "n": n, "sum": ((1, 1), "f32", "out")}
    proof = _dot().verify(lambda x, y: ts.sum(x * y, axis=1), operands)
    claims = ["arithmetic", "memory", "frame", "alignment", "coverage", "alone"]
    assert proof and [each.what for each in proof.claims] == claims
    assert _dot().verify(lambda x, y: ts.sum(x + y, axis=1), operands).refuted
    assert _dot().verify(lambda x, y: ts.sum(x * y, axis=1), {**operands, "n": n + 1}).refuted


def _of_two(more=lambda asm: None, parameters="const float *x", operands=TWO):
    asm = ts.assembler("avx2")
    asm.movss(xmm0, dword[rdi])
    asm.addss(xmm0, dword[rdi + 4])
    more(asm)
    asm.ret()
    return asm.finish("f").kernel(f"float f({parameters})").verify(lambda x: ts.sum(x, axis=1), operands)


def _branches(place):
    """Another result if a value is not 0."""

    def more(asm):
        label = asm.label()
        asm.mov(rax, place)
        asm.test(rax, rax)
        asm.jnz(label)
        asm.movss(xmm0, dword[rdi])
        asm.bind(label)

    return more


@pytest.mark.parametrize(
    "more",
    [
        _branches(qword[rsp + 8]),
        _branches(qword[rsp + 16]),
        _branches(rsi),
        lambda asm: asm.movss(dword[rsi], xmm0),  # where the address of the result would be
        lambda asm: asm.mov(qword[rsp + 8], rax),
        lambda asm: asm.movss(xmm0, dword[rsp + 8]),
    ],
)
def test_what_no_caller_gives(more):
    assert _of_two()
    try:
        assert not _of_two(more)
    except ts.UnsupportedError as error:
        assert "undefined" in str(error)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_frames_and_modes():
    assert not _of_two(lambda asm: asm.mov(rbx, 1))
    assert not _of_two(lambda asm: asm.vaddps(ymm0, ymm0, ymm0))  # and upper halves that are left


def test_bits_above_an_argument():
    """`n` is an int: a caller leaves anything in the upper half of rsi."""

    def function(register, kind):
        asm = ts.assembler("avx2")
        more, done = asm.label(), asm.label()
        asm.xorps(xmm0, xmm0)
        asm.bind(more)
        asm.sub(register, 1)
        asm.jb(done)
        asm.addss(xmm0, dword[rdi + rsi * 4])
        asm.jmp(more)
        asm.bind(done)
        asm.ret()
        operands = {"x": TWO["x"], "n": 2, "sum": TWO["sum"]}
        kernel = asm.finish("f").kernel(f"float f(const float *x, {kind} n)")
        return kernel.verify(lambda x: ts.sum(x, axis=1), operands)

    assert function(rsi, "long") and function(esi, "int") and not function(rsi, "int")


def test_integers_and_aarch64():
    one = {"x": ((1, 1), "i32", "in"), "y": ((1, 1), "i32", "out")}
    for at, wanted in ((0, True), (4, False)):
        asm = ts.assembler("avx2")
        asm.mov(eax, ptr[rdi + at])
        asm.ret()
        assert bool(asm.finish("f").kernel("int f(const int *x)").verify(lambda x: x, one)) is wanted
    asm = ts.assembler("neon")
    asm.ldr(W[0], mem[X[0]])
    asm.ret(X[30])
    assert asm.finish("f").kernel("int f(const int *x)").verify(lambda x: x, one)
    for where in (mem[sp], mem[X[1]]):  # the stack of the code in front, and the address of the result
        asm = ts.assembler("neon")
        asm.ldr(S[0], mem[X[0]])
        asm.ldr(S[1], where)
        asm.ret(X[30])
        kernel = asm.finish("f").kernel("float f(const float *x)")
        single = {"x": ((1, 1), "f32", "in"), "y": ((1, 1), "f32", "out")}
        try:
            assert not kernel.verify(lambda x: x, single)
        except ts.UnsupportedError as error:
            assert "undefined" in str(error)


@pytest.mark.parametrize(
    "parameters, operands, error, words",
    [
        ("const double *x", TWO, ValueError, "points to f64, not to f32"),
        ("const float *y", TWO, ValueError, "operands: y, as the parameters of"),
        ("const float *x, unsigned n", {"x": TWO["x"], "n": -1, "sum": TWO["sum"]}, ValueError, "n: -1 is no uint32_t"),
        ("const float *x", {"x": TWO["x"]}, ValueError, "and its result"),
        ("const float *x", {"x": (*TWO["x"][:2], "out"), "sum": TWO["sum"]}, ValueError, "x is const"),
        ("const float *x, float s", TWO, ts.UnsupportedError, "s is a number in a vector register"),
        (
            "const float *x, long a, long b, long c, long d, long e",
            {"x": TWO["x"], **dict.fromkeys("abcde", 1), "sum": TWO["sum"]},
            ts.UnsupportedError,
            "with at most 5 its result can be compared",
        ),
    ],
)
def test_operands_that_are_not_the_declaration(parameters, operands, error, words):
    with pytest.raises(error, match=words):
        _of_two(parameters=parameters, operands=operands)


def test_a_result_and_an_array():
    """A function that writes an array and returns a number as well."""
    asm = ts.assembler("avx2")
    asm.movss(xmm0, dword[rdi])
    asm.movss(dword[rsi], xmm0)
    asm.ret()
    both = asm.finish("both").kernel("float both(const float *x, float *y)")
    one = (1, 1), "f32"
    operands = {"x": (*one, "in"), "y": (*one, "out"), "result": (*one, "out")}
    assert both.verify(lambda x: (x, x), operands)
    assert not both.verify(lambda x: (x, -x), operands)

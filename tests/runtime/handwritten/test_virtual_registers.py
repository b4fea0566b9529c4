"""Functions on virtual registers: registers are given so that the code computes what the virtual program does."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilesmith as ts
from tests.profiles import is_soak
from tests.runtime.handwritten.virtual_programs import draw
from tilesmith import a64, x86
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.errors import EncodeError
from tilesmith.encoder.walk import frames
from tilesmith.runtime.host import detect as host

RESERVED = [getattr(x86, name) for name in ("rax", "rcx", "rdx", "rdi", "r8", "r9", "r10", "r11", "rbx", "rbp", "r12")]
needs_x86 = pytest.mark.skipif(host.arch() != "x86", reason="calls x86-64 code")


def function(target: str, declared: str) -> tuple[Any, ...]:
    """Return a function and its arguments."""
    f: Any = ts.assembler(target).function(declared)
    return f, *f.arguments


@pytest.mark.parametrize("target", ("avx2", "avx512", "neon", "sve256"))
@settings(max_examples=2000 if is_soak() else 7)
@given(st.binary(min_size=8, max_size=8))
def test_random_programs(target: str, seed: bytes) -> None:
    """Straight lines, conditions and nested loops, on few registers, against an interpreter of integers."""
    drawn = draw(Random(seed), target)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # there is one if the caller's registers may not be restored
        kernel = drawn.function.kernel()
    kernel.run(*drawn.arguments)
    drawn.check()
    if kernel.address:
        kernel(*drawn.arguments)
        drawn.check()


def test_random_programs_under_qemu(aarch64: Server) -> None:
    for seed in range(200 if is_soak() else 2):
        drawn = draw(Random(seed), "neon")
        aarch64.call(drawn.function.finish(), *drawn.arguments)
        drawn.check()


def test_masks_and_gathers_move_to_the_frame() -> None:
    """There are seven masks that instructions take; a gather clears its mask, and needs different registers for its
    result, its indices and its mask."""
    f, x, at, y = function("avx512", "void gathered(const int x[16], const int at[16], int y[16])")
    index, least, found, total = f.zmm("index"), f.zmm("least"), f.zmm("found"), f.zmm("total")
    f.vmovdqu32(index, x86.ptr[at])
    masks = [f.k(f"mask{number}") for number in range(10)]
    for number, mask in enumerate(masks):
        count = f.r64()
        f.mov(count.r32, number)
        f.vpbroadcastd(least, count.r32)
        f.vpcmpgtd(mask, index, least)
    f.vpxord(total, total, total)
    for mask in masks:
        used = f.k("used")
        f.kmovw(used, mask)
        f.vpxord(found, found, found)
        f.vpgatherdd(found.k(used), x86.ptr[x + index * 4])
        f.vpaddd(total.k(mask), total, found)
        f.vpaddd(total, total, found)
    f.vmovdqu32(x86.ptr[y], total)
    f.ret()
    f.orders = (f.orders[0], (17, 2, 20), f.orders[2])
    kernel = f.kernel()
    values, places, result = np.arange(100, 116, dtype="i4"), np.arange(16, dtype="i4")[::-1].copy(), np.zeros(16, "i4")
    kernel.run(values, places, result)
    assert (result == values[places] * 2 * np.minimum(places, 10)).all()
    assert "kmovq qword ptr [rsp" in kernel.listing() and len(set(re.findall(r"(\w+) \{k\d\}", kernel.listing()))) > 1


@pytest.mark.parametrize("target", ("sse", "avx"))
def test_a_legacy_encoding_keeps_the_rest_of_a_wide_register(target: str) -> None:
    """On AVX, an instruction of SSE keeps the upper half of a register, which then must not be lost between."""
    f, x, y = function(target, "void sums(const float x[8], float y[8])")
    values = [f.xmm(f"v{number}") if target == "sse" else f.ymm(f"v{number}") for number in range(5)]
    for value in values:
        (f.movups if target == "sse" else f.vmovups)(value, x86.ptr[x])
    for value in values[1:]:
        f.addps(values[0].xmm, value.xmm)
        f.movups(value.xmm, x86.ptr[x + 16]) if target == "avx" else None
    for value in values[1:]:
        f.addps(values[0].xmm, value.xmm)
    (f.movups if target == "sse" else f.vmovups)(x86.ptr[y], values[0])
    f.ret()
    f.orders = (f.orders[0], (3, 1), f.orders[2])
    x_, y_ = np.arange(8, dtype="f4"), np.zeros(8, "f4")
    f.kernel().run(x_, y_)
    wanted = x_[:4] * 9 if target == "sse" else x_[:4] * 5 + x_[4:] * 4
    assert (y_[:4] == wanted).all() and (y_[4:] == (0 if target == "sse" else x_[4:])).all()


def test_registers_that_must_differ() -> None:
    """A result that nobody reads takes a register too, and a status may not be in one that is stored."""
    f, y = function("neon", "void f(long y[4])")
    first, nobody, status, old = (f.x(name) for name in ("first", "nobody", "status", "old"))
    f.ldp(first, nobody, a64.mem[y])
    f.ldxr(old, a64.mem[y])
    f.add(first, first, old)
    f.stxr(a64.W[status], first, a64.mem[y])
    f.str(status, a64.mem[y, 8])
    f.str(old, a64.mem[y, 16])
    f.ret()
    values = np.array([3, 5, 7, 9], np.int64)
    f.kernel().run(values)
    assert values.tolist() == [6, 0, 3, 9]


@needs_x86
def test_calls_spoil_what_the_convention_says() -> None:
    """The callee writes every register that it may, and gets integers and a real number."""
    spoils = ts.assembler("avx2")
    for name in ("rcx", "rdx", "rsi", "r8", "r9", "r10", "r11"):
        spoils.mov(getattr(x86, name), 0x5EED)
    for name in (f"ymm{number}" for number in range(1, 16)):
        spoils.vpcmpeqd(*[getattr(x86, name)] * 3)
    spoils.vcvttsd2si(x86.rax, x86.xmm0)
    spoils.lea(x86.rax, x86.ptr[x86.rax + x86.rdi * 2])
    spoils.ret()
    callee = spoils.finish("callee").kernel("long callee(long x, double y)")
    f, a, b, callee_at, real, y = function("avx2", "long calls(long a, long b, long callee, double real, float y[8])")
    kept, first, second = f.ymm("kept"), f.r64("first"), f.r64("second")
    at = f.local(16, 16)
    f.vmovups(kept, x86.ptr[y])
    f.mov(x86.qword[x86.rsp + at + 8], a)
    f.call(callee_at, a, real, result=first)
    f.call(callee.address, b, real, result=second)
    f.imul(second, x86.qword[x86.rsp + at + 8])
    f.add(first, second)
    f.vaddps(kept, kept, kept)
    f.vmovups(x86.ptr[y], kept)
    f.ret(first)
    values = np.arange(8, dtype="f4")
    kernel = f.kernel()
    assert kernel(5, -7, callee.address, 3.9, values) == (3 + 2 * 5) + 5 * (3 - 2 * 7)
    assert (values == 2 * np.arange(8)).all()
    with pytest.raises(EncodeError, match="arguments are more than registers pass"):
        f.call(callee_at, *[a] * 7)


def test_calls_on_aarch64(aarch64: Server) -> None:
    """The callee, whose bytes lie in the constants of the caller, writes every register that it may."""
    spoils = ts.assembler("neon")
    for number in range(1, 18):
        spoils.movz(a64.X[number], 0x5EED)
    for number in range(32):
        if not 8 <= number < 16:
            spoils.movi(a64.V[number].d2, 0)
        else:
            spoils.mov(a64.V[number].d[1], a64.xzr)  # the lower half belongs to the caller
    spoils.add(a64.X[0], a64.X[0], a64.X[0])
    spoils.ret()
    f, a, b, y = function("neon", "void calls(long a, long b, long y[4])")
    callee, vector, first = f.x("callee"), f.v("vector"), f.x("first")
    f.adr(callee, f.const(spoils.finish("callee").data, 16))
    f.dup(vector.d2, b)
    f.call(callee, a, result=first)
    f.call(callee, b, result=a)
    for at, each in enumerate((first, a)):
        f.str(each, a64.mem[y, 8 * at])
    f.str(a64.Q[vector], a64.mem[y, 16])
    f.ret()
    result = np.zeros(4, np.int64)
    aarch64.call(f.finish(), 5, -7, result)
    assert result.tolist() == [10, -14, -7, -7]


def unwritten() -> None:
    f, _ = function("avx2", "void f(long n)")
    some = f.r64("some")
    with f.if_("z"):
        f.mov(some, 1)
    f.add(some, 2)
    f.ret()
    f.kernel()


def too_many() -> None:
    f, *_ = function("sve128", "void f(void)")
    values = [f.z(f"z{number}") for number in range(33)]
    for value in values:
        f.dup(value.s, 0)
    for value in values:
        f.add(value.s, value.s, value.s)
    f.ret()
    f.kernel()


def on(target: str, record: Callable[..., Any]) -> Callable[[], None]:
    """Return a function that records instructions on two registers."""

    def run() -> None:
        f, n = function(target, "void f(long n)")
        record(f, n)
        f.kernel()

    return run


def without_end(f: Any, n: Any) -> None:
    f.jmp(f.label("away"))


def named(f: Any, n: Any) -> None:
    for register in (*RESERVED, x86.rsi, x86.r13, x86.r14, x86.r15):
        f.mov(register, 0)
    f.add(n.r32, 1)


WRONG: dict[str, tuple[Callable[[], None], str]] = {
    "unwritten": (
        unwritten,
        r"test_virtual_registers.py:\d+: some is read, and there is a way here on which nothing",
    ),
    "too many": (too_many, r"\.py:\d+ \(dup z32.s, 0\): 33 vector registers are needed at a time, z0, .* 32 of 32"),
    "named": (on("avx2", named), r"\.py:\d+.*: 1 general registers are needed at a time, n; 0 of 0 can hold n"),
    "label": (on("avx2", without_end), r"label away is used at test_virtual_registers.py:\d+ and never bound"),
    "feature": (
        on("avx2", lambda f, n: f.kmovq(f.r64(), x86.k1)),
        "target avx2 has no AVX512BW; targets that have",
    ),
    "masks": (on("avx2", lambda f, n: f.k()), "avx2 has no mask registers"),
    "no form": (on("avx2", lambda f, n: f.vaddps(f.ymm("a"), n, n)), r"no such form(.|\n)*with a = ymm\d, n = r"),
    "stack": (on("avx2", lambda f, n: f.push(n)), "push r64: moves the stack pointer"),
    "stack of a64": (on("neon", lambda f, n: f.str(n, a64.mem[a64.sp, -16].pre)), "moves the stack pointer"),
    "address": (on("avx2", lambda f, n: f.jmp(n)), "jmp n: in a function on virtual registers, control goes to"),
    "list": (
        on("neon", lambda f, n: f.ld2(a64.listed(f.v().s4, f.v().s4), a64.mem[n])),
        "virtual registers need not be neighbours",
    ),
    "condition": (on("avx2", lambda f, n: f.if_("below", n, n).__enter__()), "condition 'below': is what stands"),
    "else": (on("neon", lambda f, n: f.else_().__enter__()), "else_: stands directly behind the body of an if_"),
    "result": (on("avx2", lambda f, n: f.ret(n)), "f returns nothing"),
    "local": (on("avx2", lambda f, n: f.local(64, 64)), "local: .* 16 as the stack pointer is, not 64 aligned to 64"),
    "part": (on("avx2", lambda f, n: n.xmm), "n has no part xmm"),
    "call": (
        on("avx2", lambda f, n: f.call(n, x86.rax)),
        "rax: is not a virtual general or vector register of this .*; move",
    ),
    "end": (on("avx2", lambda f, n: f.inc(n)), "runs off its end after inc"),
    "other": (on("avx2", lambda f, n: f.inc(function("avx2", "void g(long m)")[1])), "m: is a virtual register of"),
    "assembler": (
        on("avx2", lambda f, n: ts.assembler("avx2").inc(n)),
        "n names a virtual register, which only its",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_errors(what: str) -> None:
    """They name the line of the program, or are raised there."""
    wrong, text = WRONG[what]
    with pytest.raises(EncodeError, match=text):
        wrong()


def test_registers_of_the_program_are_left_to_it() -> None:
    """Registers that instructions name hold no virtual ones, and those of the caller are restored."""
    f, n, y = function("avx2", "void f(long n, long y[2])")
    for number, register in enumerate(RESERVED):
        f.mov(register, number)
    other = f.r64("other")
    f.mov(other, n)
    f.imul(other, n)
    f.mov(x86.rax, other)
    f.mul(n)
    f.mov(x86.qword[y], x86.rax)
    f.mov(x86.qword[y + 8], x86.rbx)
    f.ret()
    kernel, result = f.kernel(), np.zeros(2, np.int64)
    kernel.run(-3, result)
    assert result.tolist() == [-27, RESERVED.index(x86.rbx)]
    assert {"rbx", "rbp", "r12"} <= set(re.findall(r"push (\w+)", kernel.listing()))
    frames(kernel._code)  # Untraceable if an unwinder would not find the caller's registers


def test_large_frames_touch_each_page() -> None:
    """A frame of more than a page is claimed a page at a time, so that the stack's guard page is found."""
    for target, memory in (("avx2", x86.ptr), ("neon", a64.mem)):
        f, y = function(target, "void f(long y[1])")
        at = f.local(9000)
        value = f.r64() if target == "avx2" else f.x()
        f.mov(value, 7)
        if target == "avx2":
            f.mov(memory[x86.rsp + at + 8992], value)
            f.mov(value, memory[x86.rsp + at + 8992])
            f.mov(memory[y], value)
        else:
            f.str(value, memory[a64.sp, at + 8992])
            f.ldr(value, memory[a64.sp, at + 8992])
            f.str(value, memory[y])
        f.ret()
        kernel, result = f.kernel(), np.zeros(1, np.int64)
        kernel.run(result)
        assert result[0] == 7 and kernel.stack_bytes > 9000
        assert len(re.findall(r"test dword ptr \[rsp\]|str xzr, \[sp\]", kernel.listing())) == 2


def test_the_map_names_the_virtual_registers() -> None:
    f, x, y = function("avx2", "void f(const float x[64], float y[8])")
    values = [f.ymm(f"v{number}") for number in range(8)]
    for number, value in enumerate(values):
        f.vmovups(value, x86.ptr[x + 32 * number])
    for value in values[1:]:
        f.vaddps(values[0], values[0], value)
    f.vmovups(x86.ptr[y], values[0])
    f.ret()
    f.orders = (f.orders[0], (5, 6, 7), ())
    kernel = f.kernel()
    shown = dict(re.findall(r" (\w+) +(ymm\d|r\w+|\[rsp \+ \d+\])$", kernel.registers(), re.MULTILINE))
    del shown["role"]
    assert shown["x"] == "rdi" and shown["y"] == "rsi" and {*shown} == {"x", "y", *map(str, values)}
    assert {*shown.values()} > {"ymm5", "[rsp + 0]"}
    assert kernel.verify(lambda x: ts.sum(x, axis=0), {"x": ((8, 8), "f32", "in"), "y": ((1, 8), "f32", "out")})

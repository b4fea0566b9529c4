"""Section G of first-contact.md: functions by hand. tests/runtime/handwritten/test_kernel.py has more of G1, G3, G4."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

import tilesmith as ts
from tilesmith import a64, x86
from tilesmith.emulation.cpu import call, execute
from tilesmith.encoder.errors import EncodeError
from tilesmith.runtime.host import detect as host

needs_x86 = pytest.mark.skipif(host.arch() != "x86", reason="calls x86-64 code")


def doubling():
    """Return a function that doubles four floats."""
    asm = ts.assembler("avx2")
    asm.vmovups(x86.xmm0, x86.ptr[x86.rdi])
    asm.vaddps(x86.xmm0, x86.xmm0, x86.xmm0)
    asm.vmovups(x86.ptr[x86.rdi], x86.xmm0)
    asm.ret()
    return asm.finish("double4")


def test_g1_a_callable_that_checks_and_owns_its_page():
    """The callable checks type, shape and writability, and owns its page."""
    double = doubling().kernel("void double4(float y[4])")
    y = np.arange(4, dtype=np.float32)
    double.run(y)
    np.testing.assert_array_equal(y, [0, 2, 4, 6])
    y.flags.writeable = False
    for wrong in (np.zeros(3, np.float32), np.zeros(4), np.zeros(8, np.float32)[::2], y, 5, None):
        with pytest.raises((TypeError, ValueError), match=r"y\b"):
            double.run(wrong)


def test_g2_what_finish_returns_is_what_the_emulator_takes():
    code = doubling()
    for given in (code, code.data):
        y = np.arange(4, dtype=np.float32)
        call(given, code.target, y)
        np.testing.assert_array_equal(y, [0, 2, 4, 6])
    ending = ts.assembler("avx2")
    ending.ret()
    done = ending.finish("nothing")
    assert execute(done, done.target, ()).steps == execute(done.data, done.target, ()).steps == 1


def test_g3_errors_of_finish_and_kernel():
    asm, other = ts.assembler("avx2"), ts.assembler("avx2")
    asm.jmp(other.bind(other.label("there")))
    with pytest.raises(EncodeError, match="label there is bound by another assembler"):
        asm.finish("jumps")
    with pytest.raises(EncodeError, match="no instructions; a function ends with ret"):
        ts.assembler("avx2").finish("empty").kernel("void empty(void)")
    endless = ts.assembler("avx2")
    endless.nop()
    with pytest.raises(EncodeError, match="runs off its end after nop; is a ret missing"):
        endless.finish("endless").kernel("void endless(void)")
    with pytest.raises(ValueError, match="did you mean"):
        ts.assembler("avx3")
    with pytest.raises(AttributeError, match="vaddps"):
        ts.assembler("avx2").vadps  # noqa: B018


def test_g3_names_with_spaces_are_symbols_without():
    asm = ts.assembler("avx2")
    asm.ret()
    assert " " not in asm.finish("two words").symbol


@pytest.mark.parametrize("number", [np.int8(5), np.int64(5), np.uint32(5), 5])
def test_g3_integers_of_numpy_are_immediates(number):
    for asm, registers, add in ((ts.assembler("avx2"), x86, "add"), (ts.assembler("neon"), a64, "add")):
        to = registers.rax if registers is x86 else registers.X[0]
        getattr(asm, add)(*((to, number) if registers is x86 else (to, to, number)))
        asm.ret()
        listing = asm.finish("adds").listing() if hasattr(asm.finish("adds"), "listing") else ""
        assert not listing or "5" in listing


@needs_x86
def test_g5_functions_of_c_through_a_register():
    """Hand-written functions call memcpy, strlen, and snprintf with a double."""
    libc = ctypes.CDLL(None)

    def calling(name, declared):
        asm = ts.assembler("avx2")
        asm.sub(x86.rsp, 8)
        asm.mov(x86.rax, ctypes.cast(getattr(libc, name), ctypes.c_void_p).value)
        asm.mov(x86.r11, x86.rax)
        asm.mov(x86.eax, 1)  # one of the variable arguments is in a vector register
        asm.call(x86.r11)
        asm.add(x86.rsp, 8)
        asm.ret()
        return asm.finish(name).kernel(declared)

    text = np.frombuffer(b"machine code\0", np.int8).copy()
    copy, format_ = np.zeros(13, np.int8), np.frombuffer(b"%.3f\0", np.int8).copy()
    calling("memcpy", "void memcpy(char y[n], const char x[n], long n)")(copy, text, 13)
    assert copy.tobytes() == text.tobytes()
    assert calling("strlen", "long strlen(const char *x)")(copy) == 12
    size = calling("snprintf", "int snprintf(char y[n], long n, const char *format, double x)")(copy, 13, format_, 2.5)
    assert copy.tobytes()[:size] == b"2.500"


def test_g5_a_dot_product_on_neon():
    asm = ts.assembler("neon")
    asm.ldr(a64.Q[0], a64.mem[a64.X[0]])
    asm.ldr(a64.Q[1], a64.mem[a64.X[1]])
    asm.fmul(a64.V[0].s4, a64.V[0].s4, a64.V[1].s4)
    asm.faddp(a64.V[0].s4, a64.V[0].s4, a64.V[0].s4)
    asm.faddp(a64.V[0].s4, a64.V[0].s4, a64.V[0].s4)
    asm.ret()
    dot = asm.finish("dot4").kernel("float dot4(const float x[4], const float y[4])")
    x = np.arange(4, dtype=np.float32)
    assert dot.run(x, x + 1) == 20

"""Verbs of the thread machines keep their contract: x86-64 natively, AArch64 in its server, against Python's ints."""

import numpy as np
import pytest

from tilesmith.runtime.host import detect as host
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.scalar.a64 import A64Scalar
from tilesmith.runtime.scalar.machine import ScalarMemory
from tilesmith.runtime.scalar.x86 import X86Scalar
from tilesmith.runtime.system.libc import ffi
from tilesmith.runtime.threads.verbs_a64 import A64Verbs
from tilesmith.runtime.threads.verbs_lse import LseVerbs
from tilesmith.runtime.threads.verbs_x86 import X86Verbs

MACHINES = {
    "x86": lambda: X86Verbs(X86Scalar()),
    "a64": lambda: A64Verbs(A64Scalar()),
    "lse": lambda: LseVerbs(A64Scalar()),
}
UP = {"x86": 0x5F80, "a64": 1 << 22, "lse": 1 << 22}
"""The control word that selects rounding towards plus infinity: MXCSR, FPCR."""
NUMBERS = 0, 1, 2, 4095, 4096, 1 << 31, (1 << 62) + 1, -1, -(1 << 63)


@pytest.fixture(params=MACHINES)
def function(request):
    """Return function(emit), which makes f(array) run what `emit(v, base)` emits; base is the array's address."""
    server = request.getfixturevalue("aarch64") if request.param != "x86" else None
    if request.param == "x86" and host.arch() != "x86":
        pytest.skip("x86-64 code, and this machine is none")

    def build(emit):
        v = MACHINES[request.param]()
        v.m.begin("f")
        v.m.open(0, v.m.kept)
        v.m.move(v.m.kept[0], v.m.arguments[0])
        emit(v, v.m.kept[0])
        v.m.close()
        v.m.ret()
        code = v.m.asm.finish("f")
        if server:
            return lambda array: server.call(code, array)
        block = publish(code.data)
        call = ffi.cast("void(*)(uintptr_t)", block.address)
        return lambda array: (call(array.__array_interface__["data"][0]), block)

    build.arch = request.param
    return build


def after(run, *words):
    """Return the words after a run that started with these."""
    array = np.array(words, np.int64)
    run(array)
    return tuple(map(int, array))


def signed(value):
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def test_exchange_add_load_store(function):
    def emit(v, base):
        m = v.m
        v.exchange(m.kept[1], ScalarMemory(base), 5)
        m.move(ScalarMemory(base, 8), m.kept[1])
        v.add(m.kept[1], ScalarMemory(base, 16), 3)
        m.move(ScalarMemory(base, 24), m.kept[1])
        v.load(m.x, ScalarMemory(base, 16))
        v.store(ScalarMemory(base, 32), m.x)
        m.move(m.kept[1], 77)
        v.exchange(m.x, ScalarMemory(base, 40), m.kept[1])
        m.move(ScalarMemory(base, 48), m.x)
        v.store(ScalarMemory(base, 56), 0)

    run = function(emit)
    for a in NUMBERS:
        b, c = signed(a * 3), signed(a * 3 + 3)
        assert after(run, a, 9, b, 9, 9, a, 9, 9, 8) == (5, a, c, b, c, 77, a, 0, 8)


def test_replace(function):
    """With numbers and registers: the word is replaced if it is the expected one, and kept otherwise."""

    def emit(v, base):
        m = v.m
        expected, value = m.kept[1:3]
        m.move(expected, ScalarMemory(base, 16))
        m.move(value, ScalarMemory(base, 24))
        for at, wanted, new in ((0, 4, 6), (8, expected, value)):
            failed, done = m.asm.label(), m.asm.label()
            v.replace(ScalarMemory(base, at), wanted, new, failed)
            m.move(m.x, 1)
            m.jump(done)
            m.asm.bind(failed)
            m.move(m.x, 2)
            m.asm.bind(done)
            m.move(ScalarMemory(base, 32 + at), m.x)

    run = function(emit)
    assert after(run, 4, 10, 10, 11, 0, 0) == (6, 11, 10, 11, 1, 1)
    assert after(run, 5, 10, 12, 11, 0, 0) == (5, 10, 12, 11, 2, 2)
    for a in NUMBERS:
        assert after(run, 4, a, a, 11, 0, 0) == (6, 11, a, 11, 1, 1)


def test_clear_bit(function):
    def emit(v, base):
        v.m.move(v.m.y, ScalarMemory(base))
        v.clear_bit(ScalarMemory(base, 8), v.m.y)

    run = function(emit)
    for number in (0, 1, 31, 32, 63, 64, 100, 191):
        bits = [-1, -1, -1, -1]
        bits[number // 64] = signed(~(1 << number % 64))
        assert after(run, number, -1, -1, -1, -1) == (number, *bits)
        assert after(run, number, *bits) == (number, *bits)


def test_time_and_control(function):
    """Ticks increase; the control register takes a new value, and then the old one again."""

    def emit(v, base):
        m = v.m
        v.ticks(m.kept[1])
        m.move(m.kept[2], 5000)
        with m.loop(m.kept[2]):
            v.pause()
        v.ticks(m.x)
        m.subtract(m.x, m.kept[1])
        m.move(ScalarMemory(base), m.x)
        v.save_control(ScalarMemory(base, 8))
        v.load_control(ScalarMemory(base, 16))
        v.save_control(ScalarMemory(base, 24))
        v.load_control(ScalarMemory(base, 8))
        v.save_control(ScalarMemory(base, 32))

    run = function(emit)
    for control in (UP[function.arch], 0x1F80 if function.arch == "x86" else 0):
        passed, before, _, other, restored = after(run, 0, 0, control, 0, 0)
        assert 0 < passed < 1 << 40
        assert other == control and restored == before

"""Verbs of the scalar machines keep their contract: x86-64 natively, AArch64 in its server, against Python's ints."""

import random

import numpy as np
import pytest

from tilesmith.runtime.host import detect as host
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.scalar.a64 import A64Scalar
from tilesmith.runtime.scalar.machine import ScalarMemory
from tilesmith.runtime.scalar.older_x86 import OlderX86Scalar
from tilesmith.runtime.scalar.x86 import X86Scalar
from tilesmith.runtime.system.libc import ffi

MACHINES = {"x86": X86Scalar, "older_x86": OlderX86Scalar, "a64": A64Scalar}
WORD = 1 << 64
NUMBERS = (
    0,
    1,
    2,
    3,
    7,
    255,
    256,
    4095,
    4096,
    65536,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
    1 << 32,
    (1 << 46) + 5,
    (1 << 62) + 1,
    (1 << 63) - 1,
    -1,
    -2,
    -8,
    -4096,
    -(1 << 31),
    -(1 << 46),
    -(1 << 62) - 3,
    -(1 << 63),
)
PAIRS = [(a, b) for a in NUMBERS for b in NUMBERS]
SMALL = (0, 1, 5, 8, 16, 48, 4095, 4096, 65536, (1 << 31) - 1)


def signed(value):
    """Return the value as a signed integer of 64 bits."""
    return (value + (1 << 63)) % WORD - (1 << 63)


@pytest.fixture(params=MACHINES)
def function(request):
    """Return function(emit), which makes f(array) run what `emit(m, base)` emits; base is the array's address."""
    arch = request.param
    server = request.getfixturevalue("aarch64") if arch == "a64" else None
    if arch != "a64" and host.arch() != "x86":
        pytest.skip("x86-64 code, and this machine is none")

    def build(emit, slots=0, used=()):
        m = MACHINES[arch]()
        m.begin("f")
        m.open(slots, [getattr(m, role)[i] for role, i in used])
        emit(m, m.arguments[0])
        m.close()
        m.ret()
        code = m.asm.finish("f")
        if server:
            return lambda array: server.call(code, array)
        block = publish(code.data)
        call = ffi.cast("void(*)(int64_t)", block.address)
        return lambda array: (call(array.__array_interface__["data"][0]), block)

    return build


def results(run, pairs, count=1):
    """Run f on (a, b, 77, ...) for every pair and return the words that it writes."""
    found = []
    for a, b in pairs:
        array = np.array([a, b, *[77] * count, -1], np.int64)
        run(array)
        assert array[-1] == -1 and (array[0], array[1]) == (a, b)
        found.append(tuple(map(int, array[2:-1])))
    return found


TWO = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "bits_and": lambda a, b: a & b,
    "bits_or": lambda a, b: a | b,
    "move": lambda a, b: b,
}


@pytest.mark.parametrize("verb", TWO)
def test_arithmetic(function, verb):
    """The second operand is in a register or in memory."""

    def emit(m, base):
        for place, second in ((16, m.y), (24, ScalarMemory(base, 8))):
            m.move(m.x, ScalarMemory(base))
            m.move(m.y, ScalarMemory(base, 8))
            getattr(m, verb)(m.x, second)
            m.move(ScalarMemory(base, place), m.x)

    wanted = [(signed(TWO[verb](a, b)),) * 2 for a, b in PAIRS]
    assert results(function(emit), PAIRS, 2) == wanted


@pytest.mark.parametrize("verb", list(TWO))
def test_arithmetic_with_numbers(function, verb):
    numbers = [n for n in NUMBERS if verb == "move" or -(1 << 31) <= n < 1 << 31]

    def emit(m, base):
        for i, number in enumerate(numbers):
            m.move(m.x, ScalarMemory(base))
            getattr(m, verb)(m.x, number)
            m.move(ScalarMemory(base, 16 + 8 * i), m.x)

    found = results(function(emit), [(a, 0) for a in NUMBERS], len(numbers))
    assert found == [tuple(signed(TWO[verb](a, n)) for n in numbers) for a in NUMBERS]


def test_one_operand(function):
    def emit(m, base):
        for i, bits in enumerate((0, 1, 16, 40, 63)):
            m.move(m.z, ScalarMemory(base))
            m.shift_right(m.z, bits)
            m.move(ScalarMemory(base, 16 + 8 * i), m.z)
        m.move(m.z, ScalarMemory(base))
        m.negate(m.z)
        m.move(ScalarMemory(base, 56), m.z)
        m.move(ScalarMemory(base, 64), 5)
        m.increment(ScalarMemory(base, 64))

    found = results(function(emit), [(a, 0) for a in NUMBERS], 7)
    assert found == [(*(signed(a % WORD >> n) for n in (0, 1, 16, 40, 63)), signed(-a), 6) for a in NUMBERS]


def test_parts_of_memory_have_no_sign(function):
    def emit(m, base):
        for i, (offset, size) in enumerate(((0, 4), (4, 4), (0, 1), (7, 1))):
            m.move(m.y, -1)
            m.move(m.y, ScalarMemory(base, offset, size))
            m.move(ScalarMemory(base, 16 + 8 * i), m.y)

    def part(a, offset, size):
        return a % WORD >> 8 * offset & (1 << 8 * size) - 1

    found = results(function(emit), [(a, 0) for a in NUMBERS], 4)
    assert found == [tuple(part(a, *p) for p in ((0, 4), (4, 4), (0, 1), (7, 1))) for a in NUMBERS]


CONDITIONS = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "u<": lambda a, b: a % WORD < b % WORD,
    "u>=": lambda a, b: a % WORD >= b % WORD,
}


def noted(m, base, place, *branch):
    """Emit memory at base + place := 1 if the branch is taken, else 0."""
    taken, end = m.asm.label(), m.asm.label()
    m.branch(*branch, taken)
    m.move(ScalarMemory(base, place), 0)
    m.jump(end)
    m.asm.bind(taken)
    m.move(ScalarMemory(base, place), 1)
    m.asm.bind(end)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_branch(function, condition):
    def emit(m, base):
        m.move(m.x, ScalarMemory(base))
        m.move(m.y, ScalarMemory(base, 8))
        noted(m, base, 16, m.x, condition, m.y)
        noted(m, base, 24, ScalarMemory(base), condition, m.y)
        noted(m, base, 32, m.x, condition, ScalarMemory(base, 8))

    wanted = [(int(CONDITIONS[condition](a, b)),) * 3 for a, b in PAIRS]
    assert results(function(emit), PAIRS, 3) == wanted


@pytest.mark.parametrize("condition", CONDITIONS)
def test_branch_on_numbers(function, condition):
    def emit(m, base):
        m.move(m.x, ScalarMemory(base))
        for i, number in enumerate(SMALL):
            noted(m, base, 16 + 16 * i, m.x, condition, number)
            noted(m, base, 24 + 16 * i, ScalarMemory(base), condition, number)

    found = results(function(emit), [(a, 0) for a in NUMBERS], 2 * len(SMALL))
    assert found == [tuple(int(CONDITIONS[condition](a, n)) for n in SMALL for _ in "12") for a in NUMBERS]


def test_branch_on_parts_of_memory(function):
    def emit(m, base):
        m.move(m.y, ScalarMemory(base, 8))
        noted(m, base, 16, ScalarMemory(base, 0, 4), "==", 3)
        noted(m, base, 24, ScalarMemory(base, 0, 1), "!=", 0xFF)
        noted(m, base, 32, ScalarMemory(base, 4, 4), "==", m.y)

    pairs = [(a, b) for a in NUMBERS for b in (0, 1, 2)]
    wanted = [(int(a % (1 << 32) == 3), int(a % 256 != 255), int(a % WORD >> 32 == b)) for a, b in pairs]
    assert results(function(emit), pairs, 3) == wanted


def test_bits(function):
    masks = (1, 3, 7, 0x401, 0x501)

    def emit(m, base):
        for i, (mask, present) in enumerate((mask, present) for mask in masks for present in (True, False)):
            taken, end = m.asm.label(), m.asm.label()
            m.move(m.x, ScalarMemory(base))
            m.branch_if_bits(m.x if i % 3 else ScalarMemory(base, 0, 4), mask, present, taken)
            m.move(ScalarMemory(base, 16 + 8 * i), 0)
            m.jump(end)
            m.asm.bind(taken)
            m.move(ScalarMemory(base, 16 + 8 * i), 1)
            m.asm.bind(end)

    found = results(function(emit), [(a, 0) for a in NUMBERS], 2 * len(masks))
    assert found == [tuple(int(bool(a & mask) == p) for mask in masks for p in (True, False)) for a in NUMBERS]


@pytest.mark.parametrize("verb", ("add_checked", "multiply_checked"))
def test_overflow(function, verb):
    plain = {"add_checked": TWO["add"], "multiply_checked": TWO["multiply"]}[verb]

    def emit(m, base):
        over, end = m.asm.label(), m.asm.label()
        m.move(m.x, ScalarMemory(base))
        m.move(m.y, ScalarMemory(base, 8))
        getattr(m, verb)(m.x, m.y if verb == "add_checked" else ScalarMemory(base, 8), over)
        m.move(ScalarMemory(base, 16), m.x)
        m.move(ScalarMemory(base, 24), 0)
        m.jump(end)
        m.asm.bind(over)
        m.move(ScalarMemory(base, 16), 0)
        m.move(ScalarMemory(base, 24), 1)
        m.asm.bind(end)

    exact = [plain(a, b) for a, b in PAIRS]
    assert results(function(emit), PAIRS, 2) == [(v, 0) if signed(v) == v else (0, 1) for v in exact]


def test_take_if(function):
    conditions = ("<", ">", "u<", "u>")

    def emit(m, base):
        for i, condition in enumerate(conditions):
            m.move(m.x, ScalarMemory(base))
            m.move(m.y, ScalarMemory(base, 8))
            m.take_if(m.x, m.y, condition)
            m.move(ScalarMemory(base, 16 + 8 * i), m.x)

    wanted = [(min(a, b), max(a, b), *(signed(f(a % WORD, b % WORD)) for f in (min, max))) for a, b in PAIRS]
    assert results(function(emit), PAIRS, 4) == wanted


def test_address(function):
    forms = ((1, 0), (1, -1), (8, 0), (8, 40), (8, -8))

    def emit(m, base):
        m.move(m.x, ScalarMemory(base))
        m.move(m.y, ScalarMemory(base, 8))
        for i, (scale, offset) in enumerate(forms):
            m.address(m.z, m.x, m.y, scale, offset)
            m.move(ScalarMemory(base, 16 + 8 * i), m.z)
        m.address(m.z, m.x, offset=8)
        m.move(ScalarMemory(base, 56), m.z)
        m.address(m.x, m.x, m.x)  # the base may be the destination
        m.move(ScalarMemory(base, 64), m.x)

    wanted = [(*(signed(a + s * b + o) for s, o in forms), signed(a + 8), signed(2 * a)) for a, b in PAIRS]
    assert results(function(emit), PAIRS, 7) == wanted


def test_address_in_the_frame(function):
    def emit(m, base):
        m.move(m.y, 3)
        m.address(m.x, m.stack, m.y, 8, 8)  # the address of slot 4
        m.move(m.z, ScalarMemory(base))
        m.move(m.slot(4), m.z)
        m.move(m.z, ScalarMemory(m.x))
        m.move(ScalarMemory(base, 16), m.z)

    assert results(function(emit, slots=6), [(a, 0) for a in NUMBERS]) == [(a,) for a in NUMBERS]


def test_loop_from_the_last_element(function):
    """Sum the words of an array in base 10, from the last to the first."""

    def emit(m, base):
        m.move(m.y, 5)
        m.move(m.z, 0)
        with m.loop(m.y):
            m.multiply(m.z, 10)
            m.element(m.x, base, m.y)
            m.add(m.z, m.x)
        m.move(ScalarMemory(base, 40), m.z)

    array = np.array([1, 2, 3, 4, 5, 0], np.int64)
    function(emit)(array)
    assert array.tolist() == [1, 2, 3, 4, 5, 54321]


@pytest.mark.parametrize("pairs", (1, 2, 3))
def test_differences(function, pairs):
    """Words 8.. are the constants; a difference in any pair is found, and `first` discards earlier differences."""

    def emit(m, base):
        m.address(m.constants, base, offset=64)
        for i in range(pairs):
            m.differ(base, 16 * i, 2 * i, first=i == 0)
        same, end = m.asm.label(), m.asm.label()
        different = m.asm.label()
        m.branch_if_different(different)
        m.jump(same)
        m.asm.bind(different)
        m.move(ScalarMemory(base, 120), 1)
        m.jump(end)
        m.asm.bind(same)
        m.move(ScalarMemory(base, 120), 0)
        m.asm.bind(end)

    run = function(emit)
    words = np.arange(100, 108)
    for changed in range(-1, 8):
        for bit in (0, 31, 32, 63):
            array = np.concatenate([words, words]).astype(np.int64)
            if changed >= 0:
                array[changed] ^= np.int64(signed(1 << bit))
            run(array)
            assert array[15] == int(0 <= changed < 2 * pairs)


@pytest.mark.parametrize("slots", (0, 1, 2, 7))
@pytest.mark.parametrize("role", ("kept", "more"))
def test_frame(function, role, slots):
    """Slots and registers hold their values; the server checks that the caller's registers are unchanged."""

    def emit(m, base):
        registers = getattr(m, role)
        for i in range(slots):
            m.move(m.slot(i), i + 1)
        for i, register in enumerate(registers):
            m.move(register, 100 + i)
        m.move(m.x, 0)
        for i in range(slots):
            m.add(m.x, m.slot(i))
        for register in registers:
            m.add(m.x, register)
        m.move(ScalarMemory(base, 16), m.x)

    count = {"kept": 5, "more": 4}[role]
    run = function(emit, slots, [(role, i) for i in range(count)])
    assert results(run, [(1, 2)]) == [(slots * (slots + 1) // 2 + sum(range(100, 100 + count)),)]


def test_arguments_beyond_registers(function):
    """A callee's arguments are first in registers, then in the lowest slots."""

    def emit(m, base):
        places = [m.argument(i) for i in range(len(m.arguments) + 2)]
        assert places[: len(m.arguments)] == list(m.arguments)
        assert places[-2:] == [m.slot(0), m.slot(1)]
        m.move(ScalarMemory(base, 16), 1)

    assert results(function(emit, slots=2), [(0, 0)]) == [(1,)]


@pytest.mark.parametrize("count", (*range(1, 14), 40))
def test_copy_words(function, count):
    def emit(m, base):
        low, high, bits, target = m.more
        m.move(m.y, count)
        m.address(m.z, base, offset=24)
        m.address(target, base, offset=24 + 8 * count + 8)
        m.copy_words(target, m.z, m.y, (low, high, bits))
        for place, found in ((0, low), (8, high), (16, bits)):
            m.move(ScalarMemory(base, place), found)

    run = function(emit, used=[("more", i) for i in range(4)])
    rng = random.Random(count)
    for _ in range(30):
        words = [rng.choice(NUMBERS) if rng.random() < 0.5 else rng.getrandbits(64) - (1 << 63) for _ in range(count)]
        array = np.array([1, 2, 3, *words, -7, *[5] * count, -9], np.int64)
        run(array)
        bits = int(np.bitwise_or.reduce(np.array(words, np.int64)))
        assert array.tolist() == [min(words), max(words), bits, *words, -7, *words, -9]

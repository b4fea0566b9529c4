"""Every verb on general registers and single elements on every machine, emulated, and called natively if the host can.

Each kernel gets two 64-bit numbers, 3 and 5, a source of 64 words that holds 100, 101... and a result of 64 words.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.microkernels.contract.test_verbs import MACHINES
from tilesmith.emulation.cpu import address_of, call
from tilesmith.microkernels.contract.element_moves import ElementMovesOf
from tilesmith.microkernels.contract.general_verbs import GeneralVerbsOf
from tilesmith.microkernels.contract.machine import Machine
from tilesmith.microkernels.machines.registry import TARGETS, machine_for
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.system.libc import ffi

SOAK = bool(os.environ.get("TILESMITH_SOAK"))
A, B, WORDS, MASK = 3, 5, 64, (1 << 64) - 1


class State(NamedTuple):
    m: Machine
    a: Any
    b: Any
    source: Any
    result: Any

    def put(self, value: Any, word: int = 0) -> None:
        """Store a value in a word of the result."""
        target = self.m.general("target")
        self.m.copy(target, self.result)
        self.m.advance(target, 8 * word)
        self.m.store_general(target, value)
        self.m.release(target)


Emit = Callable[[State], None]
CASES: dict[str, tuple[Emit, list[int]]] = {}


def case(*words: int) -> Callable[[Emit], Emit]:
    """Register a kernel under its name with the expected first words of the result."""

    def registered(emit: Emit) -> Emit:
        CASES[emit.__name__] = emit, list(words)
        return emit

    return registered


@case(A, B, 100)
def arguments(s: State) -> None:
    word = s.m.general("word")
    s.m.load_general(word, s.source, None)
    for number, value in enumerate((s.a, s.b, word)):
        s.put(value, number)


@case(7, A, A, 1 << 40)
def copy(s: State) -> None:
    number, register, counter = s.m.general("number"), s.m.general("register"), s.m.counter("slot")
    for at, (place, amount) in enumerate(((number, 7), (register, s.a))):
        s.m.copy(place, amount)
        s.put(place, at)
    s.m.copy(counter, s.a)
    s.m.copy(register, counter)
    s.put(register, 2)
    s.m.copy(register, 1 << 40)
    s.put(register, 3)


@case(A + 6, A + 6 - 5000, A + 4 * B, A + B, A - (1 << 35), 2 * A)
def advance(s: State) -> None:
    register = s.m.general("register")
    s.m.copy(register, s.a)
    s.m.advance(register, 2, 3)
    s.put(register, 0)
    s.m.advance(register, -5000)
    s.put(register, 1)
    for word, (amount, times) in enumerate(((s.b, 4), (s.b, 1), (-(1 << 35), 1), (s.a, 1)), 2):
        s.m.copy(register, s.a)
        s.m.advance(register, amount, times)
        s.put(register, word)


@case(A << 3)
def shift_left(s: State) -> None:
    s.m.shift_left(s.a, 3)
    s.put(s.a)


@case(1)
def shift_right(s: State) -> None:
    s.m.copy(s.a, -1)
    s.m.shift_right(s.a, 63)
    s.put(s.a)


@case(A % 2, B % 4, B % 4 % 2)
def modulo(s: State) -> None:
    for word, (register, power) in enumerate(((s.a, 2), (s.b, 4), (s.b, 2))):
        s.m.modulo(register, power)
        s.put(register, word)


@case(100 + A, 100)
def load_general(s: State) -> None:
    word = s.m.general("word")
    s.m.load_general(word, s.source, s.a)
    s.put(word)
    s.m.load_general(word, s.source, None)
    s.put(word, 1)


@case(4, A, 1, 0)
def loop(s: State) -> None:
    """The count of a loop may be a number or a register, also one; the register may be overwritten afterwards."""
    for word, count in enumerate((4, s.a, 1)):
        turns, counter = s.m.general("turns"), s.m.counter("counter")
        s.m.copy(turns, 0)
        with s.m.loop(counter, count):
            s.m.advance(turns, 1)
        s.put(turns, word)
        s.m.release(turns)
    s.m.copy(s.a, 0)
    s.put(s.a, 3)


@case(0 + 1 + 2 + 3, 0 + 1 + 2, A)
def index_loop(s: State) -> None:
    index, total = s.m.general("index"), s.m.general("total")
    for word, limit in enumerate((4, s.a)):
        s.m.copy(total, 0)
        with s.m.index_loop(index, limit):
            s.m.advance(total, index)
        s.put(total, word)
    s.put(index, 2)


@case(1, 0, 1)
def unless_zero(s: State) -> None:
    zero, flag = s.m.general("zero"), s.m.general("flag")
    s.m.copy(zero, 0)
    for word, amount in enumerate((s.a, zero)):
        s.m.copy(flag, 0)
        with s.m.unless_zero(amount):
            s.m.advance(flag, 1)
        s.put(flag, word)
    frame = s.m.to_slot(zero)
    s.m.copy(frame, s.b)
    s.m.copy(flag, 0)
    with s.m.unless_zero(frame):
        s.m.advance(flag, 1)
    s.put(flag, 2)


@case(2, 1, 0, 2, 1, 0)
def while_at_least(s: State) -> None:
    """Subtracting 3 from 7, 2 and 3 gives the number of turns and the rest. The last case uses a loop counter."""
    counter, left, times = s.m.counter("left"), s.m.general("left"), s.m.general("times")
    for word, (place, number) in enumerate(((left, 7), (left, 2), (counter, 3))):
        s.m.copy(left, number)
        s.m.copy(place, left)
        s.m.copy(times, 0)
        with s.m.while_at_least(place, 3):
            s.m.advance(times, 1)
        s.m.copy(left, place)
        s.put(times, 2 * word)
        s.put(left, 2 * word + 1)


@case(B, A)
def to_slot(s: State) -> None:
    frame = s.m.in_slot(s.m.in_slot(s.b))
    s.put(s.m.in_register(frame, "register"), 0)
    s.put(s.m.in_register(s.a, "not claimed"), 1)


@case(A, B, A, B)
def set_aside(s: State) -> None:
    """The body may claim the registers that were set aside; their values are restored afterwards."""
    s.put(s.a, 0)
    s.put(s.b, 1)
    left = s.m.generals_left()
    with s.m.set_aside([s.a, s.b]):
        claimed = [s.m.general("body") for _ in range(s.m.generals_left() - left)]
        for register in claimed:
            s.m.copy(register, 99)
        for register in claimed:
            s.m.release(register)
    s.put(s.a, 2)
    s.put(s.b, 3)


@case(A)
def reclaim(s: State) -> None:
    """Reclaiming frees all registers that are not preserved, and released registers are handed out again."""
    before = s.m.generals_left()
    register = s.m.general("register")
    assert s.m.generals_left() == before - 1
    s.m.release(register)
    assert s.m.generals_left() == before
    s.m.general("another")
    s.m.reclaim([s.a, s.b, s.source, s.result])
    assert s.m.generals_left() >= before
    s.put(s.a)


@case(A, B, A)
def scratch_within(s: State) -> None:
    """Parts of claimed scratch memory can be claimed again, also in a loop, and memory behind them is unchanged."""
    base = s.m.scratch(192)
    s.m.store_general(base, s.a)
    room = s.m.general("room")
    s.m.copy(room, base)
    s.m.advance(room, 64)
    counter = s.m.counter("turns")
    with s.m.loop(counter, 2), s.m.scratch_within(room, 128):
        first, second = s.m.scratch(8), s.m.scratch(64)
        s.m.store_general(first, s.a)
        s.m.store_general(second, s.b)
        s.m.release(first)
        s.m.release(second)
    word = s.m.general("word")
    for number, place in enumerate((64, 128, 0)):
        s.m.copy(room, base)
        s.m.advance(room, place)
        s.m.load_general(word, room, None)
        s.put(word, number)


@case(A, 0)
def scratch(s: State) -> None:
    base, word = s.m.scratch(256), s.m.general("word")
    s.m.store_general(base, s.a)
    s.m.load_general(word, base, None)
    s.put(word)
    for _ in range(58):  # an aligned address shifted right by 58 bits has no low bits left
        s.m.shift_left(base, 1)
    s.put(base, 1)


def strides(s: State, stride: Any, unit: int) -> None:
    """Store the word at each column of the source in result[j]: it is loaded as a vector of one 64-bit element."""
    multiples = s.m.multiples(stride, 8)
    with s.m.predicates(), s.m.vectors(1, "word") as (register,):
        one = s.m.lanes("i64", 1)
        for j in range(8):
            s.m.load(register, s.m.column(s.source, stride, multiples, j, 8), one)
            s.m.store(s.m.at(s.result, 8 * j), register, one)


@case(*(101 + 2 * j for j in range(8)))
def column(s: State) -> None:
    strides(s, 16, 16)


@case(*(101 + 3 * j for j in range(8)))
def multiples(s: State) -> None:
    s.m.shift_left(s.a, 3)
    strides(s, s.a, 24)


@case(102, 100 + A, 102, 100 + A)
def load_index(s: State) -> None:
    for word, size in enumerate((8, 4)):
        register, index = s.m.general("register"), s.m.general("index")
        s.m.load_index(register, s.source, 16, size)
        s.put(register, 2 * word)
        s.m.copy(index, s.a)
        if size == 4:
            s.m.advance(index, s.a)  # elements of 32 bits: the lower halves of the words
        s.m.load_index(register, s.source, 0, size, index)
        s.put(register, 2 * word + 1)


@case(103, 0, 103, 103, 103, 103, 102)
def store_element(s: State) -> None:
    """store_element, load_element and zero_element handle every size, with an index and with a displacement."""
    s.m.copy(s.b, 0)
    s.put(s.b, 1)
    for word, size in ((0, 8), (2, 4), (3, 2), (4, 1), (5, 8)):
        s.put(s.b, word)
        index = s.m.general("index")
        s.m.copy(index, 0)
        s.m.advance(index, s.a, 8 // size)
        s.m.load_element(s.source, index, 0, size)
        s.m.store_element(s.result, None, 8 * word, size)
        s.m.release(index)
    s.m.zero_element()
    s.m.store_element(s.result, None, 8, 8)
    s.m.load_element(s.source, None, 16, 8)
    s.m.store_element(s.result, s.a, 24, 8)  # result[3 + 3]


@case(A + B * B, A + (A + B * B) * MASK)
def advance_product(s: State) -> None:
    register, minus = s.m.general("register"), s.m.general("minus")
    s.m.copy(register, s.a)
    s.m.advance_product(register, s.b, s.b)
    s.put(register)
    s.m.copy(minus, -1)
    s.m.copy(s.b, s.a)
    s.m.advance_product(s.b, register, minus)
    s.put(s.b, 1)


def bounds(s: State, verb: Any) -> None:
    """Record whether the body runs for the pairs (3, 5), (5, 3), (3, 3) and (-1, 5), and for numbers as limits."""
    flag, minus = s.m.general("flag"), s.m.general("minus")
    s.m.copy(minus, -1)
    for word, (value, limit) in enumerate(((s.a, s.b), (s.b, s.a), (s.a, s.a), (minus, s.b), (s.a, B), (minus, 9))):
        s.m.copy(flag, 0)
        with verb(value, limit):
            s.m.copy(flag, 1)
        s.put(flag, word)


@case(1, 0, 0, 0, 1, 0)
def within(s: State) -> None:
    bounds(s, s.m.within)


@case(0, 1, 1, 1, 0, 1)
def beyond(s: State) -> None:
    bounds(s, s.m.beyond)


@case(1, 0, 1, 0, 0, 0)
def branch_if_more(s: State) -> None:
    amount, flag = s.m.general("amount"), s.m.general("flag")
    for word, (value, most) in enumerate(((0, 0), (1, 0), (4096, 4096), (4097, 4096), (1 << 40, 4096), (8, 7))):
        more = s.m.asm.label("more")
        s.m.copy(flag, 0)
        s.m.copy(amount, value)
        s.m.branch_if_more(amount, most, more)
        s.m.copy(flag, 1)
        s.m.asm.bind(more)
        s.put(flag, word)


@case(A, A, B)
def lower(s: State) -> None:
    register = s.m.general("register")
    for word, (first, second) in enumerate(((s.a, s.b), (s.b, s.a), (s.b, None))):
        s.m.copy(register, first)
        other = s.m.general("other")
        s.m.copy(other, -1 if second is None else second)  # as an unsigned number, -1 is the greatest
        s.m.lower(register, other)
        s.put(register, word)
        s.m.release(other)


@case(A)
def prefetch(s: State) -> None:
    """A prefetch of any address is harmless."""
    s.m.prefetch(s.source, 0)
    s.m.prefetch(s.source, 1 << 20)
    s.put(s.a)


@case(A)
def prefetch_ahead(s: State) -> None:
    """A prefetch of any address is harmless."""
    s.m.prefetch_ahead(s.source, 0)
    s.m.prefetch_ahead(s.source, 1 << 20)
    s.put(s.a)


IN_OTHERS = {
    "at",
    "counter",
    "each_bit",
    "enter",
    "general",
    "generals_left",
    "if_bit",
    "leave",
    "load_element",
    "pooled",
    "release",
    "store_general",
    "zero_element",
}
"""Verbs that the kernels of other cases use."""


@pytest.mark.parametrize("name", [*TARGETS] if SOAK else MACHINES)
@pytest.mark.parametrize("verb", CASES)
def test_verb(verb: str, name: str):
    check(*CASES[verb], name)


def check(emit: Emit, wanted: list[int], name: str) -> None:
    """Execute a kernel for a target in the emulator, and natively if the host can."""
    m = machine_for(TARGETS[name])
    m.enter(2)
    emit(State(m, *m.arguments(4)))
    m.leave()
    code = m.asm.finish(emit.__name__).data
    source = np.arange(100, 100 + WORDS, dtype=np.int64)
    source.flags.writeable = False
    expected = [word & MASK for word in wanted] + [77] * (WORDS - len(wanted))
    result = np.full(WORDS, 77, np.uint64)
    call(code, m.target, A, B, source, result)
    assert list(result) == expected
    if not host.runs(m.target):
        result[:] = 77
        block = publish(code)
        function = ffi.cast("void(*)(uint64_t, uint64_t, void *, void *)", block.address)
        function(A, B, *(ffi.cast("void *", address_of(each)) for each in (source, result)))
        assert list(result) == expected, "natively"


def test_every_verb_has_a_case():
    verbs = {
        name
        for each in (GeneralVerbsOf, ElementMovesOf)
        for name, value in vars(each).items()
        if callable(value) and not name.startswith("_")
    }
    assert verbs == set(CASES) | IN_OTHERS

"""Random functions on virtual registers, and what they compute: each is a tree, which an interpreter of Python's
integers and a recorder of instructions walk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np

import tilesmith as ts
from tilesmith import a64, x86

GENERALS, VECTORS, LANES = 9, 7, 4
_WORD = (1 << 64) - 1
Statement = tuple[Any, ...]
Body = list[Statement]


def low(value: int, bits: int = 64) -> int:
    """Return the lowest bits."""
    return value & (1 << bits) - 1


def signed(value: int, bits: int = 64) -> int:
    """Return bits as a signed number."""
    return low(value, bits) - (low(value, bits) >> bits - 1 << bits)


class Operation(NamedTuple):
    """One operation: what it computes of the old value of its destination and its sources, and the instructions. The
    letters are the banks of destination and sources: g, v."""

    banks: str
    compute: Callable[..., Any]
    x86: Callable[..., None]
    a64: Callable[..., None]


def lanes(compute: Callable[[int, int], int]) -> Callable[..., list[int]]:
    """Return an operation of vectors from one of 32-bit lanes."""
    return lambda old, first, second, number: [low(compute(a, b), 32) for a, b in zip(first, second)]


def _inserted(old: list[int], source: int, number: int) -> list[int]:
    made = list(old)
    made[number % LANES] = low(source, 32)
    return made


def _two(mnemonic: str) -> Callable[..., None]:
    """An operation of x86-64 that overwrites its first source."""

    def emit(f: Any, to: Any, first: Any, second: Any, number: int) -> None:
        copy = f.r64()
        f.mov(copy, first)
        getattr(f, mnemonic)(copy, second)
        f.mov(to, copy)

    return emit


def _shift_by_register(f: Any, to: Any, first: Any, second: Any, number: int) -> None:
    copy = f.r64("shifted")
    f.mov(copy, first)
    f.shl(copy, second.r8)  # in cl
    f.mov(to, copy)


def _flag(f: Any, to: Any, first: Any, second: Any, number: int) -> None:
    f.cmp(first, second)
    f.setl(to.r8)


def _selected(f: Any, to: Any, first: Any, second: Any, number: int) -> None:
    f.cmp(first, second)
    f.cmovl(to, first)


def _flag_a64(f: Any, to: Any, first: Any, second: Any, number: int) -> None:
    flag = f.x("flag")
    f.cmp(first, second)
    f.cset(flag, a64.LT)
    f.bfi(to, flag, 0, 8)


OPERATIONS = {
    "add": Operation("ggg", lambda old, a, b, n: a + b, _two("add"), lambda f, d, a, b, n: f.add(d, a, b)),
    "sub": Operation("ggg", lambda old, a, b, n: a - b, _two("sub"), lambda f, d, a, b, n: f.sub(d, a, b)),
    "mul": Operation("ggg", lambda old, a, b, n: a * b, _two("imul"), lambda f, d, a, b, n: f.mul(d, a, b)),
    "into": Operation(
        "gg", lambda old, a, n: old ^ a, lambda f, d, a, n: f.xor(d, a), lambda f, d, a, n: f.eor(d, d, a)
    ),
    "low": Operation(
        "gg",
        lambda old, a, n: low(a, 32),
        lambda f, d, a, n: f.mov(d.r32, a.r32),
        lambda f, d, a, n: f.mov(a64.W[d], a64.W[a]),
    ),
    "scaled": Operation(
        "ggg",
        lambda old, a, b, n: a + 4 * b + n,
        lambda f, d, a, b, n: f.lea(d, x86.ptr[a + b * 4 + n]),
        lambda f, d, a, b, n: (f.add(d, a, b.lsl(2)), f.add(d, d, n)),
    ),
    "shifted": Operation(
        "ggg",
        lambda old, a, b, n: a << (b & 63),
        _shift_by_register,
        lambda f, d, a, b, n: f.lsl(d, a, b),
    ),
    "flag": Operation("ggg", lambda old, a, b, n: old & ~255 | (signed(a) < signed(b)), _flag, _flag_a64),
    "least": Operation(
        "ggg",
        lambda old, a, b, n: a if signed(a) < signed(b) else old,
        _selected,
        lambda f, d, a, b, n: (f.cmp(a, b), f.csel(d, a, d, a64.LT)),
    ),
    "vadd": Operation(
        "vvv",
        lanes(lambda a, b: a + b),
        lambda f, d, a, b, n: f.vpaddd(d, a, b),
        lambda f, d, a, b, n: f.add(d.s4, a.s4, b.s4),
    ),
    "vsub": Operation(
        "vvv",
        lanes(lambda a, b: a - b),
        lambda f, d, a, b, n: f.vpsubd(d, a, b),
        lambda f, d, a, b, n: f.sub(d.s4, a.s4, b.s4),
    ),
    "vmul": Operation(
        "vvv",
        lanes(lambda a, b: a * b),
        lambda f, d, a, b, n: f.vpmulld(d, a, b),
        lambda f, d, a, b, n: f.mul(d.s4, a.s4, b.s4),
    ),
    "vmore": Operation(
        "vvv",
        lambda old, a, b, n: [low(c + x * y, 32) for c, x, y in zip(old, a, b)],
        lambda f, d, a, b, n: (f.vpmulld(x := f.xmm(), a, b), f.vpaddd(d, d, x)),
        lambda f, d, a, b, n: f.mla(d.s4, a.s4, b.s4),
    ),
    "insert": Operation(
        "vg",
        _inserted,
        lambda f, d, a, n: f.vpinsrd(d, d, a.r32, n % LANES),
        lambda f, d, a, n: f.mov(d.s[n % LANES], a64.W[a]),
    ),
    "extract": Operation(
        "gv",
        lambda old, a, n: a[n % LANES],
        lambda f, d, a, n: f.vpextrd(d.r32, a, n % LANES),
        lambda f, d, a, n: f.umov(a64.W[d], a.s[n % LANES]),
    ),
}
_CONDITIONS = {
    "l": (lambda a, b: signed(a) < signed(b), a64.LT),
    "ae": (lambda a, b: a >= b, a64.HS),
    "ne": (lambda a, b: a != b, a64.NE),
}


def body(random: Random, size: int, depth: int) -> Body:
    """Draw statements: operations, conditions, and loops of a few turns."""
    made: Body = []
    for _ in range(size):
        kind = random.choice(("if", "loop", "while")) if depth and random.random() < 0.35 else "do"
        if kind == "do":
            name = random.choice(sorted(OPERATIONS))
            banks = OPERATIONS[name].banks
            places = [random.randrange(GENERALS if bank == "g" else VECTORS) for bank in banks]
            made.append(("do", name, places, random.randrange(100)))
            continue
        inside = body(random, random.randint(1, size), depth - 1)
        if kind == "if":
            other = body(random, random.randint(1, size), depth - 1) if random.random() < 0.5 else []
            places = [random.randrange(GENERALS) for _ in range(2)]
            made.append(("if", random.choice(sorted(_CONDITIONS)), places, inside, other))
        else:
            made.append((kind, random.randrange(1, 4), random.randrange(GENERALS), inside))
    return made


def interpret(statements: Body, general: list[int], vectors: list[list[int]]) -> None:
    """Execute statements on integers."""
    for kind, *rest in statements:
        if kind == "do":
            name, places, number = rest
            operation = OPERATIONS[name]
            banks = [general if bank == "g" else vectors for bank in operation.banks]
            read: list[Any] = [bank[place] for bank, place in zip(banks, places)]  # type: ignore[index]
            result = operation.compute(*read, number)
            banks[0][places[0]] = low(result) if banks[0] is general else result  # type: ignore[index, call-overload]
        elif kind == "if":
            condition, (first, second), inside, other = rest
            holds = _CONDITIONS[condition][0](general[first], general[second])
            interpret(inside if holds else other, general, vectors)
        elif kind == "loop":
            for _ in range(rest[0]):
                interpret(rest[2], general, vectors)
        else:  # turns while a counter is below the number; one ends early where the register is odd
            for _ in range(rest[0]):
                interpret(rest[2], general, vectors)
                if general[rest[1]] & 1:
                    break


def record(f: Any, statements: Body, general: Sequence[Any], vectors: Sequence[Any]) -> None:
    """Record the instructions of statements."""
    on_x86 = f.arch == "x86"
    for kind, *rest in statements:
        if kind == "do":
            name, places, number = rest
            operation = OPERATIONS[name]
            registers = [(general if bank == "g" else vectors)[place] for bank, place in zip(operation.banks, places)]
            getattr(operation, f.arch)(f, *registers, number)
        elif kind == "if":
            condition, (first, second), inside, other = rest
            with f.if_(condition if on_x86 else _CONDITIONS[condition][1], general[first], general[second]):
                record(f, inside, general, vectors)
            if other:
                with f.else_():
                    record(f, other, general, vectors)
        elif kind == "loop":
            with f.loop(f.r64("turns") if on_x86 else f.x("turns"), rest[0]):
                record(f, rest[2], general, vectors)
        else:
            counter = f.r64("counter") if on_x86 else f.x("counter")
            f.mov(counter, 0)
            with f.while_("l" if on_x86 else a64.LT, counter, rest[0]) as loop:
                record(f, rest[2], general, vectors)
                f.add(counter, *([1] if on_x86 else [counter, 1]))
                if on_x86:
                    f.test(general[rest[1]], 1)
                    f.jne(loop.end)
                else:
                    f.tbnz(general[rest[1]], 0, loop.end)


class Drawn(NamedTuple):
    """A function of integers that stores all its values, its arguments, among which the array `out` gets the values,
    and what these must be."""

    function: Any
    arguments: list[Any]
    out: np.ndarray
    general: list[int]
    vectors: list[list[int]]

    def check(self) -> None:
        """Check what was stored, and clear it."""
        lanes_ = self.out[GENERALS:].view(np.uint32).reshape(VECTORS, LANES)
        assert [low(int(each)) for each in self.out[:GENERALS]] == self.general
        assert lanes_.tolist() == self.vectors
        self.out[:] = 0


TYPES = ("i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")


def draw(random: Random, target: str, size: int = 8) -> Drawn:
    """Draw a function of GENERALS integers. It gets few registers, so that many values are in the frame."""
    types = [random.choice(TYPES) for _ in range(GENERALS)]
    arguments = tuple(_argument(random, each) for each in types)
    names = [f"{kind} a{at}" for at, kind in enumerate(types)]
    at = random.randrange(GENERALS + 1)
    f: Any = ts.assembler(target).function(
        f"void drawn({', '.join([*names[:at], f'long out[{GENERALS + VECTORS * 2}]', *names[at:]])})"
    )
    registers = list(f.arguments)
    out = registers.pop(at)
    on_x86 = f.arch == "x86"
    vectors = [f.xmm(f"v{at}") if on_x86 else f.v(f"v{at}") for at in range(VECTORS)]
    for number, vector in enumerate(vectors):
        source = registers[number % GENERALS]
        if on_x86:
            f.vmovd(vector, source.r32)
            f.vpbroadcastd(vector, vector)
        else:
            f.dup(vector.s4, a64.W[source])
    statements = body(random, size, 2)
    record(f, statements, registers, vectors)
    kept = [random.random() < 0.5 for _ in range(GENERALS + VECTORS)]  # the others are dead somewhere before
    for number, register in enumerate(registers):
        if not kept[number]:
            continue
        f.mov(x86.qword[out + 8 * number], register) if on_x86 else f.str(register, a64.mem[out, 8 * number])
    for number, vector in enumerate(vectors):
        if not kept[GENERALS + number]:
            continue
        place = 8 * GENERALS + 16 * number
        f.vmovdqu(x86.ptr[out + place], vector) if on_x86 else f.stur(a64.Q[vector], a64.mem[out, place])
    f.ret()
    general_order, vector_order = (
        random.sample(sorted({*order} - {1, 2, 3}), random.randrange(2, 6)) for order in f.orders[:2]
    )
    # 1 is rcx, in which a number of bits to shift by must be, and some instructions take no vector above 15
    f.orders = ([*general_order, 1, 2], [*vector_order, 1, 2, 3], f.orders[2])
    general = [low(each) for each in arguments]
    lane_values = [[low(general[at % GENERALS], 32)] * LANES for at in range(VECTORS)]
    interpret(statements, general, lane_values)
    general = [each if stored else 0 for each, stored in zip(general, kept)]
    lane_values = [each if stored else [0] * LANES for each, stored in zip(lane_values, kept[GENERALS:])]
    array = np.zeros(GENERALS + 2 * VECTORS, np.int64)
    return Drawn(f, [*arguments[:at], array, *arguments[at:]], array, general, lane_values)


def _argument(random: Random, type: str) -> int:
    bits = int(type[1:])
    value = random.randrange(1 << bits)
    return signed(value, bits) if type[0] == "i" else value

"""Calls of everything public except the instructions: methods of the assemblers, and functions that make operands.

Each call is a function of an assembler and valid arguments; `wrong_operands.py` replaces one argument by another value.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

from tests.encoder.a64_targets import EVERYTHING as A64_EVERYTHING
from tests.encoder.targets import EVERYTHING as X86_EVERYTHING
from tilesmith.encoder import decode as decoding
from tilesmith.encoder.a64 import coherence, names
from tilesmith.encoder.a64 import registers as a64
from tilesmith.encoder.operands import Label
from tilesmith.encoder.x86 import registers as x86
from tilesmith.encoder.x86.assembler import X86Assembler

Arguments = Callable[[random.Random], tuple[Any, ...]]


class Function(NamedTuple):
    """A public function, and a generator of valid arguments for it."""

    name: str
    arch: str
    call: Callable[..., Any]  # of an assembler and the arguments
    arguments: Arguments
    adds: bool = False  # messages name the sum of which a number is a part


def _looped(asm: Any, *arguments: Any) -> None:
    with asm.loop(*arguments):
        asm.nop()


def _bracketed(make: Any) -> Callable[..., Any]:
    return lambda asm, place: make[place]


def _general(rng: random.Random) -> x86.Reg:
    return rng.choice([reg for reg in x86.R64 if reg.num != 4])


def _mem_arguments(rng: random.Random) -> tuple[Any, ...]:
    return _general(rng), rng.randrange(1 << 30), _general(rng), rng.choice((1, 2, 4, 8)), rng.choice((0, 1, 4))


def _full_mem_arguments(rng: random.Random) -> tuple[Any, ...]:
    base, disp, index, scale, broadcast = _mem_arguments(rng)
    return base, disp, index, scale, rng.choice((0, 32, 512)), broadcast, None, x86.K[rng.randrange(1, 8)], False


def _term(rng: random.Random) -> tuple[Any, ...]:
    return (rng.choice((rng.randrange(99), _general(rng))),)


def _address_arguments(rng: random.Random) -> tuple[Any, ...]:
    return _general(rng), _general(rng), 4, rng.randrange(99)


def _label_arguments(rng: random.Random) -> tuple[Any, ...]:
    return Label("l"), x86.K[rng.randrange(1, 8)], False


def _mask(rng: random.Random) -> tuple[Any, ...]:
    return (x86.K[rng.randrange(1, 8)],)


def _both(asm: Any) -> str:
    return "x86" if isinstance(asm, X86Assembler) else "a64"


def _started(asm: Any, target: Any) -> Any:
    return type(asm)(target).target.name


def _fixed_up(asm: Any, *arguments: Any) -> None:
    asm.nop()
    asm.fixup(*arguments)


def _both_architectures(name: str, call: Callable[..., Any], arguments: Arguments) -> tuple[Function, ...]:
    return Function(name, "x86", call, arguments), Function(name, "a64", call, arguments)


_METHODS = (
    *_both_architectures("label", lambda asm, name: asm.label(name), lambda rng: (f"l{rng.random()}",)),
    *_both_architectures("here", lambda asm, name: asm.here(name), lambda rng: (f"l{rng.random()}",)),
    *_both_architectures("bind", lambda asm, label: repr(asm.bind(label)), lambda rng: (Label("end"),)),
    *_both_architectures("fixup", _fixed_up, lambda rng: (Label("l"), 0, 1, rng.randrange(4), rng.randrange(4))),
    *_both_architectures("const", lambda asm, *a: asm.const(*a), lambda rng: (rng.randbytes(8), rng.choice((0, 64)))),
    *_both_architectures("const_f32", lambda asm, value: asm.const_f32(value), lambda rng: (rng.random(),)),
    *_both_architectures("const_f64", lambda asm, value: asm.const_f64(value), lambda rng: (rng.randrange(9),)),
    *_both_architectures("note", lambda asm, text: asm.note(text), lambda rng: ("a remark",)),
    *_both_architectures("finish", lambda asm, name: asm.finish(name).name, lambda rng: ("a kernel",)),
    *_both_architectures("gap", lambda asm, boundary: asm.gap(boundary), lambda rng: (1 << rng.randrange(7),)),
    *_both_architectures("remove", lambda asm, start, end: asm.remove(start, end), lambda rng: (0, 0)),
    *_both_architectures("align", lambda asm, boundary: asm.align(boundary), lambda rng: (1 << rng.randrange(7),)),
    *_both_architectures(
        "decode", lambda asm, *a: decoding.decode(*a, _both(asm)), lambda rng: (rng.randbytes(16), 4 * rng.randrange(3))
    ),
    *_both_architectures(
        "disassemble",
        lambda asm, *a: decoding.disassemble(*a),
        lambda rng: (rng.randbytes(16), rng.choice(("x86", "a64"))),
    ),
    Function("loop", "x86", _looped, lambda rng: (_general(rng), rng.randrange(1, 99), rng.choice((0, 1, 16)))),
    Function("loop", "a64", _looped, lambda rng: (rng.choice(a64.X), rng.randrange(1, 99), rng.choice((0, 4, 16)))),
    Function("__init__", "x86", _started, lambda rng: (X86_EVERYTHING,)),
    Function("__init__", "a64", _started, lambda rng: (A64_EVERYTHING,)),
    Function(
        "load_immediate",
        "a64",
        lambda asm, *a: asm.load_immediate(*a),
        lambda rng: (rng.choice(a64.X), rng.getrandbits(64)),
    ),
    Function("flush", "a64", coherence.flush, lambda rng: tuple(rng.sample(a64.X[:9], 2))),
)

_RBX = x86.R64[3]
_X86_OPERANDS = tuple(
    Function(name, "x86", call, arguments, adds)
    for name, call, arguments, adds in (
        ("ptr[]", _bracketed(x86.ptr), lambda rng: (rng.choice((_general(rng), rng.randrange(1 << 30))),), False),
        ("dword[]", _bracketed(x86.dword), lambda rng: (_general(rng) * 4 + rng.randrange(99),), False),
        ("reg + x", lambda asm, x: x86.ptr[_RBX + x], _term, False),
        ("reg - x", lambda asm, x: x86.ptr[_RBX - x], lambda rng: (rng.randrange(99),), True),
        ("reg * x", lambda asm, x: x86.ptr[_RBX * x], lambda rng: (rng.choice((1, 2, 4, 8)),), False),
        ("sum + x", lambda asm, x: x86.ptr[_RBX + 8 + x], _term, True),
        ("sum - x", lambda asm, x: x86.ptr[_RBX + 8 - x], lambda rng: (rng.randrange(99),), True),
        ("Address", lambda asm, *a: x86.ptr[x86.Address(*a)], _address_arguments, False),
        ("mem", lambda asm, *a: x86.mem(*a), _mem_arguments, False),
        ("Mem", lambda asm, *a: x86.Mem(*a), _full_mem_arguments, False),
        ("Mem of a label", lambda asm, *a: x86.Mem(None, 0, None, 1, 0, 0, *a), _label_arguments, False),
        ("k", lambda asm, mask: x86.ZMM[2].k(mask), _mask, False),
        ("kz", lambda asm, mask: x86.XMM[9].kz(mask), _mask, False),
        ("Mem.k", lambda asm, mask: x86.ptr[_RBX].k(mask), _mask, False),
        ("Mem.to", lambda asm, count: x86.ptr[_RBX].to(count), lambda rng: (rng.choice((2, 4, 8, 16, 32)),), False),
        ("Mem.offset", lambda asm, disp: x86.ptr[_RBX].offset(disp), lambda rng: (rng.randrange(99),), False),
    )
)

_A64_OPERANDS = tuple(
    Function(name, "a64", call, arguments)
    for name, call, arguments in (
        ("mem[]", _bracketed(a64.mem), lambda rng: (rng.choice((rng.choice(a64.X), (a64.X[0], rng.randrange(99)))),)),
        ("mem[,]", lambda asm, *a: a64.mem[a], lambda rng: (rng.choice(a64.X), rng.randrange(1 << 30))),
        ("post", lambda asm, x: a64.mem[a64.X[0]].post(x), lambda rng: (rng.randrange(1 << 30),)),
        ("vl", lambda asm, x: a64.vl.__rmul__(x), lambda rng: (rng.randrange(1 << 30),)),
        ("lsl", lambda asm, x: a64.X[2].lsl(x), lambda rng: (rng.randrange(1 << 30),)),
        ("uxtw", lambda asm, x: a64.Z[2].s.uxtw(x), lambda rng: (rng.randrange(1 << 30),)),
        ("extended", lambda asm, *a: a64.W[2].extended(*a), lambda rng: ("sxth", rng.randrange(1 << 30))),
        ("lane", lambda asm, x: a64.V[2].s[x], lambda rng: (rng.randrange(1 << 30),)),
        ("view", lambda asm, x: a64.V[2].view(x), lambda rng: (rng.choice(("4s", "16b", "d")),)),
        ("Z.view", lambda asm, x: a64.Z[2].view(x), lambda rng: (rng.choice("bhsdq"),)),
        ("P.view", lambda asm, x: a64.P[2].view(x), lambda rng: (rng.choice("bhsd"),)),
        ("ZA.view", lambda asm, x: a64.ZA[2].view(x), lambda rng: (rng.choice("bhsdq"),)),
        ("za.view", lambda asm, x: a64.za.view(x), lambda rng: (rng.choice("bhsd"),)),
        ("direction", lambda asm, x: a64.ZA[0].s.direction(x), lambda rng: (rng.choice("hv"),)),
        ("listed", lambda asm, *a: a64.listed(*a), lambda rng: tuple(reg.s4 for reg in rng.sample(a64.V, 2))),
        ("list[]", lambda asm, x: a64.listed(a64.V[3].s)[x], lambda rng: (rng.randrange(1 << 30),)),
        ("tiles", lambda asm, *a: a64.tiles(*a), lambda rng: (a64.ZA[rng.randrange(4)].s, a64.ZA[0].d)),
        ("slice", lambda asm, *a: a64.ZA[0].s.h[a], lambda rng: (a64.W[12], rng.randrange(1 << 30))),
        ("group", lambda asm, *a: a64.za.d[a], lambda rng: (a64.W[8], slice(rng.randrange(1 << 30), 1 << 31), 2)),
        ("slice[]", _bracketed(a64.ZA[1].s.v), lambda rng: ((a64.W[12], rng.randrange(1 << 30)),)),
        ("P[]", _bracketed(a64.P[1].s), lambda rng: ((a64.W[12], rng.randrange(1 << 30)),)),
        ("modifier", lambda asm, *a: names.modifier(*a), lambda rng: ("lsl", rng.randrange(64))),
        ("names.lsl", lambda asm, x: names.lsl(x), lambda rng: (rng.randrange(64),)),
        ("names.mul", lambda asm, x: names.mul(x), lambda rng: (rng.randrange(1, 17),)),
        (
            "system_register",
            lambda asm, *a: names.system_register(*a),
            lambda rng: tuple(map(rng.randrange, (2, 0, 0, 0, 0), (4, 8, 16, 16, 8))),
        ),
        ("Label", lambda asm, name: Label(name), lambda rng: ("a label",)),
    )
)


FUNCTIONS = (*_METHODS, *_X86_OPERANDS, *_A64_OPERANDS)


def fresh(argument: Any) -> Any:
    """Return the argument for one call: a new label each time, since a label can be bound only once."""
    return Label(argument.name) if isinstance(argument, Label) else argument

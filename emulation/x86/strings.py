"""String instructions: one step of each, its repetition, and comparisons of strings in vector registers. Maps semantics
keys to factories of closures.

A repeated instruction is one step of a call, whatever the count. `rep movs` and `rep stos` copy and fill the whole
range at once if they go upwards and the ranges do not overlap.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..core.closures import Run
from ..core.memory import WRITE
from ..core.u64 import WORD, signed
from .atomics import accumulator
from .bits import trailing_zeros
from .integer import RAX, RCX, RDX, difference
from .lanes import U1, U2, U8, Array
from .operands import Semantic, X86Context
from .state import X86State, bits, number

RSI, RDI = 6, 7
_HALF = 0xFFFF_FFFF
SIZES = {"b": 1, "w": 2, "d": 4, "q": 8}


def _step(kind: str, size: int, state: X86State) -> Callable[[], None]:
    """Return a function that executes one step."""
    r, memory = state.r, state.memory
    held, keep = accumulator(state, size)
    moved = {"movs": (RSI, RDI), "cmps": (RSI, RDI), "stos": (RDI,), "lods": (RSI,), "scas": (RDI,)}[kind]
    act: dict[str, Callable[[], Any]] = {
        "movs": lambda: memory.store(r[RDI], size, memory.load(r[RSI], size)),
        "stos": lambda: memory.store(r[RDI], size, held()),
        "lods": lambda: keep(memory.load(r[RSI], size)),
        "scas": lambda: difference(state, held(), memory.load(r[RDI], size), 8 * size),
        "cmps": lambda: difference(state, memory.load(r[RSI], size), memory.load(r[RDI], size), 8 * size),
    }
    one = act[kind]

    def step() -> None:
        one()
        for register in moved:
            r[register] = (r[register] + (-size if state.df else size)) & WORD

    return step


def _single(kind: str, size: int, ctx: X86Context) -> Run:
    return _step(kind, size, ctx.state)


def _repeated(kind: str, size: int, ctx: X86Context) -> Run:
    """rep: as often as rcx says."""
    state, step = ctx.state, _step(kind, size, ctx.state)

    def run() -> None:
        if kind in ("movs", "stos"):
            _at_once(kind, size, state)
        while state.r[RCX]:
            step()
            state.r[RCX] -= 1

    return run


def _at_once(kind: str, size: int, state: X86State) -> None:
    """Execute all steps of rep movs or rep stos if none depends on another."""
    r, view = state.r, state.memory.view
    length = size * r[RCX]
    if not length or state.df or (kind == "movs" and abs(r[RDI] - r[RSI]) < length):
        return
    if kind == "movs":
        view(r[RDI], length, WRITE)[:] = view(r[RSI], length)
        r[RSI] = (r[RSI] + length) & WORD
    else:
        pattern = np.frombuffer((r[RAX] & (1 << 8 * size) - 1).to_bytes(size, "little"), np.uint8)
        view(r[RDI], length, WRITE).reshape(-1, size)[:] = pattern
    r[RDI], r[RCX] = (r[RDI] + length) & WORD, 0


def _until(kind: str, size: int, equal: bool, ctx: X86Context) -> Run:
    """repe, repne: as often as rcx says, but no longer than the elements are equal, or different."""
    state, step = ctx.state, _step(kind, size, ctx.state)

    def run() -> None:
        while state.r[RCX]:
            step()
            state.r[RCX] -= 1
            if state.zf != equal:
                break

    return run


# Comparisons of strings in vector registers: Intel SDM volume 2, 4.1


def _valid(values: list[int], explicit: int | None) -> int:
    """Return the number of elements before the first zero, or before an explicit length."""
    if explicit is not None:
        return min(abs(explicit), len(values))
    return values.index(0) if 0 in values else len(values)


def _aggregated(how: int, a: list[int], b: list[int], count: int) -> list[bool]:
    """Return a bit for each element of b: whether it is in the set a, or in a range of a, equals the element of a at
    the same position, or starts a copy of a. Both are cut to their valid elements; `count` are in a register."""
    if how == 0:
        found = [value in a for value in b]
    elif how == 1:
        found = [any(low <= value <= high for low, high in zip(a[::2], a[1::2])) for value in b]
    elif how == 2:
        both = min(len(a), len(b))
        found = [x == y for x, y in zip(a, b)] + [False] * (max(len(a), len(b)) - both)
        return found + [True] * (count - len(found))
    else:
        found = [
            all(at + i < len(b) and b[at + i] == x for i, x in enumerate(a) if at + i < count) for at in range(count)
        ]
    return found + [False] * (count - len(found))


def compared(x: Array, y: Array, lengths: tuple[int | None, int | None], control: int) -> tuple[int, int, int, int]:
    """Return the result bits, the numbers of valid elements of both strings, and the number of elements."""
    dtype = np.dtype(("u1", "u2", "i1", "i2")[control & 3])
    a, b = x.view(dtype).tolist(), y.view(dtype).tolist()
    m, n = (_valid(values, length) for values, length in zip((a, b), lengths))
    word = number(np.array(_aggregated(control >> 2 & 3, a[:m], b[:n], len(a))))
    inverted = {1: (1 << len(a)) - 1, 3: (1 << n) - 1}.get(control >> 4 & 3, 0)
    return word ^ inverted, m, n, len(a)


def _compare(explicit: bool, mask: bool, ctx: X86Context) -> Run:
    """pcmpestri and its like: the result is an index in rcx, or a mask in xmm0."""
    state, control = ctx.state, ctx.operands[2]
    first, second = ctx.source(0, U8, 2), ctx.source(1, U8, 2)
    low, above = state.row(0, U8, 2), state.above(0, 16)

    def run() -> None:
        lengths = (signed(state.r[RAX] & _HALF, 32), signed(state.r[RDX] & _HALF, 32)) if explicit else (None, None)
        word, m, n, count = compared(first(), second(), lengths, control)
        state.cf, state.zf, state.sf, state.of = bool(word), n < count, m < count, bool(word & 1)
        state.af = state.pf = False
        last = bool(control >> 6 & 1)
        if mask:
            elements = -bits(word, count).astype(U1 if count == 16 else U2)
            low[:] = elements.view(U8) if last else (word, 0)
            above[:] = 0
        else:
            state.r[RCX] = (word.bit_length() - 1 if last else trailing_zeros(word, count)) if word else count

    return run


TABLE: dict[str, Semantic] = {}
for _kind in ("movs", "stos", "lods", "cmps", "scas"):
    for _letter, _size in SIZES.items():
        _name = _kind + _letter
        TABLE[f"string.{_name}"] = partial(_single, _kind, _size)
        if _kind in ("cmps", "scas"):
            TABLE[f"repe {_name}"] = partial(_until, _kind, _size, True)
            TABLE[f"repne {_name}"] = partial(_until, _kind, _size, False)
        else:
            TABLE[f"rep {_name}"] = partial(_repeated, _kind, _size)
TABLE |= {
    f"vpcmp{length}str{result}": partial(_compare, length == "e", result == "m") for length in "ei" for result in "im"
}

"""Loops whose results lie in the place of an operand are summarised: code that is right only apart must be refuted."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import pytest

import tilesmith as ts
from tilesmith.encoder.code import Code
from tilesmith.runtime.handwritten.assemblers import X86ByHand as Asm
from tilesmith.x86 import ptr, r10, rdi, rdx, rsi, xmm0, xmm1, xmm2, xmm3

ELEMENTS, VECTOR, SIZE = 41, 16, 4
BYTES = ELEMENTS * SIZE
Body = Callable[[Asm], object]
X0, X1, Y = rdi, rsi, rdx


def steps(asm: Asm, words: str) -> None:
    """Emit words: an operation and a place in bytes. a, b load x0, x1; + adds; s stores the sum; z stores zeros; c
    copies x0, d copies x1; p, q add x0, x1 to what y holds; h, o store the sum, or an element of it, elsewhere."""
    for word in words.split():
        what, at = word[0], int(word[1:] or 0)
        one, other = (xmm2, xmm3) if at == VECTOR else (xmm0, xmm1)
        if what in "uv":  # of a tail
            asm.movups(xmm0 if what == "u" else xmm1, ptr[(X0 if what == "u" else X1) + at])
        elif what == "a":
            asm.movups(one, ptr[X0 + at])
        elif what == "b":
            asm.movups(other, ptr[X1 + at])
        elif what == "+":
            asm.addps(one, other)
        elif what == "s":
            asm.movups(ptr[Y + at], one)
        elif what == "h":  # the sum of the first vector, elsewhere
            asm.movups(ptr[Y + at], xmm0)
        elif what == "o":
            asm.movss(ptr[Y + at], xmm0)
        elif what == "z":
            asm.xorps(xmm2, xmm2)
            asm.movups(ptr[Y + at], xmm2)
        elif what in "cd":
            asm.movups(xmm2, ptr[(X0 if what == "c" else X1) + at])
            asm.movups(ptr[Y + at], xmm2)
        else:
            asm.movups(xmm2, ptr[Y + at])
            asm.movups(xmm3, ptr[(X0 if what == "p" else X1) + at])
            asm.addps(xmm2, xmm3)
            asm.movups(ptr[Y + at], xmm2)


def single(asm: Asm, at: int = 0) -> None:
    asm.movss(xmm0, ptr[X0 + at])
    asm.addss(xmm0, ptr[X1 + at])
    asm.movss(ptr[Y + at], xmm0)


WHOLE = "a b + s"


def code(bodies: list[str], times: int, tail: Body = single, step: int = VECTOR) -> Code:
    """Return y = x0 + x1 of 41 elements, by a loop for each of the bodies, one after the other."""
    asm = ts.assembler("sse")
    for number, body in enumerate(bodies):
        asm.mov(r10, times)
        if number:
            for register in (X0, X1, Y):
                asm.sub(register, step * times)
        head = asm.label(f"head{number}")
        asm.bind(head)
        steps(asm, body)
        for register in (X0, X1, Y):
            asm.add(register, step)
        asm.dec(r10)
        asm.jne(head)
    tail(asm)
    asm.ret()
    return asm.finish("added")


def rest(asm: Asm, times: int) -> None:
    """The vectors after so many, and the last element."""
    for number in range(times, 10):
        at = VECTOR * (number - times)
        asm.movups(xmm0, ptr[X0 + at])
        asm.movups(xmm1, ptr[X1 + at])
        asm.addps(xmm0, xmm1)
        asm.movups(ptr[Y + at], xmm0)
    single(asm, VECTOR * (10 - times))


def again(at: int) -> Body:
    """The last element, and then a vector that may have been computed before."""

    def tail(asm: Asm) -> None:
        single(asm)
        steps(asm, f"u{at} v{at} + s{at}")

    return tail


APART = (
    *[
        ("two stores", [words], 10)
        for words in ("c q", "d p", "z a b + s", "a z b + s", "b z a + s", "a b + s a b + s")
    ],
    *[
        ("two passes", words.split(", "), 10)
        for words in ("c, q", "d, p", f"{WHOLE}, {WHOLE}", f"c, {WHOLE}", f"d q, {WHOLE}")
    ],
    *[("a vector ahead", [f"{WHOLE} h{at}"], (BYTES - VECTOR - at) // VECTOR + 1) for at in (16, 20, 32, 36, 48, 64)],
    *[("an element ahead", [f"{WHOLE} o{at}"], (BYTES - SIZE - at) // VECTOR + 1) for at in (16, 20, 24, 28, 32, 48)],
    *[
        ("two vectors", [words], 5)
        for words in (
            "a b + s a b + s a16 b16 +16 s16",
            "a s b + s a16 b16 +16 s16",
            "a a16 s16 b + s b16 +16 s16",
            "a b + h16 s a16 b16 +16 s16",
            "a b + s a16 s16 b16 +16 s16",
        )
    ],
)
"""Codes that are right if y lies apart: what they do, the bodies of their loops, and how often."""
TAILS = (-12, -16, -32, -160)
RIGHT = (([WHOLE], 10), (["a b + a16 b16 +16 s s16"], 5), (["a b + s a16 b16 +16 s16"], 5))


@cache
def kernel() -> ts.Kernel:
    return ts.binary("add", 1, ELEMENTS, target="sse")


def step(bodies: list[str]) -> int:
    return 2 * VECTOR if "a16" in bodies[0] else VECTOR


def tail(bodies: list[str], times: int) -> Body:
    return single if step(bodies) != VECTOR else partial(rest, times=times)


def refuted(made: Code) -> None:
    proof = ts.verify(made, kernel())
    assert proof.refuted and "in the place of" in str(proof), proof


@pytest.mark.grid(12)
@pytest.mark.parametrize("what, bodies, times", APART)
def test_right_only_apart(what: str, bodies: list[str], times: int) -> None:
    refuted(code(bodies, times, tail(bodies, times), step(bodies)))


@pytest.mark.parametrize("at", TAILS)
def test_tails_that_overlap(at: int) -> None:
    refuted(code([WHOLE], 10, again(at)))


@pytest.mark.parametrize("bodies, times", RIGHT)
def test_right_in_place(bodies: list[str], times: int) -> None:
    assert ts.verify(code(bodies, times, step=step(bodies)), kernel())

"""Pieces of code that are appended again have the same bytes and the same listing as instructions appended one by
one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tilesmith.encoder.features import TARGETS
from tilesmith.encoder.listing import listing
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.registers import R64, YMM, Mem, dword
from tilesmith.microkernels.contract.pieces import Reusable, appended, recording, reusable


def loop(asm: Any) -> None:
    """Emit a backward and a forward branch, constants and a note."""
    past = asm.label()
    asm.note("a piece")
    asm.vmovups(YMM[1], Mem(label=asm.const(b"ab" * 16)))
    with asm.loop(R64[1], 16):
        asm.vaddps(YMM[1], YMM[1], Mem(label=asm.const(b"cd" * 16)))
        asm.je(past)
        asm.add(dword[R64[0] + 8], 5)
    asm.bind(past)


def code(parts: list[Callable[[Any], None]]) -> Any:
    asm = X86Assembler(TARGETS["avx2"])
    for part in parts:
        asm.nop()
        part(asm)
    asm.ret()
    return asm.finish("name")


def recorded(part: Callable[[Any], None], before: Callable[[Any], None] = lambda asm: None) -> Reusable | None:
    asm = X86Assembler(TARGETS["avx2"])
    before(asm)
    with recording(asm) as taken:
        part(asm)
        piece = taken()
    return None if piece is None else reusable(piece)


def other(asm: Any) -> None:
    asm.vmovups(YMM[2], Mem(label=asm.const(b"cd" * 16)))
    asm.bind(asm.label())


def test_the_same_bytes_and_listing() -> None:
    """A piece gives equal code if other constants and labels precede it, and if it is appended twice."""
    piece = recorded(loop, other)
    assert piece is not None

    def again(asm: Any) -> None:
        appended(asm, piece)

    for before in ([], [other], [other, other]):
        expected, found = code([*before, loop, loop, other]), code([*before, again, again, other])
        assert found.data == expected.data
        assert listing(found) == listing(expected)
        assert found.references == expected.references and found.notes == expected.notes


def aligned(asm: Any) -> None:
    asm.align(16)


def named(asm: Any) -> None:
    asm.bind(asm.label("entry"))


def outwards(asm: Any) -> None:
    asm.jne(asm.label())


@pytest.mark.parametrize("part", (aligned, named, outwards))
def test_parts_that_depend_on_their_place(part: Callable[[Any], None]) -> None:
    """A part with an aligned loop, a named label, or a branch out of it is not recorded as a piece."""
    assert recorded(part) is None

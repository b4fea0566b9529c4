"""Intervals left out what instructions write: branches that large numbers of rows take counted as out of reach, and
code behind them was proved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tilesmith as ts
from tilesmith.a64 import Q, W, X, mem, sp
from tilesmith.emulation.intervals import reachable
from tilesmith.x86 import byte, dl, dword, eax, edx, ptr, r8, rax, rcx, rdx, rsp

ROWS = {2: (0, 1 << 47)}


def _carry(a: Any) -> None:
    a.mov(rcx, 5), a.mov(rax, 5000), a.cmp(rax, rdx), a.dec(rcx)


def _pushed(a: Any) -> None:
    a.mov(rax, 5), a.mov(ptr[rsp - 8], rax), a.push(rdx), a.pop(rcx)
    a.mov(rcx, ptr[rsp - 8]), a.mov(r8, 5000), a.cmp(r8, rcx)


def _half(a: Any) -> None:
    a.xor(eax, eax), a.mov(ptr[rsp - 16], rax), a.mov(dword[rsp - 12], edx)
    a.mov(rcx, ptr[rsp - 16]), a.mov(r8, 5000), a.cmp(r8, rcx)


def _one_operand(a: Any) -> None:
    a.mov(r8, rdx), a.mov(rax, 1), a.imul(r8), a.mov(r8, 5000), a.cmp(r8, rax)


@pytest.mark.parametrize("make", (_carry, _pushed, _half, _one_operand))
def test_x86(make: Callable[[Any], None]) -> None:
    asm = ts.assembler("avx2")
    far = asm.label("far")
    make(asm), asm.jb(far), asm.ret(), asm.bind(far), asm.ret()
    code = asm.finish("f").data
    possible = reachable.ways(code, "x86", ROWS)
    assert possible is not None and {goes for _, goes in possible} >= {len(code) - 1, len(code) - 2}


def _stored(store: Callable[[Any], None]) -> Callable[[Any], None]:
    def make(a: Any) -> None:
        a.sub(sp, sp, 32), a.mov(X[3], 5), a.str(X[3], mem[sp]), store(a), a.ldr(X[4], mem[sp]), a.add(sp, sp, 32)
        a.mov(X[5], 5000), a.cmp(X[5], X[4])

    return make


def _borrowed(a: Any) -> None:
    a.mov(X[3], 5), a.mov(X[5], 5000), a.cmp(X[3], 1), a.sbcs(X[4], X[5], X[2])


A64 = (_stored(lambda a: a.str(W[2], mem[sp])), _stored(lambda a: a.strh(W[2], mem[sp])), _borrowed)


@pytest.mark.parametrize("make", A64)
def test_a64(make: Callable[[Any], None]) -> None:
    asm = ts.assembler("neon")
    far = asm.label("far")
    make(asm), asm.b_lo(far), asm.ret(), asm.bind(far), asm.ldr(Q[0], mem[X[0]]), asm.ret()
    code = asm.finish("f").data
    possible = reachable.ways(code, "a64", ROWS)
    assert possible is not None and {goes for _, goes in possible} >= {len(code) - 8, len(code) - 12}


def test_a64_a_mask_with_a_sign() -> None:
    asm = ts.assembler("neon")
    far = asm.label("far")
    asm.mov(X[5], 5000), asm.sub(X[5], X[5], X[2]), asm.and_(X[5], X[5], -16), asm.cmp(X[5], 0)
    asm.b_lt(far), asm.ret(), asm.bind(far), asm.ret()
    code = asm.finish("f").data
    possible = reachable.ways(code, "a64", ROWS)
    assert possible is not None and len(code) - 4 in {goes for _, goes in possible}


@pytest.mark.parametrize("at, is_row", [(48, True), (63, True), (47, False), (64, False)])
def test_bytes_of_numbers_are_the_rows_of_tiles_only(at: int, is_row: bool) -> None:
    """Wherever the code loaded a configuration, any byte of a number could be stored."""
    asm = ts.assembler("amx")
    asm.lea(r8, ptr[rsp - 64])
    asm.mov(byte[r8 + at], dl)
    asm.ldtilecfg(ptr[r8])
    asm.tilerelease()
    asm.ret()
    found = reachable.reached(asm.finish("f").data, "x86", ROWS)
    assert found is not None and (found.narrow == ()) is is_row

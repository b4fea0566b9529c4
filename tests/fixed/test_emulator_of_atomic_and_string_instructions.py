"""The emulator refused xadd, lock add, rep movsb, rcl and crc32, and raised a TypeError of its own for cmpxchg."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.emulation.assembled import AVX512, assembled
from tilesmith.emulation.cpu import call
from tilesmith.encoder.x86.registers import R8, R32, R64, mem, qword

rax, rcx, rsi, rdi = (R64[number] for number in (0, 1, 6, 7))
eax, ecx, cl = R32[0], R32[1], R8[1]
_CRC_OF_3 = 0xDB44_8769
"""What an Emerald Rapids computes: `crc32 rax, rsi` with rax = 0 and rsi = 3."""

CASES: dict[str, tuple[Callable[[Any], object], int]] = {
    "cmpxchg": (lambda a: (a.mov(rax, 9), a.mov(rcx, 9), a.cmpxchg(rcx, rsi), a.mov(rax, rcx)), 3),
    "cmpxchg of a different number": (lambda a: (a.mov(rax, 9), a.mov(rcx, 8), a.cmpxchg(rcx, rsi)), 8),
    "lock add": (lambda a: (a.lock_add(qword[rdi], rsi), a.mov(rax, qword[rdi])), 4),
    "rep movsb": (
        lambda a: (a.lea(rsi, mem(rdi, 8)), a.mov(ecx, 8), a.mov(rax, rdi), a.rep_movsb(), a.mov(rax, qword[rax])),
        2,
    ),
    "xadd": (lambda a: (a.mov(rax, rsi), a.xadd(qword[rdi], rax)), 1),
    "rcl": (lambda a: (a.stc(), a.rcl(rsi, 1), a.mov(rax, rsi)), 7),
    "rcr": (lambda a: (a.clc(), a.mov(ecx, 1), a.rcr(rsi, cl), a.mov(rax, rsi)), 1),
    "crc32": (lambda a: (a.xor(eax, eax), a.crc32(rax, rsi)), _CRC_OF_3),
}


@pytest.mark.parametrize("name", CASES)
def test_the_results_are_those_of_the_processor(name: str) -> None:
    emit, wanted = CASES[name]
    assert call(assembled(AVX512, emit), AVX512, np.arange(1, 9, dtype=np.uint64), 3).result == wanted

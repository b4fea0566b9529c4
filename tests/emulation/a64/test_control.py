"""Branches, literals, exclusives and system registers of AArch64 in small programs: the emulator and the kernel server
give the same results. test_semantics.py cannot put these instructions into its stubs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.emulation.assembled import NEON, SVE, X, assembled, fault_of
from tests.emulation.numerics.arm import EVERYTHING
from tilesmith.emulation.cpu import call
from tilesmith.encoder.a64 import registers as a64
from tilesmith.encoder.a64.names import CONDITIONS, DATA_CACHE, SYSTEM_REGISTERS
from tilesmith.encoder.a64.registers import W, mem

NZCV = SYSTEM_REGISTERS["nzcv"]


def noted(m: Any, bit: int, branch: Any) -> None:
    """Set a bit of x1 unless the branch is taken."""
    over = m.label()
    branch(over)
    m.orr(X[1], X[1], 1 << bit)
    m.bind(over)


def conditions(m: Any) -> None:
    """Set a bit of x0 for each condition that does not hold for the flags in x0."""
    m.movz(X[1], 0)
    m.lsl(X[0], X[0], 28)
    m.msr(NZCV, X[0])
    names = [name for name in CONDITIONS if name != "nv"]
    for bit, name in enumerate(names):
        noted(m, bit, getattr(m, f"b_{name}"))
    m.mov(X[0], X[1])


def bits(m: Any) -> None:
    """Set a bit of x0 for each comparison of x0 that does not branch."""
    m.movz(X[1], 0)
    for bit, name in enumerate(("cbz", "cbnz")):
        noted(m, bit, lambda over, name=name: getattr(m, name)(X[0], over))
        noted(m, 2 + bit, lambda over, name=name: getattr(m, name)(W[0], over))
    for bit, at in enumerate((0, 5, 31, 32, 63)):
        noted(m, 4 + bit, lambda over, at=at: m.tbz(X[0], at, over))
        noted(m, 9 + bit, lambda over, at=at: m.tbnz(X[0], at, over))
    m.mov(X[0], X[1])


def calls(m: Any) -> None:
    """Call a function by bl and by blr, and leave by br."""
    function, start, end = m.label(), m.label(), m.label()
    m.mov(X[9], X[30])
    m.mov(X[10], a64.sp)
    m.mov(a64.sp, X[10])
    m.b(start)
    m.bind(function)
    m.add(X[0], X[0], X[0])
    m.add(X[0], X[0], 3)
    m.ret()
    m.bind(start)
    m.bl(function)
    m.adr(X[2], function)
    m.blr(X[2])
    m.adr(X[3], end)
    m.br(X[3])
    m.movz(X[0], 0)
    m.bind(end)
    m.mov(X[30], X[9])


def signed_return(m: Any) -> None:
    """Sign and check the return address."""
    m.mov(X[9], X[30])
    m.paciasp()
    m.autiasp()
    m.pacibsp()
    m.autibsp()
    m.mov(X[10], X[30])
    m.paciasp()
    m.xpaclri()
    m.cmp(X[10], X[30])
    m.csel(X[0], X[0], X[9], CONDITIONS["eq"])
    m.mov(X[30], X[9])


def literals(m: Any) -> None:
    """Load constants that lie behind the code, in every size."""
    where = m.const(bytes(range(200, 216)))
    m.ldr(X[1], where)
    m.ldr(W[2], where)
    m.ldrsw(X[3], where)
    m.ldr(a64.D[0], where)
    m.ldr(a64.S[1], where)
    m.ldr(a64.Q[2], where)
    for at, reg in enumerate((X[1], X[2], X[3])):
        m.eor(X[0], X[0], reg.lsl(at))
    for reg in (0, 1, 2):
        m.fmov(X[4], a64.D[reg])
        m.add(X[0], X[0], X[4])


def counted(m: Any) -> None:
    """Add to a word in memory by exclusives, twice; a store without a load, and one after clrex, must fail."""
    m.stxr(W[5], X[1], mem[X[0]])
    for name in ("", "a"):
        again = m.label()
        m.bind(again)
        getattr(m, f"ld{name}xr")(X[2], mem[X[0]])
        m.add(X[2], X[2], X[1])
        m.stlxr(W[3], X[2], mem[X[0]])
        m.cbnz(W[3], again)
    m.stxr(W[6], X[1], mem[X[0]])
    m.ldxp(X[2], X[4], mem[X[0]])
    m.clrex()
    m.stxp(W[7], X[4], X[2], mem[X[0]])
    m.add(X[0], X[5], X[6].lsl(1))
    m.add(X[0], X[0], X[7].lsl(2))


PROGRAMS = {
    "conditions": (conditions, range(16)),
    "bits": (bits, (0, 1, 32, 1 << 31, 1 << 32, 1 << 63, (1 << 64) - 2)),
    "calls": (calls, (0, 11)),
    "signed return": (signed_return, (7,)),
    "literals": (literals, (0, 5)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_agree_with_the_server(aarch64: Any, name: str) -> None:
    emit, values = PROGRAMS[name]
    code = assembled(EVERYTHING, emit)
    for value in values:
        assert call(code, EVERYTHING, value).result == aarch64.call(code, value), value


def test_exclusives_agree_with_the_server(aarch64: Any) -> None:
    code = assembled(EVERYTHING, counted)
    words = [np.array([5, 9], np.uint64) for _ in range(2)]
    assert call(code, EVERYTHING, words[0], 7).result == aarch64.call(code, words[1], 7) == 1 + 2 + 4
    assert words[0].tolist() == words[1].tolist() == [19, 9]


def test_dc_zva_zeroes_the_block_that_dczid_names() -> None:
    def emit(m: Any) -> None:
        m.dc(DATA_CACHE["zva"], X[0])
        m.mrs(X[0], SYSTEM_REGISTERS["dczid_el0"])

    room = np.ones(256, np.uint8)
    start = -room.__array_interface__["data"][0] % 64
    done = call(assembled(EVERYTHING, emit), EVERYTHING, room[start : start + 128][64:])
    assert not room[start + 64 : start + 128].any()
    assert room[: start + 64].all() and room[start + 128 :].all()
    assert 4 << done.result == 64


@pytest.mark.parametrize(
    ("name", "words"),
    [("svc", "the operating system"), ("hvc", "the hypervisor"), ("smc", "the firmware")],
)
def test_calls_of_the_system_are_refused_in_words(name: str, words: str) -> None:
    fault = fault_of(assembled(NEON, lambda m: getattr(m, name)(0)), NEON)
    assert f"calls {words}, and emulated code runs without one: let the caller do it" in fault.reason


def test_atomics_must_be_aligned() -> None:
    code = assembled(SVE, lambda m: m.ldadd(X[1], X[2], mem[X[0]]))
    fault = fault_of(code, SVE, np.zeros(16, np.uint8)[1:])
    assert "must be a multiple of 8" in fault.reason

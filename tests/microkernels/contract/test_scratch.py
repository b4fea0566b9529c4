"""Scratch memory on the stack: its address and size, the limit, and the registers and slots that it must not change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.gemm_cases import RUNNING, X86
from tests.guard import run_forked
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.a64.registers import mem
from tilesmith.encoder.code import Code
from tilesmith.encoder.x86.registers import ptr
from tilesmith.microkernels.contract.machine import SCRATCH_ALIGNMENT, STACK_LIMIT, Machine
from tilesmith.microkernels.contract.vector_verbs import LEVELS_LIMIT
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.microkernels.machines.registry import TARGETS, machine_for
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.system.libc import ffi

MOST = STACK_LIMIT + LEVELS_LIMIT
SIZES = ((64,), (1,), (4032, 100), (4096,), (20_000, 3, 4096), (STACK_LIMIT,), (MOST,))
ARGUMENTS = 10  # the last two are passed on the stack on both architectures


def fill(m: Machine, sizes: tuple[int, ...]) -> Code:
    """Return f(out, in, ..., v), which stores the address of each claim and v in out and overwrites every claim.

    Slots before and after the claims and the caller's registers must keep their values.
    """
    m.enter(2)
    given = m.arguments(ARGUMENTS)
    out, kept, counter = given[0], m.general("kept"), m.general("counter")
    m.copy(kept, given[-1])
    before = m.to_slot(kept)
    claims = [m.scratch(size) for size in sizes]
    others = [m.general(f"other {i}") for i in range(3)]
    for i, other in enumerate(others):
        m.copy(other, i)
    with m.predicates(), m.vectors(1, "zero") as (zero,):
        lanes = m.lanes("f32", 4)
        byte = m.lanes("f32", 1)
        m.zero(zero, lanes)
        for claim, size in zip(claims, sizes):
            m.copy(counter, claim)
            for _ in range(size // 16):
                m.store(m.at(counter), zero, lanes)
                m.advance(counter, 16)
            if size >= 4:
                m.store(m.at(claim, size - 4), zero, byte)
    for value in (*claims, before, given[-2]):
        m.copy(counter, value)
        store_general(m, out, counter)
        m.advance(out, 8)
    m.leave()
    return m.asm.finish("fill")


def store_general(m: Machine, base: Any, value: Any) -> None:
    """Store a general register at *base."""
    if m.target.arch == "x86":
        m.asm.mov(ptr[base], value)
    else:
        m.asm.str(value, mem[base])


def expect(out: np.ndarray, sizes: tuple[int, ...]) -> None:
    claims = out[: len(sizes)].astype(object)
    assert all(address % SCRATCH_ALIGNMENT == 0 for address in claims)
    spans = sorted((int(address), int(address) + size) for address, size in zip(claims, sizes))
    assert all(end <= start for (_, end), (start, _) in zip(spans, spans[1:]))
    assert list(out[len(sizes) :]) == [1010, 1009]


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("target", [name for name in RUNNING if name in X86])
def test_claims_lie_on_the_stack_and_disturb_nothing(target, sizes):
    code = fill(machine_for(TARGETS[target]), sizes)
    block = publish(code.data)
    function = ffi.cast(f"void(*)({', '.join(['uint64_t'] * ARGUMENTS)})", block.address)
    out = np.zeros(len(sizes) + 2, np.uint64)
    address = out.__array_interface__["data"][0]
    assert run_forked(lambda: function(address, *range(1002, 1002 + ARGUMENTS - 1))) == 0
    function(address, *range(1002, 1002 + ARGUMENTS - 1))
    expect(out, sizes)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("target", ("neon", "sve256"))
def test_claims_on_the_other_architecture(aarch64: Server, target, sizes):
    code = fill(machine_for(TARGETS[target]), sizes)
    out = np.zeros(len(sizes) + 2, np.uint64)
    aarch64.call(code, out, *range(1002, 1002 + ARGUMENTS - 1))
    expect(out, sizes)


@pytest.mark.parametrize("target", TARGETS)
def test_more_than_the_limit_is_refused(target):
    m = machine_for(TARGETS[target])
    m.enter(0)
    with pytest.raises(UnsupportedError, match=f"at most {MOST}"):
        m.scratch(MOST + 1)
    m.scratch(MOST // 2)
    with pytest.raises(UnsupportedError, match="in addition to"):
        m.scratch(MOST // 2 + 1)

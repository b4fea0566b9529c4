"""Loads and stores of every count of elements of every size are exact, write zeros beyond the count and touch no byte
outside the operand.

A kernel made for the test loads `count` elements, stores the whole register, which shows what the load left beyond the
count, and then stores the count.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.guard import SIDES, Array, address, both_sides, check_canary, guarded, run_forked
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.code import Code
from tilesmith.encoder.features import Target
from tilesmith.microkernels.dtypes import ELEMENT_BYTES
from tilesmith.microkernels.machines.registry import TARGETS, machine_for
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.system.libc import ffi

X86 = ("avx2", "avx512")
A64 = ("neon", "sve128", "sve256", "sve512")
DTYPES = ("i8", "bf16", "i32", "f32", "i64", "f64")
MOST = {"avx2": 32, "avx512": 64, "neon": 16, "sve128": 16, "sve256": 32, "sve512": 64}  # bytes of a register


def copy_code(target: Target, dtype: str, count: int) -> Code:
    """Return f(x, whole, y), which stores the register that holds `count` elements of x in whole, and the elements in
    y."""
    m = machine_for(target)
    m.enter(2)
    x, whole, y = m.arguments(3)
    with m.predicates(), m.vectors(1, "all") as (register,):
        lanes = m.lanes(dtype, count)
        full = m.lanes(dtype, lanes.capacity)
        m.load(register, m.at(x), lanes)
        m.store(m.at(whole), register, full)
        m.zero(register, lanes)
        m.load(register, m.at(x), lanes)
        m.store(m.at(y), register, lanes)
    m.leave()
    return m.asm.finish(f"copy_{dtype}_{count}")


def cases(name: str) -> Iterator[tuple[str, int]]:
    for dtype in DTYPES:
        for count in range(1, MOST[name] // ELEMENT_BYTES[dtype] + 1):
            yield dtype, count


def operands(dtype: str, count: int, name: str) -> tuple[Array, Array, Array]:
    """Return x without zeros, and memory for the register and the copy."""
    size = ELEMENT_BYTES[dtype]
    x = np.arange(1, count * size + 1, dtype=np.uint8)
    return x, np.full(MOST[name], 0xAA, np.uint8), np.full(count * size, 0xBB, np.uint8)


def expected_whole(x: Array, whole: Array, target: Target, dtype: str, count: int) -> Array:
    """Return the elements, zeros up to the end of the register, and the former contents behind it."""
    m = machine_for(target)
    m.enter(1)
    with m.predicates():
        capacity = m.lanes(dtype, count).capacity * ELEMENT_BYTES[dtype]
    expected = whole.copy()
    expected[:capacity] = 0
    expected[: len(x)] = x
    return expected


@pytest.mark.parametrize("name", X86)
@both_sides
def test_x86(name: str, side: str) -> None:
    target = TARGETS[name]
    if reason := host.runs(target):
        pytest.skip(reason)

    def run() -> None:
        for dtype, count in cases(name):
            x, whole, y = operands(dtype, count, name)
            block = publish(copy_code(target, dtype, count).data)
            call = ffi.cast("void(*)(void *, void *, void *)", block.address)
            given = guarded(x, side, writable=False), guarded(whole, side), guarded(y, side)
            call(*(ffi.cast("void *", address(each)) for each in given))
            assert np.array_equal(given[2], x), (dtype, count)
            assert np.array_equal(given[1], expected_whole(x, whole, target, dtype, count)), (dtype, count)
            check_canary(given[1])
            check_canary(given[2])

    assert run_forked(run) == 0


@pytest.mark.parametrize("name", A64)
@pytest.mark.parametrize("side", SIDES)
def test_a64(aarch64: Server, name: str, side: str) -> None:
    target = TARGETS[name]
    bits = target.vector_bits if target.isa == "sve" else None
    for dtype, count in cases(name):
        x, whole, y = operands(dtype, count, name)
        expected = expected_whole(x, whole, target, dtype, count)
        x.setflags(write=False)
        aarch64.call(copy_code(target, dtype, count), x, whole, y, side=side, vector_bits=bits)
        assert np.array_equal(y, x), (dtype, count)
        assert np.array_equal(whole, expected), (dtype, count)


@pytest.mark.parametrize("name", X86)
def test_masks_outlive_inner_scopes(name: str) -> None:
    """A mask that an inner scope shares with the outer one stays in use after the inner scope."""
    m = machine_for(TARGETS[name])
    m.enter(4)
    with m.predicates():
        outer = m.lanes("i32", 3)
        with m.predicates():
            m.lanes("f32", 3)
        assert m.lanes("i32", 5).mask not in (None, outer.mask)


def counted_copy(target: Target, dtype: str, capacity: int) -> Code:
    """Return f(x, y, many), which copies the first `many` elements of x to y, fewer than a register holds."""
    m = machine_for(target)
    m.enter(1)
    x, y, many = m.arguments(3)
    with m.predicates(), m.vectors(1, "all") as (register,):
        m.dynamic_lanes(dtype, capacity - 1, many)
        lanes = m.lanes(dtype, capacity - 1)
        m.load(register, m.at(x), lanes)
        m.store(m.at(y), register, lanes)
    m.leave()
    return m.asm.finish(f"counted_copy_{dtype}")


@pytest.mark.parametrize("name", X86)
@both_sides
def test_lanes_that_a_register_counts(name: str, side: str) -> None:
    target = TARGETS[name]
    if reason := host.runs(target):
        pytest.skip(reason)

    def run() -> None:
        for dtype in DTYPES:
            size = ELEMENT_BYTES[dtype]
            if not machine_for(target).facts.counts_lanes([size]):
                assert (name, size < 4) == ("avx2", True)
                continue
            block = publish(counted_copy(target, dtype, MOST[name] // size).data)
            call = ffi.cast("void(*)(void *, void *, uint64_t)", block.address)
            for many in range(MOST[name] // size):
                x, _, y = operands(dtype, max(many, 1), name)
                before = y.copy()
                given = guarded(x, side, writable=False), guarded(y, side)
                call(*(ffi.cast("void *", address(each)) for each in given), many)
                assert np.array_equal(given[1], x if many else before), (dtype, many)
                check_canary(given[1])

    assert run_forked(run) == 0


@pytest.mark.parametrize("name", ["sve128", "sve256"])
def test_lanes_that_a_register_counts_on_sve(aarch64: Server, name: str) -> None:
    target = TARGETS[name]
    for dtype in DTYPES:
        capacity = MOST[name] // ELEMENT_BYTES[dtype]
        for many in (1, capacity - 1):
            x, _, y = operands(dtype, many, name)
            x.setflags(write=False)
            aarch64.call(counted_copy(target, dtype, capacity), x, y, many, vector_bits=target.vector_bits)
            assert np.array_equal(y, x), (dtype, many)

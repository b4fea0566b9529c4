"""Transposes equal numpy's and touch no byte outside the operands, between guard pages, on every machine.

A soak draws more cases; tests/microkernels/transform/test_sweep.py takes every m and n from 1 to 70.
"""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

import tilesmith as ts
from tests.guard import address, both_sides, check_canary, guarded, run_forked
from tests.profiles import is_soak, scaled
from tests.transform_cases import DTYPES, NUMPY, Case, bits_of
from tilesmith.emulation.qemu.server import Server
from tilesmith.encoder.a64.registers import X
from tilesmith.encoder.code import Code
from tilesmith.encoder.features import Target
from tilesmith.microkernels.choice import Refusal
from tilesmith.microkernels.machines.registry import TARGETS, machine_class, machine_for
from tilesmith.microkernels.transform.plan import TransformPlan
from tilesmith.microkernels.transform.spec import TransformSpec, transpose_spec
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.kernel.callable import Kernel
from tilesmith.runtime.system.libc import ffi

A64 = ("neon", "sve128", "sve256", "sve512")
SIZES = (1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 70)
each_dtype = pytest.mark.parametrize("dtype", DTYPES.values())


def x86_target(name: str) -> Target:
    target = host.host() if name == "host" else TARGETS[name]
    if target.arch != "x86" or host.runs(target):
        pytest.skip(f"{target.name} does not run here")
    return target


def run_here(case: Case, side: str, kernel: Kernel | None = None) -> None:
    x, y, expected = case.arrays()
    kernel = kernel or Kernel(case.spec, case.target)
    given, result = guarded(x, side, writable=False), guarded(y, side)
    kernel(given, result)
    assert np.array_equal(bits_of(result), bits_of(expected)), case.spec
    check_canary(result)


def run_there(server: Server, case: Case, side: str) -> None:
    x, y, expected = case.arrays()
    x.setflags(write=False)
    bits = case.target.vector_bits if case.target.isa == "sve" else None
    server.call(Kernel(case.spec, case.target)._code, x, y, side=side, vector_bits=bits)
    assert np.array_equal(bits_of(y), bits_of(expected)), case.spec


def shapes(seed: str) -> list[tuple[int, int]]:
    generator = random.Random(seed)
    return [*generator.sample(list(product(SIZES, repeat=2)), scaled(5, 150)), (1, 1), (16, 16), (64, 64)]


@pytest.mark.parametrize("name", ["avx2", "avx512", "host"])
@each_dtype
@both_sides
def test_x86(name: str, dtype: str, side: str) -> None:
    target = x86_target(name)

    def run() -> None:
        for m, n in shapes(f"{name} {dtype} {side}"):
            run_here(Case(transpose_spec(m, n, dtype=dtype), target), side)

    assert run_forked(run) == 0


@pytest.mark.parametrize("name", A64)
@each_dtype
@both_sides
def test_a64(aarch64: Server, name: str, dtype: str, side: str) -> None:
    for m, n in shapes(f"{name} {dtype} {side}"):
        run_there(aarch64, Case(transpose_spec(m, n, dtype=dtype), TARGETS[name]), side)


@pytest.mark.parametrize("name", ["avx2", "avx512"])
@pytest.mark.parametrize("loads", ["whole", "pieces"])
@each_dtype
def test_both_ways_to_load(name: str, loads: str, dtype: str) -> None:
    target = x86_target(name)
    if dtype == "c128" and name == "avx2" and loads == "pieces":
        return  # there is only one way
    for m, n in ((16, 16), (33, 18)):
        run_here(Case(transpose_spec(m, n, dtype=dtype, loads=loads), target), "end")


@pytest.mark.parametrize("name", ["avx2", "avx512"])
def test_leading_dimensions_at_the_call(name: str) -> None:
    x86_target(name)
    k = ts.transpose(19, 21, dtype="f32", ldx=ts.RUNTIME, ldy=ts.RUNTIME, target=name)
    for longer in (0, 1, 13):
        x = np.arange(19 * (21 + longer), dtype=np.float32).reshape(19, -1)[:, :21]
        y = np.zeros((21, 19 + 2 * longer), np.float32)
        k(x, y[:, :19])
        assert np.array_equal(y[:, :19], x.T)
        assert not y[:, 19:].any()


@pytest.mark.parametrize("name", A64)
def test_leading_dimensions_at_the_call_a64(aarch64: Server, name: str) -> None:
    spec = transpose_spec(19, 21, dtype="f32", ldx=ts.RUNTIME, ldy=ts.RUNTIME)
    target = TARGETS[name]
    x = np.arange(19 * 24, dtype=np.float32).reshape(19, 24)[:, :21]
    y = np.zeros((21, 23), np.float32)
    bits = target.vector_bits if target.isa == "sve" else None
    aarch64.call(Kernel(spec, target)._code, x, y[:, :19], 24, 23, vector_bits=bits)
    assert np.array_equal(y[:, :19], x.T)


@pytest.mark.parametrize("offset", [0, 2, 4, 32, 60])
def test_large(offset: int) -> None:
    """A matrix larger than the caches may have a y that begins at a cache line, at an element, or at neither."""
    m, n = 2048, 1808
    x = np.arange(m * n, dtype=np.uint32).reshape(m, n)
    memory = np.zeros(n * m * 4 + 128, np.uint8)
    start = -memory.__array_interface__["data"][0] % 64 + offset
    y = memory[start : start + n * m * 4].view(np.uint32).reshape(n, m)
    code = ffi.cast("void(*)(uintptr_t, uintptr_t)", ts.transpose(m, n, dtype="u32").address)
    code(address(x), address(y))  # a call from Python would refuse misaligned elements
    assert np.array_equal(y, x.T)
    assert not memory[:start].any() and not memory[start + n * m * 4 :].any()


@pytest.mark.parametrize("offset", [0, 16])
def test_large_with_a_leading_dimension_of_the_call(offset: int) -> None:
    """If no tiles are peeled off, a y that begins inside a cache line is written by ordinary stores."""
    m, n = 2048, 1040
    kernel = ts.transpose(m, n, dtype="u64", ldx=ts.RUNTIME)  # x and y take 34 MB, more than the caches of any host
    assert isinstance(kernel.plan, TransformPlan) and kernel.plan.streaming and not kernel.plan.peels
    x = np.arange(m * (n + 3), dtype=np.uint64).reshape(m, n + 3)[:, :n]
    memory = np.zeros(m * n * 8 + 128, np.uint8)
    start = -memory.__array_interface__["data"][0] % 64 + offset
    y = memory[start : start + m * n * 8].view(np.uint64).reshape(n, m)
    kernel(x, y)
    assert np.array_equal(y, x.T)
    assert not memory[:start].any() and not memory[start + m * n * 8 :].any()


@pytest.mark.parametrize("name", ["avx2", "avx512"])
@each_dtype
def test_streams(name: str, dtype: str) -> None:
    """Streaming stores between guard pages are right if rows of y are whole lines apart and y begins at a line or
    elsewhere."""
    target = x86_target(name)
    size = np.dtype(NUMPY[dtype]).itemsize
    n = 1030 // (1 + (size == 16))
    least = -(-(2 << 20) // n // size // 64) * 64  # x and y of this size fill L2 four times

    def run() -> None:
        for more, side in ((0, "start"), (1, "end"), (37, "end")):
            spec = transpose_spec(least + more, n, dtype=dtype, ldy=least + 64)
            case = Case(spec, target)
            plan = Kernel(spec, target).plan
            assert isinstance(plan, TransformPlan) and plan.streaming and plan.peels == (spec.m >= 1024 // size)
            run_here(case, side)

    assert run_forked(run) == 0


SQUARES = (1, 3, 16, 17, 40, 64, 70) if is_soak() else (3, 37)


@pytest.mark.parametrize("name", ["avx2", "avx512", "host"])
@each_dtype
def test_in_place(name: str, dtype: str) -> None:
    target = x86_target(name)
    for n in SQUARES:
        for longer in (0, 3):
            spec = transpose_spec(n, n, dtype=dtype, ldx=n + longer, ldy=n + longer, in_place=True)
            x, _, expected = Case(spec, target).arrays()
            kernel = Kernel(spec, target)
            here = guarded(x, "end")
            kernel(here, here)
            assert np.array_equal(bits_of(here), bits_of(expected)), spec
            check_canary(here)
            there = guarded(np.zeros_like(expected), "start") if not longer else guarded(x, "start")
            kernel(guarded(x, "start", writable=False), there)
            assert np.array_equal(bits_of(there), bits_of(expected)), spec


@pytest.mark.parametrize("name", ["avx2", "avx512"])
@pytest.mark.parametrize("given", [("ldx",), ("ldy",), ("ldx", "ldy")], ids="-".join)
@each_dtype
def test_in_place_with_leading_dimensions_of_the_call(dtype: str, given: tuple[str, ...], name: str) -> None:
    target = x86_target(name)
    for n, longer in ((5, 2), (37, 0), (70, 3)):
        dense = {each: n + longer for each in ("ldx", "ldy") if each not in given}
        asked = dense | dict.fromkeys(given, ts.RUNTIME)
        x, _, expected = Case(transpose_spec(n, n, dtype=dtype, ldx=n + longer), target).arrays()
        kernel = Kernel(transpose_spec(n, n, dtype=dtype, in_place=True, **asked), target)
        here = guarded(x, "end")
        kernel(here, here)
        assert np.array_equal(bits_of(here), bits_of(expected)), kernel.spec
        check_canary(here)


@pytest.mark.parametrize("name", A64)
@each_dtype
def test_in_place_a64(aarch64: Server, name: str, dtype: str) -> None:
    target = TARGETS[name]
    for n in SQUARES:
        spec = transpose_spec(n, n, dtype=dtype, in_place=True)
        run_there(aarch64, Case(spec, target), "end")
        x, _, expected = Case(spec, target).arrays()
        twice = np.stack([x, x])  # one array for both pointers: the kernel gets the address of the first half twice
        bits = target.vector_bits if target.isa == "sve" else None
        aarch64.call(same_pointer(Kernel(spec, target)._code, target), twice[0], vector_bits=bits)
        assert np.array_equal(bits_of(twice[0]), bits_of(expected)), spec


def same_pointer(code: Code, target: Target) -> bytes:
    """Return f(x), which calls the code as f(x, x)."""
    asm = machine_for(target).asm
    asm.mov(X[1], X[0])
    return asm.finish("both").data[:4] + code.data


def test_every_type_moves() -> None:
    for dtype in ("f64", "f32", "f16", "bf16", "f8e5m2", "f8e4m3", "i64", "i32", "i16", "i8", "c64", "c128"):
        k = ts.transpose(5, 3, dtype=dtype)
        x = np.arange(15).reshape(5, 3).astype(k.kind.call(k.spec).dtype)
        assert np.array_equal(k(x).astype(np.complex128), x.T.astype(np.complex128)), dtype


def test_plan_explains() -> None:
    text = str(ts.transpose(16, 16, target="avx512").plan)
    assert "stage 4" in text and "loaded whole" in text
    both = [str(ts.transpose(16, 16, target="avx512", loads=loads).plan) for loads in ("whole", "pieces")]
    assert "pieces of" in both[1] and "pieces of" not in both[0]


@pytest.mark.parametrize("name", ["avx2", "avx512", "avx512_vnni", "neon", "sve256"])
@pytest.mark.parametrize("m,n", [(16, 16), (33, 70), (2048, 2048)])
def test_every_other_way_lost(name: str, m: int, n: int) -> None:
    """There is one line for each other way of loading registers and for streaming or ordinary stores; none is
    cheaper."""
    plan = ts.transpose(m, n, dtype="bf16", target=name).plan
    facts = machine_class(TARGETS[name]).facts_of(TARGETS[name])
    ways = sum(1 + len(shuffle_set.inserts) for shuffle_set in facts.shuffles.sets())
    assert len(plan.rejected) == ways
    for reason in plan.rejected:
        assert isinstance(reason, Refusal) or reason.cycles >= plan.call_cycles > plan.cycles
    text = str(plan.rejected)
    assert ("ordinary stores: about" in text) == plan.streaming
    assert plan.streaming or "streaming stores: " in text


def test_refused_ways_say_why() -> None:
    assert "32768 bytes" in str(ts.transpose(64, 64, target="avx512").plan.rejected)
    assert "no streaming stores" in str(ts.transpose(64, 64, target="neon").plan.rejected)
    large = ts.transpose(2048, 2048, ldy=2049, target="avx512").plan.rejected
    assert "8196 bytes, not a multiple of a cache line" in str(large)
    assert "given at the call" in str(ts.transpose(2048, 2048, ldy=ts.RUNTIME, target="avx512").plan.rejected)
    assert "one array" in str(ts.transpose(64, 64, in_place=True, target="avx512").plan.rejected)
    packed = ts.transform("amxb", 64, 64, "bf16", target="amx").plan.rejected
    assert "pieces of 16 bytes: a piece holds elements" in str(packed)
    with pytest.raises(ts.UnsupportedError, match='transpose 16 x 16 f32: loads="pieces"'):
        ts.transpose(16, 16, loads="pieces", target="sve256")


def test_one_shuffle_pipe_chooses_inserts() -> None:
    """With one shuffle port, as on some Intel processors, stages insert from memory; with two, they load whole
    registers."""
    one, two = (ts.transpose(16, 16, target=name).plan for name in ("avx512_vnni", "avx512"))
    assert one.tile.insert and not two.tile.insert
    assert "1 pipe for shuffles, which inserts from memory do not need" in str(one)
    assert "2 pipes for shuffles" in str(two)


def test_the_papers_counts() -> None:
    """16 x 16 on AVX-512 takes four stages (figure 5), 4 x 4 on NEON eight shuffles in two stages (figure 6)."""
    wide = ts.transpose(16, 16, target="avx512", loads="whole").plan.tile
    assert (len(wide.stages), wide.shuffle_set.bytes) == (4, 64)
    narrow = ts.transpose(4, 4, target="neon")
    text = narrow.listing()
    assert len(narrow.plan.tile.stages) == 2
    assert sum(text.count(name) for name in ("trn1", "trn2", "zip1", "zip2", "uzp1", "uzp2")) == 8


def test_refusals() -> None:
    with pytest.raises(ts.UnsupportedError, match="square"):
        ts.transpose(3, 4, in_place=True)
    with pytest.raises(ValueError, match="dtype: no element type is called 'q7'"):
        ts.transpose(3, 4, dtype="q7")
    with pytest.raises(ts.UnsupportedError, match="x.T"):
        ts.transpose(3, 4, order="F")
    with pytest.raises(ValueError, match="loads"):
        ts.transpose(3, 4, loads="some")
    with pytest.raises(ValueError, match="ldy: at least 3 elements"):
        ts.transpose(3, 4, ldy=2)
    with pytest.raises(ValueError, match="ldx: at least 4 elements"):
        ts.transpose(4, 4, ldx=3, in_place=True)
    with pytest.raises(TypeError, match="m: a positive integer"):
        ts.transpose([3], 4)


def test_spec_is_a_value() -> None:
    assert isinstance(ts.transpose(3, 4).spec, TransformSpec)
    assert ts.transpose(3, 4) is ts.transpose(3, 4)
    assert NUMPY["u8"] is np.uint8


@pytest.mark.parametrize("name", ["avx2", "avx512", "neon", "sve256"])
def test_emulated(name: str) -> None:
    """The software processor executes the bytes of any target on any host."""
    k = ts.transpose(13, 18, dtype="bf16", target=name)
    x = np.arange(13 * 18, dtype=np.uint16).view(k.kind.call(k.spec).dtype).reshape(13, 18)
    y = np.zeros((18, 13), x.dtype)
    k.run(x, y)
    assert np.array_equal(bits_of(y), bits_of(x.T))


def test_listing_shows_the_elements() -> None:
    text = ts.transpose(16, 16, target="avx512").listing()
    assert "stage 1: 0,0 1,0 0,1 1,1 0,4" in text and "stage 4: 0,0 1,0 2,0 3,0 4,0" in text

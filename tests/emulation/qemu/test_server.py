"""The server runs code with arrays, integers and pointers as arguments. The tests need qemu-aarch64, or an Arm."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulation.qemu.server_code import add_four, copy_bytes, emitted, raises, sides, still_works, three
from tilesmith.emulation.qemu.faults import (
    GuestFault,
    NoSuchLength,
)
from tilesmith.emulation.qemu.probes import LENGTHS
from tilesmith.emulation.qemu.server import Pointers, Server
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.registers import P, W, X, Z, listed, mem, sp
from tilesmith.encoder.a64.targets import TARGETS

scalable = pytest.mark.parametrize("bits", LENGTHS)


def add_scalable(asm: A64Assembler) -> None:
    """Emit f(x, y, z, count), which computes z = x + y for up to a vector of f32."""
    asm.load_immediate(X[9], 0)
    asm.whilelo(P[0].s, X[9], X[3])
    for i in range(2):
        asm.ld1w(listed(Z[i].s), P[0].z, mem[X[i]])
    asm.fadd(Z[0].s, P[0].m, Z[0].s, Z[1].s)
    asm.st1w(listed(Z[0].s), P[0], mem[X[2]])


def increment(asm: A64Assembler) -> None:
    """Emit f(x, offset), which adds 1 to the int32 at x + offset."""
    asm.ldr(W[9], mem[X[0], X[1]])
    asm.add(W[9], W[9], 1)
    asm.str(W[9], mem[X[0], X[1]])


# Known answers


@sides
@pytest.mark.parametrize("count", [1, 15, 4096, 5000, 70_000])
def test_copies_bytes(aarch64, side, count):
    source = np.random.default_rng(count).integers(0, 256, count, np.uint8)
    copy = np.zeros_like(source)
    aarch64.call(emitted(copy_bytes), source, copy, count, side=side)
    assert (copy == source).all()


@sides
def test_adds_vectors(aarch64, side):
    x, y, z = three()
    aarch64.call(emitted(add_four), x, y, z, side=side)
    assert (z == x + y).all()


@sides
@scalable
def test_adds_scalable_vectors(aarch64, side, bits):
    require_length(aarch64, bits)
    for count in (1, bits // 32 - 1, bits // 32):
        x, y, z = three(count)
        aarch64.call(emitted(add_scalable, "sve128"), x, y, z, count, side=side, vector_bits=bits)
        assert (z == x + y).all()


@scalable
def test_vector_length(aarch64, bits):
    require_length(aarch64, bits)
    assert aarch64.call(emitted(lambda asm: asm.rdvl(X[0], 8), "sve128"), vector_bits=bits) == bits


def test_a_target_brings_its_vector_length(aarch64):
    for name in ("sve256", "sve512", "sve128"):
        require_length(aarch64, TARGETS[name].vector_bits)
        assert aarch64.call(emitted(lambda asm: asm.rdvl(X[0], 8), name)) == TARGETS[name].vector_bits


def test_no_such_vector_length(aarch64):
    for bits in (192, 4096, -128):
        with raises(NoSuchLength, f"no SVE vectors of {bits} bits"):
            aarch64.call(emitted(lambda asm: asm.nop()), vector_bits=bits)
    assert still_works(aarch64)


def require_length(server: Server, bits: int) -> None:
    if bits not in server.vector_lengths():
        pytest.skip(f"the processor has no vectors of {bits} bits")


# Arguments


@pytest.mark.parametrize("number", [0, -1, 5, -(1 << 63), (1 << 64) - 1, np.int32(-7), True])
def test_integers_pass(aarch64, number):
    seen = np.zeros(1, np.int64)
    aarch64.call(emitted(lambda asm: asm.str(X[0], mem[X[1]])), number, seen)
    assert (int(seen[0]) - int(number)) % (1 << 64) == 0


def test_the_result_is_signed(aarch64):
    assert aarch64.call(emitted(lambda asm: asm.load_immediate(X[0], -5))) == -5


def test_more_arguments_than_registers(aarch64):
    def emit(asm):
        asm.ldp(X[9], X[10], mem[sp])
        asm.sub(X[0], X[9], X[10])
        asm.str(X[0], mem[sp])  # the stack arguments belong to the callee

    assert aarch64.call(emitted(emit), *range(8), 100, 42) == 58


VIEWS = {
    "rows": lambda a: a[1:4, 2:5],
    "columns": lambda a: a.T[::2],
    "backwards": lambda a: a[::-2, ::-1],
    "leading dimension": lambda a: a[:, :3],
    "one": lambda a: a[2:3, 3:4],
    "no axis": lambda a: a[3, 3, ...],
}


@sides
@pytest.mark.parametrize("view_of", VIEWS.values(), ids=VIEWS)
def test_strides_are_kept(aarch64, side, view_of):
    whole = np.arange(48, dtype=np.int32).reshape(6, 8)
    view, wanted = view_of(whole), whole.copy()
    last = tuple(n - 1 for n in view.shape)
    view_of(wanted)[last] += 1
    offset = sum(i * stride for i, stride in zip(last, view.strides))
    aarch64.call(emitted(increment), view, offset, side=side)
    assert (whole == wanted).all()


def test_every_type_passes_unchanged(aarch64):
    """Signalling NaNs, which a conversion would change, pass unchanged."""
    for dtype in ("f2", "f4", "f8", "i1", "u2", "c8", "?", "V3"):
        source = np.frombuffer(bytes([1, 0x7C, 0xA0, 0x7F, 1, 0xF0, 0xF0, 0x7F]) * 3, np.uint8).view(dtype)
        copy = np.zeros_like(source)
        aarch64.call(emitted(copy_bytes), source, copy, source.nbytes)
        assert copy.tobytes() == source.tobytes()


def test_one_array_given_twice_is_one_buffer(aarch64):
    x = np.full(4, 3, np.float32)
    aarch64.call(emitted(add_four), x, x, x)
    assert (x == 6).all()


@sides
def test_pointers(aarch64, side):
    """Run f(pointers, values): *pointers[i] = values[i]."""

    def store_two(asm):
        asm.ldp(X[9], X[10], mem[X[0]])
        asm.ldp(W[11], W[12], mem[X[1]])
        asm.str(W[11], mem[X[9]])
        asm.str(W[12], mem[X[10]])

    places = np.zeros(1, np.int32), np.zeros(1, np.int32)
    aarch64.call(emitted(store_two), Pointers(places), np.array([7, 9], np.int32), side=side)
    assert [int(place[0]) for place in places] == [7, 9]
    with raises(GuestFault, r"reads 1 byte behind table$" if side == "end" else r"near null|far from|behind|before"):
        aarch64.call(emitted(store_two), Pointers(places[:1]), np.ones(2, np.int32), side=side, names=("table",))


def test_empty_arrays(aarch64):
    aarch64.call(emitted(lambda asm: asm.nop()), np.zeros((0, 3)), np.zeros(0, np.int8))
    with raises(GuestFault, "1 byte behind argument 0"):
        aarch64.call(emitted(lambda asm: asm.ldrb(W[0], mem[X[0]])), np.zeros(0, np.int8))


def test_arguments_that_are_none(aarch64):
    with pytest.raises(TypeError, match="argument 1 is 1.5; an argument is an array, Pointers or an integer"):
        aarch64.call(emitted(lambda asm: asm.nop()), 1, 1.5)
    with pytest.raises(TypeError, match="references"):
        aarch64.call(emitted(lambda asm: asm.nop()), np.array([None]))
    with pytest.raises(ValueError, match="a is .*, which 64 bits cannot hold"):
        aarch64.call(emitted(lambda asm: asm.nop()), 1 << 64, names=("a",))
    with pytest.raises(ValueError, match="neither 'start' nor 'end'"):
        aarch64.call(emitted(lambda asm: asm.nop()), side="middle")
    with pytest.raises(ValueError, match="from 1 byte"):
        aarch64.call(b"")
    with pytest.raises(ValueError, match="at most"):
        aarch64.call(emitted(lambda asm: asm.nop()), *range(100))


def test_memory_for_arguments_ends(aarch64):
    huge = np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), (2,), (1 << 33,))
    with pytest.raises(MemoryError, match="MiB for arguments"):
        aarch64.call(emitted(lambda asm: asm.nop()), huge)
    assert still_works(aarch64)

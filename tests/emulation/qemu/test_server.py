"""The server runs code, and survives what code can do to it. Needs qemu-aarch64, or an Arm."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.encoder.a64_draws import all_forms, draws
from tests.guard import run_forked
from tests.threads import together
from tilesmith.emulation.qemu.buffers import SIDES
from tilesmith.emulation.qemu.faults import (
    AbiViolation,
    CallTimeout,
    GuestFault,
    NoSuchLength,
    ServerError,
    ServerUnavailable,
    StrayWrite,
    access,
)
from tilesmith.emulation.qemu.probes import LENGTHS, PROBES
from tilesmith.emulation.qemu.server import Pointers, Server
from tilesmith.emulation.qemu.trace import executed, mnemonics
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import SYSTEM_REGISTERS
from tilesmith.encoder.a64.registers import D, P, Q, V, W, X, Z, listed, mem, sp
from tilesmith.encoder.a64.targets import TARGETS
from tilesmith.encoder.code import Code

sides = pytest.mark.parametrize("side", SIDES)
scalable = pytest.mark.parametrize("bits", LENGTHS)


def emitted(emit: Callable[[A64Assembler], object], target: str = "neon") -> Code:
    """f(x0, x1, ...): what `emit` appends, and a return."""
    asm = A64Assembler(TARGETS[target])
    emit(asm)
    asm.ret()
    return asm.finish()


def copy_bytes(asm: A64Assembler) -> None:
    """f(source, destination, count): count bytes, at least one."""
    with asm.loop(X[2]):
        asm.ldrb(W[9], mem[X[0]].post(1))
        asm.strb(W[9], mem[X[1]].post(1))


def add_four(asm: A64Assembler) -> None:
    """f(x, y, z): z = x + y, four of f32."""
    asm.ldr(Q[0], mem[X[0]])
    asm.ldr(Q[1], mem[X[1]])
    asm.fadd(V[0].s4, V[0].s4, V[1].s4)
    asm.str(Q[0], mem[X[2]])


def add_scalable(asm: A64Assembler) -> None:
    """f(x, y, z, count): z = x + y, up to a vector of f32."""
    asm.load_immediate(X[9], 0)
    asm.whilelo(P[0].s, X[9], X[3])
    for i in range(2):
        asm.ld1w(listed(Z[i].s), P[0].z, mem[X[i]])
    asm.fadd(Z[0].s, P[0].m, Z[0].s, Z[1].s)
    asm.st1w(listed(Z[0].s), P[0], mem[X[2]])


def increment(asm: A64Assembler) -> None:
    """f(x, offset): the int32 at x + offset grows by 1."""
    asm.ldr(W[9], mem[X[0], X[1]])
    asm.add(W[9], W[9], 1)
    asm.str(W[9], mem[X[0], X[1]])


def three(count: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    x = np.arange(count, dtype=np.float32)
    return x, 10 * x, np.zeros(count, np.float32)


def raises(error: type[ServerError], match: str):
    return pytest.raises(error, match=match)


def still_works(server: Server) -> bool:
    x, y, z = three()
    server.call(emitted(add_four), x, y, z)
    return z.tolist() == [0, 11, 22, 33]


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
        asm.str(X[0], mem[sp])  # the arguments' place is the callee's

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
    """Bits that no conversion keeps: signalling NaNs."""
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
    """f(pointers, values): *pointers[i] = values[i]."""

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


# Accesses beside the arguments


def test_over_read_by_one_byte(aarch64):
    x, y, z = three()
    with raises(GuestFault, r"SIGSEGV at offset 0x4: `ldr q1, \[x1\]` reads 1 byte behind b$") as caught:
        aarch64.call(emitted(add_four), x, y.view(np.uint8)[:15], z, names=("a", "b", "c"))
    assert (caught.value.signal, caught.value.offset) == ("SIGSEGV", 4)
    assert caught.value.registers["x1"] == caught.value.address - 15
    assert still_works(aarch64)


def test_over_read_of_a_leading_dimension(aarch64):
    """The padding behind the last row belongs to nobody."""
    whole = np.zeros((4, 8), np.float32)
    code = emitted(lambda asm: asm.ldr(Q[0], mem[X[0], X[1]]))
    aarch64.call(code, whole[:, :4], 3 * 32)
    with raises(GuestFault, "reads 1 byte behind argument 0"):
        aarch64.call(code, whole[:, :3], 3 * 32)


def test_under_read(aarch64):
    code = emitted(lambda asm: asm.ldur(W[9], mem[X[0], -4]))
    with raises(GuestFault, "reads 4 bytes before argument 0"):
        aarch64.call(code, np.zeros(4, np.int32), side="start")


def test_far_reads(aarch64):
    """A step of a whole block too far is still seen beside its array."""
    code = emitted(lambda asm: asm.ldr(W[9], mem[X[0], X[1]]))
    for offset in (4096, 65536, (1 << 20) - 8, -4096, -(1 << 20)):
        for side in SIDES:
            with raises(GuestFault, "reads .* (behind|before) b"):
                aarch64.call(code, np.zeros(1024, np.int32), offset, 0, side=side, names=("b",))


@pytest.mark.parametrize("side, offset, where", [("end", -4, "4 before its first"), ("start", 16, "1 behind its last")])
def test_stray_writes_on_mapped_pages(aarch64, side, offset, where):
    x = np.zeros(4, np.int32)
    with raises(StrayWrite, f"wrote beside x: {where}"):
        aarch64.call(emitted(lambda asm: asm.str(W[1], mem[X[0], X[2]])), x, 0, offset, side=side, names=("x",))
    for _ in range(2):  # the next users of these pages are not to blame
        aarch64.call(emitted(lambda asm: asm.nop()), x, side=side)


@sides
def test_stray_write_in_a_gap(aarch64, side):
    whole = np.zeros((3, 4), np.int32)
    code = emitted(lambda asm: asm.str(W[1], mem[X[0], X[2]]))
    aarch64.call(code, whole[:, :3], 5, 16, side=side)
    with raises(StrayWrite, "byte 12 from element 0, in a gap"):
        aarch64.call(code, whole[:, :3], 5, 12, side=side)
    assert whole.tolist() == [[0, 0, 0, 0], [5, 0, 0, 0], [0, 0, 0, 0]]
    aarch64.call(emitted(lambda asm: asm.nop()), whole[:, :3], side=side)


def test_stray_reads_give_nan(aarch64):
    """What lies beside an array on its pages is neither 0 nor a number."""
    seen = np.zeros(1, np.float32)
    code = emitted(lambda asm: (asm.ldur(W[9], mem[X[0], -4]), asm.str(W[9], mem[X[1]])))
    aarch64.call(code, np.zeros(4, np.float32), seen, side="end")
    assert np.isnan(seen[0])


def test_read_only_arrays(aarch64):
    x, y, z = three()
    z.setflags(write=False)
    with raises(GuestFault, r"`str q0, \[x2\]` writes byte 0 of z, which is read-only"):
        aarch64.call(emitted(add_four), x, y, z, names=("x", "y", "z"))
    assert z.tolist() == [0, 0, 0, 0]


def test_a_fault_leaves_the_arrays_alone(aarch64):
    x, y, z = three()
    with raises(GuestFault, "near null"):
        aarch64.call(
            emitted(lambda asm: (add_four(asm), asm.load_immediate(X[9], 0), asm.ldr(X[9], mem[X[9]]))), x, y, z
        )
    assert not z.any()


# Crashes


CRASHES = {
    "null load": (lambda asm: (asm.load_immediate(X[0], 0), asm.ldr(X[0], mem[X[0]])), "reads address 0x0, near null"),
    "null store": (lambda asm: (asm.load_immediate(X[0], 0), asm.str(X[0], mem[X[0], 8])), "writes address 0x8, near"),
    "junk pointer": (lambda asm: asm.ldr(X[0], mem[X[9]]), "SIGSEGV.*far from every argument"),
    "jump into data": (lambda asm: asm.br(X[0]), "SIGSEGV: jumped to byte 0 of argument 0$"),
    "call into data": (lambda asm: asm.blr(X[0]), "jumped to byte 0 of argument 0, last call from offset 0x0"),
    "jump to null": (lambda asm: (asm.load_immediate(X[0], 0), asm.br(X[0])), "jumped to address 0x0, near null"),
    "illegal instruction": (lambda asm: asm.udf(0), "SIGILL at offset 0x0: `udf #0` cannot be executed"),
    "breakpoint": (lambda asm: asm.brk(1), "SIGTRAP at offset 0x0"),
    "write to code": (
        lambda asm: (asm.adr(X[9], asm.here()), asm.str(X[9], mem[X[9]])),
        "writes byte 0 of the code, which",
    ),
    "stack overflow": (
        lambda asm: (asm.load_immediate(X[9], 1 << 18), asm.sub(sp, sp, X[9].extended("uxtx")), asm.str(X[9], mem[sp])),
        "writes .* before the stack",
    ),
}


@pytest.mark.parametrize("emit, message", CRASHES.values(), ids=CRASHES)
def test_crashes_cost_one_call(aarch64, emit, message):
    process = running(aarch64)
    for _ in range(3):
        with raises(GuestFault, message):
            aarch64.call(emitted(emit), np.zeros(4, np.int32))
    assert still_works(aarch64)
    assert running(aarch64) is process


def running(server: Server) -> object:
    server.start()
    return server._process


def test_running_off_the_end_of_the_code(aarch64):
    asm = A64Assembler(TARGETS["neon"])
    for _ in range(1024):
        asm.nop()
    with raises(GuestFault, "SIGILL: jumped to 1 byte behind the code"):
        aarch64.call(asm.finish())
    assert still_works(aarch64)


def test_a_fault_in_streaming_mode(aarch64):
    if aarch64.features()["SME"]:
        pytest.skip(f"SME: {aarch64.features()['SME']}")
    with raises(GuestFault, "SIGILL"):
        aarch64.call(bytes.fromhex("7f4703d5 00000000"))  # smstart, udf #0
    assert still_works(aarch64)
    with raises(AbiViolation, "svcr holds 0x3, not 0x0"):
        aarch64.call(bytes.fromhex("7f4703d5 c0035fd6"))  # smstart, ret
    assert still_works(aarch64)


def test_endless_loop(aarch64):
    start = time.monotonic()
    with raises(CallTimeout, "no answer within 0.5 s"):
        aarch64.call(emitted(lambda asm: asm.b(asm.here())), timeout=0.5)
    assert still_works(aarch64)
    assert time.monotonic() - start < 30


def test_a_kernel_that_ends_the_process(aarch64):
    code = emitted(lambda asm: (asm.load_immediate(X[0], 3), asm.load_immediate(X[8], 94), asm.svc(0)))  # exit_group
    with raises(ServerError, "the guest has ended with status 3"):
        aarch64.call(code)
    assert still_works(aarch64)


def test_a_guest_that_somebody_killed(aarch64):
    aarch64.start()
    aarch64._process._process.kill()
    aarch64._process._process.wait()
    assert still_works(aarch64)


# The calling convention


VIOLATIONS = {
    **{f"x{i}": lambda asm, i=i: asm.add(X[i], X[i], 1) for i in range(18, 30)},
    **{f"d{i}": lambda asm, i=i: asm.fmov(D[i], D[(i + 1) % 32]) for i in range(8, 16)},
    "sp": lambda asm: asm.sub(sp, sp, 16),
    "fpcr": lambda asm: (asm.load_immediate(X[0], 1 << 24), asm.msr(SYSTEM_REGISTERS["fpcr"], X[0])),
}


@pytest.mark.parametrize("register", VIOLATIONS)
def test_clobbered_registers(aarch64, register):
    with raises(AbiViolation, f"did not preserve {register}: {register} holds 0x") as caught:
        aarch64.call(emitted(VIOLATIONS[register]))
    assert list(caught.value.registers) == [register]
    assert still_works(aarch64)


def test_clobbered_frame_of_the_caller(aarch64):
    with raises(AbiViolation, "caller's stack frame"):
        aarch64.call(emitted(lambda asm: asm.str(X[0], mem[sp])))
    with raises(AbiViolation, "caller's stack frame"):
        aarch64.call(emitted(lambda asm: asm.str(X[0], mem[sp, 8])), *range(9))
    assert still_works(aarch64)


def test_what_a_callee_may_change(aarch64):
    """x0 to x17, all vector registers but the low halves of v8 to v15, predicates, flags, and its own stack."""

    def emit(asm):
        for i in range(18):
            asm.load_immediate(X[i], i)
        for i in (*range(8), *range(16, 32)):
            asm.movi(V[i].b16, i)
        for i in range(8, 16):
            asm.mov(V[i].d[1], X[i])
        asm.cmp(X[0], 1)
        asm.stp(X[0], X[1], mem[sp, -16].pre)
        asm.ldp(X[0], X[1], mem[sp].post(16))

    aarch64.call(emitted(emit))


def test_registers_hold_junk_on_entry(aarch64):
    """Nothing is 0 by chance: every float in a vector register is a NaN, and no register is a pointer."""
    floats, words = np.zeros((32, 4), np.float32), np.zeros(30, np.uint64)

    def emit(asm):
        for i in range(32):
            asm.str(Q[i], mem[X[0], 16 * i])
        for i in (i for i in range(2, 30) if i != 16):
            asm.str(X[i], mem[X[1], 8 * i])

    aarch64.call(emitted(emit), floats, words)
    assert (
        np.isnan(floats).all() and np.isnan(floats.view(np.float16)).all() and np.isnan(floats.view(np.float64)).all()
    )
    used = np.delete(words, [0, 1, 16])
    assert (used >> np.uint64(32) == 0x0FF5).all() and len(set(used.tolist())) == len(used)


# The server itself


def test_code_is_placed_once(aarch64):
    codes = [emitted(lambda asm, i=i: asm.load_immediate(X[0], i)).data for i in range(3)]
    aarch64.start()
    placed = aarch64._process._placed
    before = len(placed)
    for _ in range(2):
        assert [aarch64.call(code) for code in codes] == [0, 1, 2]
    assert len(placed) - before <= 3 and {placed[code] for code in codes} == {placed[bytes(code)] for code in codes}


@pytest.mark.seconds
def test_the_arena_is_used_again_when_it_is_full():
    large = bytes.fromhex("1f2003d5") * (1 << 20)  # 4 MiB of nop: 16 of them fill the arena
    with usable_server() as server:
        for i in range(40):
            code = emitted(lambda asm, i=i: asm.load_immediate(X[0], i)).data
            assert server.call(code + large) == i


def test_an_instruction_cache_flush_after_reuse():
    """New code at an old address is what runs."""
    with usable_server() as server:
        for i in range(100):
            server.start()
            server._process._arena = 32 << 30
            assert server.call(emitted(lambda asm, i=i: asm.load_immediate(X[0], i)).data) == i


def usable_server(**options: object) -> Server:
    """A server of one's own. The fixture `aarch64` has ended the test where there can be none: it must start."""
    server = Server(**options)
    server.start()
    return server


def test_a_forked_child_has_a_guest_of_its_own(aarch64):
    process = running(aarch64)

    def child():
        assert still_works(aarch64)
        assert running(aarch64) is not process
        aarch64.close()

    assert run_forked(child) == 0
    assert still_works(aarch64) and running(aarch64) is process


def test_the_guest_dies_with_its_host(aarch64):
    """Even in an endless loop, when nobody is left to give up waiting."""
    told, tell = os.pipe()

    def child():
        server = usable_server()
        os.write(tell, str(server._process._process.pid).encode())
        threading.Thread(target=server.call, args=[emitted(lambda asm: asm.b(asm.here()))], daemon=True).start()
        time.sleep(0.3)

    assert run_forked(child) == 0
    guest = int(os.read(told, 100))
    until = time.monotonic() + 30
    while runs(guest):
        assert time.monotonic() < until
        time.sleep(0.01)


def runs(process: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_thread_that_started_the_guest_may_end(aarch64):
    with usable_server() as server:
        server.close()
        for _ in range(20):
            thread = threading.Thread(target=server.start)
            thread.start()
            thread.join()
            assert still_works(server)


def test_threads_take_turns(aarch64):
    def work():
        results.append(all(still_works(aarch64) for _ in range(50)))

    results: list[bool] = []
    together(*[work] * 4)
    assert results == [True] * 4


def test_affinity_is_restored(aarch64):
    before = os.sched_getaffinity(0)
    with usable_server(pin=1) as server:
        assert still_works(server)
        with raises(GuestFault, "SIGILL"):
            server.call(emitted(lambda asm: asm.udf(0)))
        assert os.sched_getaffinity(0) == before


def test_close_and_start_again():
    with usable_server() as server:
        first = running(server)
    assert still_works(server) and running(server) is not first
    server.close()
    server.close()


@pytest.mark.parametrize(
    "options, reason",
    [
        ({"emulator": "qemu-that-is-missing"}, "No such file"),
        ({"emulator": "false"}, "ended with status 1"),
        ({"cpu": "no-such-cpu"}, "unable to find CPU model"),
    ],
)
def test_servers_that_do_not_start(aarch64, options, reason):
    if "cpu" in options and not aarch64.command:
        pytest.skip("runs natively")
    for _ in range(2):
        with raises(ServerUnavailable, reason):
            Server(**options).call(b"1234")


def test_emulator_from_the_environment(monkeypatch):
    monkeypatch.setenv("TILESMITH_QEMU", "a b")
    assert Server(cpu="c", options=["d"]).command == ["a", "b", "-cpu", "c", "d"]
    monkeypatch.setenv("TILESMITH_QEMU", "")
    assert Server().command == []


# What the processor can do


def test_features(aarch64):
    features = aarch64.features()
    assert set(features) == {probe.feature for probe in PROBES}
    assert not features["NEON"]
    assert bool(features["SVE"]) == (not aarch64.vector_lengths())


def test_features_of_lesser_processors(aarch64):
    if not aarch64.command:
        pytest.skip("runs natively")
    with usable_server(cpu="neoverse-n1") as server:
        has = {name for name, reason in server.features().items() if not reason}
        assert has == {"NEON", "FP16", "DOTPROD"}
        assert server.features()["BF16"] == "SIGILL"
        assert (server.vector_lengths(), server.streaming_lengths()) == ((), ())
        assert still_works(server) and not server.lacks(TARGETS["neon"])
        assert "SVE (no vectors of 128 bits)" in server.lacks(TARGETS["sve256"])
    with usable_server(cpu="max,sve-max-vq=2,sme=off") as server:
        assert server.vector_lengths() == (128, 256)
        assert not server.lacks(TARGETS["sve256"])
        assert "SVE vectors of 512 bits" in server.lacks(TARGETS["sve512"])


ATOMIC = r"(ld|st)(add|clr|eor|set|[su]max|[su]min)|swp|cas"


def test_reads_and_writes_are_told_apart():
    """Every load and store of the table, by its mnemonic."""
    for form in all_forms():
        mnemonic = form.syntax().split()[0]
        if re.match(ATOMIC, mnemonic):
            wanted = "updates"
        elif re.match(r"(ld|st)", mnemonic):
            wanted = "writes" if mnemonic.startswith("st") else "reads"
        else:
            continue
        for word in draws(form, 6):
            assert access(word) == wanted, f"{form.syntax()}: {word:#010x}"
    assert access(0xD65F03C0) == "touches"  # ret


# Executed instructions


def test_executed_instructions(aarch64):
    if not aarch64.command:
        pytest.skip("counted by the emulator only")
    code = emitted(copy_bytes)
    counts = executed(code, np.ones(100, np.uint8), np.zeros(100, np.uint8), 100)
    assert mnemonics(code, counts) == {"ldrb": 100, "strb": 100, "subs": 100, "b.ne": 100, "ret": 1}
    assert counts[code.instructions[0].offset] == 100

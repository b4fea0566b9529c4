"""Run one AArch64 instruction on the kernel server's processor and in the emulator, from the same state.

    case = make_case(form, rng, vector_bits)
    assert not differences(server, case)

The processor executes a stub: load every register from a block, the instruction, store every register to another. x0 to
x2 hold the addresses of the blocks and of the memory. No case uses these registers, or x18, x29, x30 and sp. The memory
ends at a page that nobody may access.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tests.emulation.a64.cases import USED, Block, Case
from tests.emulation.differing import differing
from tests.emulation.numerics.arm import EVERYTHING
from tests.encoder.a64_driver import far
from tilesmith.emulation.a64.semantics import predecode
from tilesmith.emulation.a64.state import A64State
from tilesmith.emulation.core.faults import CannotRun
from tilesmith.emulation.core.memory import Memory, MemoryFault, Region, address_of
from tilesmith.emulation.qemu.faults import GuestFault
from tilesmith.encoder.a64.assembler import A64Assembler
from tilesmith.encoder.a64.names import SYSTEM_REGISTERS
from tilesmith.encoder.a64.registers import D, P, W, X, Z, sp, vl, za, zt0
from tilesmith.encoder.a64.registers import mem as at
from tilesmith.encoder.decode import decode


def _stub(case: Case) -> bytes:
    before, after = _around(case.place.length, case.base, case.bases, case.streaming)
    return before + b"".join(word.to_bytes(4, "little") for word in case.words) + after


@cache
def _around(length: int, base: int | None, bases: int | None, streaming: bool) -> tuple[bytes, bytes]:
    """Return the code of a stub before and after its instructions."""
    asm: Any = A64Assembler(EVERYTHING)
    place = Block(length)
    asm.sub(sp, sp, 160)
    _callee_saved(asm, asm.stp)
    _load(asm, place, streaming)
    if bases is not None:
        spare = Z[(bases + 1) % 32]
        asm.dup(spare.d, X[2])
        asm.add(Z[bases].d, Z[bases].d, spare.d)
        asm.ldr(spare, at[X[0], spare.num * vl])
    for n in reversed(USED):
        asm.ldr(X[n], at[X[3], 8 * n])
    if base is not None:
        asm.add(X[base], X[2], X[base])
    before = bytes(asm.buffer)
    _store(asm, place, streaming)
    _callee_saved(asm, asm.ldp)
    asm.add(sp, sp, 160)
    asm.ret()
    return before, bytes(asm.buffer[len(before) :])


def _callee_saved(asm: Any, move: Any) -> None:
    for i in range(4):
        move(D[8 + 2 * i], D[9 + 2 * i], at[sp, 16 * i])
    for i in range(5):
        move(X[19 + 2 * i], X[20 + 2 * i], at[sp, 64 + 16 * i])


def _load(asm: Any, place: Block, streaming: bool) -> None:
    """Load all registers but the general ones, whose block x3 is then the address of."""
    if streaming:
        asm.smstart()
        _matrix(asm, asm.ldr, X[0], place)
    else:
        far(asm, X[3], X[0], place.ffr)
        asm.ldr(P[0], at[X[3]])
        asm.wrffr(P[0].b)
        asm.clrex()
    for n in range(32):
        asm.ldr(Z[n], at[X[0], n * vl])
    far(asm, X[3], X[0], place.predicates)
    for n in range(16):
        asm.ldr(P[n], at[X[3], n * vl])
    far(asm, X[3], X[0], place.general)
    for name in ("nzcv", "fpcr"):
        asm.ldr(X[4], at[X[3], getattr(place, name) - place.general])
        asm.msr(SYSTEM_REGISTERS[name], X[4])


def _store(asm: Any, place: Block, streaming: bool) -> None:
    """Store all registers."""
    asm.stp(X[3], X[4], at[sp, 144])
    far(asm, X[3], X[1], place.general)
    for n in USED[2:]:
        asm.str(X[n], at[X[3], 8 * n])
    asm.str(X[2], at[X[3], place.base - place.general])
    asm.ldp(X[4], X[5], at[sp, 144])
    asm.stp(X[4], X[5], at[X[3], 8 * USED[0]])
    for name in ("nzcv", "fpcr"):
        asm.mrs(X[4], SYSTEM_REGISTERS[name])
        asm.str(X[4], at[X[3], getattr(place, name) - place.general])
    asm.movz(X[3], 0)
    asm.msr(SYSTEM_REGISTERS["fpcr"], X[3])
    for n in range(32):
        asm.str(Z[n], at[X[1], n * vl])
    far(asm, X[3], X[1], place.predicates)
    for n in range(16):
        asm.str(P[n], at[X[3], n * vl])
    if streaming:
        _matrix(asm, asm.str, X[1], place)
        asm.smstop()
    else:
        far(asm, X[3], X[1], place.ffr)
        asm.rdffr(P[0].b)
        asm.str(P[0], at[X[3]])


def _matrix(asm: Any, move: Any, block: Any, place: Block) -> None:
    """Emit loads or stores of ZA and ZT0."""
    far(asm, X[3], block, place.zt0)
    move(zt0, at[X[3]])
    far(asm, X[3], block, place.za)
    for row in range(place.length):
        if row % 16 == 0:
            asm.load_immediate(W[12], row)
        move(za[W[12], row % 16], at[X[3], row % 16 * vl])
        if row % 16 == 15:
            far(asm, X[3], X[3], 16 * place.length)


def processed(server: Any, case: Case) -> None:
    """Execute a case on the server's processor; the result goes to case.after."""
    block, out, memory = case.block.copy(), np.zeros(case.place.size, np.uint8), case.memory.copy()
    bits = 8 * case.place.length
    server.call(_stub(case), block, out, memory, vector_bits=bits, streaming_bits=bits if case.streaming else None)
    base = int(out[case.place.base :][:8].view(np.uint64)[0])
    case.after["processor"] = _parts(case, out, memory, base)


def emulated(case: Case) -> None:
    """Execute a case in the emulator; the result goes to case.after."""
    memory, place = _aligned(case.memory), case.place
    state = A64State(Memory([Region("memory", memory)]), place.length)
    if case.streaming:
        state.za.switch(streaming=True, enabled=True)
        state.za.bytes[:] = case.block[place.za :].reshape(place.length, -1)
        state.za.table[:] = case.block[place.zt0 : place.za]
    state.vectors[:] = case.block[: place.predicates].reshape(32, -1)
    packed = case.block[place.predicates : place.ffr].reshape(16, -1)
    state.predicates[:] = np.unpackbits(packed, axis=1, bitorder="little").astype(bool)
    state.ffr[:] = np.unpackbits(case.block[place.ffr :][: place.length // 8], bitorder="little").astype(bool)
    general = case.block[place.general :][:256].view(np.uint64)
    state.x[:] = general[:31].tolist()
    if case.base is not None:
        state.x[case.base] = (state.x[case.base] + address_of(memory)) % (1 << 64)
    if case.bases is not None:
        state.vectors[case.bases].view(np.uint64)[:] += np.uint64(address_of(memory))
    state.nzcv = int(case.block[place.nzcv :][:8].view(np.uint64)[0]) >> 28
    state.set_fpcr(int(case.block[place.fpcr :][:8].view(np.uint64)[0]))
    for word in case.words:
        found = decode(word.to_bytes(4, "little"), 0, "a64")
        assert found is not None
        with np.errstate(all="ignore"):
            predecode(state, found.form, found.operands, 1 << 20)()
    state.memory.copy_back()
    out = np.zeros(place.size, np.uint8)
    out[: place.predicates] = state.vectors.reshape(-1)
    out[place.predicates : place.ffr] = np.packbits(state.predicates, axis=1, bitorder="little").reshape(-1)
    if case.streaming:
        out[place.za :] = state.za.bytes.reshape(-1)
        out[place.zt0 : place.za] = state.za.table
    else:
        out[place.ffr :][: place.length // 8] = np.packbits(state.ffr, bitorder="little")
    out[place.general :][:248].view(np.uint64)[:] = state.x
    out[place.nzcv :][:8].view(np.uint64)[0] = state.nzcv << 28
    out[place.fpcr :][:8].view(np.uint64)[0] = state.fpcr
    case.after["emulator"] = _parts(case, out, memory, address_of(memory))


def _aligned(data: Any) -> Any:
    """Return a copy at a multiple of 64."""
    room = np.zeros(len(data) + 64, np.uint8)
    start = -address_of(room) % 64
    room[start:][: len(data)] = data
    return room[start:][: len(data)]


def _parts(case: Case, block: Any, memory: Any, base: int) -> dict[str, Any]:
    place = case.place
    length, half = place.length, place.length // 8
    if case.bases is not None:
        block[case.bases * length :][:length].view(np.uint64)[:] -= np.uint64(base)
    parts: dict[str, Any] = {f"z{n}": block[n * length :][:length].tobytes() for n in range(32)}
    parts |= {f"p{n}": block[place.predicates + n * half :][:half].tobytes() for n in range(16)}
    general = block[place.general :][:256].view(np.uint64)
    parts |= {f"x{n}": (int(general[n]) - (base if n == case.base else 0)) % (1 << 64) for n in USED}
    parts["nzcv"] = int(block[place.nzcv :][:8].view(np.uint64)[0])
    parts |= {"ffr": block[place.ffr : place.general].tobytes(), "memory": memory.tobytes()}
    if case.streaming:
        parts |= {"zt0": block[place.zt0 : place.za].tobytes()}
        parts |= {f"za[{n}]": block[place.za + n * length :][:length].tobytes() for n in range(length)}
    return parts


def differences(server: Any, case: Case) -> list[str]:
    """Return the differences between the server's processor and the emulator, in words."""
    try:
        emulated(case)
    except (CannotRun, MemoryFault) as error:
        wanted = "SIGILL" if isinstance(error, CannotRun) else "SIGSEGV"
        try:
            processed(server, case)
        except GuestFault as fault:
            return [] if fault.signal == wanted else [f"{error}, but {fault}"]
        return [f"the emulator refuses: {error}"]
    try:
        processed(server, case)
    except GuestFault as fault:
        if fault.signal != "SIGSEGV":
            raise
        return [f"the emulator does not fault: {fault}"]
    return list(differing(case.after["processor"], case.after["emulator"]))

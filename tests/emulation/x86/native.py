"""Run one x86-64 instruction on this processor and in the emulator, from the same registers and memory.

    case = make_case(form, rng)
    assert not differences(case)

The processor executes a stub: load every register from a block, the instruction, store every register to another. The
blocks have fixed addresses, so that all registers belong to the instruction, also rsp. A jump leads to a second copy of
the part that stores, which tells that it was taken.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from tests.emulation.differing import differing
from tests.emulation.x86.cases import (
    BLOCK,
    FLAG_BITS,
    FLAGS,
    GENERAL,
    JUMP,
    MXCSR,
    RAX,
    RBP,
    RBX,
    RCX,
    RDI,
    RSP,
    SAVED,
    TAKEN,
    Case,
    K,
    contents,
    make_case,
)
from tilesmith.emulation.core.faults import CannotRun
from tilesmith.emulation.core.memory import Memory, MemoryFault, Region, address_of
from tilesmith.emulation.x86.semantics import predecode
from tilesmith.emulation.x86.state import MXCSR as DEFAULT_MXCSR
from tilesmith.emulation.x86.state import Undefined, X86State
from tilesmith.encoder.decode import decode
from tilesmith.encoder.x86 import registers as regs
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.registers import dword, qword, zmmword
from tilesmith.runtime.host import detect as host
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.system.libc import ffi

__all__ = ["Case", "contents", "differences", "make_case"]

NO_AF = {
    "and",
    "or",
    "xor",
    "test",
    "shl",
    "shr",
    "sar",
    "shld",
    "shrd",
    "imul",
    "mul",
    "div",
    "idiv",
    "bsf",
    "bsr",
    "bt",
    "bts",
    "btr",
    "btc",
    "lzcnt",
    "tzcnt",
    "bextr",
    "blsi",
    "blsr",
    "blsmsk",
    "andn",
    "bzhi",
}
"""Instructions, also with lock, that leave the flag af undefined, which no condition reads and the emulator does not
track."""

IN, OUT = (each[-address_of(each) % 64 :][:BLOCK] for each in (np.zeros(BLOCK + 64, np.uint8) for _ in range(2)))
"""The registers that a stub loads, and those that it has stored."""


def prepare(case: Case) -> Any:
    """Return the published stub of a case. The target of a jump becomes known with it."""
    before, after, landing = around()
    jump = b"\xe9" + len(landing).to_bytes(4, "little")
    code = publish(before + case.data + jump + landing + after)
    if case.landing is not None:
        kind, at = case.landing
        held = case.block[GENERAL + 8 * at :] if kind == "general" else case.memory[at:]
        held[:8].view(np.uint64)[0] = code.address + len(before) + len(case.data) + JUMP
    return code


def natively(case: Case, code: Any) -> None:
    """Execute a case on the processor; the result goes to case.after."""
    before = case.memory.copy()
    IN[:] = case.block
    ffi.cast("void(*)(void)", code.address)()
    out = OUT.copy()
    flags = int(out[FLAGS : FLAGS + 8].view(np.uint64)[0])
    bits = {name: flags >> bit & 1 for name, bit in FLAG_BITS.items()}
    case.after["processor"] = _parts(out, case.memory.copy(), bits)
    case.memory[:] = before


@cache
def around() -> tuple[bytes, bytes, bytes]:
    """Return the code of a stub before and after its instruction, and after a jump of its instruction."""
    asm: Any = X86Assembler(host.host())
    r, rdi, rax, rcx, rsp = regs.R64, regs.R64[RDI], regs.R64[RAX], regs.R64[RCX], regs.R64[RSP]
    saved = [r[n] for n in (RBX, RBP, 12, 13, 14, 15)]
    for reg in saved:
        asm.push(reg)
    asm.mov(rax, address_of(OUT))
    asm.mov(qword[rax + SAVED], rsp)
    asm.mov(rdi, address_of(IN))
    for n in range(32):
        asm.vmovdqu64(regs.ZMM[n], zmmword[rdi + 64 * n])
    for n in range(8):
        asm.kmovq(regs.K[n], qword[rdi + K + 8 * n])
    asm.ldmxcsr(dword[rdi + MXCSR])
    asm.push(qword[rdi + FLAGS])
    asm.popfq()
    for n in (*(n for n in range(16) if n != RDI), RDI):
        asm.mov(r[n], qword[rdi + GENERAL + 8 * n])
    before = bytes(asm.buffer)
    ends = []
    for taken in (0, 1):
        start = len(asm.buffer)
        for n in range(1, 16):
            asm.mov(qword[rax + GENERAL + 8 * n], r[n])
        asm.mov(dword[rax + TAKEN], taken)
        asm.mov(rsp, qword[rax + SAVED])
        asm.pushfq()
        asm.pop(rcx)
        asm.mov(qword[rax + FLAGS], rcx)
        asm.cld()
        asm.stmxcsr(dword[rax + MXCSR])
        for n in range(8):
            asm.kmovq(qword[rax + K + 8 * n], regs.K[n])
        for n in range(32):
            asm.vmovdqu64(zmmword[rax + 64 * n], regs.ZMM[n])
        asm.mov(dword[rsp - 16], DEFAULT_MXCSR)
        asm.ldmxcsr(dword[rsp - 16])
        for reg in reversed(saved):
            asm.pop(reg)
        asm.vzeroupper()
        asm.ret()
        # mov [address], rax; mov rax, address: no instruction before them may need a register.
        ends.append(
            b"\x48\xa3"
            + (address_of(OUT) + GENERAL).to_bytes(8, "little")
            + b"\x48\xb8"
            + address_of(OUT).to_bytes(8, "little")
            + bytes(asm.buffer[start:])
        )
    return before, ends[0], ends[1]


def emulated(case: Case, code: Any) -> None:
    """Execute a case in the emulator; the result goes to case.after."""
    memory = case.memory.copy()
    state = X86State(Memory([Region("memory", case.memory, True)]))
    state.vectors[:] = case.block[:K].reshape(32, 64)
    state.k[:] = case.block[K:GENERAL].view(np.uint64).tolist()
    state.r[:] = case.block[GENERAL:FLAGS].view(np.uint64).tolist()
    state.flags = int(case.block[FLAGS : FLAGS + 8].view(np.uint64)[0])
    state.set_mxcsr(int(case.block[MXCSR : MXCSR + 4].view(np.uint32)[0]))
    found = decode(case.data)
    assert found is not None and found.length == len(case.data), case
    end = code.address + len(around()[0]) + len(case.data)
    with np.errstate(all="ignore"):
        to = predecode(state, found.form, found.operands, end)()
    state.memory.copy_back()
    out = np.zeros(BLOCK, np.uint8)
    out[:K] = state.vectors.reshape(-1)
    out[K:GENERAL].view(np.uint64)[:] = state.k
    out[GENERAL:FLAGS].view(np.uint64)[:] = state.r
    out[MXCSR : MXCSR + 4].view(np.uint32)[0] = state.mxcsr
    out[TAKEN] = {None: 0, end + JUMP: 1}.get(to, 2)
    flags = {name: getattr(state, name) for name in FLAG_BITS}
    case.undefined = tuple(name for name, value in flags.items() if isinstance(value, Undefined))
    bits = {name: 0 if name in case.undefined else int(value) for name, value in flags.items()}
    case.after["emulator"] = _parts(out, case.memory.copy(), bits)
    case.memory[:] = memory


def _parts(block: Any, memory: Any, flags: dict[str, int]) -> dict[str, Any]:
    parts: dict[str, Any] = {f"zmm{n}": block[64 * n : 64 * n + 64].tobytes() for n in range(32)}
    parts |= {f"k{n}": int(block[K:GENERAL].view(np.uint64)[n]) for n in range(8)}
    parts |= {r.name: int(block[GENERAL:FLAGS].view(np.uint64)[r.num]) for r in regs.R64}
    parts |= flags
    parts["mxcsr"] = int(block[MXCSR : MXCSR + 4].view(np.uint32)[0]) & 0xFFC0
    parts["jump taken"] = int(block[TAKEN])
    parts["memory"] = memory.tobytes()
    return parts


def differences(case: Case) -> list[str]:
    """Return the differences between the processor and the emulator, in words."""
    code = prepare(case)
    try:
        emulated(case, code)
    except (CannotRun, MemoryFault) as error:
        return [f"the emulator refuses: {error}"]
    natively(case, code)
    ignored = {*case.undefined, *(["af"] if case.form.mnemonic.removeprefix("lock ") in NO_AF else [])}
    if case.form.row.key in ESTIMATES:
        _forgive(case, *ESTIMATES[case.form.row.key])
    return list(differing(case.after["processor"], case.after["emulator"], ignored))


_FINE = [
    (f"vr{name}14{ending}", dtype)
    for name in ("cp", "sqrt")
    for ending, dtype in (("ps", "f4"), ("ss", "f4"), ("pd", "f8"), ("sd", "f8"))
]
ESTIMATES = {
    **{name: (dtype, 2.0**-13) for name, dtype in _FINE},
    **{f"vr{name}{end}": ("f2", 2.0**-10) for name in ("cp", "sqrt") for end in ("ph", "sh")},
}
"""Estimates whose last bits differ between processors: their type, and twice the bound of the manual, because the
processor may be off to one side and the emulator to the other."""


def _forgive(case: Case, kind: str, bound: float) -> None:
    """Take over the processor's estimates where the emulator's differ by no more than the bound or a unit."""
    register = f"zmm{case.operands[0].num}"
    right, got = (np.frombuffer(case.after[who][register], kind) for who in ("processor", "emulator"))
    with np.errstate(all="ignore"):
        distance = np.abs(right.astype("f8") - got.astype("f8"))
        close = distance <= np.maximum(bound * np.abs(right.astype("f8")), np.spacing(np.abs(right)).astype("f8"))
    case.after["emulator"][register] = np.where(close, right, got).tobytes()

"""The guest: a static AArch64 program of about a hundred instructions that executes code on request.

It knows three requests (make a system call, place code, call code) and nothing else. The host (qemu/process.py) decides
in Python what to map, which signals to catch and what a register should hold. Host and guest share one memory file. The
guest sees it at SHARED, so the host can compute the guest's pointers. Requests and reports lie in the first bytes of
the file. Standard input and output only carry doorbells of 8 bytes: a Request goes in, an Outcome comes out.

    host: write request to memory -> ring Request      guest: do it -> write report to memory -> ring Outcome
"""

from __future__ import annotations

import functools
import struct
from enum import IntEnum

from ...encoder.a64.assembler import A64Assembler
from ...encoder.a64.coherence import flush
from ...encoder.a64.names import PATTERNS, SYSTEM_REGISTERS
from ...encoder.a64.registers import D, General, P, Q, V, X, Z, mem, sp, xzr
from ...encoder.code import Code
from ...encoder.features import Target
from ...encoder.operands import Label


class Request(IntEnum):
    """A request of the host."""

    SYSCALL = 1  # arguments[:6], number in TARGET -> RESULT
    PLACE = 2  # copy code to arguments[0] (whole pages), arguments[1] bytes of pages, from arguments[2]
    CALL = 3  # the function at TARGET


class Outcome(IntEnum):
    """The outcome of a request."""

    DONE = 0
    FAULT = 1  # a signal was caught; FAULT_STATE holds the details


# The shared memory file as the guest sees it. It lies below 2^39, the smallest address space of a 64-bit Arm Linux, and
# far from what a kernel or qemu maps. The space between the areas is not mapped, so touching it faults.
SHARED = 64 << 30
CONTROL_SIZE = 64 << 10
SIGNAL_STACK, SIGNAL_STACK_SIZE = SHARED + (1 << 20), 256 << 10  # ZA at 2048 bits alone needs 64 KiB of it
STACK, STACK_SIZE = SHARED + (22 << 20), 6 << 20  # the stack of the called code, of up to STACK_LIMIT + LEVELS_LIMIT
STAGING, STAGING_SIZE = SHARED + (4 << 20), 16 << 20  # code on its way into the arena; the guest only reads it
SLOTS, SHARED_END = SHARED + (32 << 20), SHARED + (4 << 30)  # buffers
ARENA, ARENA_SIZE = 32 << 30, 64 << 20  # code runs here; private to the guest

# The control block: bytes from SHARED.
DOORBELL, ANSWER, RESULT = 0, 8, 16
TARGET, ARGUMENTS, STATES, FPCR = 64, 72, 136, 144  # the contents of a request; 8 arguments
LEFT = 256  # the state that a call left: LEFT_REGISTERS, one word each
FAULT_STATE = 512  # signal, its code, address; then FAULT_REGISTERS
STRUCTURES = 1024  # free for arguments of system calls

LEFT_REGISTERS = (*(f"x{i}" for i in range(18, 30)), "sp", "fpcr", "svcr", *(f"d{i}" for i in range(8, 16)))
FAULT_REGISTERS = (*(f"x{i}" for i in range(31)), "sp", "pc", "pstate")

SVE, SME = 1, 2  # bits of STATES: the processor has these registers
ENTRY_SP = STACK + STACK_SIZE - 1024  # above it: arguments beyond the eighth, then canaries
JUNK = 0x0FF5_FFF5_FF00
"""x<i> holds JUNK + i at entry, where nothing is mapped."""
NAN = 0xFFF5_FFF5_FFF5_FFC0
"""Every 64 bits of v<i> or z<i> hold NAN + i, which is a NaN in every float type of 16 to 64 bits."""

# Linux: asm-generic/unistd.h
READ, WRITE, EXIT_GROUP, SIGALTSTACK, SIGACTION, PRCTL, MMAP, MPROTECT = 63, 64, 94, 132, 134, 167, 222, 226
PROT_READ, PROT_WRITE, PROT_EXEC = 1, 2, 4  # asm-generic/mman-common.h
MAP_SHARED, MAP_PRIVATE, MAP_ANONYMOUS, MAP_FIXED_NOREPLACE = 0x01, 0x02, 0x20, 0x100000

# struct siginfo and struct ucontext of AArch64 (asm/ucontext.h, asm/sigcontext.h): byte offsets
_SI_CODE, _SI_ADDR, _UC_REGS = 8, 16, 184

_TARGET = Target("guest", "a64", "neon", frozenset(("NEON", "SVE", "SME")), vector_bits=128, fma_bits=128)
_CONTROL = X[20]  # holds SHARED whenever the guest, not the called code, runs


_HEADER = struct.Struct("<4s5B7x2HI3QI6H")
_SEGMENT = struct.Struct("<2I6Q")
_LOADED = 0x40_0000  # the address of the file's first byte
ENTRY = _LOADED + _HEADER.size + _SEGMENT.size  # the address of the program's first byte


@functools.cache
def executable() -> bytes:
    """Return the guest as a static ELF executable of one segment (System V gABI, chapters 4 and 5)."""
    code = program().data
    size = _HEADER.size + _SEGMENT.size + len(code)
    header = _HEADER.pack(
        b"\x7fELF", 2, 1, 1, 0, 0, 2, 183, 1, ENTRY, _HEADER.size, 0, 0, _HEADER.size, _SEGMENT.size, 1, 0, 0, 0
    )
    segment = _SEGMENT.pack(1, 4 | 1, 0, _LOADED, _LOADED, size, size, 0x1_0000)
    return header + segment + code


@functools.cache
def program() -> Code:
    """Return the guest's code. It starts at its first byte; `signal_handler` is a label."""
    asm = A64Assembler(_TARGET)
    stop, answer = asm.label("stop"), asm.label("answer")
    requests = {request: asm.label(request.name.lower()) for request in Request}
    _start(asm, stop)
    _serve(asm, answer, requests, stop)
    _syscall_request(asm, requests[Request.SYSCALL], answer)
    _place_request(asm, requests[Request.PLACE], answer)
    _call_request(asm, requests[Request.CALL], answer)
    _signal_handler(asm, answer)
    return asm.finish("guest")


def _system_call(asm: A64Assembler, number: int, *arguments: int) -> None:
    for reg, value in zip(X, arguments):
        asm.load_immediate(reg, value)
    asm.load_immediate(X[8], number)
    asm.svc(0)


def _start(asm: A64Assembler, stop: Label) -> None:
    """Receive the first doorbell, which carries the number of the memory file, and map the control block. The host maps
    the rest."""
    asm.sub(sp, sp, 16)
    asm.load_immediate(X[0], 0)
    asm.mov(X[1], sp)
    asm.load_immediate(X[2], 8)
    asm.load_immediate(X[8], READ)
    asm.svc(0)
    asm.cmp(X[0], 8)
    asm.b_ne(stop)
    asm.ldr(X[4], mem[sp])
    asm.load_immediate(X[5], 0)
    _system_call(asm, MMAP, SHARED, CONTROL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE)
    asm.load_immediate(_CONTROL, SHARED)
    asm.cmp(X[0], _CONTROL)
    asm.b_ne(stop)
    asm.load_immediate(X[0], Outcome.DONE)


def _serve(asm: A64Assembler, answer: Label, requests: dict[Request, Label], stop: Label) -> None:
    """Send the outcome in x0, wait for the next request and branch to it. End when the host has gone."""
    asm.bind(answer)
    asm.str(X[0], mem[_CONTROL, ANSWER])
    for number, file, offset in ((WRITE, 1, ANSWER), (READ, 0, DOORBELL)):
        _system_call(asm, number, file, SHARED + offset, 8)
        asm.cmp(X[0], 8)
        asm.b_ne(stop)
    asm.ldr(X[9], mem[_CONTROL, DOORBELL])
    for request, label in requests.items():
        asm.cmp(X[9], request)
        asm.b_eq(label)
    asm.bind(stop)
    _system_call(asm, EXIT_GROUP, 0)


def _done(asm: A64Assembler, answer: Label) -> None:
    asm.load_immediate(X[0], Outcome.DONE)
    asm.b(answer)


def _syscall_request(asm: A64Assembler, entry: Label, answer: Label) -> None:
    asm.bind(entry)
    asm.ldr(X[8], mem[_CONTROL, TARGET])
    for i in range(0, 6, 2):
        asm.ldp(X[i], X[i + 1], mem[_CONTROL, ARGUMENTS + 8 * i])
    asm.svc(0)
    asm.str(X[0], mem[_CONTROL, RESULT])
    _done(asm, answer)


def _place_request(asm: A64Assembler, entry: Label, answer: Label) -> None:
    """Copy code into the arena. Its pages are writable, then executable, never both. RESULT is that of mprotect."""
    to, size, source = X[21], X[22], X[23]
    failed = asm.label("place_failed")
    asm.bind(entry)
    asm.ldp(to, size, mem[_CONTROL, ARGUMENTS])
    asm.ldr(source, mem[_CONTROL, ARGUMENTS + 16])
    _protect(asm, to, size, PROT_READ | PROT_WRITE)
    asm.cbnz(X[0], failed)
    asm.mov(X[9], to)
    asm.lsr(X[10], size, 5)
    with asm.loop(X[10]):
        asm.ldp(Q[0], Q[1], mem[source].post(32))
        asm.stp(Q[0], Q[1], mem[X[9]].post(32))
    flush(asm, to, size)
    _protect(asm, to, size, PROT_READ | PROT_EXEC)
    asm.bind(failed)
    asm.str(X[0], mem[_CONTROL, RESULT])
    _done(asm, answer)


def _protect(asm: A64Assembler, start: General, size: General, rights: int) -> None:
    asm.mov(X[0], start)
    asm.mov(X[1], size)
    asm.load_immediate(X[2], rights)
    asm.load_immediate(X[8], MPROTECT)
    asm.svc(0)


def _call_request(asm: A64Assembler, entry: Label, answer: Label) -> None:
    """Call the function at TARGET with junk in every register that carries no argument, and record what it leaves."""
    asm.bind(entry)
    asm.ldr(X[9], mem[_CONTROL, FPCR])
    asm.msr(SYSTEM_REGISTERS["fpcr"], X[9])
    asm.msr(SYSTEM_REGISTERS["fpsr"], xzr)
    _fill_vectors(asm)
    asm.load_immediate(X[9], ENTRY_SP)
    asm.mov(sp, X[9])
    for i in range(0, 8, 2):
        asm.ldp(X[i], X[i + 1], mem[_CONTROL, ARGUMENTS + 8 * i])
    asm.ldr(X[16], mem[_CONTROL, TARGET])
    asm.load_immediate(X[8], JUNK + 8)
    for i in (i for i in range(9, 30) if i != 16):
        asm.add(X[i], X[8], i - 8)
    asm.blr(X[16])
    _keep_registers(asm)
    _done(asm, answer)


def _fill_vectors(asm: A64Assembler) -> None:
    """Fill whole vector registers with junk and set all predicates to true, so that code that relies on zeros fails."""
    plain, filled = asm.label("fill_neon"), asm.label("filled")
    asm.load_immediate(X[10], NAN)
    asm.ldr(X[9], mem[_CONTROL, STATES])
    asm.tbz(X[9], SVE.bit_length() - 1, plain)
    for i in range(32):
        asm.add(X[9], X[10], i)
        asm.dup(Z[i].d, X[9])
    for predicate in P:
        asm.ptrue(predicate.b, PATTERNS["all"])
    asm.setffr()
    asm.b(filled)
    asm.bind(plain)
    for i in range(32):
        asm.add(X[9], X[10], i)
        asm.dup(V[i].d2, X[9])
    asm.bind(filled)


def _keep_registers(asm: A64Assembler) -> None:
    """Store LEFT_REGISTERS and restore the guest's state. x0 still holds the result, x20 the control block."""
    left, other, simple = X[9], X[10], asm.label("kept")
    asm.load_immediate(left, SHARED + LEFT)
    for i in range(18, 30, 2):
        asm.stp(X[i], X[i + 1], mem[left, 8 * (i - 18)])
    asm.mov(other, sp)
    asm.str(other, mem[left, 96])
    asm.mrs(other, SYSTEM_REGISTERS["fpcr"])
    asm.str(other, mem[left, 104])
    asm.str(xzr, mem[left, 112])
    for i in range(8, 16, 2):
        asm.stp(D[i], D[i + 1], mem[left, 120 + 8 * (i - 8)])
    asm.load_immediate(_CONTROL, SHARED)
    asm.str(X[0], mem[_CONTROL, RESULT])
    asm.ldr(other, mem[_CONTROL, STATES])
    asm.tbz(other, SME.bit_length() - 1, simple)
    asm.mrs(other, SYSTEM_REGISTERS["svcr"])
    asm.str(other, mem[left, 112])
    asm.cbz(other, simple)
    asm.smstop()
    asm.bind(simple)


def _signal_handler(asm: A64Assembler, answer: Label) -> None:
    """Record the signal and the registers, and answer without ever returning. The stack frames below are abandoned."""
    signal, info, context, to = X[0], X[1], X[2], X[3]
    asm.here("signal_handler")
    asm.load_immediate(_CONTROL, SHARED)
    asm.add(to, _CONTROL, FAULT_STATE)
    asm.str(signal, mem[to])
    asm.ldrsw(X[9], mem[info, _SI_CODE])
    asm.ldr(X[10], mem[info, _SI_ADDR])
    asm.stp(X[9], X[10], mem[to, 8])
    for i in range(0, len(FAULT_REGISTERS), 2):
        asm.ldp(X[9], X[10], mem[context, _UC_REGS + 8 * i])
        asm.stp(X[9], X[10], mem[to, 24 + 8 * i])
    asm.load_immediate(X[9], ENTRY_SP)
    asm.mov(sp, X[9])  # leave the signal stack, so that the next signal starts at its top
    asm.load_immediate(X[0], Outcome.FAULT)
    asm.b(answer)

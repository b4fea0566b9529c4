"""The code that queries an x86-64 processor."""

from __future__ import annotations

from ...encoder.code import Code
from ...encoder.features import TARGETS
from ...encoder.x86.assembler import X86Assembler
from ...encoder.x86.registers import REGISTERS, dword

_ARCH_PRCTL = 158  # the number of the system call: linux/arch/x86/entry/syscalls/syscall_64.tbl


def probe() -> Code:
    """Emit void cpuid(uint32_t leaf, uint32_t subleaf, uint32_t out[4]), uint64_t xgetbv(void), and arch_prctl."""
    asm = X86Assembler(TARGETS["avx2"])  # general registers only: every x86-64 processor runs this
    leaf, subleaf, out, kept = (REGISTERS[name] for name in ("edi", "esi", "rdx", "r8"))
    rax, rbx, rdx, eax, ebx, ecx, edx = (REGISTERS[name] for name in ("rax", "rbx", "rdx", "eax", "ebx", "ecx", "edx"))
    asm.here("cpuid")
    asm.endbr64()
    asm.push(rbx)  # the caller's, and CPUID writes it
    asm.mov(kept, out)
    asm.mov(eax, leaf)
    asm.mov(ecx, subleaf)
    asm.cpuid()
    for i, register in enumerate((eax, ebx, ecx, edx)):
        asm.mov(dword[kept + 4 * i], register)
    asm.pop(rbx)
    asm.ret()
    asm.align(16)
    asm.here("xgetbv")
    asm.endbr64()
    asm.xor(ecx, ecx)  # XCR0
    asm.xgetbv()
    asm.shl(rdx, 32)
    asm.or_(rax, rdx)
    asm.ret()
    asm.align(16)
    asm.here("arch_prctl")  # its arguments are where the system call wants them
    asm.endbr64()
    asm.mov(eax, _ARCH_PRCTL)
    asm.syscall()
    asm.ret()
    return asm.finish("probe")

"""The instruction cache of AArch64: a stub of our own flushes new code from it (encoder/a64/coherence.py).

Linux makes the stub itself visible. It runs the same sequence on a page before the page is executable for the first
time since it was written (__sync_icache_dcache in arch/arm64/mm/flush.c, called from set_pte_at, for pages of files and
anonymous ones). The dynamic loader maps every library this way and flushes nothing. The stub's pages are of that kind
on every rung of the ladder: written in full, mapped executable once, and never written again. The return from that
system call synchronizes this processor's pipeline. The pages of kernels are of that kind as well, so their flush
repeats what Linux has done. Linux's flush is an implementation detail; the stub's is what the architecture requires of
whoever writes code.

The flush uses the addresses that will be executed, since an instruction cache may be indexed by virtual addresses. They
are mapped readable, which `dc cvau` needs.
"""

from __future__ import annotations

from ...encoder.a64.assembler import A64Assembler
from ...encoder.a64.coherence import flush
from ...encoder.a64.names import BRANCH_TARGETS
from ...encoder.a64.registers import X
from ...encoder.a64.targets import TARGETS
from ...encoder.code import Code


def stub() -> Code:
    """Emit void flush(uintptr_t start, size_t size)."""
    asm = A64Assembler(TARGETS["neon"])
    asm.bti(BRANCH_TARGETS["c"])
    flush(asm, X[0], X[1])
    asm.ret()
    return asm.finish("flush")

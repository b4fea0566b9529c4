"""The instruction cache of AArch64: new code is flushed from it by a stub of our own (encoder/a64/coherence.py).

Who makes the stub itself visible? Linux does. It runs the same sequence on a page before that page is executable for
the first time since it was written (__sync_icache_dcache in arch/arm64/mm/flush.c, from set_pte_at: for pages of files
as for anonymous ones). The dynamic loader maps every library so and flushes nothing. The stub's pages are of that kind
on every rung of the ladder: written in full, mapped executable once, never written again; and the return from that
system call synchronizes this processor's pipeline. Our kernels' pages are too, so their flush repeats what Linux has
done: Linux's is how things are, the stub's is what the architecture asks of whoever writes code.

The flush is made by the addresses that will be executed, since an instruction cache may go by virtual addresses. They
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
    """void flush(uintptr_t start, size_t size)."""
    asm = A64Assembler(TARGETS["neon"])
    asm.bti(BRANCH_TARGETS["c"])
    flush(asm, X[0], X[1])
    asm.ret()
    return asm.finish("flush")

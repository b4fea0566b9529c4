"""Alignment of the memory operands of legacy vector instructions. test_semantics.py tests what they compute."""

from __future__ import annotations

import numpy as np
import pytest

from tilesmith.emulation.core.faults import Fault
from tilesmith.emulation.core.memory import address_of
from tilesmith.emulation.cpu import call
from tilesmith.encoder.features import TARGETS
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.registers import R64, XMM, mem


def test_memory_of_a_vector_is_aligned() -> None:
    """Intel SDM vol. 1, 4.6.5: the processor raises #GP. Unaligned moves and scalars accept any address."""
    words = np.arange(12, dtype=np.float32)
    words = words[-address_of(words) % 16 // 4 :][:8]
    rdi = R64[7]
    for disp, faults in ((0, False), (4, True)):
        asm = X86Assembler(TARGETS["sse"])
        asm.movups(XMM[1], mem(rdi, 4))
        asm.addss(XMM[1], mem(rdi, 4))
        asm.addps(XMM[1], mem(rdi, disp))
        asm.movups(mem(rdi, 4), XMM[1])
        asm.ret()
        code, held = asm.finish().data, words.copy()
        given = np.zeros(12, np.float32)
        given = given[-address_of(given) % 16 // 4 :][:8]
        given[:] = held
        if faults:
            with pytest.raises(Fault, match="addps .*must be a multiple of 16"):
                call(code, TARGETS["sse"], given)
            continue
        wanted = held[1:5] + held[:4]
        wanted[0] += held[1]
        call(code, TARGETS["sse"], given)
        assert np.array_equal(given[1:5], wanted)

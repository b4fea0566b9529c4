"""k.costs() left out the pipes of instructions on xmm0, on vector registers from 16 on and on masked ones."""

from __future__ import annotations

from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.names import k1, rsi, xmm0, xmm1, zmm1, zmm2, zmm17, zmm18
from tilesmith.encoder.x86.registers import ptr
from tilesmith.microkernels.machines.targets import TARGETS
from tilesmith.runtime.kernel import costs


def test_equal_instructions_cost_the_same_on_all_registers() -> None:
    asm = X86Assembler(TARGETS["avx512"])
    for load in (xmm1, xmm0):
        asm.vmovups(load, ptr[rsi])
    for first, second in ((zmm1, zmm2), (zmm17, zmm18), (zmm1.kz(k1), zmm2), (zmm17.k(k1), zmm18)):
        asm.vaddps(first, second, second)
    usual_load, load, usual_sum, *sums = costs.costs(asm.finish())
    assert load == usual_load and usual_load.load > 0
    assert sums == [usual_sum] * 3 and usual_sum.fma > 0

"""Found on a Zen 5: the emulated vreduceps of an infinity gave -0 if it rounds down; it gives +0 on the processor."""

from __future__ import annotations

import numpy as np
import pytest

from tests.emulation.assembled import AVX512, R, assembled
from tests.emulation.numerics.silicon import Silicon
from tilesmith.emulation.cpu import Region, execute
from tilesmith.encoder.x86.registers import ZMM, ptr

INFINITIES = np.array([np.inf, -np.inf] * 8, np.float32)
MODES = 0, 1, 2, 3  # the immediate's rounding: to nearest, down, up, towards zero


@pytest.mark.parametrize("mode", MODES)
def test_in_the_emulator(mode: int) -> None:
    def emit(asm: object) -> None:
        asm.vmovups(ZMM[0], ptr[R["rdi"]])
        asm.vreduceps(ZMM[0], ZMM[0], mode)
        asm.vmovups(ptr[R["rdi"]], ZMM[0])

    found = INFINITIES.copy()
    execute(assembled(AVX512, emit), AVX512, [found.ctypes.data], [Region("x", found)])
    assert not found.view(np.uint32).any()


@pytest.mark.parametrize("mode", MODES)
def test_on_this_processor(mode: int) -> None:
    run = Silicon(lambda asm, z: asm.vreduceps(z[0], z[0], mode), "AVX512F", "AVX512DQ")
    assert not run(INFINITIES).view(np.uint32).any()

"""The processor itself as an oracle: one instruction, emitted by our encoder, applied to whole arrays.

run = Silicon(lambda asm, z: asm.vfmadd231ps(z[0], z[1], z[2], rz_sae), "AVX512F")
result = run(c, a, b)         # z0, z1, z2 are loaded, 64 bytes of each at a time; z0 is stored
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from tilesmith.encoder.x86.abi import ARGUMENTS
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.registers import R64, XMM, YMM, ZMM, Reg, ptr
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.host import host
from tilesmith.runtime.libc import ffi
from tilesmith.runtime.memory import publish

Array = np.ndarray[Any, Any]
Emit = Callable[[X86Assembler, Sequence[Reg]], object]

_REGISTERS = {16: XMM, 32: YMM, 64: ZMM}


class Silicon:
    """An instruction of this machine. The test is skipped, with the reason, where the machine lacks a feature.

    `step` is the number of bytes of each operand that one application takes, `result` of the bytes it stores.
    """

    def __init__(self, emit: Emit, *features: str, step: int = 64, result: int = 64) -> None:
        try:
            target = host()
        except UnsupportedError as error:
            pytest.skip(str(error))
        lacks = set(features) - target.features
        if lacks:
            pytest.skip(f"this machine lacks {', '.join(sorted(lacks))}")
        self.step, self.result = step, result
        asm = X86Assembler(target)
        *pointers, count, control = ARGUMENTS  # three operands, the result
        out = pointers.pop()
        rsp = R64[4]
        asm.vstmxcsr(ptr[rsp - 8])
        asm.mov(ptr[rsp - 16], control)
        asm.vldmxcsr(ptr[rsp - 16])
        with asm.loop(count):
            for register, pointer in zip(_REGISTERS[step], pointers):
                (asm.vmovdqu32 if step == 64 else asm.vmovdqu)(register, ptr[pointer])
            emit(asm, _REGISTERS[step])
            (asm.vmovdqu32 if result == 64 else asm.vmovdqu)(ptr[out], _REGISTERS[result][0])
            for pointer in pointers:
                asm.add(pointer, step)
            asm.add(out, result)
        asm.vldmxcsr(ptr[rsp - 8])
        asm.vzeroupper()
        asm.ret()
        self.block = publish(asm.finish("oracle").data)
        self.function = ffi.cast(
            "void(*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uint64_t, uint64_t)", self.block.address
        )

    def __call__(self, *operands: Array, mxcsr: int = 0x1F80) -> Array:
        """The result for operands of one size, as an array of the first one's type and of `result` bytes a step."""
        flat = [np.ascontiguousarray(x).reshape(-1) for x in operands]
        steps, rest = divmod(flat[0].nbytes, self.step)
        assert not rest and all(x.nbytes == flat[0].nbytes for x in flat)
        out = np.zeros(steps * self.result // flat[0].itemsize, flat[0].dtype)
        pointers = [x.ctypes.data for x in flat] + [flat[0].ctypes.data] * (3 - len(flat))
        self.function(*pointers, out.ctypes.data, steps, mxcsr)
        return out

"""The processor itself as an oracle: one instruction, emitted by our encoder, is applied to whole arrays.

run = Silicon(lambda asm, z: asm.vfmadd231ps(z[0], z[1], z[2], rz_sae), "AVX512F")
result = run(c, a, b)         # z0, z1, z2 are loaded, 64 bytes of each at a time; z0 is stored

run = TileSilicon("tdpbf16ps", (16, 16, 16))
result = run(c, a, b)         # tiles 0, 1 and 2 of this shape are loaded; tile 0 is stored
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from tests.guard import run_forked
from tilesmith.emulation.numerics import amx
from tilesmith.encoder.x86.abi import ARGUMENTS
from tilesmith.encoder.x86.assembler import X86Assembler
from tilesmith.encoder.x86.registers import R64, TMM, XMM, YMM, ZMM, Reg, ptr
from tilesmith.microkernels.errors import UnsupportedError
from tilesmith.runtime.host.detect import host
from tilesmith.runtime.memory.executable import publish
from tilesmith.runtime.system.libc import ffi

Array = np.ndarray[Any, Any]
Emit = Callable[[X86Assembler, Sequence[Reg]], object]

_REGISTERS = {16: XMM, 32: YMM, 64: ZMM}


class Silicon:
    """An instruction of this machine. The test is skipped, with the reason, if the machine lacks a feature.

    `step` is the number of bytes of each operand that one application takes, `result` the number of bytes it stores.
    """

    def __init__(self, emit: Emit, *features: str, step: int = 64, result: int = 64) -> None:
        asm = _assembler(features)
        self.step, self.result = step, result
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
        self.block, self.function = _published(asm)

    def __call__(self, *operands: Array, mxcsr: int = 0x1F80) -> Array:
        """Return the result for operands of equal size, as an array of the first one's type with `result` bytes per
        step."""
        flat = [np.ascontiguousarray(x).reshape(-1) for x in operands]
        steps, rest = divmod(flat[0].nbytes, self.step)
        assert not rest and all(x.nbytes == flat[0].nbytes for x in flat)
        out = np.zeros(steps * self.result // flat[0].itemsize, flat[0].dtype)
        pointers = [x.ctypes.data for x in flat] + [flat[0].ctypes.data] * (3 - len(flat))
        self.function(*pointers, out.ctypes.data, steps, mxcsr)
        return out


class TileSilicon:
    """A product of tiles on this machine: m rows, n columns, k steps. The test is skipped if the machine has no
    tiles."""

    def __init__(self, mnemonic: str, shape: tuple[int, int, int]) -> None:
        asm = _assembler(("AMX_TILE", FEATURE_OF_TILES.get(mnemonic, "AMX_INT8")))
        m, n, k = shape
        self.shapes = {0: (m, 4 * n), 1: (m, 4 * k), 2: (k, 4 * n)}
        self.configuration = np.frombuffer(amx.config(self.shapes), np.uint8)
        configuration, c, a, b, count, control = ARGUMENTS
        pointers, (stride, rsp) = (c, a, b), (R64[0], R64[4])
        asm.vstmxcsr(ptr[rsp - 8])
        asm.mov(ptr[rsp - 16], control)
        asm.vldmxcsr(ptr[rsp - 16])
        asm.ldtilecfg(ptr[configuration])
        with asm.loop(count):
            for tile, pointer in enumerate(pointers):
                asm.mov(stride, self.shapes[tile][1])
                asm.tileloadd(TMM[tile], ptr[pointer + stride])
            getattr(asm, mnemonic)(*TMM[:3])
            asm.mov(stride, self.shapes[0][1])
            asm.tilestored(ptr[c + stride], TMM[0])
            for tile, pointer in enumerate(pointers):
                asm.add(pointer, self.shapes[tile][0] * self.shapes[tile][1])
        asm.tilerelease()
        asm.vldmxcsr(ptr[rsp - 8])
        asm.ret()
        self.block, self.function = _published(asm)

    def __call__(self, c: Array, a: Array, b: Array, mxcsr: int = 0x1F80) -> Array:
        """Return the results for byte arrays of shape (count, rows, bytes per row)."""
        assert all(x.shape[1:] == self.shapes[tile] and x.flags.c_contiguous for tile, x in enumerate((c, a, b)))
        out = c.copy()
        pointers = [x.ctypes.data for x in (self.configuration, out, a, b)]
        self.function(*pointers, len(c), mxcsr)
        return out


def tile_signal(configuration: bytes, emit: Callable[[X86Assembler], object]) -> int:
    """Return the signal that ends a process that loads this configuration and executes what `emit` emits; 0 if none
    does.

    Linux turns #UD into SIGILL and #GP into SIGSEGV.
    """
    asm = _assembler(("AMX_TILE", "AMX_INT8"))
    asm.ldtilecfg(ptr[ARGUMENTS[0]])
    emit(asm)
    asm.tilerelease()
    asm.ret()
    _, function = _published(asm)
    data = np.frombuffer(configuration, np.uint8)
    return -run_forked(lambda: function(data.ctypes.data, 0, 0, 0, 0, 0))


FEATURE_OF_TILES = {
    "tdpbf16ps": "AMX_BF16",
    "tdpfp16ps": "AMX_FP16",
    "tcmmimfp16ps": "AMX_COMPLEX",
    "tcmmrlfp16ps": "AMX_COMPLEX",
    "tmmultf32ps": "AMX_TF32",
    **dict.fromkeys(("tdpbf8ps", "tdpbhf8ps", "tdphbf8ps", "tdphf8ps"), "AMX_FP8"),
}


def _assembler(features: Sequence[str]) -> X86Assembler:
    try:
        target = host()
    except UnsupportedError as error:
        pytest.skip(str(error))
    lacks = set(features) - target.features
    if lacks:
        pytest.skip(f"this machine lacks {', '.join(sorted(lacks))}")
    return X86Assembler(target)


def _published(asm: X86Assembler) -> tuple[Any, Any]:
    """Return the code, which must be kept alive, and the function of four pointers, a repetition count and MXCSR."""
    block = publish(asm.finish("oracle").data)
    return block, ffi.cast("void(*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uint64_t, uint64_t)", block.address)

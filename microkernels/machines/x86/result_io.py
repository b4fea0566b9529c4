"""Loads and stores of 32-bit sums, from and to memory of C's type, on AVX2 and AVX-512.

f32 to bf16 rounds to nearest even and turns denormals into signed zeros and NaN into quiet NaN, as VCVTNEPS2BF16 does.
f32 to f16 rounds to nearest even by VCVTPS2PH, with the rounding in the instruction. Source: Intel SDM vol. 2.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

from ....encoder.x86.registers import Mem, Reg, mem
from ...contract.dot_and_tile import ResultOf
from ...contract.machine import Vector
from ...errors import UnsupportedError
from .core import X86Address, X86Lanes, X86Machine
from .dot import FILES


class X86Sums(ResultOf[X86Address, X86Lanes]):
    """C has the type of the sums."""

    def __init__(self, m: X86Machine) -> None:
        self.m, self.asm = m, m.asm
        self.evex = m.facts.embedded_broadcast

    def load(self, acc: Vector, address: X86Address, of_c: X86Lanes, lanes: X86Lanes) -> None:
        """Emit one load."""
        self.m.load(acc, address, of_c)

    def store(self, address: X86Address, acc: Vector, of_c: X86Lanes, lanes: X86Lanes, spare: Sequence[Vector]) -> None:
        """Emit one store."""
        self.m.store(address, acc, of_c)

    def half(self, register: Vector, lanes: X86Lanes) -> Reg:
        """The register of half the width, which holds the same number of 16-bit elements."""
        part: Reg = FILES[lanes.ops.bits // 2][register]
        return part


class X86ConvertedSums(X86Sums):
    """f32 results of i32 sums, rounded to nearest even."""

    scaled = "f32"

    def convert(self, acc: Vector, lanes: X86Lanes) -> None:
        """Emit one conversion."""
        self.asm.vcvtdq2ps(lanes.ops.file[acc], lanes.ops.file[acc])


class HalfPrecision(X86Sums):
    """f16 results of f32 sums."""

    def load(self, acc: Vector, address: X86Address, of_c: X86Lanes, lanes: X86Lanes) -> None:
        """Load and widen, which is exact."""
        if lanes.full and lanes.ops.bits >= 256:
            self.asm.vcvtph2ps(lanes.ops.file[acc], mem(*address))
            return
        self.m.load(acc, address, of_c)
        self.asm.vcvtph2ps(lanes.ops.file[acc], self.half(acc, lanes))

    def store(self, address: X86Address, acc: Vector, of_c: X86Lanes, lanes: X86Lanes, spare: Sequence[Vector]) -> None:
        """Round to nearest even, as encoded in the instruction whatever MXCSR says."""
        self.asm.vcvtps2ph(self.half(acc, lanes), lanes.ops.file[acc], 0)
        self.m.store(address, acc, of_c)


class Bfloat(X86Sums):
    """bf16 results by VCVTNEPS2BF16, or two vectors at a time by VCVTNE2PS2BF16."""

    together = 2

    def load(self, acc: Vector, address: X86Address, of_c: X86Lanes, lanes: X86Lanes) -> None:
        """Shift each element to the upper half of an f32."""
        file = lanes.ops.file
        self.m.load(acc, address, of_c)
        self.asm.vpmovzxwd(file[acc], self.half(acc, lanes))
        self.asm.vpslld(file[acc], file[acc], 16)

    def store(self, address: X86Address, acc: Vector, of_c: X86Lanes, lanes: X86Lanes, spare: Sequence[Vector]) -> None:
        """Emit one conversion and the store."""
        self.asm.vcvtneps2bf16(self.half(acc, lanes), lanes.ops.file[acc])
        self.m.store(address, acc, of_c)

    def store_together(self, address: X86Address, sums: Sequence[Vector], lanes: X86Lanes) -> None:
        """Convert and store a whole vector of results, in one instruction each."""
        low, high = (lanes.ops.file[register] for register in sums)
        self.asm.vcvtne2ps2bf16(low, high, low)
        self.m.store(address, sums[0], lanes)


class BfloatByWords(Bfloat):
    """bf16 results by integers: add 0x7FFF and the lowest kept bit, then drop 16 bits. Blends treat NaN and
    denormals."""

    together = 1

    def store(self, address: X86Address, acc: Vector, of_c: X86Lanes, lanes: X86Lanes, spare: Sequence[Vector]) -> None:
        """Choose by signs that are spread over a register: of |x| - 2^-126 for denormals, of |x| + 0x7FFFFF for NaN."""
        asm, file = self.asm, lanes.ops.file
        x, rounded, size, other = file[acc], *(file[register] for register in spare[:3])
        asm.vpsrld(rounded, x, 16)
        self._bitwise("vpand", rounded, rounded, self._splat(1, lanes))
        asm.vpaddd(rounded, rounded, x)
        asm.vpaddd(rounded, rounded, self._splat(0x7FFF, lanes))
        self._bitwise("vpand", size, x, self._splat(0x7FFF_FFFF, lanes))
        self._bitwise("vpor", other, x, self._splat(0x0040_0000, lanes))
        self._choose(rounded, other, lambda mask: asm.vpaddd(mask, size, self._splat(0x007F_FFFF, lanes)), lanes, spare)
        self._bitwise("vpand", other, x, self._splat(0x8000_0000, lanes))
        self._choose(rounded, other, lambda mask: asm.vpsubd(mask, size, self._splat(0x0080_0000, lanes)), lanes, spare)
        asm.vpsrld(x, rounded, 16)
        self._narrow(acc, lanes)
        self.m.store(address, acc, of_c)

    def _choose(self, dst: Reg, other: Reg, compute: Any, lanes: X86Lanes, spare: Sequence[Vector]) -> None:
        """dst = other where `compute` yields a negative integer."""
        mask = lanes.ops.file[spare[3]]
        compute(mask)
        self.asm.vpsrad(mask, mask, 31)
        self._bitwise("vpxor", other, other, dst)
        self._bitwise("vpand", other, other, mask)
        self._bitwise("vpxor", dst, dst, other)

    def _narrow(self, acc: Vector, lanes: X86Lanes) -> None:
        """Put the low words of all elements side by side."""
        file = lanes.ops.file
        if self.evex:
            self.asm.vpmovdw(self.half(acc, lanes), file[acc])
            return
        self.asm.vpackusdw(file[acc], file[acc], file[acc])
        if lanes.ops.bits == 256:
            self.asm.vpermq(file[acc], file[acc], 0x08)

    def _bitwise(self, verb: str, *operands: Any) -> None:
        getattr(self.asm, verb + "d" if self.evex else verb)(*operands)

    def _splat(self, value: int, lanes: X86Lanes) -> Mem:
        return Mem(label=self.asm.const(struct.pack("<I", value) * (lanes.ops.bits // 32)))


def result_of(m: X86Machine, dtype: str, sums: str) -> ResultOf[X86Address, X86Lanes]:
    """Implement `Machine.result`."""
    if dtype == sums:
        return X86Sums(m)
    if (dtype, sums) == ("f32", "i32"):
        return X86ConvertedSums(m)
    if (dtype, sums) == ("f16", "f32"):
        return HalfPrecision(m)
    if (dtype, sums) == ("bf16", "f32"):
        return (Bfloat if "AVX512_BF16" in m.target.features else BfloatByWords)(m)
    raise UnsupportedError(f"{m.name} converts no {sums} to {dtype}")

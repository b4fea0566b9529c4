"""f16 to f32 and back by integers, for processors without F16C; the bits are those of VCVTPH2PS and VCVTPS2PH.

Four elements are converted at a time, in three registers beside the source. The results depend neither on the rounding
mode nor on the flushing of denormals that MXCSR selects: no operand or result of an instruction on floats is denormal,
and ROUNDPS has the rounding mode in itself. Source: IEEE 754-2019, 3.4; Intel SDM volume 2, VCVTPH2PS and VCVTPS2PH.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from .....encoder.x86.registers import XMM, YMM, Mem, Reg

_SIGN, _MAGNITUDE = 0x8000_0000, 0x7FFF_FFFF
_REBIAS = 112 << 23  # the difference of the exponents' biases, in an f32
_INFINITE_HALF = 0x1F << 23  # exponent of infinity and NaN of f16, moved to its place in an f32
_INFINITE, _QUIET = 0xFF << 23, 1 << 22
_LEAST_NORMAL = 113 << 23  # 2^-14 as f32
_TOO_LARGE = 143 << 23  # 2^16 as f32: it and numbers above it are infinite
_SMALLEST, _OF_SMALLEST = 103 << 23, 151 << 23  # 2^-24, the smallest f16, and 2^24
_NEAREST = 0
_DROPPED = 13  # bits of the fraction

Source = Callable[[Reg], None]
"""Loads a register with four elements: f16 extended to 32 bits, or f32."""


class Emitting:
    """Instructions of two operands on 128 bits, from an assembler with or without VEX."""

    def __init__(self, asm: Any, vex: bool) -> None:
        self.asm, self.vex = asm, vex

    def op(self, name: str, dst: Reg, source: Any) -> None:
        """dst = dst op source, a register, a constant in every element, or for shifts a number."""
        operand = Mem(label=self.asm.const(struct.pack("<I", source) * 4)) if isinstance(source, int) else source
        self._append(name, dst, operand)

    def shift(self, name: str, dst: Reg, bits: int) -> None:
        """Shift dst by a number of bits."""
        self._append(name, dst, bits)

    def _append(self, name: str, dst: Reg, operand: Any) -> None:
        if self.vex:
            getattr(self.asm, "v" + name)(dst, dst, operand)
        else:
            getattr(self.asm, name)(dst, operand)

    def unary(self, name: str, dst: Reg, *operands: Any) -> None:
        """dst = op(operands), an instruction that does not read dst."""
        getattr(self.asm, "v" * self.vex + name)(dst, *operands)

    def copy(self, dst: Reg, source: Reg | int) -> None:
        """dst = source, a register or a constant in every element."""
        place = Mem(label=self.asm.const(struct.pack("<I", source) * 4)) if isinstance(source, int) else source
        if place is not dst:
            self.unary("movaps", dst, place)


def to_single(e: Emitting, dst: Reg, source: Source, spare: Reg, mask: Reg) -> None:
    """dst = four f32 from four f16, which `source` loads twice."""
    source(dst)
    e.shift("pslld", dst, 32 - 15)  # without the sign
    e.shift("psrld", dst, 4)
    e.copy(spare, dst)  # denormals: the fraction is a multiple of 2^-24
    e.shift("psrld", spare, _DROPPED)
    e.unary("cvtdq2ps", spare, spare)
    e.op("mulps", spare, _SMALLEST)
    e.copy(mask, dst)
    e.op("pcmpgtd", mask, _INFINITE_HALF - 1)
    e.op("pand", mask, _REBIAS)
    e.op("paddd", dst, mask)
    e.op("paddd", dst, _REBIAS)
    e.copy(mask, _LEAST_NORMAL)
    e.op("pcmpgtd", mask, dst)
    e.op("pxor", spare, dst)
    e.op("pand", spare, mask)
    e.op("pxor", dst, spare)
    e.copy(mask, dst)
    e.op("pcmpgtd", mask, _INFINITE)
    e.op("pand", mask, _QUIET)
    e.op("por", dst, mask)
    source(spare)
    e.shift("pslld", spare, 16)
    e.op("pand", spare, _SIGN)
    e.op("por", dst, spare)


def to_half(e: Emitting, dst: Reg, source: Source, spare: Reg, mask: Reg) -> None:
    """The low 64 bits of dst = four f16, rounded to nearest even from four f32, which `source` loads three times."""
    source(dst)
    e.op("pand", dst, _MAGNITUDE)
    e.op("pminsd", dst, _TOO_LARGE)
    e.copy(spare, dst)  # denormal results: multiples of 2^-24
    e.op("mulps", spare, _OF_SMALLEST)
    e.unary("roundps", spare, spare, _NEAREST)
    e.unary("cvttps2dq", spare, spare)
    e.copy(mask, dst)
    e.shift("psrld", mask, _DROPPED)
    e.op("pand", mask, 1)
    e.op("paddd", mask, dst)
    e.op("paddd", mask, (1 << 32) + (1 << _DROPPED - 1) - 1 - _REBIAS)
    e.shift("psrld", mask, _DROPPED)
    e.op("pcmpgtd", dst, _LEAST_NORMAL - 1)
    e.op("pand", mask, dst)
    e.op("pandn", dst, spare)
    e.op("por", dst, mask)
    source(spare)  # NaN: quiet, with the upper bits of the fraction
    e.op("pand", spare, _MAGNITUDE)
    e.copy(mask, spare)
    e.op("pcmpgtd", mask, _INFINITE)
    e.shift("psrld", spare, _DROPPED)
    e.op("pand", spare, _QUIET - 1 >> _DROPPED)
    e.op("por", spare, _QUIET >> _DROPPED)
    e.op("pand", spare, mask)
    e.op("por", dst, spare)
    source(spare)
    e.shift("psrld", spare, 16)
    e.op("pand", spare, _SIGN >> 16)
    e.op("por", dst, spare)
    e.op("packusdw", dst, dst)


def wide_to_single(asm: Any, dst: Reg, source: Reg | Mem, behind: Reg | Mem, own: tuple[Reg, Reg, Reg]) -> None:
    """dst of 256 bits = eight f32 from eight f16: a register, or memory whose upper half is `behind`."""
    e, (upper, spare, mask) = Emitting(asm, True), own
    low = XMM[dst.num]

    def from_upper(register: Reg) -> None:
        if isinstance(source, Mem):
            asm.vpmovzxwd(register, behind)
        else:
            asm.vpsrldq(register, source, 8)
            asm.vpmovzxwd(register, register)

    def from_lower(register: Reg) -> None:
        if isinstance(source, Mem):
            asm.vpmovzxwd(register, source)
        else:
            asm.vextractf128(register, YMM[upper.num], 1)
            asm.vpmovzxwd(register, register)

    to_single(e, upper, from_upper, spare, mask)
    if not isinstance(source, Mem):  # dst may be the source, which waits above the upper results
        asm.vinsertf128(YMM[upper.num], YMM[upper.num], source, 1)
    to_single(e, low, from_lower, spare, mask)
    asm.vinsertf128(dst, YMM[low.num], upper, 1)


def wide_to_half(asm: Any, dst: Reg, source: Reg, own: tuple[Reg, Reg, Reg]) -> None:
    """dst of 128 bits = eight f16 from eight f32."""
    e, (found, spare, mask), whole = Emitting(asm, True), own, YMM[dst.num]
    if source.num != dst.num:
        asm.vmovaps(whole, source)
    to_half(e, found, lambda register: asm.vextractf128(register, whole, 1), spare, mask)
    asm.vinsertf128(whole, whole, found, 1)  # the upper results wait in place of their source
    to_half(e, found, lambda register: asm.vmovaps(register, dst), spare, mask)
    asm.vextractf128(spare, whole, 1)
    asm.vpunpcklqdq(dst, found, spare)

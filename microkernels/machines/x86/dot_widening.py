"""Products, on AVX2 and AVX-512, of types that one instruction cannot multiply: conversion to f32, then FMA.

The row vector and the group may have different types, such as bf16 activations and i8 weights. Every conversion is
exact. Operands of bf16 may also have been converted before the product (`ConvertedPairs`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ....encoder.x86.registers import XMM, YMM, Mem, Reg, mem
from ...contract.machine import Vector
from ...dtypes import ELEMENT_BYTES
from .core import X86Address, X86Lanes
from .dot import FILES, X86Unit

_EXTENDED = {"bf16": "vpmovzxwd", "i8": "vpmovsxbd", "u8": "vpmovzxbd"}
"""Types whose elements are first extended to 32 bits, and the instruction for each."""


class X86Converted(X86Unit):
    """Converts elements to f32 and multiplies them by FMA under the kernel's MXCSR."""

    def load(self, phase: int, x: Vector, address: X86Address, lanes: X86Lanes, elements: int) -> None:
        """Load the elements, then convert them."""
        dtype, file = self.row_vector, lanes.ops.file
        if dtype == "f16" and lanes.full and lanes.ops.bits >= 256:
            self.asm.vcvtph2ps(file[x], mem(*address))
            return
        if dtype in _EXTENDED and lanes.full:
            getattr(self.asm, _EXTENDED[dtype])(file[x], mem(*address))
        else:
            self.m.load(x, address, self.m.lanes(dtype, lanes.count))
            if dtype in _EXTENDED:
                bits = lanes.ops.bits * ELEMENT_BYTES[dtype] // 4
                getattr(self.asm, _EXTENDED[dtype])(file[x], FILES[max(128, bits)][x])
            elif ELEMENT_BYTES[dtype] == 1:
                self.asm.vpmovzxbw(self.part(x, lanes), XMM[x])
                self.spread(self.part(x, lanes), dtype)
        self.convert(x, lanes, dtype)

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[X86Address], lanes: X86Lanes, spare: Sequence[Vector]
    ) -> None:
        """Load the only row of a step."""
        self.load(phase, x, places[0], lanes, 1)

    def fetch(self, phase: int, y: Vector, address: X86Address, lanes: X86Lanes, embed: bool) -> Any:
        """Broadcast one element, then convert it; an f32 may be the memory operand of the product."""
        dtype, part, whole = self.group, self.part(y, lanes), lanes.ops.file[y]
        if dtype == "f32":
            if embed and self.facts.embeds:
                return self.embedded(address)
            self.broadcast(y, address, lanes)
        elif dtype == "bf16":
            self.asm.vpbroadcastw(whole, mem(*address))
        elif dtype in _EXTENDED:
            self.asm.vpbroadcastb(whole, mem(*address))
            (self.asm.vpsrad if dtype == "i8" else self.asm.vpsrld)(whole, whole, 24)
        elif ELEMENT_BYTES[dtype] == 1:
            self.asm.vpbroadcastb(part, mem(*address))
            self.asm.vpsrlw(part, part, 8)
            self.spread(part, dtype)
        else:
            self.asm.vpbroadcastw(part, mem(*address))
        self.convert(y, lanes, dtype)
        return y

    def fetch_strided(self, phase: int, y: Vector, places: Sequence[X86Address], lanes: X86Lanes) -> Any:
        """Fetch the only element of a step."""
        return self.fetch(phase, y, places[0], lanes, False)

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: X86Lanes, spare: Sequence[Vector]) -> None:
        """Compute acc = fma(x, y, acc). A spare register is for products that are too long to be exact without one, and
        costs twice the instructions, so only units that declare it use it."""
        self.m.fma_once(acc, x, y, lanes, spare[: self.facts.temporaries])

    def part(self, register: Vector, lanes: X86Lanes) -> Reg:
        """Return the register that holds one 16-bit word per lane."""
        found: Reg = FILES[lanes.ops.bits // 2][register]
        return found

    def spread(self, words: Reg, dtype: str) -> None:
        """Turn bytes that were zero-extended to words into f16."""
        self.asm.vpsllw(words, words, 8)  # E5M2 is the upper half of an f16

    def convert(self, x: Vector, lanes: X86Lanes, dtype: str) -> None:
        """Convert the register's contents (32-bit integers, upper halves of f32, or f16, including denormals) to
        f32."""
        whole = lanes.ops.file[x]
        if dtype in ("i8", "u8"):
            self.asm.vcvtdq2ps(whole, whole)
        elif dtype == "bf16":
            self.asm.vpslld(whole, whole, 16)
        elif dtype != "f32":
            self.asm.vcvtph2ps(whole, self.part(x, lanes))


class ConvertedE4M3(X86Converted):
    """Reads E4M3 as f16 with an exponent that is 8 too low, and multiplies by 2^8 at the end. 0x7F and 0xFF are NaN."""

    def values(self) -> Sequence[int]:
        """Return 2^8 as f32."""
        return (0x4380_0000,)

    def spread(self, words: Reg, dtype: str) -> None:
        """Make s0eeee mmm0000000. The carry of 0x7F + 1 sets the bit that makes the exponent that of a NaN. The other
        operand may be E5M2."""
        if dtype != "f8e4m3":
            super().spread(words, dtype)
            return
        spare = (XMM if words.file == "xmm" else YMM)[self.spare.num]
        self.asm.vpsllw(words, words, 8)
        self.asm.vpsraw(words, words, 1)
        self._bits("vpand", words, words, 0xBFFF)
        self._bits("vpand", spare, words, 0x3FFF)
        self.asm.vpaddw(spare, spare, self._words(words, 0x0080))
        self._bits("vpand", spare, spare, 0x4000)
        self.bitwise("vpor")(words, words, spare)

    def _bits(self, verb: str, dst: Reg, source: Reg, value: int) -> None:
        self.bitwise(verb)(dst, source, self._words(dst, value))

    def _words(self, register: Reg, value: int) -> Mem:
        return Mem(label=self.asm.const(value.to_bytes(2, "little") * (8 if register.file == "xmm" else 16)))

    def convert(self, x: Vector, lanes: X86Lanes, dtype: str) -> None:
        """Convert to f32 and scale; both are exact, because every f16 denormal is a normal f32."""
        super().convert(x, lanes, dtype)
        if dtype == "f8e4m3":
            file = lanes.ops.file
            self.asm.vmulps(file[x], file[x], file[self.constants[0].num])

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Open the constants, and reserve a register for conversions."""
        with super().opened(), self.m.vectors(1, "conversion") as (spare,):
            self.spare = self.files[spare]
            yield


class ConvertedPairs(X86Unit):
    """VDPBF16PS on bf16 that were converted to f32 before: two FMAs under the kernel's MXCSR, the odd product first."""

    def load(self, phase: int, x: Vector, address: X86Address, lanes: X86Lanes, elements: int) -> None:
        """Raise NotImplementedError: no layout packs elements of 32 bits."""
        raise NotImplementedError("f32 elements are not packed in pairs")

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[X86Address], lanes: X86Lanes, spare: Sequence[Vector]
    ) -> None:
        """Load the row of the phase; a missing row is zeros."""
        row = 1 - phase
        if row < len(places):
            self.m.load(x, places[row], lanes)
        else:
            self.m.zero(x, lanes)

    def fetch(self, phase: int, y: Vector, address: X86Address, lanes: X86Lanes, embed: bool) -> Any:
        """Broadcast the element of the phase, or return it as the memory operand of the product."""
        place = self.m.further(address, (1 - phase) * self.size)
        if embed and self.facts.embeds:
            return self.embedded(place)
        self.broadcast(y, place, lanes)
        return y

    def fetch_strided(self, phase: int, y: Vector, places: Sequence[X86Address], lanes: X86Lanes) -> Any:
        """Broadcast the element of the phase; a missing element is zero."""
        element = 1 - phase
        if element < len(places):
            self.broadcast(y, places[element], lanes)
        else:
            self.m.zero(y, lanes)
        return y

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: X86Lanes, spare: Sequence[Vector]) -> None:
        """Compute acc = fma(x, y, acc); the factors are bf16, so their product has 16 bits."""
        self.m.fma_once(acc, x, y, lanes, ())

"""Sequences of AVX2 and AVX-512 that replace missing dot products and tile products, bit for bit.

VDPBF16PS is two fused multiply-adds, the high (odd) product first, rounded to nearest even. It treats denormal operands
and results as zero whatever MXCSR says, so its emulation sets MXCSR. Integer sums wrap, so widening to 16 bits and
VPMADDWD give the results of VPDPBUSD and VPDPWSSD; VPMADDUBSW would saturate. Source: docs/mixed-precision.md.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ....encoder.x86.registers import Mem, Reg, mem
from ...contract.machine import Vector
from .core import X86Address, X86Lanes
from .dot import FILES, X86Unit
from .dot_native import NativeDot

_FLUSHED = 0x9FC0  # MXCSR: all exceptions masked, to nearest even, FTZ and DAZ
_HIGH = 0xFFFF_0000  # mask of the odd element of a pair of 16-bit elements


class Halves(X86Unit):
    """Two phases, each of which multiplies one widened half of every group; `high` says which half."""

    def high(self, phase: int) -> bool:
        """Return whether this phase multiplies the high halves."""
        return phase == 1

    def half(self, phase: int, dst: Vector, source: Any, lanes: X86Lanes, signed: bool) -> None:
        """dst = one half of the groups in `source`, a register or, with EVEX, memory."""
        raise NotImplementedError

    def load(self, phase: int, x: Vector, address: X86Address, lanes: X86Lanes, elements: int) -> None:
        """Load and halve in one instruction if there is one, else halve the loaded groups."""
        file = lanes.ops.file
        signed = self.row_vector[0] == "i"
        whole = elements == self.facts.depth
        if whole and self.evex and (lanes.full or lanes.mask is not None):
            dst = file[x] if lanes.full else file[x].kz(lanes.mask)
            self._half_of_memory(phase, dst, x, mem(*address), lanes, signed)
            return
        self.m.load(x, address, lanes)
        if not whole:
            self.keep(x, lanes, elements)
        self.half(phase, x, file[x], lanes, signed)

    def _half_of_memory(self, phase: int, dst: Reg, x: Vector, source: Mem, lanes: X86Lanes, signed: bool) -> None:
        raise NotImplementedError

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[X86Address], lanes: X86Lanes, spare: Sequence[Vector]
    ) -> None:
        """Interleave the rows, then take the half of the phase."""
        self.pack_rows(x, places, lanes, spare[0])
        self.half(phase, x, lanes.ops.file[x], lanes, self.row_vector[0] == "i")

    def fetch_strided(self, phase: int, y: Vector, places: Sequence[X86Address], lanes: X86Lanes) -> Any:
        """Gather the elements, then take the half of the phase."""
        self.gather_group(y, places, lanes)
        self.half(phase, y, lanes.ops.file[y], lanes, self.group[0] == "i")
        return y


class X86PairsByFma(Halves):
    """VDPBF16PS by two FMAs: a bf16 is the upper half of the f32 of the same value."""

    def values(self) -> Sequence[int]:
        """Return the mask of the high elements."""
        return (_HIGH,)

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Set MXCSR, and restore the kernel's word with its flags, because VDPBF16PS raises none."""
        with super().opened():
            self.saved = self.m.word(self.m.slot())
            self.asm.vstmxcsr(self.saved)
            self._flush()
            yield
            self.asm.vldmxcsr(self.saved)

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Restore the kernel's MXCSR for ordinary arithmetic."""
        self.asm.vldmxcsr(self.saved)
        yield
        self._flush()

    def _flush(self) -> None:
        self.asm.vldmxcsr(Mem(label=self.asm.const(struct.pack("<I", _FLUSHED)), size=32))

    def high(self, phase: int) -> bool:
        """Take the odd product in phase 0, because VDPBF16PS adds it first."""
        return phase == 0

    def half(self, phase: int, dst: Vector, source: Any, lanes: X86Lanes, signed: bool) -> None:
        """Mask the high half, or shift the low half up."""
        file = lanes.ops.file
        if self.high(phase):
            self.bitwise("vpand")(file[dst], file[self.constants[0].num], source)
        else:
            self.asm.vpslld(file[dst], source, 16)

    def _half_of_memory(self, phase: int, dst: Reg, x: Vector, source: Mem, lanes: X86Lanes, signed: bool) -> None:
        if self.high(phase):
            self.asm.vpandd(dst, lanes.ops.file[self.constants[0].num], source)
        else:
            self.asm.vpslld(dst, source, 16)

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[X86Address], lanes: X86Lanes, spare: Sequence[Vector]
    ) -> None:
        """Load one row for each phase; a missing row is zeros."""
        row = 1 if self.high(phase) else 0
        if row >= len(places):
            self.m.zero(x, lanes)
            return
        self._load_row(x, places[row], lanes)

    def _load_row(self, x: Vector, address: X86Address, lanes: X86Lanes) -> None:
        """Load the elements of a row as f32."""
        self.widen(x, address, lanes)
        self.asm.vpslld(lanes.ops.file[x], lanes.ops.file[x], 16)

    def fetch(self, phase: int, y: Vector, address: X86Address, lanes: X86Lanes, embed: bool) -> Any:
        """Broadcast the group, then take the half; EVEX does both in one instruction."""
        if self.evex:
            self.half(phase, y, self.embedded(address), lanes, signed=False)
        else:
            self.broadcast(y, address, lanes)
            self.half(phase, y, lanes.ops.file[y], lanes, signed=False)
        return y

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: X86Lanes, spare: Sequence[Vector]) -> None:
        """Compute acc = fma(x, y, acc)."""
        self.m.fma_once(acc, x, y, lanes, ())


class FastPairsByFma(X86PairsByFma):
    """VDPBF16PS under the kernel's MXCSR: results differ where operands, sums or results are denormal."""

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Load only the mask, because MXCSR stays."""
        with X86Unit.opened(self):
            yield

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Do nothing, because MXCSR stays."""
        yield


class TilePairsByFma(X86PairsByFma):
    """TDPBF16PS: odd and even products of up to 16 pairs in two chains from +0, then acc + (even + odd)."""

    def fold(self, acc: Vector, parts: Sequence[Vector], lanes: X86Lanes) -> None:
        """Add the two chains, then their sum to the accumulator."""
        odd, even = parts
        self.m.add(even, even, odd, lanes)
        self.m.add(acc, acc, even, lanes)


class TileHalvesByFma(TilePairsByFma):
    """TDPFP16PS: like TDPBF16PS for f16, but denormals are used: VCVTPH2PS converts them whatever MXCSR says."""

    def values(self) -> Sequence[int]:
        """Return no constants."""
        return ()

    def half(self, phase: int, dst: Vector, source: Any, lanes: X86Lanes, signed: bool) -> None:
        """Pack the high or low words side by side, then convert them."""
        file = lanes.ops.file
        part = FILES[lanes.ops.bits // 2][dst]
        if self.high(phase):
            self.asm.vpsrld(file[dst], source, 16)
            source = file[dst]
        if self.evex:
            self.asm.vpmovdw(part, source)
        else:
            self.bitwise("vpand")(file[dst], source, self.splat(0xFFFF, lanes))
            self.asm.vpackusdw(file[dst], file[dst], file[dst])
            if lanes.ops.bits == 256:
                self.asm.vpermq(file[dst], file[dst], 0x08)
        self.asm.vcvtph2ps(file[dst], part)

    def load(self, phase: int, x: Vector, address: X86Address, lanes: X86Lanes, elements: int) -> None:
        """Load the groups, then take the half of the phase."""
        self.m.load(x, address, lanes)
        if elements < self.facts.depth:
            self.keep(x, lanes, elements)
        self.half(phase, x, lanes.ops.file[x], lanes, signed=False)

    def _load_row(self, x: Vector, address: X86Address, lanes: X86Lanes) -> None:
        """Load the elements of a row as f32."""
        self.m.load(x, address, self.m.lanes(self.row_vector, lanes.count))
        self.asm.vcvtph2ps(lanes.ops.file[x], FILES[lanes.ops.bits // 2][x])

    def fetch(self, phase: int, y: Vector, address: X86Address, lanes: X86Lanes, embed: bool) -> Any:
        """Broadcast one word, then convert it."""
        self._element(y, self.m.further(address, 2 if self.high(phase) else 0), lanes)
        return y

    def fetch_strided(self, phase: int, y: Vector, places: Sequence[X86Address], lanes: X86Lanes) -> Any:
        """Fetch the element of the phase; a missing element is zero."""
        number = 1 if self.high(phase) else 0
        if number < len(places):
            self._element(y, places[number], lanes)
        else:
            self.m.zero(y, lanes)
        return y

    def _element(self, y: Vector, address: X86Address, lanes: X86Lanes) -> None:
        part = FILES[lanes.ops.bits // 2][y]
        self.asm.vpbroadcastw(part, mem(*address))
        self.asm.vcvtph2ps(lanes.ops.file[y], part)


class HalvesByShifts(Halves):
    """Halves that are extended by shifts within registers, which cannot be masked by groups.

    bits     of a half
    letter   of the shifts
    mask     the low halves
    """

    bits: int
    letter: str
    mask: int

    def half(self, phase: int, dst: Vector, source: Any, lanes: X86Lanes, signed: bool) -> None:
        """Shift, which extends with the sign or with zeros."""
        register = lanes.ops.file[dst]
        shift_right = getattr(self.asm, f"vpsr{'a' if signed else 'l'}{self.letter}")
        if self.high(phase):
            shift_right(register, source, self.bits)
        elif signed:
            getattr(self.asm, f"vpsll{self.letter}")(register, source, self.bits)
            shift_right(register, register, self.bits)
        else:
            self.bitwise("vpand")(register, lanes.ops.file[self.constants[0].num], source)

    def values(self) -> Sequence[int]:
        """Return the mask of the low halves."""
        return (self.mask,)

    def load(self, phase: int, x: Vector, address: X86Address, lanes: X86Lanes, elements: int) -> None:
        """Load the groups, then take the half of the phase."""
        self.m.load(x, address, lanes)
        if elements < self.facts.depth:
            self.keep(x, lanes, elements)
        self.half(phase, x, lanes.ops.file[x], lanes, self.row_vector[0] == "i")

    def fetch(self, phase: int, y: Vector, address: X86Address, lanes: X86Lanes, embed: bool) -> Any:
        """Broadcast the group, then take the half of the phase."""
        self.broadcast(y, address, lanes)
        self.half(phase, y, lanes.ops.file[y], lanes, self.group[0] == "i")
        return y


def _add_products(unit: X86Unit, multiply: Any, acc: Vector, x: Vector, y: Any, lanes: X86Lanes, spare: Vector) -> None:
    """Emit the multiplication, then the addition of its products to the accumulator, modulo 2^32."""
    file = lanes.ops.file
    multiply(file[spare], file[x], file[y])
    unit.asm.vpaddd(file[acc], file[acc], file[spare])


class BytesByWords(HalvesByShifts):
    """VPDPBUSD by VPMADDWD: bytes 0 and 2 of each group, then 1 and 3, widened to 16 bits."""

    bits, letter, mask = 8, "w", 0x00FF_00FF

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: X86Lanes, spare: Sequence[Vector]) -> None:
        """Emit VPMADDWD and an addition: two products of 16 bits fit 32 bits, and sums wrap."""
        _add_products(self, self.asm.vpmaddwd, acc, x, y, lanes, spare[0])


class PairsByWords(NativeDot):
    """VPDPWSSD by VPMADDWD: -32768 squared twice wraps to -2^31, as it does in VPDPWSSD."""

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: X86Lanes, spare: Sequence[Vector]) -> None:
        """Emit VPMADDWD, then the addition to the accumulator."""
        _add_products(self, self.asm.vpmaddwd, acc, x, y, lanes, spare[0])


class X86WordsByMultiply(HalvesByShifts):
    """VPDPWUUD, VPDPWUSD and VPDPWSUD by VPMULLD: one word of each group at a time, widened to 32 bits."""

    bits, letter, mask = 16, "d", 0x0000_FFFF

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[X86Address], lanes: X86Lanes, spare: Sequence[Vector]
    ) -> None:
        """Load one row for each phase; a missing row is zeros."""
        if phase < len(places):
            self.widen(x, places[phase], lanes, signed=self.row_vector[0] == "i")
        else:
            self.m.zero(x, lanes)

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: X86Lanes, spare: Sequence[Vector]) -> None:
        """Emit VPMULLD and an addition, both modulo 2^32."""
        _add_products(self, self.asm.vpmulld, acc, x, y, lanes, spare[0])

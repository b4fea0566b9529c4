"""Dot products of x86-64 that are one instruction: VDPBF16PS, and VPDP on bytes (B) or words (W) of any signs.

Source: Intel SDM vol. 2; docs/mixed-precision.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....encoder.x86.registers import Reg
from ...contract.machine import Vector
from .core import X86Address, X86Lanes
from .dot import X86Unit


class NativeDot(X86Unit):
    """One instruction for each product, which sums two or four products in 32 bits."""

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: X86Lanes, spare: Sequence[Vector]) -> None:
        """Emit the instruction with the unit's name, with the row vector as its first factor."""
        file = lanes.ops.file
        getattr(self.asm, self.facts.name.lower())(file[acc], file[x], file[y] if y.__class__ is int else y)

    def load(self, phase: int, x: Vector, address: X86Address, lanes: X86Lanes, elements: int) -> None:
        """Load the row vector as it is stored."""
        self.m.load(x, address, lanes)
        if elements < self.facts.depth:
            self.keep(x, lanes, elements)

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[X86Address], lanes: X86Lanes, spare: Sequence[Vector]
    ) -> None:
        """Load the rows and interleave them."""
        self.pack_rows(x, places, lanes, spare[0])

    def fetch(self, phase: int, y: Vector, address: X86Address, lanes: X86Lanes, embed: bool) -> Any:
        """Broadcast the group, by the product's own memory operand if `embed` allows it."""
        if embed and self.facts.embeds:
            return self.embedded(address)
        self.broadcast(y, address, lanes)
        return y

    def fetch_strided(self, phase: int, y: Vector, places: Sequence[X86Address], lanes: X86Lanes) -> Any:
        """Insert the elements one by one."""
        self.gather_group(y, places, lanes)
        return y


class SwappedDot(NativeDot):
    """i8 by u8 on VPDPBUSD, whose first factor is unsigned and is therefore the group."""

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: X86Lanes, spare: Sequence[Vector]) -> None:
        """Emit VPDPBUSD with the factors exchanged."""
        file = lanes.ops.file
        self.asm.vpdpbusd(file[acc], file[y], file[x])


class BiasedDot(SwappedDot):
    """i8 by i8 on VPDPBUSD: a b = (a + 128) b - 128 b, with separate sums of 128 b, exact modulo 2^32."""

    def values(self) -> Sequence[int]:
        """Return 0x80 in every byte. It is the bias, which flips a byte's highest bit, and the correction's factor."""
        return (0x8080_8080,)

    def fetch(self, phase: int, y: Vector, address: X86Address, lanes: X86Lanes, embed: bool) -> Any:
        """Fetch the group and add the bias."""
        if self.evex:
            self._bias(y, lanes, self.embedded(address))
            return y
        self.broadcast(y, address, lanes)
        self._bias(y, lanes, lanes.ops.file[y])
        return y

    def fetch_strided(self, phase: int, y: Vector, places: Sequence[X86Address], lanes: X86Lanes) -> Any:
        """Fetch the group and bias all elements, the missing ones too, because the correction includes them."""
        self.gather_group(y, places, lanes)
        self._bias(y, lanes, lanes.ops.file[y])
        return y

    def _bias(self, y: Vector, lanes: X86Lanes, group: Any) -> None:
        self.bitwise("vpxor")(lanes.ops.file[y], self._constant(lanes), group)

    def _constant(self, lanes: X86Lanes) -> Reg:
        register: Reg = lanes.ops.file[self.constants[0].num]
        return register

    def correct(self, correction: Vector, x: Vector, lanes: X86Lanes) -> None:
        """Compute correction += 128 times the sum of each group."""
        self.asm.vpdpbusd(lanes.ops.file[correction], self._constant(lanes), lanes.ops.file[x])

    def subtract(self, acc: Vector, correction: Vector, lanes: X86Lanes) -> None:
        """Compute acc -= correction."""
        file = lanes.ops.file
        self.asm.vpsubd(file[acc], file[acc], file[correction])


class UnsignedDot(BiasedDot):
    """u8 by u8 on VPDPBUSD: a b = a (b - 128) + 128 a, with separate sums of -128 a, exact modulo 2^32."""

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: X86Lanes, spare: Sequence[Vector]) -> None:
        """Emit VPDPBUSD: the row vector is unsigned, the biased group signed."""
        file = lanes.ops.file
        self.asm.vpdpbusd(file[acc], file[x], file[y])

    def correct(self, correction: Vector, x: Vector, lanes: X86Lanes) -> None:
        """Compute correction -= 128 times the sum of each group: 0x80 as a signed factor is -128."""
        self.asm.vpdpbusd(lanes.ops.file[correction], lanes.ops.file[x], self._constant(lanes))

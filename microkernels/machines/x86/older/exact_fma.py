"""a * b + c of f32 with one rounding, computed in f64 on machines without FMA.

The product of two f32 is exact in f64. The sum is rounded to odd: if bits were lost, the last bit is set. Rounding that
to f32 gives the rounding of the exact sum, because f64 has more than two bits beyond f32. Sources: Boldo and Melquiond,
Emulation of a FMA and Correctly Rounded Sums: Proved Algorithms Using Rounding to Odd, IEEE TC 57 (2008), theorem 3;
the sum's rounding error: Knuth, TAOCP 2, 4.2.2, theorem B.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .....encoder.x86.registers import XMM, YMM, Mem, Reg
from ....codegen.selection import Constant, Emission, InstructionRow
from ..core import X86Lanes

_SIGN = 1 << 63
_LESS_THAN = 0x11  # predicate of vcmppd, false for NaN
_BELOW_ONE = 0x3FEFFFFFFFFFFFFF  # 1 - 2^-53: multiplying by it gives the neighbour towards 0


def _constant(m: Any, bits: int) -> Mem:
    return Mem(label=m.asm.const(Constant(bits, 64).data(32)))


def odd_sum(m: Any, total: Reg, product: Reg, addend: Reg, spare: Reg) -> None:
    """total = product + addend, rounded to odd; destroys the others. `product` is the machine's mask register."""
    asm = m.asm
    asm.vaddpd(total, product, addend)
    asm.vsubpd(spare, total, product)
    asm.vsubpd(addend, addend, spare)
    asm.vsubpd(spare, spare, total)
    asm.vaddpd(product, product, spare)
    asm.vaddpd(product, product, addend)  # the sum's rounding error; NaN if it is infinite
    asm.vandpd(addend, product, _constant(m, _SIGN - 1))
    asm.vxorpd(spare, spare, spare)
    asm.vcmppd(spare, spare, addend, _LESS_THAN)
    asm.vxorpd(product, product, total)
    asm.vandpd(product, product, spare)  # its sign: whether the sum was rounded away from 0
    asm.vmulpd(addend, total, _constant(m, _BELOW_ONE))
    asm.vblendvpd(total, total, addend, product)
    asm.vandpd(spare, spare, _constant(m, 1))
    asm.vorpd(total, total, spare)


class _Parts:
    """The registers for one half of a vector: three of the machine's own, and `spare` for sums rounded to odd."""

    def __init__(self, m: Any, spare: int) -> None:
        self.m, self.asm = m, m.asm
        self.file = YMM if "AVX" in m.target.features else XMM
        own = range(m.temporary, m.temporary + 3)
        self.product, self.addend, self.total = (self.file[number] for number in own)
        self.spare = self.file[spare]

    def doubled(self, dst: Reg, source: int, upper: bool) -> None:
        """dst = half of an operand, as f64."""
        low = XMM[dst.num]
        if upper and self.file is YMM:
            self.asm.vextractf128(low, YMM[source], 1)
        elif upper:
            self.asm.vpshufd(low, XMM[source], 0xEE)
        self.asm.vcvtps2pd(dst, low if upper else XMM[source])

    def half(self, operands: Sequence[int], upper: bool, to_odd: bool) -> None:
        """Compute one half of the results, as f64 in `total`."""
        a, b, c = operands
        self.doubled(self.product, a, upper)
        self.doubled(self.addend, b, upper)
        self.asm.vmulpd(self.product, self.product, self.addend)
        self.doubled(self.addend, c, upper)
        if to_odd:
            odd_sum(self.m, self.total, self.product, self.addend, self.spare)
        else:
            self.asm.vaddpd(self.total, self.product, self.addend)


def multiply_add(m: Any, dst: int, operands: Sequence[int], lanes: X86Lanes, spare: int, to_odd: bool = True) -> None:
    """dst = a * b + c of f32, rounded once. `spare` is a register that is destroyed; it may be dst if that is no
    operand.

    Without `to_odd` the product must have at most 24 significant bits. Rounding to f64 and then to f32 is one rounding
    then: the sum is inexact in f64 only if one of product and c is below 2^-28 of the other, which is a number of f32
    and at least 2^-25 of its size away from a number halfway between two of them.
    """
    parts = _Parts(m, spare)
    asm, wide, total = m.asm, parts.file is YMM, XMM[parts.total.num]
    whole = wide and lanes.ops.bits == 128  # one conversion takes the whole register; else the upper half comes first
    slots, places = m.slots(0 if whole else 2 if wide else 1)
    if not whole:
        parts.half(operands, True, to_odd)
        asm.vcvtpd2ps(total, parts.total)
        asm.vmovlps(places[0], total)
        if wide:
            asm.vmovhps(places[1], total)
    parts.half(operands, False, to_odd)
    asm.vcvtpd2ps(XMM[dst], parts.total)
    if wide and not whole:
        asm.vmovsd(total, places[0])
        asm.vmovhps(total, total, places[1])
        asm.vinsertf128(YMM[dst], YMM[dst], total, 1)
    elif not whole:
        asm.vmovhps(XMM[dst], XMM[dst], places[0])
    m.free_slots(slots)


def _emit(m: Any, e: Emission) -> None:
    multiply_add(m, e.dst, e.srcs, e.lanes, e.dst)


FMA = InstructionRow(_emit, early=True, instructions=48)
"""The row for instruction selection."""

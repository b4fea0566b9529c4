"""a * b + c of f32 with one rounding, computed in f64 on machines without FMA.

The product of two f32 is exact in f64. The sum is rounded to odd: if bits were lost, the last bit is set. Rounding that
to f32 gives the rounding of the exact sum, because f64 has more than two bits beyond f32. Sources: Boldo and Melquiond,
Emulation of a FMA and Correctly Rounded Sums: Proved Algorithms Using Rounding to Odd, IEEE TC 57 (2008), theorem 3;
the sum's rounding error: Knuth, TAOCP 2, 4.2.2, theorem B.
"""

from __future__ import annotations

from typing import Any

from .....encoder.x86.registers import XMM, YMM, Mem, Reg
from ....codegen.selection import Constant, Emission, Row

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
    """The registers for one half of a vector. dst is the fourth register, so the first half's result waits in
    memory."""

    def __init__(self, m: Any, e: Emission) -> None:
        self.m, self.asm, self.dst = m, m.asm, e.dst
        self.file = YMM if "AVX" in m.target.features else XMM
        own = range(m.temporary, m.temporary + 3)
        self.product, self.addend, self.total = (self.file[number] for number in own)
        self.spare = self.file[e.dst]

    def doubled(self, dst: Reg, source: int, upper: bool) -> None:
        """dst = half of an operand, as f64."""
        low = XMM[dst.num]
        if upper and self.file is YMM:
            self.asm.vextractf128(low, YMM[source], 1)
        elif upper:
            self.asm.vpshufd(low, XMM[source], 0xEE)
        self.asm.vcvtps2pd(dst, low if upper else XMM[source])

    def half(self, operands: tuple[int, ...], upper: bool) -> None:
        """Compute one half of the results, as f32 in the first bytes of `total`."""
        a, b, c = operands
        self.doubled(self.product, a, upper)
        self.doubled(self.addend, b, upper)
        self.asm.vmulpd(self.product, self.product, self.addend)
        self.doubled(self.addend, c, upper)
        odd_sum(self.m, self.total, self.product, self.addend, self.spare)


def _emit(m: Any, e: Emission) -> None:
    """Compute the upper half first, unless one conversion takes the whole register."""
    parts = _Parts(m, e)
    asm, wide, total = m.asm, parts.file is YMM, XMM[parts.total.num]
    whole = wide and e.lanes.ops.bits == 128
    slots, places = m.slots(0 if whole else 2 if wide else 1)
    if not whole:
        parts.half(e.srcs, upper=True)
        asm.vcvtpd2ps(total, parts.total)
        asm.vmovlps(places[0], total)
        if wide:
            asm.vmovhps(places[1], total)
    parts.half(e.srcs, upper=False)
    asm.vcvtpd2ps(XMM[e.dst], parts.total)
    if wide and not whole:
        asm.vmovsd(total, places[0])
        asm.vmovhps(total, total, places[1])
        asm.vinsertf128(YMM[e.dst], YMM[e.dst], total, 1)
    elif not whole:
        asm.vmovhps(XMM[e.dst], XMM[e.dst], places[0])
    m.free_slots(slots)


FMA = Row(_emit, early=True, instructions=48)
"""The row for instruction selection."""

"""Loads and stores of 32-bit sums, from and to memory of C's type, on AArch64.

BFCVT, BFCVTN and conversions to f16 round as FPCR says, and the kernel sets FPCR (`OwnRounding` in
contract/machine.py). On processors without BFCVT, `NeonBfloatByWords` gives the same bits. Source: Arm ARM DDI 0487,
BFRound.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....encoder.a64.names import lsl, msl
from ....encoder.a64.registers import P, V, Z, listed, mem
from ...contract.dot_and_tile import ResultOf
from ...contract.machine import Vector
from ...errors import UnsupportedError
from .core import A64Address, A64Machine
from .lanes import A64Lanes

_ALL = P[0]


class A64Sums(ResultOf[A64Address, A64Lanes]):
    """C has the type of the sums."""

    def __init__(self, m: A64Machine) -> None:
        self.m, self.asm = m, m.asm

    def load(self, acc: Vector, address: A64Address, of_c: A64Lanes, lanes: A64Lanes) -> None:
        """Emit one load."""
        self.m.load(acc, address, of_c)

    def store(self, address: A64Address, acc: Vector, of_c: A64Lanes, lanes: A64Lanes, spare: Sequence[Vector]) -> None:
        """Emit one store."""
        self.m.store(address, acc, of_c)


class NeonConvertedSums(A64Sums):
    """f32 results of i32 sums, rounded as FPCR says."""

    scaled = "f32"

    def convert(self, acc: Vector, lanes: A64Lanes) -> None:
        """Emit scvtf."""
        self.asm.scvtf(V[acc].s4, V[acc].s4)


class SveConvertedSums(A64Sums):
    """f32 results of i32 sums, rounded as FPCR says."""

    scaled = "f32"

    def convert(self, acc: Vector, lanes: A64Lanes) -> None:
        """Emit scvtf."""
        self.asm.scvtf(Z[acc].s, _ALL.m, Z[acc].s)


class NeonBfloat(A64Sums):
    """bf16 results by BFCVTN, which follows FPCR; BFCVTN2 fills the upper half of a register."""

    together = 2

    def load(self, acc: Vector, address: A64Address, of_c: A64Lanes, lanes: A64Lanes) -> None:
        """Shift each element to the upper half of an f32."""
        self.m.load(acc, address, of_c)
        self.asm.shll(V[acc].s4, V[acc].h4, 16)

    def store(self, address: A64Address, acc: Vector, of_c: A64Lanes, lanes: A64Lanes, spare: Sequence[Vector]) -> None:
        """Narrow to 64 bits, then store."""
        self.asm.bfcvtn(V[acc].h4, V[acc].s4)
        self.m.store(address, acc, of_c)

    def store_together(self, address: A64Address, sums: Sequence[Vector], lanes: A64Lanes) -> None:
        """Store two vectors as one."""
        low, high = sums
        self.asm.bfcvtn(V[low].h4, V[low].s4)
        self.asm.bfcvtn2(V[low].h8, V[high].s4)
        self.m.store(address, low, lanes)


class SveBfloat(A64Sums):
    """bf16 results by BFCVT, which follows FPCR. Loads and stores access the low halves of words."""

    def load(self, acc: Vector, address: A64Address, of_c: A64Lanes, lanes: A64Lanes) -> None:
        """Shift each element to the upper half of an f32."""
        self.asm.ld1h(listed(Z[acc].s), lanes.mask.z, mem[self.m.place(address)])
        self.asm.lsl(Z[acc].s, Z[acc].s, 16)

    def store(self, address: A64Address, acc: Vector, of_c: A64Lanes, lanes: A64Lanes, spare: Sequence[Vector]) -> None:
        """Convert, then store the low half of each word."""
        self.asm.bfcvt(Z[acc].h, _ALL.m, Z[acc].s)
        self.asm.st1h(listed(Z[acc].s), lanes.mask, mem[self.m.place(address)])


class NeonBfloatByWords(NeonBfloat):
    """bf16 results by integers: add 0x7FFF and the lowest kept bit, then drop 16 bits; a NaN becomes quiet."""

    together = 1

    def store(self, address: A64Address, acc: Vector, of_c: A64Lanes, lanes: A64Lanes, spare: Sequence[Vector]) -> None:
        """Round to nearest even and keep denormals, whatever FPCR says."""
        asm, x, last, rounded, ordinary = self.asm, V[acc], V[spare[0]], V[spare[1]], V[spare[2]]
        asm.fcmeq(ordinary.s4, x.s4, x.s4)
        asm.shl(last.s4, x.s4, 15)
        asm.movi(rounded.s4, 0x7F, msl(8))
        asm.add(rounded.s4, rounded.s4, x.s4)
        asm.usra(rounded.s4, last.s4, 31)
        asm.orr(x.s4, 0x40, lsl(16))
        asm.bsl(ordinary.b16, rounded.b16, x.b16)
        asm.shrn(x.h4, ordinary.s4, 16)
        self.m.store(address, acc, of_c)


class NeonHalf(A64Sums):
    """f16 results, rounded as FPCR says."""

    def load(self, acc: Vector, address: A64Address, of_c: A64Lanes, lanes: A64Lanes) -> None:
        """Load and widen, which is exact."""
        self.m.load(acc, address, of_c)
        self.asm.fcvtl(V[acc].s4, V[acc].h4)

    def store(self, address: A64Address, acc: Vector, of_c: A64Lanes, lanes: A64Lanes, spare: Sequence[Vector]) -> None:
        """Narrow to 64 bits, then store."""
        self.asm.fcvtn(V[acc].h4, V[acc].s4)
        self.m.store(address, acc, of_c)


class SveHalf(A64Sums):
    """f16 results, rounded as FPCR says. Loads and stores access the low halves of words."""

    def load(self, acc: Vector, address: A64Address, of_c: A64Lanes, lanes: A64Lanes) -> None:
        """Load and widen, which is exact."""
        self.asm.ld1h(listed(Z[acc].s), lanes.mask.z, mem[self.m.place(address)])
        self.asm.fcvt(Z[acc].s, _ALL.m, Z[acc].h)

    def store(self, address: A64Address, acc: Vector, of_c: A64Lanes, lanes: A64Lanes, spare: Sequence[Vector]) -> None:
        """Convert, then store the low half of each word."""
        self.asm.fcvt(Z[acc].h, _ALL.m, Z[acc].s)
        self.asm.st1h(listed(Z[acc].s), lanes.mask, mem[self.m.place(address)])


_BY_WORDS: dict[str, type[A64Sums]] = {"neon": NeonBfloatByWords}
_RESULTS: dict[tuple[str, str], dict[str, type[A64Sums]]] = {
    ("bf16", "f32"): {"neon": NeonBfloat, "sve": SveBfloat, "sme": SveBfloat},
    ("f16", "f32"): {"neon": NeonHalf, "sve": SveHalf, "sme": SveHalf},
    ("f32", "i32"): {"neon": NeonConvertedSums, "sve": SveConvertedSums, "sme": SveConvertedSums},
}


def result_of(m: A64Machine, dtype: str, sums: str) -> ResultOf[A64Address, A64Lanes]:
    """Implement `Machine.result`."""
    if dtype == sums:
        return A64Sums(m)
    by_machine = _RESULTS.get((dtype, sums), {})
    if dtype == "bf16" and "BF16" not in m.target.features:
        by_machine = _BY_WORDS
    if m.name not in by_machine:
        raise UnsupportedError(f"{m.target.name} converts no {sums} to {dtype}")
    return by_machine[m.name](m)

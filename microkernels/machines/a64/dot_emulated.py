"""Sequences that replace BFDOT and BFMMLA on NEON: the same bits by f32 arithmetic, or other bits by FMA.

BFDOT adds two products and then their sum to the accumulator. Every step is rounded to odd, denormals are zero on the
way in and out, 2^128 or more is infinite, and a NaN becomes the default NaN (docs/mixed-precision.md). To round to odd,
round towards zero and set the last bit of each inexact sum. The sequence therefore runs under an FPCR of its own
(towards zero, FZ, DN). Under it, with s = a + b,

    s is exact      if and only if  s - a = b and s - b = a
    |a + b| >= 2^128  if and only if  |fma(b, 1/2, a / 2)| >= 2^127     (towards zero s is the largest finite number)

Proof of the first line: if |a| >= |b| and s is not exact, ulp(s) is larger than ulp(b), so the error is at least
ulp(b), and s - a is exact and not b, or was rounded from beyond b to beyond b. If s is exact, both differences are.
Products of two bf16 have 16 bits. A product that ends with a set bit is the largest finite number and stands for an
infinite one, which is the next bit pattern. A denormal whose last bit was set is flushed by the next step, or by
`finish`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ....encoder.a64.assembler import A64Assembler
from ....encoder.a64.names import SYSTEM_REGISTERS
from ....encoder.a64.registers import D, Q, V, X, listed, mem
from ...contract.dot_and_tile import Registers, UnitFacts
from ...contract.machine import Vector
from .core import A64Address, A64Factor, A64Machine
from .dot_native import NeonDot
from .lanes import A64Lanes
from .mmla import NeonMmla

_FPCR = SYSTEM_REGISTERS["fpcr"]
_SCRATCH = X[16]
_TO_ODD = 0b11 << 22 | 1 << 24 | 1 << 25  # towards zero, FZ, DN


class Pairs(NeonDot):
    """Groups of two bf16, held as two f32 elements that by-element instructions index."""

    def fetch(self, phase: int, y: Vector, address: A64Address, lanes: A64Lanes, embed: bool) -> Any:
        """Fetch both elements, each as the upper half of an f32."""
        self.m.load(y, address, self.m.lanes("f32", 1))
        self.asm.shll(V[y].s4, V[y].h4, 16)
        return y

    def fetch_strided(self, phase: int, y: Vector, places: Sequence[A64Address], lanes: A64Lanes) -> Any:
        """Insert the elements one by one."""
        self.asm.movi(V[y].d2, 0)
        for number, place in enumerate(places):
            self.asm.ld1(listed(V[y].h)[number], mem[self.m.place(place)])
        self.asm.shll(V[y].s4, V[y].h4, 16)
        return y


class ToOdd:
    """Mix-in of bf16 units: an FPCR of its own, products of pairs, and sums rounded to odd."""

    asm: A64Assembler
    m: A64Machine
    facts: UnitFacts

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Load the constants and set FPCR; the scope's end restores the kernel's FPCR."""
        values = (struct.pack("<I", 1), *(struct.pack("<f", value) for value in (0.5, 2.0**127, float("inf"), 1.0)))
        with self.m.vectors(self.facts.constants, "constants") as (self.saved, *self.constants):
            for register, value in zip(self.constants, values):
                self.asm.ldr(Q[register], self.asm.const(value * 4))
            self.asm.mrs(_SCRATCH, _FPCR)
            self.asm.fmov(D[self.saved], _SCRATCH)
            self._switch()
            yield
            self._restore()

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Restore the kernel's FPCR for ordinary arithmetic."""
        self._restore()
        yield
        self._switch()

    def _switch(self) -> None:
        self.asm.load_immediate(_SCRATCH, _TO_ODD)
        self.asm.msr(_FPCR, _SCRATCH)

    def _restore(self) -> None:
        self.asm.fmov(_SCRATCH, D[self.saved])
        self.asm.msr(_FPCR, _SCRATCH)

    def _add(self, dst: Vector, a: Vector, b: Vector, spare: Sequence[Vector]) -> None:
        """Compute dst = a + b, rounded to odd."""
        asm = self.asm
        one, half, limit, infinity, _ = (V[register] for register in self.constants)
        total, exact, other, scaled = (V[register] for register in spare[:4])
        asm.fadd(total.s4, V[a].s4, V[b].s4)
        asm.fmul(scaled.s4, V[a].s4, half.s4)
        asm.fsub(exact.s4, total.s4, V[a].s4)
        asm.fsub(other.s4, total.s4, V[b].s4)
        asm.fmla(scaled.s4, V[b].s4, half.s4)
        asm.fcmeq(exact.s4, exact.s4, V[b].s4)
        asm.fcmeq(other.s4, other.s4, V[a].s4)
        asm.facge(scaled.s4, scaled.s4, limit.s4)
        asm.and_(exact.b16, exact.b16, other.b16)
        asm.ushr(scaled.s4, scaled.s4, 1)  # all but the sign
        asm.bic(exact.b16, one.b16, exact.b16)
        asm.orr(V[dst].b16, total.b16, exact.b16)
        asm.bit(V[dst].b16, infinity.b16, scaled.b16)

    def finish(self, acc: Vector, lanes: A64Lanes) -> None:
        """Flush a denormal sum to zero, and replace a NaN by the default NaN."""
        self.asm.fmul(V[acc].s4, V[acc].s4, V[self.constants[4]].s4)

    def add_products(self, acc: Vector, x: tuple[Vector, Vector], y: tuple[Any, Any], spare: Sequence[Vector]) -> None:
        """Compute acc + (x0 y0 + x1 y1) of bf16 values in f32; destroys x and five spare registers (maybe y's)."""
        asm, total = self.asm, spare[0]
        for factor, other in zip(x, y):
            asm.fmul(V[factor].s4, V[factor].s4, other)
        for factor in x:
            asm.shl(V[total].s4, V[factor].s4, 31)
            asm.usra(V[factor].s4, V[total].s4, 31)
        self._add(total, *x, spare[1:5])
        self._add(acc, acc, total, (*x, *spare[1:3]))

    def halves(self, even: Vector, odd: Vector, pairs: Vector) -> None:
        """Split pairs into f32 elements; `odd` may be the register of the pairs."""
        self.asm.shl(V[even].s4, V[pairs].s4, 16)
        self.asm.trn2(V[odd].h8, V[self.constants[0]].h8, V[pairs].h8)  # the upper halves of 1 are zero


class PairsToOdd(ToOdd, Pairs):
    """Gives the same bits as BFDOT."""

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: A64Lanes, spare: Sequence[Vector]) -> None:
        """Compute acc + (x0 y0 + x1 y1)."""
        even, odd, *rest = spare
        self.halves(even, odd, x)
        self.add_products(acc, (even, odd), (V[y].s[0], V[y].s[1]), rest)


class MmlaToOdd(ToOdd, NeonMmla):
    """Gives the same bits as BFMMLA, which does two steps of BFDOT."""

    def mma(
        self, phase: int, acc: Registers, x: Registers, y: Vector | A64Factor, lanes: A64Lanes, spare: Registers
    ) -> None:
        """Arrange the factors as the sums are: rows 0, 0, 1, 1 by columns 0, 1, 0, 1."""
        assert isinstance(y, int), "columns are in a register"
        asm, (even, odd, columns, *rest) = self.asm, spare
        steps = (asm.trn1, asm.uzp1), (asm.trn2, asm.uzp2)
        for sums, rows, _ in zip(acc, x, self._held(lanes)):
            for of_rows, of_columns in steps:
                of_rows(V[odd].s4, V[rows].s4, V[rows].s4)
                of_columns(V[columns].s4, V[y].s4, V[y].s4)
                self.halves(even, odd, odd)
                self.halves(rest[0], columns, columns)
                self.add_products(sums, (even, odd), (V[rest[0]].s4, V[columns].s4), (columns, *rest))


class A64PairsByFma(Pairs):
    """Two fused multiply-adds under the kernel's FPCR, the even product first; the bits differ from BFDOT's."""

    def load(self, phase: int, x: Vector, address: A64Address, lanes: A64Lanes, elements: int) -> None:
        """Load the half of the phase as f32."""
        if phase >= elements:
            self.m.zero(x, lanes)
            return
        self.m.load(x, address, self.m.lanes("f32", lanes.count))
        if phase:
            self.asm.ushr(V[x].s4, V[x].s4, 16)
        self.asm.shl(V[x].s4, V[x].s4, 16)

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[A64Address], lanes: A64Lanes, spare: Sequence[Vector]
    ) -> None:
        """Load one row for each phase; a missing row is zeros."""
        if phase >= len(places):
            self.m.zero(x, lanes)
            return
        self.m.load(x, places[phase], self.m.lanes(self.row_vector, lanes.count))
        self.asm.shll(V[x].s4, V[x].h4, 16)

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: A64Lanes, spare: Sequence[Vector]) -> None:
        """Emit fmla by element."""
        self.asm.fmla(V[acc].s4, V[x].s4, V[y].s[phase])

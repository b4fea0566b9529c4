"""Products of f16, 8-bit floats and i16 on NEON and SVE: elements widened to 32 bits, then one FMA or MLA a step.

f16 and 8-bit floats become f32 exactly: E5M2 is the upper half of an f16, and E4M3 an f16 whose exponent is 8 too low.
FMA follows FPCR.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ....encoder.a64.names import lsl
from ....encoder.a64.registers import H, P, S, V, Z, listed, mem
from ...contract.machine import Vector
from .core import A64Address
from .dot_native import A64Unit
from .lanes import A64Lanes

_ALL = P[0]
_BEYOND = P[8]  # a predicate that no count of elements uses
_E4M3_SCALE, _E4M3_NAN = 256.0, 480.0  # 0x7F as a number would be 480, the next smaller one is 448


class Converted(A64Unit):
    """Multiplies one element in each step."""

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[A64Address], lanes: A64Lanes, spare: Sequence[Vector]
    ) -> None:
        """Load the only row of a step."""
        self.load(phase, x, places[0], lanes, 1)

    def fetch_apart(self, phase: int, y: Vector, places: Sequence[A64Address], lanes: A64Lanes) -> Any:
        """Fetch the only element of a step."""
        return self.fetch(phase, y, places[0], lanes, False)

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: A64Lanes, spare: Sequence[Vector]) -> None:
        """Compute acc = fma(x, y, acc)."""
        self.m.fma(acc, x, y, self.m.lanes("f32", lanes.count))

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Load the constants into registers."""
        wide = self.m.lanes("f32", self.m.facts.widths[0] // 32)
        with self.m.vectors(self.facts.constants, "constants") as self.constants:
            for register, value in zip(self.constants, (_E4M3_SCALE, _E4M3_NAN)):
                self.m.constant(register, value, wide)
            yield

    @abstractmethod
    def convert(self, x: Vector, count: int) -> None:
        """Convert elements to f32 as `load` left them."""


class NeonConverted(Converted):
    """Works on v registers; FMA by element reads the element of a group in place."""

    def prepare(self, lanes: A64Lanes) -> None:
        """Set up lanes of as many elements as there are rows, and of one element."""
        self.m.lanes("f32", lanes.count)
        self.m.lanes(self.row_vector, lanes.count)
        self.m.lanes(self.row_vector, 1)

    def load(self, phase: int, x: Vector, address: A64Address, lanes: A64Lanes, elements: int) -> None:
        """Load the elements, then convert them."""
        self.m.load(x, address, self.m.lanes(self.row_vector, lanes.count))
        self.convert(x, lanes.count)

    def fetch(self, phase: int, y: Vector, address: A64Address, lanes: A64Lanes, embed: bool) -> Any:
        """Fetch one element, which the product indexes."""
        self.m.load(y, address, self.m.lanes(self.row_vector, 1))
        self.convert(y, 1)
        return self.m.of_group(y, 0)

    def convert(self, x: Vector, count: int) -> None:
        """Emit fcvt or fcvtl."""
        if self.row_vector == "f8e5m2":
            self.asm.shll(V[x].h8, V[x].b8, 8)
        elif self.row_vector == "f8e4m3":
            self.asm.sshll(V[x].h8, V[x].b8, 7)  # the sign twice, where an f16 has one bit of exponent more
            self.asm.bic(V[x].h8, 0x40, lsl(8))
        if count == 1:
            self.asm.fcvt(S[x], H[x])
        else:
            self.asm.fcvtl(V[x].s4, V[x].h4)
        if self.row_vector == "f8e4m3":
            self._scale(x)

    def _scale(self, x: Vector) -> None:
        scale, limit, beyond = self.constants
        self.asm.fmul(V[x].s4, V[x].s4, V[scale].s4)
        self.asm.facge(V[beyond].s4, V[x].s4, V[limit].s4)
        self.asm.orr(V[x].b16, V[x].b16, V[beyond].b16)


class SveConverted(Converted):
    """Works on z registers; loads extend each element to 32 bits."""

    def load(self, phase: int, x: Vector, address: A64Address, lanes: A64Lanes, elements: int) -> None:
        """Load the elements, then convert them."""
        verb = {"f16": self.asm.ld1h, "f8e5m2": self.asm.ld1b, "f8e4m3": self.asm.ld1sb}[self.row_vector]
        verb(listed(Z[x].s), lanes.mask.z, mem[self.m.place(address)])
        self.convert(x, lanes.count)

    def fetch(self, phase: int, y: Vector, address: A64Address, lanes: A64Lanes, embed: bool) -> Any:
        """Broadcast one element, then convert it."""
        verb = {"f16": self.asm.ld1rh, "f8e5m2": self.asm.ld1rb, "f8e4m3": self.asm.ld1rsb}[self.row_vector]
        verb(listed(Z[y].s), _ALL.z, mem[self.m.place(address)])
        self.convert(y, lanes.count)
        return y

    def convert(self, x: Vector, count: int) -> None:
        """Emit fcvt of the low half of each word."""
        word = Z[x].s
        if self.row_vector == "f8e5m2":
            self.asm.lsl(word, word, 8)
        elif self.row_vector == "f8e4m3":
            self.asm.lsl(word, word, 7)
            self.asm.and_(Z[x].d, Z[x].d, 0xFFFF_BFFF_FFFF_BFFF)
        self.asm.fcvt(word, _ALL.m, Z[x].h)
        if self.row_vector == "f8e4m3":
            self.asm.fmul(word, word, Z[self.constants[0]].s)
            self.asm.facge(_BEYOND.s, _ALL.z, word, Z[self.constants[1]].s)
            self.asm.cpy(word, _BEYOND.m, -1)


class SveWords(A64Unit):
    """i16 on z registers: each phase widens the elements at one position of the groups, and MLA wraps."""

    def load(self, phase: int, x: Vector, address: A64Address, lanes: A64Lanes, elements: int) -> None:
        """Load, then widen the half; missing elements have zeros in the group."""
        self.m.load(x, address, self.m.lanes("f32", lanes.count))
        if phase:
            self.asm.asr(Z[x].s, Z[x].s, 16)
        else:
            self.asm.sxth(Z[x].s, _ALL.m, Z[x].s)

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[A64Address], lanes: A64Lanes, spare: Sequence[Vector]
    ) -> None:
        """Load one row for each phase; loads extend the elements."""
        if phase < len(places):
            self.asm.ld1sh(listed(Z[x].s), lanes.mask.z, mem[self.m.place(places[phase])])
        else:
            self.asm.dup(Z[x].s, 0)

    def fetch(self, phase: int, y: Vector, address: A64Address, lanes: A64Lanes, embed: bool) -> Any:
        """Broadcast one element."""
        self.asm.ld1rsh(listed(Z[y].s), _ALL.z, mem[self.m.place(self.m.further(address, 2 * phase))])
        return y

    def fetch_apart(self, phase: int, y: Vector, places: Sequence[A64Address], lanes: A64Lanes) -> Any:
        """Fetch the element of the phase; a missing element is zero."""
        if phase < len(places):
            return self.fetch(0, y, places[phase], lanes, False)
        self.asm.dup(Z[y].s, 0)
        return y

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: A64Lanes, spare: Sequence[Vector]) -> None:
        """Emit mla."""
        self.asm.mla(Z[acc].s, _ALL.m, Z[x].s, Z[y].s)

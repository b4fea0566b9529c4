"""Products of f16, 8-bit floats, words and mixed types on NEON and SVE: elements widened to 32 bits, then FMA or MLA.

Operands of different types are each converted to f32. f16 and 8-bit floats become f32 exactly: E5M2 is the upper half
of an f16, and E4M3 is an f16 whose exponent is 8 too low. FMA follows FPCR.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ....encoder.a64.names import lsl
from ....encoder.a64.registers import H, P, S, V, Z, listed, mem
from ...contract.machine import Vector
from ...dtypes import ELEMENT_BYTES
from .core import A64Address
from .dot_native import A64Unit
from .lanes import A64Lanes

_ALL = P[0]
_BEYOND = P[8]  # a predicate that no lanes use
_E4M3_SCALE, _E4M3_NAN = 256.0, 480.0  # 0x7F as a number would be 480; the next smaller number is 448


class A64Converted(A64Unit):
    """Base class of units that multiply one element per step."""

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[A64Address], lanes: A64Lanes, spare: Sequence[Vector]
    ) -> None:
        """Load the only row of a step."""
        self.load(phase, x, places[0], lanes, 1)

    def fetch_strided(self, phase: int, y: Vector, places: Sequence[A64Address], lanes: A64Lanes) -> Any:
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
    def convert(self, x: Vector, count: int, dtype: str) -> None:
        """Convert loaded elements of this type to f32."""


class NeonConverted(A64Converted):
    """Units on v registers. FMA by element reads a group's element in place."""

    def prepare(self, lanes: A64Lanes) -> None:
        """Set up lanes of `lanes.count` elements, and of one element."""
        self.m.lanes("f32", lanes.count)
        self.m.lanes(self.row_vector, lanes.count)
        self.m.lanes(self.group, 1)

    def load(self, phase: int, x: Vector, address: A64Address, lanes: A64Lanes, elements: int) -> None:
        """Load the elements, then convert them."""
        self.m.load(x, address, self.m.lanes(self.row_vector, lanes.count))
        self.convert(x, lanes.count, self.row_vector)

    def fetch(self, phase: int, y: Vector, address: A64Address, lanes: A64Lanes, embed: bool) -> Any:
        """Fetch one element, which the product indexes."""
        self.m.load(y, address, self.m.lanes(self.group, 1))
        self.convert(y, 1, self.group)
        return self.m.of_group(y, 0)

    def convert(self, x: Vector, count: int, dtype: str) -> None:
        """Emit shll, scvtf, fcvt or fcvtl."""
        if dtype == "bf16":
            self.asm.shll(V[x].s4, V[x].h4, 16)
        elif dtype in ("i8", "u8"):
            extend = self.asm.sshll if dtype == "i8" else self.asm.ushll
            extend(V[x].h8, V[x].b8, 0)
            extend(V[x].s4, V[x].h4, 0)
            self.asm.scvtf(V[x].s4, V[x].s4)
        elif dtype != "f32":
            self._convert_halves(x, count, dtype)

    def _convert_halves(self, x: Vector, count: int, dtype: str) -> None:
        if dtype == "f8e5m2":
            self.asm.shll(V[x].h8, V[x].b8, 8)
        elif dtype == "f8e4m3":
            self.asm.sshll(V[x].h8, V[x].b8, 7)  # the sign twice, because an f16 has one more exponent bit
            self.asm.bic(V[x].h8, 0x40, lsl(8))
        if count == 1:
            self.asm.fcvt(S[x], H[x])
        else:
            self.asm.fcvtl(V[x].s4, V[x].h4)
        if dtype == "f8e4m3":
            self._scale(x)

    def _scale(self, x: Vector) -> None:
        scale, limit, beyond = self.constants
        self.asm.fmul(V[x].s4, V[x].s4, V[scale].s4)
        self.asm.facge(V[beyond].s4, V[x].s4, V[limit].s4)
        self.asm.orr(V[x].b16, V[x].b16, V[beyond].b16)


class NeonConvertedPairs(NeonConverted):
    """The two FMAs that replace BFDOT (`A64PairsByFma`) on bf16 that were converted to f32 before: the even one
    first."""

    def load(self, phase: int, x: Vector, address: A64Address, lanes: A64Lanes, elements: int) -> None:
        """Raise NotImplementedError: no layout packs elements of 32 bits."""
        raise NotImplementedError("f32 elements are not packed in pairs")

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[A64Address], lanes: A64Lanes, spare: Sequence[Vector]
    ) -> None:
        """Load the row of the phase; a missing row is zeros."""
        if phase < len(places):
            self.m.load(x, places[phase], self.m.lanes("f32", lanes.count))
        else:
            self.m.zero(x, self.m.lanes("f32", lanes.count))

    def fetch(self, phase: int, y: Vector, address: A64Address, lanes: A64Lanes, embed: bool) -> Any:
        """Fetch the element of the phase."""
        return super().fetch(phase, y, self.m.further(address, phase * ELEMENT_BYTES[self.group]), lanes, embed)

    def fetch_strided(self, phase: int, y: Vector, places: Sequence[A64Address], lanes: A64Lanes) -> Any:
        """Fetch the element of the phase; a missing element is zero."""
        if phase < len(places):
            return super().fetch(phase, y, places[phase], lanes, False)
        self.m.zero(y, self.m.lanes("f32", 1))
        return self.m.of_group(y, 0)


_LOADS = {"bf16": "h", "f16": "h", "i8": "sb", "u8": "b", "f8e5m2": "b", "f8e4m3": "sb"}
"""Suffixes of ld1 and ld1r that load elements into 32 bits each. f8e4m3 is sign-extended."""


class SveConverted(A64Converted):
    """Units on z registers. Loads extend each element to 32 bits."""

    def load(self, phase: int, x: Vector, address: A64Address, lanes: A64Lanes, elements: int) -> None:
        """Load the elements, then convert them."""
        if self.row_vector == "f32":
            self.m.load(x, address, self.m.lanes("f32", lanes.count))
            return
        verb = getattr(self.asm, f"ld1{_LOADS[self.row_vector]}")
        verb(listed(Z[x].s), lanes.mask.z, mem[self.m.place(address)])
        self.convert(x, lanes.count, self.row_vector)

    def fetch(self, phase: int, y: Vector, address: A64Address, lanes: A64Lanes, embed: bool) -> Any:
        """Broadcast one element, then convert it."""
        if self.group == "f32":
            self.m.broadcast(y, address, self.m.lanes("f32", lanes.count))
            return y
        verb = getattr(self.asm, f"ld1r{_LOADS[self.group]}")
        verb(listed(Z[y].s), _ALL.z, mem[self.m.place(address)])
        self.convert(y, lanes.count, self.group)
        return y

    def convert(self, x: Vector, count: int, dtype: str) -> None:
        """Emit lsl, scvtf, or fcvt of the low half of each word."""
        word = Z[x].s
        if dtype == "bf16":
            self.asm.lsl(word, word, 16)
        elif dtype in ("i8", "u8"):
            self.asm.scvtf(word, _ALL.m, word)
        else:
            self._convert_halves(x, dtype)

    def _convert_halves(self, x: Vector, dtype: str) -> None:
        word = Z[x].s
        if dtype == "f8e5m2":
            self.asm.lsl(word, word, 8)
        elif dtype == "f8e4m3":
            self.asm.lsl(word, word, 7)
            self.asm.and_(Z[x].d, Z[x].d, 0xFFFF_BFFF_FFFF_BFFF)
        self.asm.fcvt(word, _ALL.m, Z[x].h)
        if dtype == "f8e4m3":
            self.asm.fmul(word, word, Z[self.constants[0]].s)
            self.asm.facge(_BEYOND.s, _ALL.z, word, Z[self.constants[1]].s)
            self.asm.cpy(word, _BEYOND.m, -1)


class A64WordsByMultiply(A64Unit):
    """i16 and u16 units: each phase widens the elements at one position of the groups to 32 bits, and MLA wraps."""

    def load(self, phase: int, x: Vector, address: A64Address, lanes: A64Lanes, elements: int) -> None:
        """Load, then widen the half. Missing elements need no masking, because the group has zeros for them."""
        self.m.load(x, address, self.m.lanes("f32", lanes.count))
        self.half(phase, x, self.row_vector[0] == "i")

    def fetch_strided(self, phase: int, y: Vector, places: Sequence[A64Address], lanes: A64Lanes) -> Any:
        """Fetch the element of the phase; a missing element is zero."""
        if phase < len(places):
            return self.fetch(0, y, places[phase], lanes, False)
        self.m.zero(y, lanes)
        return y

    @abstractmethod
    def half(self, phase: int, x: Vector, signed: bool) -> None:
        """Take the low or high half of each 32-bit element, sign- or zero-extended."""


class NeonWords(A64WordsByMultiply):
    """Units on v registers."""

    def prepare(self, lanes: A64Lanes) -> None:
        """Set up lanes of `lanes.count` elements, and of one element."""
        super().prepare(lanes)
        self.m.lanes(self.row_vector, lanes.count)
        self.m.lanes(self.group, 1)

    def half(self, phase: int, x: Vector, signed: bool) -> None:
        """Emit shifts, of which the second extends."""
        if not phase:
            self.asm.shl(V[x].s4, V[x].s4, 16)
        (self.asm.sshr if signed else self.asm.ushr)(V[x].s4, V[x].s4, 16)

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[A64Address], lanes: A64Lanes, spare: Sequence[Vector]
    ) -> None:
        """Load one row for each phase, then widen it."""
        if phase < len(places):
            self.m.load(x, places[phase], self.m.lanes(self.row_vector, lanes.count))
            self._widen(x, self.row_vector)
        else:
            self.m.zero(x, lanes)

    def fetch(self, phase: int, y: Vector, address: A64Address, lanes: A64Lanes, embed: bool) -> Any:
        """Load one element, and replicate it."""
        self.m.load(y, self.m.further(address, 2 * phase), self.m.lanes(self.group, 1))
        self._widen(y, self.group)
        self.asm.dup(V[y].s4, V[y].s[0])
        return y

    def _widen(self, register: Vector, dtype: str) -> None:
        (self.asm.sshll if dtype == "i16" else self.asm.ushll)(V[register].s4, V[register].h4, 0)

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: A64Lanes, spare: Sequence[Vector]) -> None:
        """Emit mla."""
        self.asm.mla(V[acc].s4, V[x].s4, V[y].s4)


class SveWords(A64WordsByMultiply):
    """Units on z registers. Loads extend the elements."""

    def half(self, phase: int, x: Vector, signed: bool) -> None:
        """Emit a shift, or an extension of the low half."""
        if phase:
            (self.asm.asr if signed else self.asm.lsr)(Z[x].s, Z[x].s, 16)
        else:
            (self.asm.sxth if signed else self.asm.uxth)(Z[x].s, _ALL.m, Z[x].s)

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[A64Address], lanes: A64Lanes, spare: Sequence[Vector]
    ) -> None:
        """Load one row for each phase."""
        if phase < len(places):
            verb = self.asm.ld1sh if self.row_vector == "i16" else self.asm.ld1h
            verb(listed(Z[x].s), lanes.mask.z, mem[self.m.place(places[phase])])
        else:
            self.asm.dup(Z[x].s, 0)

    def fetch(self, phase: int, y: Vector, address: A64Address, lanes: A64Lanes, embed: bool) -> Any:
        """Broadcast one element."""
        verb = self.asm.ld1rsh if self.group == "i16" else self.asm.ld1rh
        verb(listed(Z[y].s), _ALL.z, mem[self.m.place(self.m.further(address, 2 * phase))])
        return y

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: A64Lanes, spare: Sequence[Vector]) -> None:
        """Emit mla."""
        self.asm.mla(Z[acc].s, _ALL.m, Z[x].s, Z[y].s)

"""Integer dot products on NEON without SDOT and USDOT: elements widened to 16 bits, SMLAL by elements of a group.

Products of i8, u8 and i16 are exact in 32 bits, and sums wrap, so any order gives the results of SDOT and USDOT. A
phase computes two steps of k: eight words of a row vector (four rows of one step, then four of the other) by two of the
group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ....encoder.a64.registers import Q, V, listed, mem
from ...contract.machine import Vector
from .core import A64Address
from .dot_native import LETTERS, A64Unit
from .lanes import A64Lanes

_ROWS = 4  # rows of a row vector
_STEPS = 2  # steps of k in a phase


class Widened(A64Unit):
    """Dot products of i8, u8 and i16 in v registers."""

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Load the permutation of packed row vectors, and reserve a low register for groups, as SMLAL by element
        needs."""
        with self.m.vectors(self.facts.constants, "constants") as (self.order, self.words):
            depth, size = self.facts.depth, self.size
            bytes_ = [(row * depth + k) * size + b for k in range(depth) for row in range(_ROWS) for b in range(size)]
            self.asm.ldr(Q[self.order], self.asm.const(bytes(bytes_)))
            yield

    def prepare(self, lanes: A64Lanes) -> None:
        """Set up lanes of packed row vectors, of rows, and of the elements of a phase."""
        super().prepare(lanes)
        self.m.lanes(self.row_vector, lanes.count)
        self.m.lanes(self.group, _STEPS)

    def load(self, phase: int, x: Vector, address: A64Address, lanes: A64Lanes, elements: int) -> None:
        """Load, permute and widen. Missing elements need no masking, because the group has zeros for them."""
        self.m.load(x, address, self.m.lanes("f32", lanes.count))
        self.asm.tbl(V[x].b16, listed(V[x].b16), V[self.order].b16)
        self._widen(x, self.row_vector, upper=phase == 1)

    def load_rows(
        self, phase: int, x: Vector, places: Sequence[A64Address], lanes: A64Lanes, spare: Sequence[Vector]
    ) -> None:
        """Load the rows of the phase side by side, then widen them."""
        rows = places[_STEPS * phase : _STEPS * (phase + 1)]
        if not rows:
            self.m.zero(x, lanes)
            return
        of_rows = self.m.lanes(self.row_vector, lanes.count)
        self.m.load(x, rows[0], of_rows)
        if len(rows) == _STEPS:
            self.m.load(spare[0], rows[1], of_rows)
            view = "s" if self.size == 1 else "d"
            self.asm.mov(getattr(V[x], view)[1], getattr(V[spare[0]], view)[0])
        self._widen(x, self.row_vector, upper=False)

    def fetch(self, phase: int, y: Vector, address: A64Address, lanes: A64Lanes, embed: bool) -> Any:
        """Fetch two neighbours and widen them."""
        address = self.m.further(address, _STEPS * self.size * phase)
        self.m.load(self.words, address, self.m.lanes(self.group, _STEPS))
        self._widen(self.words, self.group, upper=False)
        return self.words

    def fetch_strided(self, phase: int, y: Vector, places: Sequence[A64Address], lanes: A64Lanes) -> Any:
        """Insert the elements one by one; missing elements are zero."""
        self.asm.movi(V[self.words].d2, 0)
        for number, place in enumerate(places[_STEPS * phase : _STEPS * (phase + 1)]):
            element = listed(getattr(V[self.words], LETTERS[self.size]))[number]
            self.asm.ld1(element, mem[self.m.place(place)])
        self._widen(self.words, self.group, upper=False)
        return self.words

    def product(self, phase: int, acc: Vector, x: Vector, y: Any, lanes: A64Lanes, spare: Sequence[Vector]) -> None:
        """Emit smlal for one step and smlal2 for the other."""
        self.asm.smlal(V[acc].s4, V[x].h4, V[y].h[0])
        self.asm.smlal2(V[acc].s4, V[x].h8, V[y].h[1])

    def _widen(self, register: Vector, dtype: str, *, upper: bool) -> None:
        """Sign- or zero-extend eight bytes to words. Elements that are words are unchanged."""
        if self.size == 2:
            return
        verb = ("sshll" if dtype == "i8" else "ushll") + ("2" if upper else "")
        getattr(self.asm, verb)(V[register].h8, V[register].b16 if upper else V[register].b8, 0)

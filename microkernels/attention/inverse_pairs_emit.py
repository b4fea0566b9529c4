"""Emit the backward pass with products of pairs as its plan says (inverse_pairs_plan.py). No decisions are made
here."""

from __future__ import annotations

from ..codegen.between_blocks import Matrices
from ..contract.machine import Machine
from ..dtypes import ELEMENT_BYTES
from .blocks import QueryBlocks
from .inverse_emit import InverseEmitter
from .inverse_pairs_plan import PairsPlan


def emit(m: Machine, plan: PairsPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    PairsEmitter(m, plan).run()
    m.leave()


class PairsEmitter(InverseEmitter):
    """The same loops. Both factors of gv, gk and gq lie in scratch memory."""

    def begin(self, blocks: QueryBlocks) -> None:
        """Emit the setup of a block of queries, before its first key."""
        self.begin_queries(blocks)
        places, stored = self.plan.places, blocks.stored
        for name, place in (("q", places.q_pairs), ("g", places.g_pairs)):
            again = blocks.back * self.bytes_of_line(name)
            self.elementwise(f"{name} in pairs", stored - blocks.back, x=(name, again), y=("scratch", place))
        self.elementwise("gq", stored, y=("gq", 0))
        self.begin_levels(stored)

    def begin_levels(self, rows: int) -> None:
        """Set the levels of so many queries to 0."""
        if self.of_queries is not None:
            self.of_queries.begin(lines=rows)

    def _sums_of_queries(self) -> Matrices:
        """Return the place of gq, which is a sum in memory."""
        return {"gq": (self.at["gq"], self.bytes_of_line("gq"))}

    def end(self, blocks: QueryBlocks) -> None:
        """Add the levels: gq is a sum in memory."""
        self.end_levels()

    def made_of(self, scores: tuple[str, int], slopes: tuple[str, int], first: int) -> dict[str, tuple[str, int]]:
        """Return the same rows, with narrower elements."""
        places, skipped = self.plan.places, first * ELEMENT_BYTES[self.spec.dtype]
        return {"y0": ("scratch", places.scores + skipped), "y1": ("scratch", places.slopes + skipped)}

    def keys(self, rows: int, keys: int, hidden: bool, first: int = 0) -> None:
        """Emit one block of keys, for the queries of the block from `first` on."""
        m, places, narrow = self.m, self.plan.places, ELEMENT_BYTES[self.spec.dtype]
        m.note(f"a block of {keys} keys")
        self.step_of(rows, keys, hidden, first)
        once, back = rows - self.back - self.beyond, self.back
        for name, factor, other in (("gv", places.scores, places.g_pairs), ("gk", places.slopes, places.q_pairs)):
            left, right = factor + (first + back) * narrow, other + first * self.spec.size * narrow
            self.product(name, once, keys, ("scratch", left), ("scratch", right), (name, 0))
        transposed, paired = ("scratch", places.scores), ("scratch", places.slopes)
        self.elementwise("transposed", rows, keys, s=("scratch", places.slopes + first * narrow), y=transposed)
        self.elementwise("k in pairs", 0, keys, x=("k", 0), y=paired)
        stored = rows - self.beyond
        self.product("gq", stored, keys, transposed, paired, ("gq", first * self.bytes_of_line("gq")))
        self.move_keys(keys)

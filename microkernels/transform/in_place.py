"""The in-place transpose of a square matrix.

    y = x.T, where x and y may be one array

It works on square blocks: the transpose of block (i, j) goes to scratch memory, the transpose of block (j, i) to block
(i, j) of y, and then the scratch memory to block (j, i). Every block is read before it is written, so x may also be
another array.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..choice import Rejected
from ..contract.machine import Facts, General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from . import candidates
from .emit import Cursor, TransformEmitter, cursors
from .plan import PairCopies, PairsOfBlocks, TransformPlan, vectors
from .spec import TransformSpec

_DEPTH = 2  # loops in the nest of a block


def plan(spec: TransformSpec, facts: Facts) -> TransformPlan:
    """Return the plan with blocks as large as the best tile of the whole matrix, but not too small."""
    whole = candidates.plan(replace(spec, one_array=False), facts)
    block = max(facts.tuning.transform.in_place_block, whole.tile.extents["i"], whole.tile.extents["j"])
    count, rest = divmod(spec.m, block)
    sizes = [(block, block)] * bool(count) + [(rest, block)] * bool(count and rest) + [(rest, rest)] * bool(rest)
    pairs = PairsOfBlocks(block, {size: _copies(spec, facts, block, *size) for size in sizes})
    return replace(whole, spec=spec, streaming=False, peels=False, pairs=pairs, rejected=Rejected())


def _copies(spec: TransformSpec, facts: Facts, block: int, rows: int, columns: int) -> PairCopies:
    to_scratch = replace(spec, one_array=False, m=rows, n=columns, ldy=block)
    across = replace(spec, one_array=False, m=columns, n=rows)
    back = replace(spec, one_array=False, source="plain", result="plain", m=columns, n=rows, ldx=block, loads=None)
    return PairCopies(*(candidates.plan(copy, facts) for copy in (to_scratch, across, back)))


def emit(m: Machine, plan: TransformPlan, pairs: PairsOfBlocks) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(max(vectors(copy) for copies in pairs.copies.values() for copy in copies))
    _InPlaceEmitter(m, plan, pairs).run()
    m.leave()


class _InPlaceEmitter:
    """Emits the loops over pairs of blocks. The addresses of blocks in x and y are kept in the frame if registers are
    scarce:

    row        address of block (i, 0)        block      address of block (i, j)
    column     address of block (0, i)        mirrored   address of block (j, i)

    The loops within a block move pointers of their own.
    """

    def __init__(self, m: Machine, plan: TransformPlan, pairs: PairsOfBlocks) -> None:
        self.m, self.plan, self.pairs, self.size = m, plan, pairs.copies, pairs.block
        self.bytes = ELEMENT_BYTES[plan.spec.dtype]
        self.x, self.y = cursors(m, plan)
        self.matrices = {"x": self.x, "y": self.y}
        self.scratch = m.to_slot(m.scratch(self.size**2 * self.bytes))
        self.scratch_block = Cursor(m, m.general("scratch"), self.size * self.bytes, "scratch")
        self.row, self.column, self.block, self.mirrored = (
            {name: self._in_frame(f"{name} {role}") for name in "xy"} for role in ("row", "column", "(i, j)", "(j, i)")
        )
        self.i, self.j = self._in_frame("i"), self._in_frame("j")
        self.rows = m.counter("block rows")
        self.counters: list[Any] = [m.counter("loop") for _ in range(_DEPTH - 1)] + [m.general("innermost loop")]

    def _in_frame(self, role: str) -> General | Slot:
        return self.m.to_slot(self.m.general(role))

    def run(self) -> None:
        """Emit the rows of blocks from the first to the last."""
        m, size = self.m, self.size
        count, rest = divmod(self.plan.spec.m, size)
        for name, cursor in self.matrices.items():
            m.copy(self.row[name], cursor.pointer)
            m.copy(self.column[name], cursor.pointer)
        m.copy(self.i, 0)
        if count:
            with m.loop(self.rows, count):
                self._start_row()
                with m.unless_zero(self.i), m.loop(self.j, self.i):
                    self._pair(size)
                self._diagonal(size)
                for name in "xy":
                    self._down(self.row[name], name)
                    m.advance(self.column[name], size * self.bytes)
                m.advance(self.i, 1)
        if rest:
            self._start_row()
            if count:
                with m.loop(self.j, count):
                    self._pair(rest)
            self._diagonal(rest)

    def _start_row(self) -> None:
        for name in "xy":
            self.m.copy(self.block[name], self.row[name])
            self.m.copy(self.mirrored[name], self.column[name])

    def _down(self, address: General | Slot, name: str) -> None:
        self.m.advance(address, self.matrices[name].leading, self.size)

    def _pair(self, rows: int) -> None:
        """Transpose blocks (i, j) and (j, i), and go on to the next j."""
        copies = self.pairs[rows, self.size]
        self._copy(copies.to_scratch, self.x, self.block["x"], self.scratch_block, self.scratch)
        self._copy(copies.across, self.x, self.mirrored["x"], self.y, self.block["y"])
        self._copy(copies.back, self.scratch_block, self.scratch, self.y, self.mirrored["y"])
        for name in "xy":
            self.m.advance(self.block[name], self.size * self.bytes)
            self._down(self.mirrored[name], name)

    def _diagonal(self, rows: int) -> None:
        """Transpose block (i, i)."""
        copies = self.pairs[rows, rows]
        self._copy(copies.to_scratch, self.x, self.block["x"], self.scratch_block, self.scratch)
        self._copy(copies.back, self.scratch_block, self.scratch, self.y, self.block["y"])

    def _copy(self, plan: TransformPlan, x: Cursor, source: General | Slot, y: Cursor, result: General | Slot) -> None:
        self.m.copy(x.pointer, source)
        self.m.copy(y.pointer, result)
        TransformEmitter(self.m, plan, x, y, self.counters).run()

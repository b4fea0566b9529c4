"""The transpose of a square matrix in its own place.

    y = x.T, where x and y may be one array

in square blocks: the transpose of block (i, j) goes to scratch memory, that of block (j, i) to the place of (i, j), and
then the scratch to the place of (j, i). Nothing is written before it was read, so x may also be another array.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..choice import Plan
from ..contract.machine import Facts, General, Machine, Slot
from ..dtypes import ELEMENT_BYTES
from .emit import Cursor, Walk, cursors, vectors
from .plan import TransformPlan
from .plan import plan as plan_tiles
from .spec import TransformSpec

_LEAST = 16  # rows of a block
_DEPTH = 2  # loops of a block's nest


@dataclass(frozen=True)
class InPlacePlan(Plan):
    """Blocks of `block` rows and columns; what is done with whole ones, and with the last of each row and column."""

    spec: TransformSpec
    whole: TransformPlan  # of the matrix, out of place: its tile is that of the blocks
    block: int
    copies: dict[tuple[int, int], tuple[TransformPlan, TransformPlan, TransformPlan]]

    @property
    def cycles(self) -> float:
        """The transposes, and as many loads and stores again for the half that goes through scratch memory."""
        return 1.5 * self.whole.cycles

    def __str__(self) -> str:
        count, rest = divmod(self.spec.m, self.block)
        last = f", the last of {rest}" if rest else ""
        blocks = f"{count} x {count} blocks of {self.block}{last}"
        return f"{self.whole}\n  in place: {blocks}; one of a pair through scratch memory"


def plan(spec: TransformSpec, facts: Facts) -> InPlacePlan:
    """Blocks as large as the best tile of the whole matrix."""
    whole = plan_tiles(replace(spec, square=False), facts)
    block = max(_LEAST, whole.tile.extent("i"), whole.tile.extent("j"))
    count, rest = divmod(spec.m, block)
    sizes = [(block, block)] * bool(count) + [(rest, block)] * bool(count and rest) + [(rest, rest)] * bool(rest)
    return InPlacePlan(spec, whole, block, {size: _copies(spec, facts, block, *size) for size in sizes})


def _copies(
    spec: TransformSpec, facts: Facts, block: int, rows: int, columns: int
) -> tuple[TransformPlan, TransformPlan, TransformPlan]:
    """x (rows, columns) to scratch; x (columns, rows) to y; scratch to y (columns, rows)."""
    there = replace(spec, square=False, m=rows, n=columns, ldy=block)
    across = replace(spec, square=False, m=columns, n=rows)
    back = replace(spec, square=False, source="plain", result="plain", m=columns, n=rows, ldx=block, loads=None)
    first, second, third = (plan_tiles(each, facts) for each in (there, across, back))
    return first, second, third


def emit(m: Machine, plan: InPlacePlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(max(vectors(each) for copies in plan.copies.values() for each in copies))
    _InPlace(m, plan).run()
    m.leave()


class _InPlace:
    """Places of blocks, parked where registers are few: the first ones of row i and of column i in x and y, and the
    blocks (i, j) and (j, i). A walk moves pointers of its own.
    """

    def __init__(self, m: Machine, plan: InPlacePlan) -> None:
        self.m, self.plan, self.block = m, plan, plan.block
        self.size = ELEMENT_BYTES[plan.spec.dtype]
        self.x, self.y = cursors(m, plan.whole)
        self.given = {"x": self.x, "y": self.y}
        self.scratch = m.park(m.scratch(self.block**2 * self.size))
        self.square = Cursor(m, m.general("scratch"), self.block * self.size, "scratch")
        self.row, self.column, self.at, self.mirrored = (
            {name: self._place(f"{name} {block}") for name in "xy"} for block in ("row", "column", "(i, j)", "(j, i)")
        )
        self.i, self.j = self._place("i"), self._place("j")
        self.rows = m.counter("block rows")
        self.counters: list[Any] = [m.counter("loop") for _ in range(_DEPTH - 1)] + [m.general("innermost loop")]

    def _place(self, role: str) -> General | Slot:
        return self.m.park(self.m.general(role))

    def run(self) -> None:
        """Rows of blocks from the first to the last."""
        m, block = self.m, self.block
        count, rest = divmod(self.plan.spec.m, block)
        for name, cursor in self.given.items():
            m.copy(self.row[name], cursor.pointer)
            m.copy(self.column[name], cursor.pointer)
        m.copy(self.i, 0)
        if count:
            with m.loop(self.rows, count):
                self._start_row()
                with m.unless_zero(self.i), m.loop(self.j, self.i):
                    self._pair(block)
                self._diagonal(block)
                for name in "xy":
                    self._down(self.row[name], name)
                    m.advance(self.column[name], block * self.size)
                m.advance(self.i, 1)
        if rest:
            self._start_row()
            if count:
                with m.loop(self.j, count):
                    self._pair(rest)
            self._diagonal(rest)

    def _start_row(self) -> None:
        for name in "xy":
            self.m.copy(self.at[name], self.row[name])
            self.m.copy(self.mirrored[name], self.column[name])

    def _down(self, place: General | Slot, name: str) -> None:
        self.m.advance(place, self.given[name].leading, self.block)

    def _pair(self, rows: int) -> None:
        """Blocks (i, j) and (j, i), and on to the next j."""
        there, across, back = self.plan.copies[rows, self.block]
        self._walk(there, self.x, self.at["x"], self.square, self.scratch)
        self._walk(across, self.x, self.mirrored["x"], self.y, self.at["y"])
        self._walk(back, self.square, self.scratch, self.y, self.mirrored["y"])
        for name in "xy":
            self.m.advance(self.at[name], self.block * self.size)
            self._down(self.mirrored[name], name)

    def _diagonal(self, rows: int) -> None:
        """Block (i, i)."""
        there, _, back = self.plan.copies[rows, rows]
        self._walk(there, self.x, self.at["x"], self.square, self.scratch)
        self._walk(back, self.square, self.scratch, self.y, self.at["y"])

    def _walk(self, plan: TransformPlan, x: Cursor, source: General | Slot, y: Cursor, result: General | Slot) -> None:
        self.m.copy(x.pointer, source)
        self.m.copy(y.pointer, result)
        Walk(self.m, plan, x, y, self.counters).run()

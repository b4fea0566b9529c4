"""A reduction that is cut: vectors, accumulators, and the code of each part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...encoder.forks import cached_property
from ..choice import Plan
from ..codegen.linear_scan import Lowered
from ..codegen.reducer import Apart, Running
from ..codegen.selection import Arithmetic
from ..expr.graph import MASKS
from .spec import ReduceSpec

UNITS = 32
"""Vectors of a loop's body where rows are walked side by side, of all rows."""
STRAIGHT, BODY = 32, 32
"""Vectors of a row up to which there is no loop, and of a loop's body, at most."""


def row_blocks(rows: int, most: int) -> list[tuple[int, int]]:
    """Rows that are walked side by side, at most so many, and how often; as equal as may be, the higher ones first."""
    count = -(-rows // most)
    wide = rows - (most - 1) * count
    return [(each, times) for each, times in ((most, wide), (most - 1, count - wide)) if times]


@dataclass(frozen=True)
class Output:
    """The code of one output. Down columns nothing is folded: a result comes from the state."""

    running: Running
    first: int  # of its registers, among those of all outputs
    join: Lowered | None  # of two states
    settle: Lowered | None  # where registers of the state become others before they are folded
    fold: Lowered | None
    result: Lowered
    adds: bool = False  # whether folding is nothing but additions of floats
    apart: Apart | None = None  # how it is folded without its masks

    @property
    def parts(self) -> int:
        """Registers that a result comes from."""
        return len(self.running.types if self.fold is None else self.running.settled("a"))


class Found(NamedTuple):
    """The first element of a block that is as good as `best`.

    look     vectors of a block, the best element -> places in the block
    lowest   how those are folded
    add      two places -> their sum
    """

    look: Lowered
    lowest: Output
    add: Lowered


class Places(NamedTuple):
    """The count of a search, in two registers: the place of a step's first elements, and how far a turn goes on.

    pace      elements
    forward   the place -> that of the next turn
    later     of the second accumulator along a row, the third...: its places, which lag behind by whole vectors
    found     where steps take blocks of vectors
    """

    pace: int
    forward: Lowered
    later: tuple[Lowered, ...]
    found: Found | None


@dataclass(frozen=True)
class ReducePlan(Plan):
    """The code of each part; `step` has as many copies as there are accumulators that take turns."""

    spec: ReduceSpec
    rows: int  # as they are walked: all of a matrix without gaps is one row
    columns: int
    vector: int  # elements of a whole vector
    step: Lowered
    single: Lowered  # the step for one vector
    tail: Lowered | None
    first: Lowered | None  # of a row: a step from nothing
    outputs: tuple[Output, ...]
    arithmetic: Arithmetic
    cycles: float
    together_rows: int = 1  # that are folded together, at most
    runs: int = 1  # of `step` for a row of a block of columns
    interleaved_rows: int = 0  # rows that are walked side by side, at most; 0: one after the other
    widths: tuple[int, ...] = ()  # elements of registers, the widest first
    held: bool = False  # constants stay in registers from the first row to the last, or block of columns
    ahead: bool = False  # the next row's columns are asked for in advance
    blends: bool = False  # folding has the mask registers that it can make use of
    deep: int = 1  # steps down a few columns that go by before the next columns
    places: Places | None = None  # of a search

    @property
    def accumulators(self) -> int:
        """Each is a state of every output."""
        return self.interleaved_rows or self.step.unroll * self.runs

    @property
    def blocks(self) -> bool:
        """Whether it is a search that takes a block of vectors at a time."""
        return self.places is not None and self.places.found is not None

    @property
    def rest(self) -> int:
        """Elements that are loaded of a row's last vector, where that is no whole one."""
        return 0 if self.blocks else self.columns % self.vector

    @property
    def together(self) -> int:
        """Vectors that one accumulator takes at a time."""
        return self.outputs[0].running.together

    @property
    def types(self) -> tuple[str, ...]:
        """Of the registers of an accumulator."""
        return tuple(dtype for each in self.outputs for dtype in each.running.types)

    @cached_property
    def masked(self) -> tuple[bool, ...]:
        """Which of them are mask registers."""
        return tuple(dtype in MASKS and self.arithmetic.masks > 0 for dtype in self.types)

    @property
    def starts(self) -> list[int]:
        """Bits other than 0 that vector registers begin with: kept in registers where there are any."""
        if self.first is not None:
            return []
        states = [(bits, dtype) for each in self.outputs
                  for bits, dtype in zip(each.running.start, each.running.types)]  # fmt: skip
        return sorted({bits for (bits, _), mask in zip(states, self.masked) if bits and not mask})

    @property
    def group(self) -> int:
        """Rows that are folded together."""
        return min(self.together_rows, self.rows, self.vector) if self.spec.axis == 1 else 1

    @property
    def lines(self) -> int:
        """Of scratch memory: the registers of each row of a group, and once more those that they are folded to."""
        return (self.group if self.group > 1 else 0) + self.blocks

    @cached_property
    def stored(self) -> set[int]:
        """How many results are stored at a time: those of a group, or whole vectors of columns and what is left."""
        if self.spec.axis is None:
            return {1}
        if self.interleaved_rows:
            return {count for rows, _ in self.row_blocks for count in self._pieces(rows)}
        count, most = (self.columns, self.vector) if self.spec.axis == 0 else (self.rows, self.group)
        return {min(most, count), count % most} - {0}

    @property
    def partial(self) -> set[int]:
        """Elements of lanes that are no whole register."""
        return {self.rest, *self.stored} - {0, self.vector, *self.widths}

    @property
    def row_blocks(self) -> list[tuple[int, int]]:
        """Those of this plan."""
        return row_blocks(self.rows, self.interleaved_rows)

    def _pieces(self, rows: int) -> set[int]:
        """Results of a band that are stored at a time."""
        width = min([count for count in self.widths if count >= rows], default=self.vector)
        return {min(width, rows), rows % width} - {0}

    @property
    def narrower(self) -> tuple[int, ...]:
        """Elements of narrower registers, that what is in registers may be folded into before the tree."""
        return tuple(count for count in self.widths if count < self.vector) if self.spec.axis != 0 else ()

    @property
    def codes(self) -> list[Lowered]:
        """What runs for every row."""
        codes = [self.step, *([self.single] if self.together > 1 else []), self.tail, self.first]
        codes += [code for each in self.outputs for code in (each.join, each.settle, each.fold)]
        if self.places is not None:
            codes += [self.places.forward, *self.places.later]
            codes += [found.look, found.add, found.lowest.fold] if (found := self.places.found) else []
        return [code for code in codes if code is not None]

    @property
    def resident(self) -> list[Lowered]:
        """The code whose registers are held all the time: of columns what makes results, whose blocks are short."""
        if not self.held:
            return []
        if self.blocks:
            return [self.step]
        return [each.result for each in self.outputs] if self.spec.axis == 0 else self.codes

    @cached_property
    def tree(self) -> int:
        """Registers of the deepest fold: a line for each level where two different ones meet, and what is beside it.

        A row alone has no lines: its outputs are all there, one of them with what is beside it.
        """
        if self.spec.axis == 0:
            return 0
        parts = [each.parts for each in self.outputs]
        if self.interleaved_rows:
            return self.states + max(parts)
        deep = (self.group - 1).bit_length()
        return max(parts) * (deep + 2) if self.group > 1 else sum(parts) + max(parts)

    @property
    def states(self) -> int:
        """Vector registers of all accumulators."""
        return self.accumulators * (len(self.types) - sum(self.masked))

    @cached_property
    def vectors(self) -> int:
        """Vector registers held at a time."""
        code = sum(each.vectors for each in self.resident) + max((each.vectors for each in self._briefly), default=0)
        starts = len(self.starts) if self.held else 0
        counting = 2 if self.places is not None else 0
        return max(self.states, self.tree) + counting + code + starts + self.arithmetic.spare

    @cached_property
    def masks(self) -> int:
        """The same of mask registers."""
        code = sum(each.masks for each in self.resident) + max((each.masks for each in self._briefly), default=0)
        return self.accumulators * sum(self.masked) + code

    @property
    def _briefly(self) -> list[Lowered]:
        """The code that has its registers while it runs."""
        resident = {id(code) for code in self.resident}
        return [code for code in (*self.codes, *(each.result for each in self.outputs)) if id(code) not in resident]

    def _heights(self) -> str:
        return " + ".join(f"{times} x {rows}" for rows, times in self.row_blocks)

    def __str__(self) -> str:
        ahead = ", the next row asked for in advance" if self.ahead else ""
        ahead += f", of as many rows side by side ({self._heights()})" if self.interleaved_rows else ""
        return (f"{self.spec}\n{self.accumulators} accumulators of {self.vector}, {self.together} vectors at a time"
                f"{ahead}; {self.step}; {self.cycles:.0f} cycles")  # fmt: skip

"""Sums down the columns of many rows, which a walk along whole rows keeps in the memory of results.

Each row of elements is added to the result's row. After some rows the result's row is added to a first level in scratch
memory and set to 0, and so on, as long_sums.py explains for sums in registers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType

from ...encoder.records import NamedTuple
from ..contract.machine import SCRATCH_ALIGNMENT, Amount, General, Lanes, Machine, Slot, Vector
from ..contract.vector_verbs import LEVELS_LIMIT
from ..dtypes import ELEMENT_BYTES
from ..errors import UnsupportedError
from ..expr.graph import FLOATS
from .long_sums import DYNAMIC_TERMS, MOST_TERMS, Between, Levels, levels_of

LEVELS_BYTES = 24 << 10
"""The most bytes of all levels. Wider rows have at most two levels, of longer blocks."""
FEW = 1024
"""Rows of a block of wider rows."""
FEW_ROWS = FEW * (MOST_TERMS - FEW)
"""The rows for which a single level of them suffices."""
WIDE = LEVELS_LIMIT - SCRATCH_ALIGNMENT
"""The most bytes of all levels of wider rows."""


class LaidBy(NamedTuple):
    """The levels of some results of one row.

    sums     (name, columns) of the results
    vector   elements of a vector
    compute  the type of the results and of the levels
    lines    the lines of each result
    """

    sums: tuple[tuple[str, int], ...]
    levels: Levels
    vector: int
    compute: str
    lines: int = 1

    @property
    def offsets(self) -> dict[str, int]:
        """Where the row of each result begins in a level."""
        found, end = {}, 0
        for name, columns in self.sums:
            found[name], end = end, end + self.lines * line(columns, self.vector, self.compute)
        return found

    @property
    def level_bytes(self) -> int:
        """Bytes of one level."""
        return self.lines * sum(line(columns, self.vector, self.compute) for _, columns in self.sums)

    @property
    def bytes(self) -> int:
        """Bytes of all levels."""
        return self.levels.depth * self.level_bytes

    def __str__(self) -> str:
        return f"{', '.join(name for name, _ in self.sums)}: {self.levels}"


def line(columns: int, vector: int, compute: str) -> int:
    """Return the bytes of a line in a level, which has whole vectors."""
    return -(-columns // vector) * vector * ELEMENT_BYTES[compute]


def laid_by(sums: tuple[tuple[str, int], ...], compute: str, rows: int, vector: int) -> LaidBy | None:
    """Return the levels of sums down the columns of at most `rows` rows; None if they need none. sums: as in LaidBy.
    See `within` for rows that are too wide."""
    levels, most = levels_of(rows, 1), levels_of(DYNAMIC_TERMS, 1)
    if levels is None or most is None or compute not in FLOATS:
        return None
    made = LaidBy(sums, levels, vector, compute)
    if (
        most.depth * made.level_bytes > LEVELS_BYTES
    ):  # whatever the rows, so that those that a call counts give the same bits
        made = made._replace(levels=Levels(FEW, 2 if rows > FEW * FEW else 1))
    return within(made, rows) if sums else None


def fitting(made: LaidBy, additions: int, most: int) -> LaidBy | None:
    """Return as many of the levels as fit into memory, of which the last takes whatever comes; None if none does, or if
    a term of a sum of so many additions then passes more than `most` of them."""
    depths = range(made.levels.depth, 0, -1)
    every = (made._replace(levels=made.levels._replace(depth=depth)) for depth in depths)
    found = next((each for each in every if each.bytes <= WIDE), None)
    return found if found is not None and (found == made or found.levels.take(additions, most)) else None


def of_matrix(m: int, n: int, order: str, levels: Levels, vector: int, compute: str, additions: int) -> LaidBy | None:
    """Return the levels of the sums of a matrix, "c", that wait in it or in dense memory of its shape; None if they do
    not fit."""
    lines, length = (m, n) if order == "C" else (n, m)
    return fitting(LaidBy((("c", length),), levels, vector, compute, lines), additions, MOST_TERMS)


def within(made: LaidBy, rows: int) -> LaidBy:
    """Return the levels that fit into memory. If the call gives the rows, a single one does, too: so many rows that it
    does not suffice have more than `FEW_ROWS` * 2^19 elements. Raises UnsupportedError if none does."""
    found = fitting(made, min(rows, FEW_ROWS) if rows == DYNAMIC_TERMS else rows, MOST_TERMS)
    if found is not None:
        return found
    which = "rows that the call counts" if rows == DYNAMIC_TERMS else f"{rows} rows"
    few = f"a number of rows (at most {MOST_TERMS} need none), or " * (rows == DYNAMIC_TERMS)
    raise UnsupportedError(
        f"{', '.join(name for name, _ in made.sums)}: sums of {which}, of so many columns, need {made.level_bytes} "
        f"bytes of memory beside the results, and a kernel has {WIDE}; {few}sums of some of the columns at a time, work"
    )


class RowSums:
    """Emits the additions of the results' rows to their levels, with pointers to the results and to the levels, which
    are moved and restored. `free` are vector registers for it; without any, it claims them."""

    free: Sequence[Vector] = ()

    def __init__(
        self,
        m: Machine,
        plan: LaidBy,
        counter: Callable[[str], General | Slot] | None = None,
        pitches: Mapping[str, Amount] = MappingProxyType({}),
    ) -> None:
        """counter: claims a counter by its name, if not the machine does. pitches: bytes from a line of each result to
        the next one, if results have several."""
        self.m, self.plan, self.pitches = m, plan, pitches
        claim = counter or m.counter
        self.taken = [claim(f"sums of level {level}") for level in range(plan.levels.depth - 1)]
        self.counter = claim("vectors of a row of sums")
        self.left = claim("lines of sums") if plan.lines > 1 else None

    @contextmanager
    def _vectors(self, count: int) -> Iterator[Sequence[Vector]]:
        with self.m.vectors(max(0, count - len(self.free)), "sums") as claimed:
            yield [*self.free, *claimed][:count]

    def between(self, pointers: Mapping[str, General], base: General) -> Between:
        """Return what is emitted between blocks of rows."""
        return Between(
            lambda: self.clear(pointers, base),
            lambda: self._into(0, pointers, base),
            lambda: self.bring_back(pointers, base),
        )

    def clear(self, pointers: Mapping[str, General], base: General) -> None:
        """Set all levels to 0."""
        m, plan = self.m, self.plan
        for name, _ in plan.sums:
            with self._vectors(1) as (zero,):

                def vector(lanes: Lanes, zero: int = zero, name: str = name) -> None:
                    m.zero(zero, lanes)
                    for level in range(plan.levels.depth):
                        m.store(m.at(base, self._place(level, name)), zero, lanes)

                self._each(name, pointers, base, vector)
        for taken in self.taken:
            m.copy(taken, 0)

    def _into(self, level: int, pointers: Mapping[str, General], base: General) -> None:
        """Add the level below (the results, below the first) to a level, and set it to 0."""
        m, plan = self.m, self.plan
        for name, _ in plan.sums:
            with self._vectors(2) as (x, y):

                def vector(lanes: Lanes, x: int = x, y: int = y, name: str = name) -> None:
                    below = m.at(base, self._place(level - 1, name)) if level else m.at(pointers[name])
                    place = m.at(base, self._place(level, name))
                    m.load(x, place, lanes)
                    m.load(y, below, lanes)
                    m.add(x, x, y, lanes)
                    m.store(place, x, lanes)
                    m.zero(y, lanes)
                    m.store(below, y, lanes)

                self._each(name, pointers, base, vector)
        if level + 1 < plan.levels.depth:
            m.advance(self.taken[level], 1)
            with m.while_at_least(self.taken[level], plan.levels.steps):
                self._into(level + 1, pointers, base)

    def bring_back(self, pointers: Mapping[str, General], base: General) -> None:
        """Add all levels to the results."""
        m, plan = self.m, self.plan
        for name, _ in plan.sums:
            with self._vectors(2) as (x, y):

                def vector(lanes: Lanes, x: int = x, y: int = y, name: str = name) -> None:
                    place = m.at(pointers[name])
                    m.load(x, place, lanes)
                    for level in range(plan.levels.depth):
                        m.load(y, m.at(base, self._place(level, name)), lanes)
                        m.add(x, x, y, lanes)
                    m.store(place, x, lanes)

                self._each(name, pointers, base, vector)

    def _each(self, name: str, pointers: Mapping[str, General], base: General, vector: Callable[[Lanes], None]) -> None:
        """Emit code for each vector of a result, at which both pointers then are."""
        m, plan = self.m, self.plan
        if self.left is None:
            self._line(name, pointers, base, vector)
            return
        size = line(dict(plan.sums)[name], plan.vector, plan.compute)
        with m.loop(self.left, plan.lines):
            self._line(name, pointers, base, vector)
            m.advance(pointers[name], self.pitches[name])
            m.advance(base, size)
        m.advance(pointers[name], self.pitches[name], -plan.lines)
        m.advance(base, -plan.lines * size)

    def _line(self, name: str, pointers: Mapping[str, General], base: General, vector: Callable[[Lanes], None]) -> None:
        m, plan = self.m, self.plan
        loops, rest = divmod(dict(plan.sums)[name], plan.vector)
        step = plan.vector * ELEMENT_BYTES[plan.compute]
        if loops:
            with m.loop(self.counter, loops):
                vector(m.lanes(plan.compute, plan.vector))
                m.advance(pointers[name], step)
                m.advance(base, step)
        if rest:
            vector(m.lanes(plan.compute, rest))
        if loops:
            m.advance(pointers[name], -loops * step)
            m.advance(base, -loops * step)

    def _place(self, level: int, name: str) -> int:
        return level * self.plan.level_bytes + self.plan.offsets[name]

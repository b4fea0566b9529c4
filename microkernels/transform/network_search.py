"""The cheapest sequence of exchanges that brings the bits of a tile where they are wanted.

A* over the labels inside a register: which labels tell registers apart, and in which order, costs nothing. Every label
that must enter a register needs an exchange of its own, which bounds what is left from below. First only stages are
tried that bring in a label that is wanted and let none go that is; what that does not find, a search without this
restriction may.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from itertools import permutations
from typing import Any, NamedTuple, Protocol

from ..contract.shuffle_network import Exchange, Label, Stage, renamed

_MOST_STATES = 20_000
_LANE = 16  # bytes


class Repertoire(Protocol):
    """The shuffles of one register width, as a machine declares them."""

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Exchanges that may come anywhere."""

    @property
    def tables(self) -> tuple[Any, ...]:
        """Instructions that take indices from a register, with `cycles` and whether they take a `pair`."""

    @property
    def lanes(self) -> bool:
        """Whether only exchanges of whole lanes of 16 bytes, and single shuffles, go from lane to lane."""

    def by_table(self, unit: int, sources: Sequence[int], pair: bool) -> Exchange | None:
        """The renaming of bits by an index table, of a pair of registers or of one; None where the machine has none."""


class Found(NamedTuple):
    """A sequence of stages and what it costs."""

    stages: tuple[Stage, ...]
    cycles: float
    instructions: int


Labels = tuple[Label, ...]
_Entry = tuple[float, int, int, float, int, Labels, tuple[Stage, ...]]


@lru_cache(maxsize=1024)
def search(repertoire: Repertoire, unit: int, start: Labels, across: Labels, goal: Labels) -> Found | None:
    """Stages from `start` inside and `across` between registers to `goal` inside; None if there are none.

    Labels that begin with "_" are of places that hold nothing: registers told apart by them do not count.
    """
    for straight in (True, False):
        if found := _Search(repertoire, unit, frozenset((*start, *across)), goal, straight).run(start):
            return found
    return None


class _Search:
    """One search; `straight` allows only stages that bring in what is wanted and keep it."""

    def __init__(
        self, repertoire: Repertoire, unit: int, labels: frozenset[Label], goal: Labels, straight: bool
    ) -> None:
        self.repertoire, self.unit, self.labels, self.goal, self.straight = repertoire, unit, labels, goal, straight
        self.wanted = frozenset(goal)
        self.real = frozenset(label for label in labels if not label.startswith("_"))
        self.exchanges = [each for each in repertoire.exchanges if each.low.unit >= unit]
        lane = (_LANE // unit).bit_length() - 1
        self.lane = lane if lane < len(goal) and repertoire.lanes else len(goal)
        self.wanted_lanes = frozenset(goal[self.lane :])
        self.cheapest = min((each.cycles for each in self.exchanges), default=1.0)
        crossing = [each.cycles for each in self.exchanges if each.low.unit >= _LANE or each.high is None]
        self.crossing = min(crossing, default=self.cheapest)
        self.table = min((row.cycles for row in repertoire.tables if row.pair), default=float("inf"))
        self.registers = 1 << max(0, len(self.real) - len(goal))

    def run(self, start: Labels) -> Found | None:
        """The cheapest stages."""
        best: dict[Labels, float] = {start: 0.0}
        queue: list[_Entry] = [(0.0, 0, 0, 0.0, 0, start, ())]
        serial = 0
        while queue and serial < _MOST_STATES:
            _, _, _, cycles, instructions, inside, stages = heappop(queue)
            if inside == self.goal:
                return Found(stages, cycles, instructions)
            if cycles > best[inside]:
                continue
            preserved = self.wanted.intersection(inside)
            for stage, after in self._moves(inside, first=not stages):
                if self.straight and not preserved.issubset(after):
                    continue
                made = 1 << len(self.real.difference(after))
                total = cycles + stage.exchange.cycles * made
                if total < best.get(after, float("inf")) - 1e-9:
                    best[after] = total
                    serial += 1
                    rest, missing = self._rest(after)
                    # of equals, the one that is nearer to the goal comes first
                    entry = round(total + rest, 6), missing, serial, total, instructions + made
                    heappush(queue, (*entry, after, (*stages, stage)))
        return None

    def _rest(self, inside: Labels) -> tuple[float, int]:
        """(cycles that the rest needs at least, labels that must enter).

        A stage lets one label in, and at most one into the lanes. Each stage may let go of a place that holds nothing,
        which halves the registers.
        """
        missing = len(self.wanted.difference(inside))
        lanes = len(self.wanted_lanes.difference(inside[self.lane :]))
        cycles = lanes * self.crossing + max(0, missing - lanes) * self.cheapest
        if missing <= 1:
            cycles = min(cycles, self.table)
        count = len(self.real.difference(inside))
        more = sum(max(0, (1 << max(0, count - k)) - self.registers) for k in range(1, missing + 1))
        return cycles * self.registers + more * self.cheapest, missing

    def _moves(self, inside: Labels, first: bool) -> Iterator[tuple[Stage, Labels]]:
        """Every stage that may follow, and the labels inside after it."""
        between = sorted((self.wanted if self.straight else self.labels).difference(inside))
        for exchange in self.exchanges:
            if exchange.high is None:
                if len(between) < 3 or not self.straight:
                    yield Stage(exchange, None), renamed(exchange, self.unit, inside, None)
                continue
            for label in between:
                yield Stage(exchange, label), renamed(exchange, self.unit, inside, label)[:-1]
        yield from self._finish(inside)
        if first:
            yield from self._beginnings(inside)

    def _finish(self, inside: Labels) -> Iterator[tuple[Stage, Labels]]:
        """The one table shuffle that reaches the goal, where one label or none has to enter."""
        goal = self.goal
        entering = [label for label in goal if label not in inside]
        if len(entering) > 1 or inside == goal:
            return
        have = [*inside, *entering]
        leaving = [label for label in have if label not in self.wanted]
        sources = [have.index(label) for label in (*goal, *leaving)]
        exchange = self.repertoire.by_table(self.unit, sources, bool(entering))
        if exchange is not None:
            yield Stage(exchange, entering[0] if entering else None), goal

    def _beginnings(self, inside: Labels) -> Iterator[tuple[Stage, Labels]]:
        """Shuffles of single registers by a table, before anything else: orders of the lowest three bits."""
        few = min(3, len(inside))
        for order in permutations(range(few)):
            sources = [*order, *range(few, len(inside))]
            if sources != sorted(sources):
                exchange = self.repertoire.by_table(self.unit, sources, False)
                if exchange is not None:
                    yield Stage(exchange, None), tuple(inside[source] for source in sources)

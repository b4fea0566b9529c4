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
from typing import NamedTuple, Protocol

from .shuffle import Exchange, Label, Stage, renamed

_MOST_STATES = 20_000


class Repertoire(Protocol):
    """The shuffles of one register width, as a machine declares them."""

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Exchanges that may come anywhere."""

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

    def __init__(self, repertoire: Repertoire, unit: int, labels: frozenset[Label], goal: Labels, straight: bool) -> None:
        self.repertoire, self.unit, self.labels, self.goal, self.straight = repertoire, unit, labels, goal, straight
        self.wanted = frozenset(goal)
        self.real = frozenset(label for label in labels if not label.startswith("_"))
        self.exchanges = [each for each in repertoire.exchanges if each.low.unit >= unit]
        cheapest = min((each.cycles for each in repertoire.exchanges), default=1.0)
        self.least = cheapest * (1 << max(0, len(self.real) - len(goal)))

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
            kept = self.wanted.intersection(inside)
            for stage, after in self._moves(inside, first=not stages):
                if self.straight and not kept.issubset(after):
                    continue
                made = 1 << len(self.real.difference(after))
                total = cycles + stage.exchange.cycles * made
                if total < best.get(after, float("inf")) - 1e-9:
                    best[after] = total
                    serial += 1
                    missing = len(self.wanted.difference(after))
                    # of equals, the one that is nearer to the goal comes first
                    entry = round(total + missing * self.least, 6), missing, serial, total, instructions + made
                    heappush(queue, (*entry, after, (*stages, stage)))
        return None

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

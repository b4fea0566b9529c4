"""The cheapest sequence of exchanges that brings the address bits of a tile into a given order.

This is an A* search over the labels inside a register. The order of the registers costs nothing, so states that differ
only in it are one state. Every label that must enter the register takes its own exchange, which gives the lower bound
of the remaining cost. The search first allows only stages that bring in a wanted label and keep all wanted labels. If
that finds nothing, it runs again without this restriction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from itertools import permutations
from operator import itemgetter

from ...encoder.records import NamedTuple
from ..contract.shuffle_network import Exchange, ExchangeStage, Label, exchanged
from ..contract.shuffle_set import ShuffleSet

_MOST_STATES = 20_000  # after this many the search gives up
_LANE = 16  # bytes
_EPSILON = 1e-9  # cycles; smaller differences are rounding errors


class Stages(NamedTuple):
    """A sequence of stages, and its cost."""

    stages: tuple[ExchangeStage, ...]
    cycles: float
    instructions: int


Labels = tuple[Label, ...]
_Entry = tuple[float, int, int, float, int, Labels, tuple[ExchangeStage, ...]]


@lru_cache(maxsize=1024)
def search(shuffle_set: ShuffleSet, unit: int, start: Labels, across: Labels, goal: Labels) -> Stages | None:
    """Return the stages from `start` inside and `across` between registers to `goal` inside, or None if there are none.

    Labels that begin with "_" address no element: registers that differ only in them are not counted.
    """
    labels = frozenset((*start, *across))
    for restricted in (True, False):
        if stages := _NetworkSearch(shuffle_set, unit, labels, goal, restricted).run(start):
            return stages
    return None


class _Move(NamedTuple):
    """An exchange as a permutation of the labels inside a register, which an entering label follows."""

    exchange: Exchange
    permuted: Callable[[Sequence[Label]], Labels]  # the labels inside after it
    leaving: int | None  # the place of the label that leaves; None: an exchange within single registers

    @classmethod
    def of(cls, exchange: Exchange, unit: int, count: int) -> _Move:
        """Return the move of registers with `count` labels."""
        pair = exchange.high is not None
        places = exchanged(exchange, unit, [*map(str, range(count))], str(count) if pair else None)
        inside = [int(place) for place in places[:count]]
        permuted = itemgetter(*inside) if count > 1 else lambda labels: tuple([labels[place] for place in inside])
        return cls(exchange, permuted, int(places[count]) if pair else None)


class _NetworkSearch:
    """One search. If `restricted`, a stage must bring in a wanted label and keep all wanted labels."""

    def __init__(
        self, shuffle_set: ShuffleSet, unit: int, labels: frozenset[Label], goal: Labels, restricted: bool
    ) -> None:
        self.shuffle_set, self.unit, self.labels, self.goal = shuffle_set, unit, labels, goal
        self.restricted = restricted
        self.wanted = frozenset(goal)
        self.real = frozenset(label for label in labels if not label.startswith("_"))
        self.exchanges = [exchange for exchange in shuffle_set.exchanges if exchange.low.unit >= unit]
        self.moves = [_Move.of(exchange, unit, len(goal)) for exchange in self.exchanges]
        lane_bits = (_LANE // unit).bit_length() - 1
        self.lane_bits = lane_bits if lane_bits < len(goal) and shuffle_set.lanes else len(goal)
        self.wanted_lanes = frozenset(goal[self.lane_bits :])
        self.cheapest = min((exchange.cycles for exchange in self.exchanges), default=1.0)
        crossing = [
            exchange.cycles for exchange in self.exchanges if exchange.low.unit >= _LANE or exchange.high is None
        ]
        self.crossing = min(crossing, default=self.cheapest)
        self.table = min((row.cycles for row in shuffle_set.tables if row.pair), default=float("inf"))
        self.registers = 1 << max(0, len(self.real) - len(goal))

    def run(self, start: Labels) -> Stages | None:
        """Return the cheapest stages."""
        best: dict[Labels, float] = {start: 0.0}
        queue: list[_Entry] = [(0.0, 0, 0, 0.0, 0, start, ())]
        serial = 0
        while queue and serial < _MOST_STATES:
            _, _, _, cycles, instructions, inside, stages = heappop(queue)
            if inside == self.goal:
                return Stages(stages, cycles, instructions)
            if cycles > best[inside]:
                continue
            for exchange, entering, after in self._moves(inside, first=not stages):
                registers = 1 << len(self.real.difference(after))
                total = cycles + exchange.cycles * registers
                if total < best.get(after, float("inf")) - _EPSILON:
                    best[after] = total
                    serial += 1
                    rest, missing = self._bound(after)
                    # Of states with equal bounds, the one with fewer missing labels is nearer to the goal.
                    order = round(total + rest, 6), missing, serial
                    after_stages = (*stages, ExchangeStage(exchange, entering))
                    heappush(queue, (*order, total, instructions + registers, after, after_stages))
        return None

    def _bound(self, inside: Labels) -> tuple[float, int]:
        """Return (the least cycles of the stages to the goal, the number of labels that must enter).

        A stage brings in one label, and at most one into the upper bits that address lanes. Each stage may drop a label
        that addresses no element, which halves the number of registers.
        """
        missing = len(self.wanted.difference(inside))
        lanes = len(self.wanted_lanes.difference(inside[self.lane_bits :]))
        cycles = lanes * self.crossing + max(0, missing - lanes) * self.cheapest
        if missing <= 1:
            cycles = min(cycles, self.table)
        count = len(self.real.difference(inside))
        more = sum(max(0, (1 << max(0, count - k)) - self.registers) for k in range(1, missing + 1))
        return cycles * self.registers + more * self.cheapest, missing

    def _moves(self, inside: Labels, first: bool) -> Iterator[tuple[Exchange, Label | None, Labels]]:
        """Yield the exchange and the entering label of every stage that may follow, and the labels inside after it."""
        outside = sorted((self.wanted if self.restricted else self.labels).difference(inside))
        kept = self.wanted if self.restricted else ()
        for exchange, permuted, leaving in self.moves:
            if leaving is None:
                if len(outside) < 3 or not self.restricted:
                    yield exchange, None, permuted(inside)
            elif inside[leaving] not in kept:
                for label in outside:
                    yield exchange, label, permuted((*inside, label))
        yield from self._last_by_table(inside)
        if first:
            yield from self._first_by_table(inside)

    def _last_by_table(self, inside: Labels) -> Iterator[tuple[Exchange, Label | None, Labels]]:
        """Yield the table shuffle that reaches the goal in one step, if at most one label is missing."""
        goal = self.goal
        entering = self.wanted.difference(inside)
        if len(entering) > 1 or inside == goal:
            return
        have = (*inside, *entering)
        leaving = [label for label in have if label not in self.wanted]
        sources = [have.index(label) for label in (*goal, *leaving)]
        exchange = self.shuffle_set.by_table(self.unit, sources, bool(entering))
        if exchange is not None:
            yield exchange, next(iter(entering), None), goal

    def _first_by_table(self, inside: Labels) -> Iterator[tuple[Exchange, Label | None, Labels]]:
        """Yield table shuffles of single registers that permute the lowest three bits. They may only come first."""
        few = min(3, len(inside))
        for order in permutations(range(few)):
            sources = [*order, *range(few, len(inside))]
            if sources != sorted(sources):
                exchange = self.shuffle_set.by_table(self.unit, sources, False)
                if exchange is not None:
                    yield exchange, None, tuple([inside[source] for source in sources])

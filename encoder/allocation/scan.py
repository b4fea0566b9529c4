"""Registers for values by a linear scan: one pass over the live ranges in the order in which they begin.

A value gets a register that no value with a common place has, preferably that of a value which it is moved to or from.
If there is none, the values that are used least for the length of their ranges lose theirs, or the value itself goes
without: such values live in the frame.

Sources: Poletto and Sarkar, Linear Scan Register Allocation, TOPLAS 1999; ranges with holes: Traub, Holloway and Smith,
Quality and Speed in Linear-scan Register Allocation, PLDI 1998.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from ..errors import EncodeError
from ..records import NamedTuple
from .liveness import Liveness, Range, live
from .program import NAMES, Move, RecordedStep, Variable, Written


class Allocation(NamedTuple):
    """The registers of the values, by number, and the values that have none."""

    numbers: dict[Variable, int]
    left: list[Variable]


class _Register:
    """The ranges in which a register is taken, in order, and by which value; None: by what an instruction spoils."""

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.taken: list[tuple[Range, Variable | None]] = []

    def meeting(self, spans: Sequence[Range]) -> list[Variable | None]:
        """Return the values whose ranges have a place in common with these."""
        found: dict[Variable | None, None] = {}
        for start, end in spans:
            at = max(bisect_right(self.starts, start) - 1, 0)
            while at < len(self.taken) and self.taken[at][0][0] < end:
                if self.taken[at][0][1] > start:
                    found[self.taken[at][1]] = None
                at += 1
        return [*found]

    def take(self, spans: Sequence[Range], value: Variable | None) -> None:
        """Take the register in these ranges."""
        for span in spans:
            at = bisect_right(self.starts, span[0])
            self.starts.insert(at, span[0])
            self.taken.insert(at, (span, value))

    def free(self, value: Variable) -> None:
        """Free the ranges of a value."""
        self.taken = [each for each in self.taken if each[1] is not value]
        self.starts = [span[0] for span, _ in self.taken]


class Scan:
    """One pass over the values of a program.

    orders      the numbers of the registers that values may have, by bank, the preferred ones first
    """

    def __init__(self, steps: Sequence[RecordedStep], orders: Sequence[Sequence[int]]) -> None:
        self.steps, self.orders = steps, orders
        self.live: Liveness = live(steps)
        self.numbers: dict[Variable, int] = {}
        self.left: dict[Variable, None] = {}
        self._registers: dict[tuple[int, int], _Register] = {}
        self._partners: dict[Variable, list[Variable]] = {}

    def allocation(self) -> Allocation:
        """Give registers to values. EncodeError names the line where most values need one, if they cannot all have one
        there."""
        for number, step in enumerate(self.steps):
            for bank, spoiled in enumerate(step.spoils):
                for each in spoiled:
                    self._register(bank, each).take([(2 * number + 1, 2 * number + 2)], None)
            if isinstance(step, Move):
                self._partners.setdefault(step.to, []).append(step.source)
                self._partners.setdefault(step.source, []).append(step.to)
        ranges = self.live.ranges
        for value, spans in ranges.items():
            if value.fixed is not None:
                self.numbers[value] = value.fixed
                self._register(value.bank, value.fixed).take(spans, value)
        for value in sorted(ranges, key=lambda value: (ranges[value][0], not value.short)):
            if value.fixed is None:
                self._place(value, ranges[value])
        return Allocation(self.numbers, [*self.left])

    def _register(self, bank: int, number: int) -> _Register:
        return self._registers.setdefault((bank, number), _Register())

    def _place(self, value: Variable, spans: Sequence[Range]) -> None:
        """Give a register to a value, if need be that of others, or leave it without."""
        order = [number for number in self._preferred(value) if number in value.allowed]
        best: tuple[float, int, list[Variable]] | None = None
        for number in order:
            met = self._register(value.bank, number).meeting(spans)
            if not met:
                best = 0, number, []
                break
            others = [each for each in met if each is not None and each.fixed is None and not _stays(each)]
            if len(others) < len(met):
                continue
            cost = sum(map(self._weight, others))
            if best is None or cost < best[0]:
                best = cost, number, others
        if best is None or (best[0] >= self._weight(value) and not _stays(value)):
            if _stays(value):
                raise EncodeError(self._shortage(value, spans))
            if best is None or best[2]:
                self.left[value] = None
                return
        _, number, others = best
        for each in others:
            self._register(value.bank, number).free(each)
            del self.numbers[each]
            self.left[each] = None
        self.numbers[value] = number
        self._register(value.bank, number).take(spans, value)

    def _preferred(self, value: Variable) -> list[int]:
        """Return the numbers of the bank's registers, first those of values that this one is moved to or from."""
        wished = [self.numbers[each] for each in self._partners.get(value, ()) if each in self.numbers]
        order = self.orders[value.bank]
        return [*(number for number in wished if number in order), *order]

    def _weight(self, value: Variable) -> float:
        """Return the uses of a value for the places in which it takes a register."""
        return self.live.weights.get(value, 0) / sum(end - start for start, end in self.live.ranges[value])

    def _shortage(self, value: Variable, spans: Sequence[Range]) -> str:
        """Say where too many values need a register at a time."""
        of_bank = {
            each: ranges for each, ranges in self.live.ranges.items() if each.bank == value.bank and each.fixed is None
        }
        counts = {
            place: [each for each, ranges in of_bank.items() if any(start <= place < end for start, end in ranges)]
            for start, end in spans
            for place in range(start, end)
        }
        place = max(counts, key=lambda place: len(counts[place]))
        step = self.steps[place // 2]
        names = ", ".join(sorted(map(str, counts[place])))
        text = f" ({step.text})" if isinstance(step, Written) else ""
        fitting = len([each for each in self.orders[value.bank] if each in value.allowed])
        return (
            f"{step.where}{text}: {len(counts[place])} {NAMES[value.bank]} registers are needed at a time, {names}; "
            f"{fitting} of {len(self.orders[value.bank])} can hold {value}"
            + ("" if value.short else ", which is never moved to the stack, since its length is not known")
        )


def _stays(value: Variable) -> bool:
    """Whether a value cannot be in memory."""
    return value.short or not value.width


def slots(left: Sequence[Variable], used: int) -> Mapping[Variable, int]:
    """Return the places of values in the frame, as bytes behind the first `used` ones; each is aligned to its width, up
    to 16."""
    places: dict[Variable, int] = {}
    for value in sorted(left, key=lambda value: -value.width):
        used += -used % min(value.width, 16)
        places[value] = used
        used += value.width
    return places

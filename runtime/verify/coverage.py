"""Which numbers of a call a proof takes, so that every instruction and both ways of every branch are executed.

    chosen = choose(code, target, numbers)       numbers found from the code
    claim = covered(code, target, seen, chosen)  what the executions of the proof met

A kernel whose rows, pairs or indices the call counts executes other instructions for other numbers. `choose` walks
through the code (emulation/walk.py) for small numbers, one after the other, until no number brings anything new for as
long again (or, where the last ones brought values alone, for 33 more); then for powers of two and for the numbers that
the code compares with. Of these it takes a few that
together meet everything that any of them met: instructions, ways of branches, loops that are repeated, and each value
of the masks, predicates and remainders that the code makes of the number. Each of these gets a proof of its own. Wrong
code may ask for fewer numbers than right code does, such as a loop that ends too early. So the request is planned and
emitted again, and the numbers that this code asks for are proved, too, if it is not the code of the proof. So are a few
numbers that every proof takes, but for long walks that meet nothing new. What
the control flow has besides must be out of reach for every number, by the intervals of what registers hold
(emulation/intervals/); otherwise there is no proof.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any

from ...emulation.core.faults import AbiViolation, Fault
from ...emulation.coverage import ANYWHERE, Seen, Unreached, Way, recorded, unreached
from ...emulation.cpu import execute
from ...emulation.intervals import reachable
from ...emulation.selects import FAILED, HELD
from ...emulation.walk import LIMIT, Walked, Walker
from ...encoder.decode import decode
from ...encoder.features import Target
from ...encoder.records import NamedTuple
from ...microkernels import choice
from ...microkernels.errors import UnsupportedError
from ...microkernels.machines import registry
from .operands import Call
from .proof import Claim, Proof

Given = tuple[int, ...]


_MOST = 1 << 47
"""The most that a number of a call may be: there are no more bytes of addresses."""


class Numbers(NamedTuple):
    """The numbers that a call gives.

    names   of the numbers
    least   the least of each
    of      the calls with these numbers, each with its request
    words   what these calls have in common
    most    the most of each that the proof is about; more are computed by other code
    """

    names: tuple[str, ...]
    least: Given
    of: Callable[[Given], Iterator[tuple[Any, Call]]]
    words: str = ""
    most: int = _MOST

    def text(self, chosen: Sequence[Given]) -> str:
        """Return the chosen numbers in words."""
        parts = [f"{name} {', '.join(str(each[at]) for each in chosen)}" for at, name in enumerate(self.names)]
        bound = f"for {' and '.join(self.names)} up to {self.most}, as more are added by other code"
        return "; ".join([*parts, *([bound] if self.most < _MOST else []), *([self.words] if self.words else [])])


class Chosen(NamedTuple):
    """The numbers of a proof: all, up to which number walks tried others, and what the numbers among the integer
    arguments may be, by their positions."""

    given: tuple[Given, ...]
    most: int
    positions: Mapping[int, tuple[int, int]]


_MOST_VALUES = 64
"""The most values that a mask or remainder takes: that of the lanes of the widest vector, in bytes. What takes more is
no remainder but the number itself, or an address."""
_FEW = 33
"""How many numbers in a row must bring nothing new before larger ones are left out, at least."""
_STEPS = 600_000
"""The most instructions of all walks with small numbers together, and of all with larger ones; each about a second."""
_LARGEST = 1 << 13
"""The largest number that is tried."""
_SURE = 3
"""How many calls must have a number at a position, for it to be that number."""
_ALWAYS = (1, 2, 3, 7, 23, 61)
"""Numbers that every proof takes: the code is not asked, as wrong code that leaves a loop early asks for fewer. What is
left of these by blocks of 4 to 64 needs narrower blocks more than once."""
_DEAR = LIMIT // 5
"""The most instructions of a walk with a number that is taken only because every proof takes it."""
_OVERHEAD = 300
"""The cost of a proof of no rows, in instructions of a walk."""


class _Search:
    """Walks through the code for one number after the other."""

    def __init__(self, code: bytes, target: Target, numbers: Numbers) -> None:
        self.code, self.target, self.numbers = code, target, numbers
        self.walker: Walker | None = None
        self.met: dict[Given, frozenset[Any]] = {}
        self.cost: dict[Given, int] = {}
        self.known: set[Any] = set()
        self.values: dict[int, int] = {}
        """How many values each instruction made."""
        self.failed: list[Given] = []
        self.left = _STEPS
        self.integers: list[tuple[Given, list[int]]] = []

    def tried(self, given: Given, most: int = LIMIT) -> frozenset[str]:
        """Walk through a call with these numbers, of this many instructions at most. Return the kinds of what it met
        for the first time."""
        given = tuple(map(max, given, self.numbers.least))
        if given in self.met or self.left <= 0 or max(given, default=0) > self.numbers.most:
            return frozenset()
        try:
            _, call = next(self.numbers.of(given))
        except (UnsupportedError, ValueError, MemoryError):
            return frozenset()
        limit = min(most, self.left)
        self.walker = self.walker or Walker(self.code, self.target, len(call.integers))
        walked = self.walker.walk(call.integers, call.everything, limit)
        self.left -= walked.steps
        if len(self.integers) < _FEW:
            self.integers.append((given, call.integers))
        if walked.failed:
            self.failed += [given] * (walked.steps < limit or (limit == LIMIT and max(given) < _FEW))
            return frozenset()
        met = _items(walked)
        self.met[given], self.cost[given] = met, walked.steps
        fresh = met - self.known
        self.known |= fresh
        for item in fresh:
            if item[0] == "value":
                self.values[item[1]] = self.values.get(item[1], 0) + 1
        return frozenset([item[0] for item in fresh if self._counts(item)])

    def _counts(self, item: Item) -> bool:
        """Whether an item that a walk met is to be met by a proof: a value is not if there are more at its instruction
        than a remainder takes."""
        return item[0] != "value" or self.values[item[1]] <= _MOST_VALUES

    def swept(self, make: Callable[[int], Given]) -> None:
        """Try numbers from 0 on until none has brought anything new for as long again. Values alone are those of
        remainders, of which the next numbers bring the others."""
        number, most = 0, _FEW
        while number <= min(most, _LARGEST) and self.left > 0 and len(self.failed) < 2:
            new = self.tried(make(number))
            most = max(most, number + _FEW + (number if new - {"value"} else 0)) if new else most
            number += 1

    def positions(self) -> Iterator[tuple[int, tuple[int, int]]]:
        """Yield the position of each integer argument that is one of the numbers, and what it may be."""
        if len({given for given, _ in self.integers}) < _SURE:
            return
        for position in range(len(self.integers[0][1])):
            for at, least in enumerate(self.numbers.least):
                if all(each[position] == given[at] for given, each in self.integers):
                    yield position, (least, self.numbers.most)

    def is_dear(self, given: Given, taken: Collection[Given]) -> bool:
        """Whether a walk with these numbers is long, and meets nothing that the others that are taken do not meet."""
        others = frozenset[Item]().union(*(self.met.get(each, ()) for each in taken if each != given))
        return self.cost.get(given, 0) > _DEAR and set(filter(self._counts, self.met[given])) <= others

    def least_sets(self, taken: Collection[Given]) -> list[Given]:
        """Return a few numbers that together meet everything that these, which are taken anyway, do not meet; of those
        that cost little."""
        wanted = set().union(*self.met.values()) if self.met else set()
        wanted = set(filter(self._counts, wanted))
        sure = frozenset[Item]().union(*(self.met.get(each, ()) for each in taken))
        wanted -= sure
        chosen: list[Given] = []
        while wanted:
            best = max(self.met, key=lambda given: len(wanted & self.met[given]) / (self.cost[given] + _OVERHEAD))
            chosen.append(best)
            wanted -= self.met[best]
        for given in sorted(chosen, key=lambda given: -self.cost[given]):  # those that the others make superfluous
            others = sure.union(*(self.met[each] for each in chosen if each != given))
            if set(filter(self._counts, self.met[given])) <= others:
                chosen.remove(given)
        return sorted(chosen, key=lambda given: (sum(given), given))


Item = tuple[Any, ...]


def _items(walked: Walked) -> frozenset[Item]:
    """Return what a walk met, as items of a set."""
    return frozenset(
        [
            *(("way", *way) for way in walked.ways),
            *(("value", *each) for each in walked.values),
            *(("again", *way) for way in walked.trips),
        ]
    )


def planned(spec: object, target: Target, pipeline: choice.Pipeline) -> choice.Plan:
    """Return the plan of a request, made anew."""
    return choice.choose(pipeline.candidates(spec, registry.facts_of(target)))


def made_again(spec: object, target: Target, pipeline: choice.Pipeline) -> bytes:
    """Return the code of a request, planned and emitted anew."""
    plan = planned(spec, target, pipeline)
    machine = pipeline.emitted(plan, registry.machine_for(target), lambda emit: registry.spilled(target, emit))
    code: bytes = machine.asm.finish("code").data
    return code


def choose(code: bytes, target: Target, numbers: Numbers, control: int, right: bytes) -> Chosen:
    """Return the numbers whose proofs together execute what any number executes that was tried, in this code and in the
    right one. `control` is the floating-point mode of a caller, which the code changes."""
    chosen = _chosen(code, target, numbers, control)
    if right == code:
        return chosen
    others = _chosen(right, target, numbers, control)
    return chosen._replace(given=tuple(dict.fromkeys([*chosen.given, *others.given])))


def _chosen(code: bytes, target: Target, numbers: Numbers, control: int) -> Chosen:
    search, count = _Search(code, target, numbers), len(numbers.names)
    search.swept(lambda number: (number,) * count)
    for at in range(count if count > 1 else 0):
        search.left = max(search.left, _STEPS // count)  # walks with all numbers alike may have used all
        search.swept(lambda number, at=at: tuple(number if each == at else 5 for each in range(count)))  # type: ignore[misc]
    ways = {item[1:] for item in search.known if item[0] == "way"}
    for _, call in islice(numbers.of(numbers.least), 1):
        ways |= of_other_modes(code, target, call, control)
    positions = dict(search.positions())
    if _left(code, target.arch, ways, positions):
        search.left = max(search.left, _STEPS)  # small numbers of long code may have used all of them
        for number in _further(code, target.arch):
            search.tried((number,) * count)
            for at in range(count if count > 1 else 0):
                search.tried(tuple(number if each == at else 5 for each in range(count)))
    always = [tuple(max(number, each) for each in numbers.least) for number in _ALWAYS]
    always = [each for each in always if max(each, default=0) <= numbers.most]
    for each in always:
        search.left = _STEPS
        search.tried(each, _STEPS)
    # a number at which a walk fails is the first to prove: the code may be wrong there
    taken = [*dict.fromkeys([*search.failed[:2], numbers.least, *always])]
    for each in reversed(always):
        if each in taken and search.is_dear(each, taken):
            taken.remove(each)
    given = dict.fromkeys([*taken, *search.least_sets(taken)])
    most = max((max(each) for each in search.met), default=0)
    return Chosen(tuple(given), most, positions)


def _further(code: bytes, arch: str) -> list[int]:
    """Return larger numbers to try: those that the code names, their neighbours and multiples, and powers of two."""
    found, at = {1 << each for each in range(7, _LARGEST.bit_length())}, 0
    while at < len(code):
        one = decode(code, at, arch)
        at += one.length if one else (1 if arch == "x86" else 4)
        for each in one.operands if one else ():
            if isinstance(each, int) and _FEW < abs(each) < _LARGEST:
                found |= {abs(each) + more for more in (-1, 0, 1)}
    return sorted(each for each in found if each <= _LARGEST)


# Claims


def covered(code: bytes, target: Target, seen: set[Way], chosen: Chosen | None, why: str = "") -> Claim:
    """Return the claim that the executions of a proof met every instruction and both ways of every branch, or that the
    others are out of reach: by intervals, or because of `why` if nothing is chosen."""
    left = unreached(code, target.arch, seen)
    every = "every instruction and both ways of every branch were executed"
    if chosen is not None:
        found = reachable.reached(code, target.arch, chosen.positions)
        narrow = ", ".join(f"{at:#x}" for at in found.narrow) if found is not None else ""
        if narrow:
            how = f"at {narrow}: reads fewer bits of a number of the call, or of what is made of it, than that may have"
            return Claim("coverage", False, how)
    if not left:
        return Claim("coverage", True, every)
    if chosen is None:
        return Claim("coverage", True, f"unreached: {left}, {why or 'as neither numbers nor data decide on a branch'}")
    open_ = _left(code, target.arch, seen, chosen.positions)
    if not open_:
        how = f"{every}, but for {left}, where no number leads by the intervals of what registers hold"
        return Claim("coverage", True, how)
    how = (
        f"no number up to {chosen.most} that was tried leads to {open_}; a kernel with fixed "
        "extents has no other numbers, and k.run executes the bytes"
    )
    return Claim("coverage", False, how)


def with_coverage(proof: Proof, code: bytes, target: Target, seen: Seen, workers: Sequence[int]) -> Proof:
    """Return a proof of a job with the claim that says which of its code its executions on these numbers of workers
    met. What they left out is named: all iterations of its loops were executed, so it is code for iterations that there
    are not, but there may be numbers of workers that divide them otherwise."""
    if not proof:
        return proof
    left = unreached(code, target.arch, seen.of(code))
    counts = ", ".join(map(str, workers))
    how = f"every instruction and both ways of every branch were executed with {counts} workers"
    how = f"unreached with {counts} workers: {left}" if left else how
    return replace(proof, claims=(*proof.claims, Claim("coverage", True, how)))


def _left(code: bytes, arch: str, seen: set[Way], positions: Mapping[int, tuple[int, int]]) -> Unreached:
    """Return what executions left out, but for that where no number leads."""
    left = unreached(code, arch, seen)
    if not positions:  # data decide what is chosen by the flags, and what each path asks of them has claims of its own
        left = left._replace(ways=tuple(way for way in left.ways if way[1] not in (HELD, FAILED)))
    possible = reachable.ways(code, arch, positions) if left else None
    if possible is None:
        return left
    reached = {at for way in possible for at in way}
    return Unreached(
        tuple(pair for pair in left.ranges if any(pair[0] <= at < pair[1] for at in reached)),
        tuple(way for way in left.ways if way in possible or way[1] == ANYWHERE),
    )


def of_other_modes(code: bytes, target: Target, call: Call, control: int) -> set[Way]:
    """Return the ways of a call whose caller has another floating-point mode."""
    with recorded() as seen, suppress(Fault, AbiViolation):
        execute(code, target, call.integers, call.everything, control=control)
    return seen.of(code)

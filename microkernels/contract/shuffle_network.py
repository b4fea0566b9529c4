"""Shuffle networks as data: permutations of the elements of several registers by two-source instructions.

A *shuffle* is an instruction: element i of its result is element `sources[i]` of its two sources laid one behind the
other. An *exchange* is a pair of shuffles that together keep every element of both sources. A *network* lists values:
first the registers that loads fill, then one value for every shuffle. What it does is found by applying it to vectors
of indices (`Network.contents`), so a network that was planned wrongly cannot pass for a right one.

All transforms here move whole powers of two, so an exchange only renames bits of the address (register, element): the
bit that tells the two registers apart enters the element's address, and one bit of that leaves. `Exchange.bits` is the
renaming, found from the index maps; transform/network_search.py finds the cheapest sequence of renamings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any, NamedTuple

from ...encoder.forks import cached_property

UNKNOWN, ZERO = -1, -2  # contents of an element that nobody reads, and of one that is zero

Label = str
"""The name of a bit of an element's place in a tile: "i3" is bit 3 of its row, "j0" bit 0 of its column."""


class Shuffle(NamedTuple):
    """A permutation instruction on elements of `unit` bytes."""

    mnemonic: str
    unit: int
    sources: tuple[int, ...]
    immediate: int | None = None
    table: bytes | None = None  # a register of indices, which the instruction takes
    destructive: bool = False  # the result takes the place of the first source

    @property
    def single(self) -> bool:
        """Whether only the first source is read."""
        return max(self.sources) < len(self.sources)

    def __str__(self) -> str:
        return self.mnemonic + (f" {self.immediate:#x}" if self.immediate is not None else "")


class Exchange:
    """Two shuffles of the same sources that keep all elements; or one of a single source, `high` being None.

    `cycles` are those of the busiest kind of pipe, for one of the two. `bits` says where each bit of the result's
    address comes from: positions in a register, then the register's bit; ValueError if there is no such renaming.
    """

    __slots__ = ("low", "high", "cycles", "bits")

    def __init__(self, low: Shuffle, high: Shuffle | None, cycles: float) -> None:
        self.low, self.high, self.cycles = low, high, cycles
        self.bits = _bits(self.name, low.sources if high is None else low.sources + high.sources)

    def __repr__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The instructions."""
        return str(self.low) if self.high is None else f"{self.low}/{self.high}"


def _bits(name: str, both: tuple[int, ...]) -> tuple[int, ...]:
    count = (len(both) - 1).bit_length()
    sources = [both[1 << k] for k in range(count)]
    if sorted(sources) != [1 << k for k in range(count)] or list(both) != _sums(sources):
        raise ValueError(f"{name}: not a renaming of address bits")
    return tuple(source.bit_length() - 1 for source in sources)


def renamed(exchange: Exchange, unit: int, inside: Sequence[Label], entering: Label | None) -> tuple[Label, ...]:
    """The labels of a register's bits (lowest first) after an exchange; the last is the one that left, if any."""
    labels = (*inside, entering) if entering is not None else tuple(inside)
    return _renaming(exchange, unit)(labels) if len(labels) > 1 else labels


@lru_cache(maxsize=4096)
def _renaming(exchange: Exchange, unit: int) -> Callable[[tuple[Label, ...]], tuple[Label, ...]]:
    fixed = (exchange.low.unit // unit).bit_length() - 1
    return itemgetter(*range(fixed), *(fixed + source for source in exchange.bits))


class Step(NamedTuple):
    """One shuffle of a network: values a and b make the next value. b is a where only one source counts."""

    shuffle: Shuffle
    a: int
    b: int
    stage: int


class Stage(NamedTuple):
    """An exchange of every pair of registers that `entering` tells apart; None for a shuffle of single registers."""

    exchange: Exchange
    entering: Label | None


class Network:
    """Values of a tile's registers: inputs (loaded), then steps, and which values are the outputs.

    `inside` labels the bits of an input register's elements, lowest first, in units of `unit` bytes; `across` the bits
    of the inputs' numbers. A sequence of stages turns them into `inside_after` and `across_after`.
    """

    def __init__(self, unit: int, inside: Sequence[Label], across: Sequence[Label], stages: Iterable[Stage]) -> None:
        self.unit, self.inside, self.across = unit, tuple(inside), tuple(across)
        self.stages = tuple(stages)
        self.inputs = 1 << len(across)
        self.steps: list[Step] = []
        values = list(range(self.inputs))
        for number, stage in enumerate(self.stages):
            inside, across, values = self._apply(number, stage, inside, across, values)
        self.inside_after, self.across_after, self.outputs = tuple(inside), tuple(across), values

    def _apply(
        self, number: int, stage: Stage, inside: Sequence[Label], across: Sequence[Label], values: list[int]
    ) -> tuple[Sequence[Label], Sequence[Label], list[int]]:
        exchange, entering = stage
        after = renamed(exchange, self.unit, inside, entering)
        if exchange.high is None or entering is None:
            return after, across, [self._step(exchange.low, value, value, number) for value in values]
        made = list(values)
        bit = across.index(entering)
        for low in range(len(values)):
            high = low | 1 << bit
            if low != high:
                a, b = values[low], values[high]
                made[low], made[high] = (self._step(shuffle, a, b, number) for shuffle in (exchange.low, exchange.high))
        return after[:-1], [after[-1] if label == entering else label for label in across], made

    def _step(self, shuffle: Shuffle, a: int, b: int, stage: int) -> int:
        self.steps.append(Step(shuffle, a, b, stage))
        return self.inputs + len(self.steps) - 1

    def contents(self, inputs: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
        """What every value holds, element by element (of `unit` bytes), when the inputs hold these."""
        held = [tuple(each) for each in inputs]
        for step in self.steps:
            held.append(applied(step.shuffle, self.unit, held[step.a], held[step.b]))
        return held

    @cached_property
    def identity(self) -> list[tuple[int, ...]]:
        """Inputs whose elements are numbered by their labels: bit k of a number is bit k of `order`."""
        order = self.order
        return [
            tuple(
                number_of(order, self.inside, element, self.across, register)
                for element in range(1 << len(self.inside))
            )
            for register in range(self.inputs)
        ]

    @cached_property
    def origins(self) -> list[tuple[int, ...]]:
        """Where every element of every value comes from: the place among the elements of all inputs, side by side."""
        count = 1 << len(self.inside)
        return self.contents([range(start * count, (start + 1) * count) for start in range(self.inputs)])

    @cached_property
    def sources(self) -> list[int]:
        """The same as sets: bit k of a number is place k."""
        return [sum(1 << place for place in set(places)) for places in self.origins]

    @property
    def order(self) -> tuple[Label, ...]:
        """All labels: the inside of an input register, then across."""
        return (*self.inside, *self.across)


def number_of(
    order: Sequence[Label], inside: Sequence[Label], element: int, across: Sequence[Label], register: int
) -> int:
    """The number, in the bits of `order`, of an element at a place."""
    value = {label: element >> k & 1 for k, label in enumerate(inside)}
    value |= {label: register >> k & 1 for k, label in enumerate(across)}
    return sum(value[label] << k for k, label in enumerate(order))


def applied(shuffle: Shuffle, unit: int, a: Sequence[int], b: Sequence[int]) -> tuple[int, ...]:
    """The result of a shuffle on registers with these elements of `unit` bytes."""
    made: tuple[int, ...] = _picker(shuffle.sources, shuffle.unit // unit)((*a, *b))
    return made


@lru_cache(maxsize=1024)
def _picker(index: tuple[int, ...], per: int) -> Any:
    """The function that takes the elements of an index map out of both sources."""
    return itemgetter(*(source * per + k for source in index for k in range(per)))


class Live(NamedTuple):
    """The steps of a network that some output needs."""

    network: Network
    elements: tuple[int, ...]  # of all inputs, side by side
    steps: list[tuple[int, Step]]  # (value made, step)
    inputs: list[int]  # that are read
    zeros: list[int]  # values that are all zero: made without their step

    def held(self, value: int) -> list[int]:
        """What a value holds."""
        return [self.elements[place] for place in self.network.origins[value]]


def live(network: Network, inputs: Sequence[Sequence[int]], wanted: Iterable[int]) -> Live:
    """What is left of a network when only some outputs count and some inputs hold nothing.

    A source that holds nothing of interest is replaced by the other one; a value of zeros needs no step.
    """
    elements = tuple(chain.from_iterable(inputs))
    empty = zero = [False] * len(network.origins)
    if min(elements) < 0:
        some, real = _set(each != UNKNOWN for each in elements), _set(each >= 0 for each in elements)
        empty = [not places & some for places in network.sources]
        zero = [not places & real and not nothing for places, nothing in zip(network.sources, empty)]
    needed: set[int] = set()
    todo = [value for value in wanted if not empty[value]]
    while todo:
        value = todo.pop()
        if value in needed:
            continue
        needed.add(value)
        if value >= network.inputs and not zero[value]:
            step = network.steps[value - network.inputs]
            todo += [source for source in (step.a, step.b) if not empty[source]]
    steps = []
    for value in sorted(needed):
        if value >= network.inputs and not zero[value]:
            step = network.steps[value - network.inputs]
            a, b = (step.b if empty[step.a] else step.a), (step.a if empty[step.b] else step.b)
            steps.append((value, step._replace(a=a, b=b)))
    loaded = [value for value in sorted(needed) if value < network.inputs and not zero[value]]
    return Live(network, elements, steps, loaded, [value for value in sorted(needed) if zero[value]])


def _set(members: Iterable[bool]) -> int:
    """Bit k is member k."""
    return int("".join(["1" if each else "0" for each in members])[::-1], 2)


# Index maps of the common kinds of shuffles. `lane` is the bytes within which an instruction shuffles, `width` those of
# the register; results are (low, high).


def _in_lanes(pattern: Sequence[int], unit: int, lane: int, width: int) -> tuple[int, ...]:
    """A pattern over the 2 * lane bytes of a pair of lanes (first those of a), repeated in every lane."""
    per, count = lane // unit, width // unit
    return tuple(
        (source % per + at) + (count if source >= per else 0) for at in range(0, count, per) for source in pattern
    )


def interleaved(unit: int, lane: int, width: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """a0 b0 a1 b1... of the low and of the high half of each lane: unpack, zip."""
    per = lane // unit
    halves = [[k + s * per for k in range(start, start + per // 2) for s in (0, 1)] for start in (0, per // 2)]
    return _in_lanes(halves[0], unit, lane, width), _in_lanes(halves[1], unit, lane, width)


def separated(unit: int, lane: int, width: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The even elements of a, then of b; the odd ones: uzp, shufps."""
    per = lane // unit
    parts = [[k + s * per for s in (0, 1) for k in range(odd, per, 2)] for odd in (0, 1)]
    return _in_lanes(parts[0], unit, lane, width), _in_lanes(parts[1], unit, lane, width)


def transposed(unit: int, width: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """a0 b0 a2 b2...; a1 b1 a3 b3...: trn."""
    count = width // unit
    low, high = ([k + s * count for k in range(odd, count, 2) for s in (0, 1)] for odd in (0, 1))
    return tuple(low), tuple(high)


def halves(width: int, unit: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The low halves of a and b; the high halves."""
    count = width // unit
    half = count // 2
    return (
        (*range(half), *range(count, count + half)),
        (*range(half, count), *range(count + half, 2 * count)),
    )


def table_of(index: Sequence[int], unit: int, entry: int) -> bytes:
    """Indices as a table: `entry` bytes each; of bytes if entry is 1 and the unit is not."""
    if entry == 1 and unit > 1:
        index = [source * unit + byte for source in index for byte in range(unit)]
    return b"".join(int(source).to_bytes(entry, "little") for source in index)


def permuted(source: Sequence[int]) -> tuple[int, ...]:
    """The index map of a renaming of bits: bit k of the result's address is bit source[k] of the sources'."""
    return tuple(_sums([1 << bit for bit in source]))


def _sums(parts: Sequence[int]) -> list[int]:
    """For every number of len(parts) bits, the sum of the parts where it has a one."""
    made = [0]
    for part in parts:
        made += [each + part for each in made]
    return made


def describe(labels: Sequence[Label]) -> str:
    """Labels from the lowest bit, for people."""
    return " ".join(labels) if labels else "-"

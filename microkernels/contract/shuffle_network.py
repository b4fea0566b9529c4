"""Shuffle networks as data: permutations of the elements of several registers by two-source instructions.

A *shuffle* is an instruction: element i of its result is element `sources[i]` of the concatenation of its two sources.
An *exchange* is a pair of shuffles that together keep every element of both sources. A *network* is a list of values:
first the registers that loads fill, then one value for each shuffle. The effect of a network is not stated anywhere; it
is computed by applying the network to vectors of indices (`Network.contents`). A test that compares these finds every
wrong plan.

Extents are powers of two, so an exchange permutes the bits of the address (register number, element number): the bit
that distinguishes the two registers moves into the element number, and one of the element number's bits moves out.
`Exchange.bits` is that permutation, derived from the index maps. transform/network_search.py finds the cheapest
sequence of exchanges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from operator import itemgetter

from ...encoder.records import NamedTuple, cached_property

UNKNOWN, ZERO = -1, -2  # the contents of an element that nothing reads, and of an element that is zero

Label = str
"""The name of an address bit of a tile: "i3" is bit 3 of the row, "j0" bit 0 of the column, "e0" bit 0 of the unit's
number within an element. Bits whose names begin with "_" address no element."""


class Shuffle(NamedTuple):
    """A permutation instruction on elements of `unit` bytes."""

    mnemonic: str
    unit: int
    sources: tuple[int, ...]
    immediate: int | None = None
    table: bytes | None = None  # contents of the index register, if the instruction has one
    destructive: bool = False  # the result replaces the first source

    @property
    def single(self) -> bool:
        """Whether the instruction reads only its first source."""
        return max(self.sources) < len(self.sources)

    def __str__(self) -> str:
        return self.mnemonic + (f" {self.immediate:#x}" if self.immediate is not None else "")


class Exchange:
    """Two shuffles of the same sources that together keep all elements, or one shuffle of a single source (`high` is
    None).

    `cycles` is how long one of the two occupies the shuffle pipes. `bits[k]` is the source address bit that becomes bit
    k of the result's address; the bits of the element number come first, then the bit of the register. Raises
    ValueError if the shuffles do not permute address bits.
    """

    __slots__ = ("low", "high", "cycles", "bits")

    def __init__(self, low: Shuffle, high: Shuffle | None, cycles: float) -> None:
        self.low, self.high, self.cycles = low, high, cycles
        self.bits = _bits(self.name, low.sources if high is None else low.sources + high.sources)

    def __repr__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The instructions, as a plan prints them."""
        return str(self.low) if self.high is None else f"{self.low}/{self.high}"


def _bits(name: str, both: tuple[int, ...]) -> tuple[int, ...]:
    count = (len(both) - 1).bit_length()
    sources = [both[1 << k] for k in range(count)]
    if sorted(sources) != [1 << k for k in range(count)] or list(both) != _sums(sources):
        raise ValueError(f"{name}: not a permutation of address bits")
    return tuple(source.bit_length() - 1 for source in sources)


def exchanged(exchange: Exchange, unit: int, inside: Sequence[Label], entering: Label | None) -> tuple[Label, ...]:
    """Return the labels of a register's address bits after an exchange, lowest first, then any label that left."""
    labels = (*inside, entering) if entering is not None else tuple(inside)
    return _bit_permutation(exchange, unit)(labels) if len(labels) > 1 else labels


@lru_cache(maxsize=4096)
def _bit_permutation(exchange: Exchange, unit: int) -> Callable[[tuple[Label, ...]], tuple[Label, ...]]:
    fixed = (exchange.low.unit // unit).bit_length() - 1
    return itemgetter(*range(fixed), *(fixed + source for source in exchange.bits))


class ShuffleStep(NamedTuple):
    """One shuffle of a network: the next value is made from values a and b. b equals a if only one source matters."""

    shuffle: Shuffle
    a: int
    b: int
    stage: int


class ExchangeStage(NamedTuple):
    """An exchange of each pair of registers that differ in the bit `entering`. None: shuffles of single registers."""

    exchange: Exchange
    entering: Label | None


class Network:
    """The values of a tile's registers: first the inputs, which are loaded, then one for each step. `outputs` are
    stored.

    `inside` labels the address bits of the elements in an input register, lowest first, in units of `unit` bytes.
    `across` labels the bits of the inputs' numbers. The stages turn them into `inside_after` and `across_after`.
    `exchanges` has, for each stage, the label that leaves the registers, or None, and the labels across them after it.
    """

    def __init__(
        self, unit: int, inside: Sequence[Label], across: Sequence[Label], stages: Iterable[ExchangeStage]
    ) -> None:
        self.unit, self.inside, self.across = unit, tuple(inside), tuple(across)
        self.stages = tuple(stages)
        self.inputs = 1 << len(across)
        self.steps: list[ShuffleStep] = []
        self.exchanges: list[tuple[Label | None, tuple[Label, ...]]] = []
        values = list(range(self.inputs))
        for number, stage in enumerate(self.stages):
            inside, across, values = self._apply(number, stage, inside, across, values)
        self.inside_after, self.across_after, self.outputs = tuple(inside), tuple(across), values

    def _apply(
        self, number: int, stage: ExchangeStage, inside: Sequence[Label], across: Sequence[Label], values: list[int]
    ) -> tuple[Sequence[Label], Sequence[Label], list[int]]:
        exchange, entering = stage
        after = exchanged(exchange, self.unit, inside, entering)
        if exchange.high is None or entering is None:
            self.exchanges.append((None, tuple(across)))
            return after, across, [self._step(exchange.low, value, value, number) for value in values]
        results = list(values)
        bit = across.index(entering)
        for low in range(len(values)):
            high = low | 1 << bit
            if low != high:
                a, b = values[low], values[high]
                shuffles = exchange.low, exchange.high
                results[low], results[high] = (self._step(shuffle, a, b, number) for shuffle in shuffles)
        across = tuple([after[-1] if label == entering else label for label in across])
        self.exchanges.append((after[-1], across))
        return after[:-1], across, results

    def _step(self, shuffle: Shuffle, a: int, b: int, stage: int) -> int:
        self.steps.append(ShuffleStep(shuffle, a, b, stage))
        return self.inputs + len(self.steps) - 1

    def contents(self, inputs: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
        """Return the contents of every value, one entry per `unit` bytes, for these contents of the inputs."""
        held = [tuple(register) for register in inputs]
        for step in self.steps:
            held.append(applied(step.shuffle, self.unit, held[step.a], held[step.b]))
        return held

    @cached_property
    def identity(self) -> list[tuple[int, ...]]:
        """Contents of the inputs that number the elements by their address: bit k of a number is the bit labelled
        `order[k]`."""
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
        """The origin of every element of every value: an index into the concatenation of all inputs."""
        count = 1 << len(self.inside)
        return self.contents([range(start * count, (start + 1) * count) for start in range(self.inputs)])

    @cached_property
    def sources(self) -> list[int]:
        """The set of `origins` of each value's elements, as a bit mask."""
        return [sum(1 << origin for origin in set(origins)) for origins in self.origins]

    @property
    def order(self) -> tuple[Label, ...]:
        """All labels: first those inside an input register, then those across registers."""
        return (*self.inside, *self.across)


def number_of(
    order: Sequence[Label], inside: Sequence[Label], element: int, across: Sequence[Label], register: int
) -> int:
    """The number of the element at index `element` of register `register`, formed by the bits in `order`."""
    value = {label: element >> k & 1 for k, label in enumerate(inside)}
    value |= {label: register >> k & 1 for k, label in enumerate(across)}
    return sum(value[label] << k for k, label in enumerate(order))


def applied(shuffle: Shuffle, unit: int, a: Sequence[int], b: Sequence[int]) -> tuple[int, ...]:
    """The result of a shuffle of registers with the contents a and b, in elements of `unit` bytes."""
    return _picker(shuffle.sources, shuffle.unit // unit)((*a, *b))


@lru_cache(maxsize=1024)
def _picker(index: tuple[int, ...], per: int) -> Callable[[tuple[int, ...]], tuple[int, ...]]:
    """Return the function that picks the elements of an index map from the concatenated sources."""
    return itemgetter(*(source * per + k for source in index for k in range(per)))


class Live(NamedTuple):
    """The part of a network that is needed for some of its outputs."""

    steps: list[tuple[int, ShuffleStep]]  # (the value that a step computes, the step)
    inputs: list[int]  # the inputs that are read
    zeros: list[int]  # values that are all zero: the register is cleared, and the step is skipped


def live(network: Network, known: int, real: int, wanted: Iterable[int]) -> Live:
    """Return the steps that remain when only the `wanted` outputs matter and some elements of the inputs are unknown or
    zero. `known` has a bit for each element that is not unknown, in the order of `Network.origins`; `real` has one for
    each element that is not zero either.

    A source whose elements are all unknown is replaced by the other source. A value of zeros needs no step.
    """
    empty = zero = [False] * len(network.origins)
    if known + 1 != 1 << (network.inputs << len(network.inside)):
        empty = [not sources & known for sources in network.sources]
    if real != known:
        zero = [not sources & real and not unknown for sources, unknown in zip(network.sources, empty)]
    count, first = len(network.origins), network.inputs
    needed = [False] * count
    for value in wanted:
        needed[value] = not empty[value]
    steps: list[tuple[int, ShuffleStep]] = []
    for value in range(count - 1, first - 1, -1):  # every value comes after its sources
        if needed[value] and not zero[value]:
            step = network.steps[value - first]
            shuffle, a, b, stage = step
            if empty[a] or empty[b]:
                a, b = (b if empty[a] else a), (a if empty[b] else b)
                step = ShuffleStep(shuffle, a, b, stage)
            needed[a] = needed[b] = True
            steps.append((value, step))
    loaded = [value for value in range(first) if needed[value] and not zero[value]]
    return Live(steps[::-1], loaded, [value for value in range(count) if needed[value] and zero[value]])


# Index maps of the common kinds of shuffles, as (low, high). `lane` is the number of bytes within which an instruction
# shuffles, and `width` is the number of bytes of the register.


def _in_lanes(pattern: Sequence[int], unit: int, lane: int, width: int) -> tuple[int, ...]:
    """Repeat an index pattern in every lane. The pattern indexes the elements of a pair of lanes, first those of a,
    then those of b."""
    per, count = lane // unit, width // unit
    return tuple(
        (source % per + first) + (count if source >= per else 0) for first in range(0, count, per) for source in pattern
    )


def interleaved(unit: int, lane: int, width: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """a0 b0 a1 b1... of the low half, and of the high half, of each lane: punpck, zip."""
    per = lane // unit
    halves = [[k + s * per for k in range(start, start + per // 2) for s in (0, 1)] for start in (0, per // 2)]
    return _in_lanes(halves[0], unit, lane, width), _in_lanes(halves[1], unit, lane, width)


def separated(unit: int, lane: int, width: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The even elements of a and then of b, and the odd elements likewise: shufps, uzp."""
    per = lane // unit
    even, odd = ([k + s * per for s in (0, 1) for k in range(first, per, 2)] for first in (0, 1))
    return _in_lanes(even, unit, lane, width), _in_lanes(odd, unit, lane, width)


def transposed(unit: int, width: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """a0 b0 a2 b2... and a1 b1 a3 b3...: trn."""
    count = width // unit
    low, high = ([k + s * count for k in range(first, count, 2) for s in (0, 1)] for first in (0, 1))
    return tuple(low), tuple(high)


def halves(width: int, unit: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The low halves of a and b, and their high halves."""
    count = width // unit
    half = count // 2
    return (
        (*range(half), *range(count, count + half)),
        (*range(half, count), *range(count + half, 2 * count)),
    )


def table_of(index: Sequence[int], unit: int, entry: int) -> bytes:
    """Indices as the contents of a register, `entry` bytes each. Entries of one byte index bytes."""
    if entry == 1 and unit > 1:
        index = [source * unit + byte for source in index for byte in range(unit)]
    return b"".join(int(source).to_bytes(entry, "little") for source in index)


def permuted(source: Sequence[int]) -> tuple[int, ...]:
    """The index map of a permutation of address bits: bit k of the result's address is bit source[k] of the source's
    address."""
    return tuple(_sums([1 << bit for bit in source]))


def _sums(terms: Sequence[int]) -> list[int]:
    """The sum of the terms whose bits are set, for every number of len(terms) bits."""
    sums = [0]
    for term in terms:
        sums += [value + term for value in sums]
    return sums


def describe(labels: Sequence[Label]) -> str:
    """Format labels from the lowest bit up, as a plan prints them."""
    return " ".join(labels) if labels else "-"

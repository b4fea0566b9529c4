"""A tile: the block of a matrix that one network moves from loads to stores, and what it does where the matrix ends.

A tile has 2^a rows and 2^b columns. Every bit of a row or column number has a stride in x and one in y; the bits with
the smallest strides lie inside registers, the others tell registers apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from ...encoder.forks import cached_property
from ..contract.shuffle_network import UNKNOWN, ZERO, Label, Live, Network, Shuffle, Stage, live
from ..contract.shuffle_set import Insert, Repertoire
from .layouts import Layout


class Stride(NamedTuple):
    """Bytes, and multiples of the leading dimension."""

    bytes: int
    leading: int

    def times(self, count: int) -> Stride:
        """Several of them."""
        return Stride(self.bytes * count, self.leading * count)

    def plus(self, other: Stride) -> Stride:
        """The sum."""
        return Stride(self.bytes + other.bytes, self.leading + other.leading)


NOWHERE = Stride(0, 0)
_FAR = -1 << 20  # a row or column that no sum of bits brings back


class Memory:
    """Strides of a layout of an m x n matrix of elements of `size` bytes, moved in units of `unit` bytes."""

    def __init__(self, layout: Layout, m: int, n: int, size: int, unit: int) -> None:
        self.layout, self.size, self.unit = layout, size, unit
        self.digits = layout.strides(m, n)
        self.extents = {"i": layout.padded("i", m), "j": layout.padded("j", n)}

    def __repr__(self) -> str:
        return f"{self.layout.name} {self.digits}"

    def stride(self, dim: str, distance: int) -> Stride:
        """From an index to the one `distance` (a power of two) further."""
        for digit, stride in self.digits:
            within = digit.step <= distance and (not digit.radix or distance < digit.step * digit.radix)
            if digit.dim == dim and within:
                count = distance // digit.step
                return Stride(stride * count * self.size, 0) if stride else Stride(0, count)
        raise ValueError(f"{dim} has no digit of {distance}")

    def label_stride(self, label: Label) -> Stride:
        """Of a bit: "e" bits lie within an element."""
        if label.startswith("_"):
            return NOWHERE
        if label[0] == "e":
            return Stride(self.unit << int(label[1:]), 0)
        return self.stride(label[0], 1 << int(label[1:]))

    def contiguous(self, count: int) -> tuple[Label, ...]:
        """The labels of the `count` lowest bits of an address, in units."""
        made = [f"e{k}" for k in range((self.size // self.unit).bit_length() - 1)]
        for digit, _ in self.digits:
            bit = digit.step.bit_length() - 1
            while len(made) < count and (not digit.radix or 1 << bit < digit.step * digit.radix):
                made.append(f"{digit.dim}{bit}")
                bit += 1
        return tuple(made[:count])


@dataclass(frozen=True, eq=False)
class Tile:
    """A way to move a tile: registers of one width, how they are loaded, the stages. Compared as objects."""

    repertoire: Repertoire
    unit: int
    start: tuple[Label, ...]  # bits inside a register when it is loaded, lowest first
    across: tuple[Label, ...]  # bits that tell loaded registers apart
    goal: tuple[Label, ...]  # bits inside a register when it is stored
    stages: tuple[Stage, ...]
    insert: Insert | None  # pieces of registers are loaded, or whole registers
    passes: int  # the outputs are made in so many groups, each from loads of its own

    @property
    def piece(self) -> int:
        """Labels of `start` that one load fills."""
        size = self.insert.piece if self.insert else self.repertoire.bytes
        return (size // self.unit).bit_length() - 1

    @property
    def labels(self) -> tuple[Label, ...]:
        """All bits of the tile."""
        return (*self.start, *self.across)

    def extent(self, dim: str) -> int:
        """Rows or columns."""
        return 1 << sum(label[0] == dim for label in self.labels)

    @property
    def connected(self) -> bool:
        """Whether the stages connect all registers: a tile that was widened is several networks side by side."""
        entering = {stage.entering for stage in self.stages}
        return entering.issuperset(label for label in self.across if label[0] != "_")

    @property
    def tables(self) -> list[Shuffle]:
        """The shuffles whose indices lie in registers, without repeats."""
        shuffles = [each for stage in self.stages for each in (stage.exchange.low, stage.exchange.high) if each]
        return list({shuffle.table: shuffle for shuffle in shuffles if shuffle.table is not None}.values())


@lru_cache(maxsize=256)
def network(tile: Tile) -> Network:
    """The network of a whole tile."""
    return Network(tile.unit, tile.start, tile.across, tile.stages)


class Bounds(NamedTuple):
    """Rows and columns of a tile that x has, and that y has. y may have more (they are zero) or fewer."""

    source: tuple[int, int]
    result: tuple[int, int]


class Piece(NamedTuple):
    """A load of so many units from `offset` into place number `place` of an input."""

    place: int
    offset: Stride
    units: int


class Output(NamedTuple):
    """A store of the first units of a value to `offset`."""

    value: int
    offset: Stride
    units: int


class Action(NamedTuple):
    """What comes next: "load" or "zero" a value, "step" to it, or "store" the output of that number."""

    kind: str
    number: int


class Cut:
    """A tile within bounds: what is loaded, computed and stored, for one pass of the tile."""

    def __init__(self, tile: Tile, x: Memory, y: Memory, bounds: Bounds, number: int) -> None:
        self.tile, self.x, self.y, self.bounds, self.number = tile, x, y, bounds, number
        self.network = network(tile)
        self._pieces: dict[int, list[Piece]] = {}

    def _places(self, inside: Sequence[Label], across: Sequence[Label]) -> list[list[tuple[int, int, int]]]:
        """(row, column, number) of every element of every register; a row below zero where a label is of nothing."""
        return _places(tuple(inside), tuple(across), self.network.order)

    @cached_property
    def inputs(self) -> list[list[int]]:
        """What the inputs hold."""
        (rows, columns), (rows_wanted, columns_wanted) = self.bounds
        return [
            [
                UNKNOWN
                if not (0 <= i < rows_wanted and j < columns_wanted)
                else n
                if i < rows and j < columns
                else ZERO
                for i, j, n in register
            ]
            for register in self._places(self.tile.start, self.tile.across)
        ]

    @cached_property
    def outputs(self) -> list[Output]:
        """What is stored in this pass."""
        network = self.network
        rows, columns = self.bounds.result
        made = []
        held = self._places(network.inside_after, network.across_after)
        per_pass = len(held) // self.tile.passes
        for register in range(self.number * per_pass, (self.number + 1) * per_pass):
            count = _prefix([0 <= i < rows and j < columns for i, j, _ in held[register]])
            if count:
                offset = _offset(self.y, network.across_after, register)
                made.append(Output(network.outputs[register], offset, count))
        return sorted(made, key=lambda output: (output.offset.leading, output.offset.bytes))

    @cached_property
    def live(self) -> Live:
        """The steps that these outputs need."""
        return live(self.network, self.inputs, [output.value for output in self.outputs])

    def pieces(self, value: int) -> list[Piece]:
        """The loads that fill an input."""
        if value not in self._pieces:
            self._pieces[value] = self._cut_pieces(value)
        return self._pieces[value]

    def _cut_pieces(self, value: int) -> list[Piece]:
        tile = self.tile
        rows, columns = self.bounds.source
        places = self._places(tile.start, tile.across)[value]
        size, base = 1 << tile.piece, _offset(self.x, tile.across, value)
        made = []
        for place in range(len(places) // size):
            part = places[place * size : (place + 1) * size]
            count = _prefix([0 <= i < rows and j < columns for i, j, _ in part])
            if count:
                made.append(Piece(place, base.plus(_offset(self.x, tile.start[tile.piece :], place)), count))
        return made

    def schedule(self, depth_first: bool) -> list[Action]:
        """Actions in an order in which every value is made before it is used.

        Stage by stage, which keeps all registers of the tile at once; or from the outputs backwards, which keeps few.
        """
        return self._from_outputs() if depth_first else self._by_stages()

    def _by_stages(self) -> list[Action]:
        """Zeros are made where they are needed first."""
        preserved = self.live
        zeros = set(preserved.zeros)
        actions = [Action("load", value) for value in preserved.inputs]

        def need(*values: int) -> None:
            for value in values:
                if value in zeros:
                    zeros.remove(value)
                    actions.append(Action("zero", value))

        for value, step in preserved.steps:
            need(step.a, step.b)
            actions.append(Action("step", value))
        for number, output in enumerate(self.outputs):
            need(output.value)
            actions.append(Action("store", number))
        return actions

    def _from_outputs(self) -> list[Action]:
        preserved = self.live
        steps = dict(preserved.steps)
        kinds = dict.fromkeys(preserved.zeros, "zero") | dict.fromkeys(preserved.inputs, "load")
        made: set[int] = set()
        actions = []
        partners: dict[tuple[int, int], list[int]] = {}
        for value, step in preserved.steps:
            partners.setdefault((step.a, step.b), []).append(value)

        def make(value: int) -> None:
            """And what has the same sources, so that these are not kept for it."""
            if value in made:
                return
            if value not in steps:
                made.add(value)
                actions.append(Action(kinds[value], value))
                return
            sources = steps[value].a, steps[value].b
            make(sources[0])
            make(sources[1])
            made.update(partners[sources])
            actions.extend(Action("step", each) for each in partners[sources])

        for number, output in enumerate(self.outputs):
            make(output.value)
            actions.append(Action("store", number))
        return actions

    def last_uses(self, actions: Sequence[Action]) -> list[list[int]]:
        """For each action, the values that nothing needs after it."""
        steps = dict(self.live.steps)
        last: dict[int, int] = {}
        for at, (kind, number) in enumerate(actions):
            if kind == "step":
                last[steps[number].a] = last[steps[number].b] = at
            elif kind == "store":
                last[self.outputs[number].value] = at
        made: list[list[int]] = [[] for _ in actions]
        for value, at in last.items():
            made[at].append(value)
        return made

    def registers(self, actions: Sequence[Action]) -> int:
        """The most values held at a time, with one more where a shuffle's results replace its sources."""
        held = most = 0
        for (kind, _), ended in zip(actions, self.last_uses(actions)):
            held += kind != "store"
            most = max(most, held)
            held -= len(ended)
        return most


@lru_cache(maxsize=512)
def cut_of(tile: Tile, x: Memory, y: Memory, bounds: Bounds, number: int) -> Cut:
    """One object for equal cuts of the same matrices: what it works out serves prices, registers and code."""
    return Cut(tile, x, y, bounds, number)


def _prefix(valid: Sequence[bool]) -> int:
    count = valid.index(False) if False in valid else len(valid)
    if any(valid[count:]):
        raise ValueError("what lies in memory is not a run")
    return count


def _offset(memory: Memory, labels: Sequence[Label], number: int) -> Stride:
    """Where the register or piece of this number lies in a tile."""
    offset = NOWHERE
    for k, label in enumerate(labels):
        if number >> k & 1:
            offset = offset.plus(memory.label_stride(label))
    return offset


@lru_cache(maxsize=256)
def _places(
    inside: tuple[Label, ...], across: tuple[Label, ...], order: tuple[Label, ...]
) -> list[list[tuple[int, int, int]]]:
    elements = _sums(inside, order)
    return [[(i + di, j + dj, n + dn) for di, dj, dn in elements] for i, j, n in _sums(across, order)]


def _sums(labels: tuple[Label, ...], order: tuple[Label, ...]) -> list[tuple[int, int, int]]:
    """(row, column, number) of every sum of bits; far below zero where one of them is of nothing."""
    sums = [(0, 0, 0)]
    for label in labels:
        bit, number = 1 << int(label[1:]), 1 << order.index(label)
        di, dj = {"i": (bit, 0), "j": (0, bit), "e": (0, 0), "_": (_FAR, _FAR)}[label[0]]
        sums += [(i + di, j + dj, n + number) for i, j, n in sums]
    return sums

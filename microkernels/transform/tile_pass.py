"""One pass over a tile that is clipped to the matrix: the remaining loads, shuffles and stores, and their order.

At the end of the matrix, loads and stores move fewer elements, and shuffles that no stored element needs are omitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ...encoder.records import NamedTuple, cached_property, new
from ..contract.shuffle_network import UNKNOWN, ZERO, Label, Live, ShuffleStep, live
from .remarks import Remarks
from .strides import Stride, StridedMatrix, alike
from .tile import ShuffledTile, network

_OUTSIDE = -1 << 20  # a row or column so far below zero that no sum of address bits is above zero


class Bounds(NamedTuple):
    """The (rows, columns) of a tile that exist in x, and in y. y may have more, which are zero, or fewer."""

    source: tuple[int, int]
    result: tuple[int, int]


class PartialLoad(NamedTuple):
    """A load of `units` units from `offset` into piece `number` of an input register."""

    number: int
    offset: Stride
    units: int


class TileStore(NamedTuple):
    """A store of the first `units` units of a value to `offset`."""

    value: int
    offset: Stride
    units: int


class Action(NamedTuple):
    """One step of a schedule: "load" or "zero" a value, compute it by a "step", or "store" the output `number`."""

    kind: str
    number: int


class TileSchedule(NamedTuple):
    """The actions, the registers of each, and the number of registers (the most values that are live at a time).

    The registers of an action, counted from 0, are that of its value, followed by those of its sources if it is a step.
    """

    actions: list[Action]
    places: list[tuple[int, ...]]
    registers: int


class TilePass:
    """Pass `number` over a tile within bounds: its inputs, steps and outputs, and their possible orders."""

    def __init__(self, tile: ShuffledTile, x: StridedMatrix, y: StridedMatrix, bounds: Bounds, number: int) -> None:
        self.tile, self.x, self.y, self.bounds, self.number = tile, x, y, bounds, number
        self.network = network(tile)
        self._pieces: dict[int, list[PartialLoad]] = {}
        self._schedules: dict[bool, TileSchedule] = {}
        self.remarks = Remarks(self)  # of a listing, by value

    @cached_property
    def elements(self) -> list[int]:
        """The numbers of the elements in the input registers, one register after the other: `ZERO` in padding,
        `UNKNOWN` outside of y. Listings name elements by them."""
        (rows, columns), (rows_wanted, columns_wanted) = self.bounds
        return [
            UNKNOWN
            if not (0 <= i < rows_wanted and j < columns_wanted)
            else number
            if i < rows and j < columns
            else ZERO
            for i, j, number in _sums(self.network.order, self.network.order)
        ]

    def held(self, value: int, most: int) -> list[int]:
        """Return the first elements that a value holds, at most `most` of them."""
        return [self.elements[origin] for origin in self.network.origins[value][:most]]

    @cached_property
    def outputs(self) -> list[TileStore]:
        """The stores of this pass, sorted by address."""
        network = self.network
        outputs = []
        starts = _sums(network.across_after, network.order)
        existing = self._existing(network.inside_after, starts, self.bounds.result)
        per_pass = len(starts) // self.tile.passes
        for register in range(self.number * per_pass, (self.number + 1) * per_pass):
            count = _run(existing[register])
            if count:
                offset = self.y.offset(network.across_after, register)
                outputs.append(new(TileStore, (network.outputs[register], offset, count)))
        return sorted(outputs, key=lambda output: (output.offset.leading, output.offset.bytes))

    @cached_property
    def live(self) -> Live:
        """The part of the network that these outputs need."""
        (rows, columns), wanted = self.bounds
        known = self._known(wanted)
        real = known if (rows, columns) == wanted else self._known((min(rows, wanted[0]), min(columns, wanted[1])))
        return live(self.network, known, real, [output.value for output in self.outputs])

    def _known(self, bounds: tuple[int, int]) -> int:
        """Return the elements of the inputs within these bounds as a bit mask, in the order of `Network.origins`."""
        tile = self.tile
        existing = self._existing(tile.start, _sums(tile.across, self.network.order), bounds)
        return sum([mask << (register << len(tile.start)) for register, mask in enumerate(existing)])

    @cached_property
    def steps(self) -> dict[int, ShuffleStep]:
        """The shuffles that are needed, keyed by the values that they compute."""
        return dict(self.live.steps)

    def pieces(self, value: int) -> list[PartialLoad]:
        """Return the loads that fill an input."""
        if value not in self._pieces:
            self._pieces[value] = self._loads(value)
        return self._pieces[value]

    @cached_property
    def input_units(self) -> frozenset[int]:
        """The numbers of units that loads move."""
        return frozenset([piece.units for value in self.live.inputs for piece in self.pieces(value)])

    @cached_property
    def output_units(self) -> frozenset[int]:
        """The numbers of units that stores move."""
        return frozenset([output.units for output in self.outputs])

    def piece_count(self, value: int) -> int:
        """Return the number of loads that fill an input: one for every piece whose first element exists."""
        return sum([count > 0 for count in self._units[value]])

    @cached_property
    def _units(self) -> list[list[int]]:
        """For each input, the number of units that each of its pieces has in x."""
        tile = self.tile
        starts = _sums((*tile.start[tile.piece_bits :], *tile.across), self.network.order)
        counts = [*map(_run, self._existing(tile.start[: tile.piece_bits], starts, self.bounds.source))]
        per = 1 << len(tile.start) - tile.piece_bits
        return [counts[first : first + per] for first in range(0, len(counts), per)]

    def _existing(
        self, inside: tuple[Label, ...], starts: Sequence[tuple[int, int, int]], bounds: tuple[int, int]
    ) -> list[int]:
        """Return, for each run that begins at one of `starts`, a bit mask of its elements within the bounds."""
        (rows, columns), (height, width) = bounds, whole(self.tile).source
        return [
            _before(inside, 0, min(rows - i, height)) & _before(inside, 1, min(columns - j, width)) if i >= 0 else 0
            for i, j, _ in starts
        ]

    def _loads(self, value: int) -> list[PartialLoad]:
        tile, pieces = self.tile, []
        base = self.x.offset(tile.across, value)
        for number, count in enumerate(self._units[value]):
            if count:
                offset = base.plus(self.x.offset(tile.start[tile.piece_bits :], number))
                pieces.append(new(PartialLoad, (number, offset, count)))
        return pieces

    def schedule(self, depth_first: bool) -> TileSchedule:
        """Return the actions in an order in which every value is computed before it is used.

        Stage by stage, all registers of the tile are live at once, and independent shuffles overlap. Depth first from
        each output, few registers are live.
        """
        if depth_first not in self._schedules:
            actions = self._from_outputs() if depth_first else self._by_stages()
            self._schedules[depth_first] = TileSchedule(actions, *self._places(actions, self._last_uses(actions)))
        return self._schedules[depth_first]

    def _by_stages(self) -> list[Action]:
        """Return the actions stage by stage. Registers are cleared where their zeros are first needed."""
        needed = self.live
        zeros = set(needed.zeros)
        actions = [new(Action, ("load", value)) for value in needed.inputs]

        def clear(*values: int) -> None:
            for value in values:
                if value in zeros:
                    zeros.remove(value)
                    actions.append(new(Action, ("zero", value)))

        for value, step in needed.steps:
            clear(step.a, step.b)
            actions.append(new(Action, ("step", value)))
        for number, output in enumerate(self.outputs):
            clear(output.value)
            actions.append(new(Action, ("store", number)))
        return actions

    def _from_outputs(self) -> list[Action]:
        needed, steps = self.live, self.steps
        leaves = dict.fromkeys(needed.zeros, "zero") | dict.fromkeys(needed.inputs, "load")
        computed: set[int] = set()
        actions = []
        partners: dict[tuple[int, int], list[int]] = {}
        for value, step in needed.steps:
            partners.setdefault((step.a, step.b), []).append(value)

        def compute(value: int) -> None:
            """Compute a value together with all values of the same sources, so that the sources can be released."""
            if value in computed:
                return
            if value not in steps:
                computed.add(value)
                actions.append(new(Action, (leaves[value], value)))
                return
            sources = steps[value].a, steps[value].b
            compute(sources[0])
            compute(sources[1])
            computed.update(partners[sources])
            actions.extend([new(Action, ("step", partner)) for partner in partners[sources]])

        for number, output in enumerate(self.outputs):
            compute(output.value)
            actions.append(new(Action, ("store", number)))
        return actions

    def _last_uses(self, actions: Sequence[Action]) -> list[list[int]]:
        """For each action, the values that no later action reads."""
        steps = self.steps
        last: dict[int, int] = {}
        for time, (kind, number) in enumerate(actions):
            if kind == "step":
                last[steps[number].a] = last[steps[number].b] = time
            elif kind == "store":
                last[self.outputs[number].value] = time
        ended: list[list[int]] = [[] for _ in actions]
        for value, time in last.items():
            ended[time].append(value)
        return ended

    def _places(self, actions: Sequence[Action], ended: Sequence[Sequence[int]]) -> tuple[list[tuple[int, ...]], int]:
        """Return the registers of each action, and the most values live at a time, which is enough registers. A value
        keeps its register until its last use. The register that was freed last is taken next. A shuffle counts its
        result before its sources are released."""
        steps, outputs = self.steps, self.outputs
        held: dict[int, int] = {}
        free: list[int] = []
        places: list[tuple[int, ...]] = []
        taken = most = 0
        for (kind, number), over in zip(actions, ended):
            if kind == "store":
                places.append((held[outputs[number].value],))
                free += [held.pop(value) for value in over]
                continue
            most = max(most, len(held) + 1)
            sources: tuple[int, ...] = ()
            dst = -1
            if kind == "step":
                shuffle, a, b, _ = steps[number]
                sources = held[a], held[b]
                if not shuffle.destructive:
                    free += [held.pop(value) for value in over]
                elif a in over:
                    dst = held.pop(a)
            if dst < 0 and free:
                dst = free.pop()
            elif dst < 0:
                dst, taken = taken, taken + 1
            free += [held.pop(value) for value in over if value in held]
            held[number] = dst
            places.append((dst, *sources))
        return places, most


def tile_pass(tile: ShuffledTile, x: StridedMatrix, y: StridedMatrix, bounds: Bounds, number: int) -> TilePass:
    """Return the pass of a tile. Equal passes are one object, so that costs, registers and code share its results."""
    return _tile_pass(tile, alike(x), alike(y), bounds, number)


@lru_cache(maxsize=512)
def _tile_pass(tile: ShuffledTile, x: StridedMatrix, y: StridedMatrix, bounds: Bounds, number: int) -> TilePass:
    return TilePass(tile, x, y, bounds, number)


def whole(tile: ShuffledTile) -> Bounds:
    """Return the bounds of a tile that is not clipped."""
    extents = tile.extents["i"], tile.extents["j"]
    return Bounds(extents, extents)


@lru_cache(maxsize=4096)
def pass_registers(
    tile: ShuffledTile, x: StridedMatrix, y: StridedMatrix, bounds: Bounds, number: int, depth_first: bool
) -> int:
    """Return the number of vector registers that the values of one pass take."""
    return tile_pass(tile, x, y, bounds, number).schedule(depth_first).registers


def _run(existing: int) -> int:
    """The length of the run of elements that exist; they are contiguous in memory, from the first on."""
    if existing & existing + 1:
        raise ValueError("elements of a register are not contiguous in memory")
    return existing.bit_length()


@lru_cache(maxsize=4096)
def _before(labels: tuple[Label, ...], dim: int, end: int) -> int:
    """Which elements with these address bits lie before a row (0) or column (1): a bit for each."""
    return sum([1 << number for number, place in enumerate(_sums(labels, labels)) if 0 <= place[dim] < end])


@lru_cache(maxsize=512)
def _sums(labels: tuple[Label, ...], order: tuple[Label, ...]) -> list[tuple[int, int, int]]:
    """Return (row, column, number) of every sum of address bits; far below zero if a bit addresses no element."""
    sums = [(0, 0, 0)]
    for label in labels:
        bit, number = 1 << int(label[1:]), 1 << order.index(label)
        di, dj = {"i": (bit, 0), "j": (0, bit), "e": (0, 0), "_": (_OUTSIDE, _OUTSIDE)}[label[0]]
        sums += [(i + di, j + dj, n + number) for i, j, n in sums]
    return sums

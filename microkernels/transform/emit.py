"""Transposes and changes of layout: emits what the plan says, and decides nothing.

    y = x, where x lies in memory in one layout and y in another (transform/layouts.py)

in tiles: each is loaded into registers, sent through a network of shuffles, and stored. Where the matrix ends, loads
and stores take fewer elements, and shuffles that no stored element needs are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from typing import Any

from ..contract.machine import Address, Amount, General, Machine, Vector
from ..contract.shuffle_network import UNKNOWN, ZERO, Label
from ..contract.shuffle_set import ShuffleVerbs
from ..operands import RUNTIME, parameters
from .plan import Leaf, Node, TransformPlan, stretches
from .tile import Action, Bounds, Cut, Stride, cut_of

_SHOWN = 16  # elements of a register in a note of the listing
_TYPES = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}


def emit(m: Machine, plan: TransformPlan, walk: type[Walk] | None = None) -> None:
    """Append the kernel to the machine's assembler; `walk` is another one than over all of y as it lies."""
    m.enter(vectors(plan))
    x, y = cursors(m, plan)
    depth = sum(len(sizes) for _, sizes in plan.nest)
    counters = [*(m.counter("loop") for _ in range(depth - 1)), m.general("innermost loop")]
    (walk or Walk)(m, plan, x, y, counters).run()
    m.leave()


def vectors(plan: TransformPlan) -> int:
    """Vector registers that a plan's tiles hold at most."""
    return plan.registers + len(plan.tile.tables) + 2


def cursors(m: Machine, plan: TransformPlan) -> tuple[Cursor, Cursor]:
    """x and y as the arguments of the function say."""
    names = [name for _, name in parameters(plan.spec.arguments)]
    given = dict(zip(names, m.arguments(len(names))))

    def leading(name: str, fixed: Any, size: int) -> Amount:
        """In bytes."""
        if fixed is not RUNTIME:
            return int(fixed) * size
        m.shift_left(given[name], size.bit_length() - 1)
        return given[name]

    made = [leading(f"ld{name}", fixed, plan.x.size) for name, fixed in (("x", plan.spec.ldx), ("y", plan.spec.ldy))]
    x, y = (Cursor(m, given[name], each, f"row of {name}") for name, each in zip("xy", made))
    return x, y


class Cursor:
    """Addresses in a matrix: a pointer that moves by leading dimensions only where these are known at the call."""

    def __init__(self, m: Machine, pointer: General, leading: Amount, role: str) -> None:
        self.m, self.pointer, self.leading = m, pointer, leading
        self.place: General = pointer
        self.at = 0  # leading dimensions from the pointer to the place
        if not isinstance(leading, int):
            self.place = m.general(role)

    def start(self) -> None:
        """The pointer has moved."""
        if self.place is not self.pointer:
            self.m.copy(self.place, self.pointer)
            self.at = 0

    def address(self, offset: Stride) -> Address:
        """The address of an offset from the pointer."""
        if isinstance(self.leading, int):
            return self.m.at(self.pointer, offset.bytes + offset.leading * self.leading)
        if offset.leading != self.at:
            self.m.advance(self.place, self.leading, offset.leading - self.at)
            self.at = offset.leading
        return self.m.at(self.place, offset.bytes)

    def advance(self, stride: Stride, times: int = 1) -> None:
        """Move the pointer."""
        if isinstance(self.leading, int):
            self.m.advance(self.pointer, (stride.bytes + stride.leading * self.leading) * times)
            return
        self.m.advance(self.pointer, stride.bytes * times)
        self.m.advance(self.pointer, self.leading, stride.leading * times)


class Walk:
    """The walk over a matrix, and the tiles: x and y point to its beginning; a counter for each loop of the nest."""

    def __init__(self, m: Machine, plan: TransformPlan, x: Cursor, y: Cursor, counters: Sequence[Any]) -> None:
        self.m, self.plan, self.tile, self.x, self.y, self.counters = m, plan, plan.tile, x, y, counters
        self.verbs: ShuffleVerbs = m.shuffles()
        self.dtype = _TYPES[plan.tile.unit]
        self.streams = False

    def run(self, rewind: bool = False) -> None:
        """Everything; the pointers come back if `rewind`."""
        m, tile = self.m, self.tile
        with ExitStack() as scope:
            tables = scope.enter_context(m.vectors(len(tile.tables), "tables"))
            self.tables = {shuffle.table: register for shuffle, register in zip(tile.tables, tables)}
            for shuffle, register in zip(tile.tables, tables):
                self.verbs.table(register, shuffle)
            scope.enter_context(m.predicates())
            self._bodies(rewind)

    def _bodies(self, rewind: bool) -> None:
        """One, as nothing is asked of how x and y lie."""
        self._walk(rewind)

    def _walk(self, rewind: bool, rows: int | None = None) -> None:
        """All of y, or its first columns: what comes from the first `rows` of x."""
        wanted = dict(self.plan.y.extents)
        self._nest(0, {}, wanted if rows is None else {**wanted, "i": rows}, dict(self.plan.x.extents), rewind)

    # The walk

    def _nest(
        self, depth: int, leaves: dict[str, Leaf], wanted: dict[str, int], there: dict[str, int], rewind: bool
    ) -> None:
        """The loops from `depth` inwards, over what the loops outside left of each dimension."""
        nest = self.plan.nest
        if depth == len(nest):
            self._tile(Bounds((leaves["i"].source, leaves["j"].source), (leaves["i"].result, leaves["j"].result)))
            return
        dim, sizes = nest[depth]
        places = self.counters[sum(len(sizes) for _, sizes in nest[:depth]) :]

        def inside(leaf: Leaf) -> None:
            extents = {**wanted, dim: leaf.result}, {**there, dim: leaf.source}
            self._nest(depth + 1, {**leaves, dim: leaf}, *extents, rewind=True)

        nodes = stretches(sizes, there[dim], wanted[dim])
        self._stretches(dim, nodes, places, inside, rewind)

    def _stretches(
        self, dim: str, nodes: Sequence[Node], counters: Sequence[Any], inside: Callable[[Leaf], None], rewind: bool
    ) -> None:
        """Every stretch once, the pointers at its beginning; back at the first one if `rewind`."""
        moved: list[tuple[Stride, Stride, int]] = []
        for number, node in enumerate(nodes):
            last = number == len(nodes) - 1
            with self.m.loop(counters[0], node.times):
                if isinstance(node.parts, Leaf):
                    inside(node.parts)
                else:
                    self._stretches(
                        dim, node.parts, counters[1:], inside, rewind=not (last and node.times == 1) or rewind
                    )
                if node.times > 1 or not last:
                    strides = self._step(dim, node.size)
                    self.x.advance(strides[0])
                    self.y.advance(strides[1])
                    moved.append((*strides, node.times))
        if rewind:
            for x, y, count in moved:
                self.x.advance(x, -count)
                self.y.advance(y, -count)

    def _step(self, dim: str, size: int) -> tuple[Stride, Stride]:
        return self.plan.x.stride(dim, size), self.plan.y.stride(dim, size)

    # A tile

    def _tile(self, bounds: Bounds) -> None:
        for number in range(self.tile.passes):
            cut = cut_of(self.tile, self.plan.x, self.plan.y, bounds, number)
            if cut.outputs:
                self.x.start()
                self.y.start()
                _TileCode(self, cut).run()


class _TileCode:
    """One pass over one tile: registers come and go with the values they hold."""

    def __init__(self, kernel: Walk, cut: Cut) -> None:
        self.kernel, self.cut, self.m, self.verbs = kernel, cut, kernel.m, kernel.verbs
        self.tile = cut.tile
        self.held: dict[int, Vector] = {}
        self.steps = dict(cut.live.steps)
        self.free: list[Vector] = []

    def run(self) -> None:
        """Loads, shuffles, stores."""
        actions = self.cut.schedule(self.kernel.plan.depth_first)
        needed = self.cut.registers(actions) + (1 if self.tile.insert else 0)
        with self._lanes(), self.m.vectors(needed, "tile") as registers:
            self.free = list(reversed(registers))
            self.spare = self.free.pop(0) if self.tile.insert else registers[0]
            for action, ended in zip(actions, self.cut.last_uses(actions)):
                self._do(action, ended)

    @contextmanager
    def _lanes(self) -> Iterator[None]:
        """Every count of elements, before the first of them is moved."""
        counts = {piece.units for value in self.cut.live.inputs for piece in self.cut.pieces(value)}
        counts |= {output.units for output in self.cut.outputs}
        with self.m.predicates():
            self.lanes = {count: self.m.lanes(self.kernel.dtype, count) for count in sorted(counts)}
            self.whole = self.m.lanes(self.kernel.dtype, 1 << len(self.tile.goal))
            yield

    def _do(self, action: Action, ended: Sequence[int]) -> None:
        kind, number = action
        if kind == "store":
            self._store(number)
        elif kind == "step":
            self._step(number, ended)
            return
        else:
            self.held[number] = self.free.pop()
            self._load(number) if kind == "load" else self._zero(number)
        self._end(ended)

    def _end(self, values: Sequence[int]) -> None:
        for value in values:
            self.free.append(self.held.pop(value))

    def _zero(self, value: int) -> None:
        self.m.zero(self.held[value], self.whole)

    def _load(self, value: int) -> None:
        dst = self.held[value]
        pieces = self.cut.pieces(value)
        self._note(value)
        if pieces[0].place:
            self.m.zero(dst, self.whole)
        for piece in pieces:
            address, lanes = self.kernel.x.address(piece.offset), self.lanes[piece.units]
            if piece.place == 0:
                self.m.load(dst, address, lanes)
            else:
                assert self.tile.insert is not None
                self.verbs.insert(dst, piece.place, address, lanes, self.tile.insert.piece, self.spare)
            if self.kernel.streams:  # the next tile along the rows; a prefetch never faults
                ahead = self.kernel.plan.x.stride("j", self.tile.extent("j"))
                self.verbs.prefetch(self.kernel.x.address(piece.offset.plus(ahead)))

    def _step(self, value: int, ended: Sequence[int]) -> None:
        step = self.steps[value]
        shuffle = step.shuffle
        a, b = self.held[step.a], self.held[step.b]
        early = [each for each in ended if not shuffle.destructive or each == step.a]
        self._end(early)
        dst = a if step.a in early and shuffle.destructive else self.free[-1]
        self.free.remove(dst)
        self._note(value)
        self.verbs.shuffle(dst, shuffle, a, b, self.kernel.tables.get(shuffle.table))
        self._end([each for each in ended if each not in early])
        self.held[value] = dst

    def _store(self, number: int) -> None:
        output = self.cut.outputs[number]
        lanes = self.lanes[output.units]
        store = self.verbs.store_streaming if self.kernel.streams and output.units == self.whole.count else self.m.store
        store(self.kernel.y.address(output.offset), self.held[output.value], lanes)

    # The listing

    def _note(self, value: int) -> None:
        """Which elements a register holds from here on."""
        stage = f"stage {self.steps[value].stage + 1}: " if value in self.steps else ""
        self.m.note(stage + self._text(self.cut.live.held(value)))

    def _text(self, held: Sequence[int]) -> str:
        shown = " ".join(elements(held[:_SHOWN], self.cut.network.order))
        return shown + (" ..." if len(held) > _SHOWN else "")


def elements(held: Sequence[int], order: tuple[Label, ...]) -> list[str]:
    """Elements as "row,column"; "0" is a zero, "-" what nobody reads. The bytes of one element are named once."""
    names = _names(order)
    return [name for number in held if (name := _NOTHING[number] if number < 0 else names[number])]


_NOTHING = {UNKNOWN: "-", ZERO: "0"}


@lru_cache(maxsize=64)
def _names(order: tuple[Label, ...]) -> list[str]:
    """Of every number: bit k of it is bit k of the order. Empty for bytes of an element after its first."""
    places = [(0, 0, True)]
    for label in order:
        dim, bit = label[0], 1 << int(label[1:])
        places += [(i + bit * (dim == "i"), j + bit * (dim == "j"), first and dim != "e") for i, j, first in places]
    return [f"{i},{j}" if first else "" for i, j, first in places]

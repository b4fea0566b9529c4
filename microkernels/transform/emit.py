"""The code of transposes and layout transforms. It follows the plan; no decisions are made here.

    y = x, where x is stored in one layout and y in another (transform/layouts.py)

Each tile is loaded into registers, permuted by a network of shuffles, and stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..contract.machine import Address, Amount, General, Lanes, Machine, Vector
from ..contract.shuffle_set import ShuffleVerbs
from ..operands import LeadingDimension, parameters
from .nest import Span, TileLoop, loops
from .plan import TransformPlan, vectors
from .strides import Stride
from .tile_pass import Bounds, TilePass, tile_pass

_TYPES = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}


def emit(m: Machine, plan: TransformPlan, emitter: type[TransformEmitter]) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(vectors(plan))
    x, y = cursors(m, plan)
    depth = sum(len(sizes) for _, sizes in plan.nest)
    counters = [*(m.counter("loop") for _ in range(depth - 1)), m.general("innermost loop")]
    emitter(m, plan, x, y, counters).run()
    m.leave()


def cursors(m: Machine, plan: TransformPlan) -> tuple[Cursor, Cursor]:
    """Return cursors in x and y at the pointers that are the function's arguments."""
    arguments = m.named_arguments(parameters(plan.spec.arguments))

    def in_bytes(name: str, leading: LeadingDimension, size: int) -> Amount:
        if isinstance(leading, int):
            return leading * size
        m.shift_left(arguments[name], size.bit_length() - 1)
        return arguments[name]

    leading = [
        in_bytes(f"ld{name}", dimension, plan.x.size)
        for name, dimension in (("x", plan.spec.ldx), ("y", plan.spec.ldy))
    ]
    x, y = (Cursor(m, arguments[name], amount, f"row of {name}") for name, amount in zip("xy", leading))
    return x, y


class Cursor:
    """Addresses relative to a pointer into a matrix.

    If the call gives the leading dimension, a second register, `row`, follows the row that is addressed.
    """

    def __init__(self, m: Machine, pointer: General, leading: Amount, role: str) -> None:
        self.m, self.pointer, self.leading = m, pointer, leading
        self.row: General = pointer
        self.rows = 0  # leading dimensions from the pointer to `row`
        if not isinstance(leading, int):
            self.row = m.general(role)

    def start(self) -> None:
        """Begin at the pointer, which may have moved."""
        if self.row is not self.pointer:
            self.m.copy(self.row, self.pointer)
            self.rows = 0

    def address(self, offset: Stride) -> Address:
        """Return the address at an offset from the pointer."""
        if isinstance(self.leading, int):
            return self.m.at(self.pointer, offset.bytes + offset.leading * self.leading)
        if offset.leading != self.rows:
            self.m.advance(self.row, self.leading, offset.leading - self.rows)
            self.rows = offset.leading
        return self.m.at(self.row, offset.bytes)

    def advance(self, stride: Stride, times: int = 1) -> None:
        """Move the pointer."""
        if isinstance(self.leading, int):
            self.m.advance(self.pointer, (stride.bytes + stride.leading * self.leading) * times)
            return
        self.m.advance(self.pointer, stride.bytes * times)
        self.m.advance(self.pointer, self.leading, stride.leading * times)


class TransformEmitter:
    """Emits the loops of a plan and their tiles. x and y point to the first element; each loop has a counter."""

    def __init__(self, m: Machine, plan: TransformPlan, x: Cursor, y: Cursor, counters: Sequence[Any]) -> None:
        self.m, self.plan, self.tile, self.x, self.y, self.counters = m, plan, plan.tile, x, y, counters
        self.verbs: ShuffleVerbs = m.shuffles()
        self.dtype = _TYPES[plan.tile.unit]
        self.streams = False
        self.tile_code: type[PassEmitter] = PassEmitter

    def run(self, rewind: bool = False) -> None:
        """Emit everything. With `rewind`, the pointers end at the first element again."""
        with self.table_registers(), self.m.predicates():
            self._bodies(rewind)

    @contextmanager
    def table_registers(self) -> Iterator[None]:
        """A scope in which the tables of shuffles are in registers."""
        shuffles = self.tile.tables
        with self.m.vectors(len(shuffles), "tables") as tables:
            self.tables = {shuffle.table: register for shuffle, register in zip(shuffles, tables)}
            for shuffle, register in zip(shuffles, tables):
                self.verbs.table(register, shuffle)
            yield

    def _bodies(self, rewind: bool) -> None:
        """One body, since ordinary stores do not depend on the alignment of y."""
        self._loops(rewind)

    def _loops(self, rewind: bool, rows: int | None = None) -> None:
        """Emit the loops over all of y, or over its columns that come from the first `rows` rows of x."""
        result = dict(self.plan.y.extents)
        self._nest(0, {}, result if rows is None else {**result, "i": rows}, dict(self.plan.x.extents), rewind)

    def _nest(
        self, depth: int, spans: dict[str, Span], result: dict[str, int], source: dict[str, int], rewind: bool
    ) -> None:
        """Emit the loops from `depth` inwards, over the extents of y and x that the outer loops leave in each
        dimension."""
        nest = self.plan.nest
        if depth == len(nest):
            self._tile(Bounds((spans["i"].source, spans["j"].source), (spans["i"].result, spans["j"].result)))
            return
        dim, sizes = nest[depth]
        counters = self.counters[sum(len(sizes) for _, sizes in nest[:depth]) :]

        def body(span: Span) -> None:
            extents = {**result, dim: span.result}, {**source, dim: span.source}
            self._nest(depth + 1, {**spans, dim: span}, *extents, rewind=True)

        self._dimension(dim, loops(sizes, source[dim], result[dim]), counters, body, rewind)

    def _dimension(
        self, dim: str, loops: Sequence[TileLoop], counters: Sequence[Any], body: Callable[[Span], None], rewind: bool
    ) -> None:
        """Emit the loops over one dimension, one after the other. `rewind` moves the pointers back to the start."""
        moved: list[tuple[int, int]] = []
        for number, loop in enumerate(loops):
            last = number == len(loops) - 1
            with self.m.loop(counters[0], loop.times):
                if isinstance(loop.body, Span):
                    body(loop.body)
                else:
                    inner_rewind = not (last and loop.times == 1) or rewind
                    self._dimension(dim, loop.body, counters[1:], body, inner_rewind)
                if loop.times > 1 or not last:
                    self._advance(dim, loop.size, 1)
                    moved.append((loop.size, loop.times))
        if rewind:
            for size, count in moved:
                self._advance(dim, size, -count)

    def _advance(self, dim: str, size: int, times: int) -> None:
        """Move the pointers by a number of rows or columns."""
        self.x.advance(self.plan.x.stride(dim, size), times)
        self.y.advance(self.plan.y.stride(dim, size), times)

    def _tile(self, bounds: Bounds) -> None:
        for number in range(self.tile.passes):
            current = tile_pass(self.tile, self.plan.x, self.plan.y, bounds, number)
            if current.outputs:
                self._start()
                self.tile_code(self, current).run()

    def _start(self) -> None:
        """Begin a pass at the pointers."""
        self.x.start()
        self.y.start()


class PassEmitter:
    """Emits one pass over one tile, in the registers of its schedule."""

    def __init__(self, kernel: TransformEmitter, current: TilePass) -> None:
        self.kernel, self.current, self.m, self.verbs = kernel, current, kernel.m, kernel.verbs
        self.tile = current.tile
        self.held: dict[int, Vector] = {}  # by value

    def run(self) -> None:
        """Emit loads, shuffles and stores in the order of the schedule."""
        actions, places, needed = self.current.schedule(self.kernel.plan.depth_first)
        needed += 1 if self.tile.insert else 0
        steps, tables, shuffle = self.current.steps, self.kernel.tables, self.verbs.shuffle
        remarks, note = self.current.remarks, self.m.asm.note
        with self._lanes(), self.m.vectors(needed, "tile") as registers:
            self.spare, held = registers[-1], self.held
            for (kind, number), place in zip(actions, places):
                if kind == "store":
                    self._store(number)
                    continue
                dst = held[number] = registers[place[0]]
                if kind == "step":
                    note(remarks[number])
                    made = steps[number].shuffle
                    shuffle(dst, made, registers[place[1]], registers[place[2]], tables.get(made.table))
                elif kind == "load":
                    self._load(number)
                else:
                    self.m.zero(dst, self.whole)

    @contextmanager
    def _lanes(self) -> Iterator[None]:
        """Prepare the lanes (their masks) of every count of elements before the first load."""
        counts = self.current.input_units | self.current.output_units
        with self.m.predicates():
            self.lanes = {count: self.m.lanes(self.kernel.dtype, count) for count in sorted(counts)}
            self.whole = self.m.lanes(self.kernel.dtype, 1 << len(self.tile.goal))
            yield

    def _load(self, value: int) -> None:
        dst = self.held[value]
        pieces = self.current.pieces(value)
        self.m.asm.note(self.current.remarks[value])
        if pieces[0].number:
            self.m.zero(dst, self.whole)
        for piece in pieces:
            address, lanes = self.kernel.x.address(piece.offset), self.lanes[piece.units]
            if piece.number == 0:
                self._fill(dst, address, lanes)
            else:
                assert self.tile.insert is not None
                self.verbs.insert(dst, piece.number, address, lanes, self.tile.insert.piece, self.spare)
            if self.kernel.streams:  # prefetch the next tile of the row
                ahead = self.kernel.plan.x.stride("j", self.tile.extents["j"])
                self.verbs.prefetch(self.kernel.x.address(piece.offset.plus(ahead)))

    def _fill(self, dst: Vector, address: Address, lanes: Lanes) -> None:
        """Load a register, or its first piece."""
        self.m.load(dst, address, lanes)

    def _store(self, number: int) -> None:
        output = self.current.outputs[number]
        lanes = self.lanes[output.units]
        store = self.verbs.store_streaming if self.kernel.streams and output.units == self.whole.count else self.m.store
        store(self.kernel.y.address(output.offset), self.held[output.value], lanes)

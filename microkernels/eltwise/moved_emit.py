"""Emit elementwise kernels whose operands have different orders, as the plan says. No decisions are made here.

    a tile is loaded, converted, computed on          if the plan computes at loads
    shuffled                                          transform/emit.py
    computed on, converted and stored                 if it computes at stores

Other operands than the moved matrix are loaded when the expression needs them, at the position of the register that is
being computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from ..codegen.lowered import LoweredBody, Waiting
from ..contract.machine import Address, Amount, General, Lanes, Machine, Slot, Vector
from ..contract.shuffle_network import Label
from ..contract.vector_verbs import claimed
from ..dtypes import ELEMENT_BYTES
from ..operands import Operand, parameters
from ..transform.emit import Cursor, PassEmitter, TransformEmitter
from ..transform.tile_pass import TilePass
from .moved_plan import Beside, MovedPlan


def emit(m: Machine, plan: MovedPlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    emit_tiles(m, plan, m.named_arguments(parameters(plan.spec.arguments)))
    m.leave()


def emit_tiles(m: Machine, plan: MovedPlan, arguments: Mapping[str, General | Slot]) -> None:
    """Append the tiles. The arguments are pointers to the operands, and leading dimensions ("ldx") given at the call,
    by name."""
    cursors = {operand.name: _cursor(m, operand, arguments) for operand in plan.spec.operands}
    depth = sum(len(sizes) for _, sizes in plan.tiles.nest)
    counters = [*(m.counter("loop") for _ in range(depth - 1)), m.general("innermost loop")]
    MovedEmitter(m, plan, cursors, counters).run()


def _cursor(m: Machine, operand: Operand, arguments: Mapping[str, General | Slot]) -> Cursor:
    """Return a cursor in an operand."""
    pointer, size = m.in_register(arguments[operand.name], operand.name), ELEMENT_BYTES[operand.dtype]
    leading: Amount
    if isinstance(operand.view.leading, int):
        leading = operand.view.leading * size
    else:
        leading = m.in_register(arguments[f"ld{operand.name}"], f"ld{operand.name}")
        m.shift_left(leading, size.bit_length() - 1)
    return Cursor(m, pointer, leading, f"row of {operand.name}")


class MovedEmitter(TransformEmitter):
    """Emits the loops over tiles. The pointers to the operands besides the moved matrix advance with them."""

    body: LoweredBody
    spare: list[Vector] = []
    waiting: General | None = None  # scratch memory for the registers of a tile
    zeroed: General | None = None  # scratch memory through which a register's elements beyond its lanes are zeroed

    def __init__(self, m: Machine, plan: MovedPlan, cursors: dict[str, Cursor], counters: list[Any]) -> None:
        super().__init__(m, plan.tiles, cursors[plan.moved.given], cursors["y"], counters)
        self.work, self.cursors, self.arithmetic = plan, cursors, plan.code.arithmetic
        self.dtype, self.tile_code = plan.spec.compute, WaitingPass if plan.waits else WorkingPass
        self.given = next(x for x in plan.spec.inputs if x.name == plan.moved.given)
        self.result = plan.spec.outputs[0]
        self.operands = {x.name: x for x in plan.beside}
        self.beside = {x.name: Beside(plan.spec, x, plan.tiles.tile.unit) for x in plan.beside}

    def run(self, rewind: bool = False) -> None:
        """Emit everything."""
        m, register = self.m, self.tile.shuffle_set.bytes
        with ExitStack() as scope:
            scope.enter_context(m.predicates())
            if self.work.waits:
                self.waiting = m.scratch((register << len(self.tile.across)) + self.work.code.slots * register)
                self._bodies(rewind)
                return
            scope.enter_context(self.working())
            if self._pads() and not (self.work.keeps_zeros and self.given.dtype == self.dtype):
                self.zeroed = m.scratch(register)
            super().run(rewind)

    @contextmanager
    def working(self) -> Iterator[None]:
        """A scope in which the expression has its registers and constants."""
        m = self.m
        widest = m.lanes(self.dtype, 1 << len(self.tile.goal))
        code, tile = self.work.code, self.tile.shuffle_set.bytes << len(self.tile.across)
        spilled = Waiting(m, code.slots, widest, claimed(self.waiting), tile) if code.slots else None
        with m.vectors(self.arithmetic.spare, "conversions") as self.spare, code.constants(m, widest, spilled) as body:
            self.body = body
            yield

    def _pads(self) -> bool:
        """Whether registers hold both elements of x and zeros that pad y where the expression is computed."""
        x, y = self.plan.x, self.plan.y
        inside = {label[0] for label in self.tile.start}
        return self.work.moved.at_loads and any(y.extents[dim] > x.extents[dim] for dim in inside & set("ij"))

    def _advance(self, dim: str, size: int, times: int) -> None:
        super()._advance(dim, size, times)
        for name, matrix in self.beside.items():
            self.cursors[name].advance(matrix.stride(dim, size), times)

    def _start(self) -> None:
        super()._start()
        for name in self.beside:
            self.cursors[name].start()

    def operand(self, name: str, register: Vector, labels: tuple[Label, ...], number: int, lanes: Lanes) -> None:
        """Load an operand besides the moved matrix, for the register of this number."""
        operand, matrix = self.operands[name], self.beside[name]
        address = self.cursors[name].address(matrix.offset(labels, number))
        along = self.along
        move = self.arithmetic.broadcast if along in matrix.fixed else self.arithmetic.load
        move(self.m, operand.dtype, register, address, lanes)

    @property
    def along(self) -> str:
        """The dimension of the elements within a register where the expression is computed."""
        return (self.tile.start if self.work.moved.at_loads else self.tile.goal)[0][0]


class WorkingPass(PassEmitter):
    """Emits one pass over one tile, including the expression."""

    kernel: MovedEmitter

    def __init__(self, kernel: MovedEmitter, current: TilePass) -> None:
        super().__init__(kernel, current)
        work, copies = kernel.work, kernel.work.code.only_stores
        self.computes_at_loads = work.moved.at_loads and not (copies and kernel.zeroed is None)
        self.computes_at_stores = not (work.moved.at_loads or copies)
        self.converts_loads = kernel.given.dtype != kernel.dtype
        self.converts_stores = kernel.result.dtype != kernel.dtype

    @contextmanager
    def _lanes(self) -> Iterator[None]:
        """Also prepare the lanes of the elements in memory, if loads or stores convert."""
        kernel = self.kernel
        inputs, outputs = self.current.input_units, self.current.output_units
        at = inputs if kernel.work.moved.at_loads else outputs
        with super()._lanes():
            for operand, counts in (
                (kernel.given, inputs),
                (kernel.result, outputs),
                *((x, at) for x in kernel.operands.values()),
            ):
                narrow = kernel.arithmetic.packed and ELEMENT_BYTES[operand.dtype] != ELEMENT_BYTES[kernel.dtype]
                for count in sorted(counts) if narrow else ():
                    self.m.lanes(operand.dtype, count)
            yield

    def _fill(self, dst: Vector, address: Address, lanes: Lanes) -> None:
        """Load elements of the moved input in the type of the arithmetic."""
        kernel = self.kernel
        if self.converts_loads:
            kernel.arithmetic.loads[kernel.given.dtype, kernel.dtype](self.m, dst, address, lanes)
        else:
            self.m.load(dst, address, lanes)

    def _load(self, value: int) -> None:
        super()._load(value)
        if not self.computes_at_loads:
            return
        zeroed = self.kernel.zeroed
        dst, units = self.held[value], self.current.pieces(value)[0].units
        lanes = self.lanes[units]

        def keep(result: int, copy: int, register: Vector, result_lanes: Lanes) -> None:
            if register != dst:
                self.kernel.arithmetic.move(self.m, dst, register, result_lanes)

        self._compute(dst, self.tile.across, value, lanes, keep)
        if zeroed is not None and units < 1 << sum(label[0] != "_" for label in self.tile.start):
            place = self.m.at(zeroed)
            self.m.store(place, dst, lanes)
            self.m.load(dst, place, lanes)

    def _store(self, number: int) -> None:
        output = self.current.outputs[number]
        held, lanes = self.held[output.value], self.lanes[output.units]
        if not self.computes_at_stores:
            self._put(number, held, lanes)
            return

        def put(result: int, copy: int, register: Vector, result_lanes: Lanes) -> None:
            self._put(number, register, result_lanes)

        self._compute(held, self.current.network.across_after, self._register(number), lanes, put)

    def _put(self, number: int, register: Vector, lanes: Lanes) -> None:
        """Store a register of the arithmetic's type as an output."""
        kernel = self.kernel
        address = kernel.y.address(self.current.outputs[number].offset)
        if self.converts_stores:
            kernel.arithmetic.stores[kernel.result.dtype, kernel.dtype](self.m, address, register, lanes, kernel.spare)
        else:
            self.m.store(address, register, lanes)

    def _register(self, number: int) -> int:
        """Return the number of the register that holds an output, counted by the labels across registers."""
        return self.current.network.outputs.index(self.current.outputs[number].value)

    def _compute(self, register: Vector, labels: tuple[Label, ...], number: int, lanes: Lanes, store: Any) -> None:
        """Compute the expression on one register, which may be overwritten."""

        def load(name: str, copy: int, dst: Vector, copy_lanes: Lanes) -> None:
            self.kernel.operand(name, dst, labels, number, copy_lanes)

        self.kernel.body.run(load, store, [lanes], given=[register])


class WaitingPass(WorkingPass):
    """Emits one pass over one tile whose registers wait in scratch memory before or after the shuffles."""

    def run(self) -> None:
        """Emit the expression on all inputs and then the shuffles; or the shuffles and then the expression on all
        outputs."""
        if self.kernel.work.moved.at_loads:
            self._work(self.current.live.inputs, self.tile.across, list)
            self._shuffle()
        else:
            self._shuffle()
            outputs = range(len(self.current.outputs))
            self._work(outputs, self.current.network.across_after, lambda group: list(map(self._register, group)))

    def _shuffle(self) -> None:
        with self.kernel.table_registers():
            super().run()

    def _work(
        self, values: Sequence[int], labels: tuple[Label, ...], numbers: Callable[[Sequence[int]], list[int]]
    ) -> None:
        """Emit the expression on these inputs or outputs, a few at a time."""
        together = self.kernel.work.code.unroll
        with self._lanes(), self.kernel.working():
            for first in range(0, len(values), together):
                group = values[first : first + together]
                self._group(group, labels, numbers(group))

    def _group(self, group: Sequence[int], labels: tuple[Label, ...], numbers: list[int]) -> None:
        kernel, at_loads = self.kernel, self.kernel.work.moved.at_loads

        def load(name: str, copy: int, dst: Vector, lanes: Lanes) -> None:
            if name != kernel.given.name:
                kernel.operand(name, dst, labels, numbers[copy], lanes)
            elif at_loads:
                self._fill(dst, kernel.x.address(self.current.pieces(group[copy])[0].offset), lanes)
            else:
                self.m.load(dst, self._place(group[copy]), lanes)

        def store(result: int, copy: int, register: Vector, lanes: Lanes) -> None:
            if at_loads:
                self.m.store(self._place(group[copy]), register, lanes)
            else:
                self._put(group[copy], register, lanes)

        kernel.body.run(load, store, [self.lanes[self._units(each)] for each in group])

    def _units(self, value: int) -> int:
        """Return the number of elements of an input or an output."""
        at_loads = self.kernel.work.moved.at_loads
        return self.current.pieces(value)[0].units if at_loads else self.current.outputs[value].units

    def _place(self, value: int) -> Address:
        """Return the place where a register waits."""
        return self.m.at(claimed(self.kernel.waiting), value * self.tile.shuffle_set.bytes)

    def _load(self, value: int) -> None:
        if not self.kernel.work.moved.at_loads:
            super()._load(value)
            return
        self.m.asm.note(self.current.remarks[value])
        self.m.load(self.held[value], self._place(value), self.lanes[self._units(value)])

    def _store(self, number: int) -> None:
        output = self.current.outputs[number]
        if self.kernel.work.moved.at_loads:
            self._put(number, self.held[output.value], self.lanes[output.units])
        else:
            self.m.store(self._place(number), self.held[output.value], self.whole)

"""Emit a depthwise convolution as its plan says. No decisions are made here.

    for blocks of rows, for blocks of columns, for vectors of channels:
        sums = 0;  sums += x * w for each tap inside the image;  y = f(sums, ...)

The pointer to x is that of the block's first tap without padding; taps before it have negative distances.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from itertools import product

from ..codegen.counters import NamedCounters
from ..codegen.lowered import LoweredBody
from ..codegen.selection import Emission, arithmetic_of
from ..contract.machine import Address, General, Lanes, Machine, Vector
from ..contract.vector_verbs import breadth
from ..dtypes import ELEMENT_BYTES
from ..operands import Operand, parameters
from ..windows import Pair, Stretch, stretches
from .plan import DepthwisePlan

Tap = tuple[int, int, int]
"""A row, a column and a channel among those that a result sums."""


def emit(m: Machine, plan: DepthwisePlan) -> None:
    """Append the kernel to the machine's assembler."""
    m.enter(plan.registers)
    given = m.argument_registers(parameters(plan.spec.arguments))
    with ExitStack() as scope:
        scope.enter_context(m.predicates())
        _Code(m, plan, given, scope).emit()
    m.leave()


class _Code:
    """The loops over blocks, and the registers of a block. Pointers are those of the current block and vector."""

    def __init__(self, m: Machine, plan: DepthwisePlan, pointers: dict[str, General], scope: ExitStack) -> None:
        self.m, self.plan, self.spec, self.pointers = m, plan, plan.spec, pointers
        self.arithmetic = arithmetic_of(m.facts)
        self.operands = {each.name: each for each in plan.spec.arguments if isinstance(each, Operand)}
        self.sizes = {name: ELEMENT_BYTES[each.dtype] for name, each in self.operands.items()}
        self._loop = NamedCounters(m).loop
        self.lanes = self._claim_lanes()
        self.widest = max(self.lanes.values(), key=breadth)
        block = plan.block
        sums = block.rows * block.columns
        self.held = scope.enter_context(m.vectors(sums, "sums"))
        self.others = scope.enter_context(m.vectors(plan.registers - sums, "weights"))
        self.masks = scope.enter_context(m.masks(plan.code.masks))

    def _claim_lanes(self) -> dict[int, Lanes]:
        """Claim the lanes for every number of elements in a vector, before any loop."""
        m, spec, vector = self.m, self.spec, self.plan.vector
        counts = {min(vector, spec.channels), spec.channels % vector} - {0}
        found = {count: m.lanes(spec.acc_dtype, count) for count in counts}
        self.of_results = {count: m.lanes(spec.elementwise.compute, count) for count in counts}
        if self.arithmetic.packed:
            for dtype in dict.fromkeys(each.dtype for each in self.operands.values()):
                for count in counts if ELEMENT_BYTES[dtype] != ELEMENT_BYTES[spec.acc_dtype] else ():
                    m.lanes(dtype, count)
        for each in self.spec.elementwise.inputs[1:]:
            if self.spec.elementwise.narrow(each):
                m.lanes(each.dtype, 1)
                m.lanes(spec.elementwise.compute, 1)
        return found

    # Loops

    def emit(self) -> None:
        """Emit all blocks."""
        rows, columns = (stretches(axis, most) for axis, most in zip(self.plan.axes, self.plan.block))
        width, last = self.plan.axes[1].results, columns[-1]
        at_last = last.results if last.times == 1 else 0  # pixels that the pointers do not move over
        for down in rows:
            with self._loop("rows", down.times):
                for along in columns:
                    with self._loop("columns", along.times):
                        self._channels(down, along)
                        if along is not last or not at_last:
                            self._move(0, along.results, along.results)
                if down is not rows[-1] or down.times > 1:
                    back = at_last - width
                    self._move(down.results, back, down.results * width + back)

    def _move(self, rows: int, columns: int, pixels: int) -> None:
        """Move by rows and columns of results, which are so many pixels of y."""
        (down, along), spec = self.spec.stride, self.spec
        self.m.advance(self.pointers["x"], (rows * down * spec.pitch + columns * along) * spec.ldx * self.sizes["x"])
        for each in (*spec.elementwise.inputs[1:], *spec.elementwise.outputs):
            if each.rows > 1:
                self.m.advance(self.pointers[each.name], pixels * self._leading(each) * self.sizes[each.name])

    def _leading(self, operand: Operand) -> int:
        assert isinstance(operand.view.leading, int), "the request has a number"
        return operand.view.leading

    def _channels(self, down: Stretch, along: Stretch) -> None:
        """Emit the vectors of a block of pixels."""
        vector, n = self.plan.vector, self.spec.channels
        loops, rest = divmod(n, vector)
        moved = loops > 1 or bool(loops and rest)
        if loops:
            with self._loop("vectors", loops):
                self._block(down, along, self.lanes[vector])
                if moved:
                    self._next_channels(vector)
        if rest:
            self._block(down, along, self.lanes[rest])
        if moved:
            self._next_channels(-loops * vector)

    def _next_channels(self, count: int) -> None:
        for name, operand in self.operands.items():
            if name in ("x", "w") or operand.columns == self.spec.channels:
                self.m.advance(self.pointers[name], count * self.sizes[name])

    # Blocks

    def _block(self, down: Stretch, along: Stretch, lanes: Lanes) -> None:
        """Emit the sums of a block, and the stores of its results."""
        m = self.m
        m.note(f"{down.results} x {along.results} pixels, {lanes.count} channels")
        sums = dict(zip(((p, q) for p in range(down.results) for q in range(along.results)), self.held))
        for register in sums.values():
            m.zero(register, lanes)
        first, last = down.taps[0]
        if self.plan.looped and last - first > 1:
            self._tap_rows(sums, down, along, lanes)
        else:
            self._taps(sums, down, along, lanes)
        self._results(sums, lanes)

    def _tap_rows(self, sums: Mapping[Pair, Vector], down: Stretch, along: Stretch, lanes: Lanes) -> None:
        """Emit a loop over the rows of taps that are inside the image."""
        m, spec, (first, last) = self.m, self.spec, down.taps[0]
        steps = {
            "x": spec.dilation[0] * spec.pitch * spec.ldx * self.sizes["x"],
            "w": spec.taps[1] * spec.depth * spec.ldw * self.sizes["w"],
        }
        with self._loop("taps", last - first):
            self._taps(sums, down._replace(taps=((first, first + 1),)), along, lanes)
            for name, step in steps.items():
                m.advance(self.pointers[name], step)
        for name, step in steps.items():
            m.advance(self.pointers[name], step * (first - last))

    def _taps(self, sums: Mapping[Pair, Vector], down: Stretch, along: Stretch, lanes: Lanes) -> None:
        """Load each vector of x once, and add its products with the weights of the taps that it belongs to."""
        x, spare, *registers = self.others
        weights = _Weights(self, registers[: self.plan.block.weights], spare, lanes)
        for row, tap_rows in self._uses(0, down):
            weights.drop_all_but({r for _, r in tap_rows})
            for column, tap_columns in self._uses(1, along):
                for d in range(self.spec.depth):
                    self.factor("x", x, self._at_x(row, column, d), lanes)
                    for (p, r), (q, s) in product(tap_rows, tap_columns):
                        weights.multiply(sums[p, q], x, (r, s, d))

    def _uses(self, axis: int, stretch: Stretch) -> list[tuple[int, list[Pair]]]:
        """Return the rows or columns of x of a block, and for each the pairs of a result and a tap that use it."""
        of = self.plan.axes[axis]
        found: dict[int, list[Pair]] = {}
        for result, (first, last) in enumerate(stretch.taps):
            for tap in range(first, last):
                found.setdefault(of.at(result, tap), []).append((result, tap))
        return sorted(found.items())

    def _at_x(self, row: int, column: int, d: int) -> Address:
        spec = self.spec
        place = (row * spec.pitch + column) * spec.ldx + d * spec.channels
        return self.m.at(self.pointers["x"], place * self.sizes["x"])

    def at_w(self, tap: Tap) -> Address:
        """Return the address of a weight."""
        r, s, d = tap
        row = (r * self.spec.taps[1] + s) * self.spec.depth + d
        return self.m.at(self.pointers["w"], row * self.spec.ldw * self.sizes["w"])

    def factor(self, name: str, register: Vector, address: Address, lanes: Lanes) -> None:
        """Load a vector of x or w in the type of the sums."""
        self.arithmetic.load(self.m, self.operands[name].dtype, register, address, lanes)
        if self.spec.whole:
            self._converted("to_float", "i32", register, lanes)

    def _converted(self, op: str, dtype: str, register: Vector, lanes: Lanes) -> None:
        self.arithmetic.rows[op, dtype].emit(self.m, Emission(register, (register,), None, lanes, None))

    # Results

    def _results(self, sums: Mapping[Pair, Vector], lanes: Lanes) -> None:
        """Compute results from the sums, and store them."""
        m, plan, code = self.m, self.plan, self.plan.code
        vectors, rest = self.others[: code.vectors], self.others[code.vectors :]
        resident, self.spare = rest[: len(plan.resident)], rest[len(plan.resident) :]
        if self.spec.whole:
            for register in sums.values():
                self._converted("to_int", self.spec.acc_dtype, register, lanes)
        lanes = self.of_results[lanes.count]
        for name, register in zip(plan.resident, resident):
            self._operand(name, (0, 0), register, lanes)
        body = code.on(m, vectors, self.masks, self.of_results[self.widest.count])
        every = list(sums.items())
        for first in range(0, len(every), code.unroll):
            self._some(body, every[first : first + code.unroll], resident, lanes)

    def _some(
        self, body: LoweredBody, some: Sequence[tuple[Pair, Vector]], resident: Sequence[Vector], lanes: Lanes
    ) -> None:
        def load(name: str, copy: int, register: Vector, of_copy: Lanes) -> None:
            self._operand(name, some[copy][0], register, of_copy)

        def store(result: int, copy: int, register: Vector, of_copy: Lanes) -> None:
            y = self.spec.elementwise.outputs[0]
            address = self._at_pixel(y, some[copy][0])
            self.arithmetic.store(self.m, y.dtype, address, register, of_copy, self.spare)

        body.run(load, store, [lanes] * len(some), [register for _, register in some], resident)

    def _at_pixel(self, operand: Operand, pixel: Pair) -> Address:
        """Return the address of an operand's elements for a pixel of the block."""
        number = pixel[0] * self.plan.axes[1].results + pixel[1] if operand.rows > 1 else 0
        return self.m.at(self.pointers[operand.name], number * self._leading(operand) * self.sizes[operand.name])

    def _operand(self, name: str, pixel: Pair, register: Vector, lanes: Lanes) -> None:
        """Load the elements of a further operand, or broadcast its element."""
        operand, arithmetic = self.operands[name], self.arithmetic
        move = arithmetic.broadcast if self.spec.elementwise.narrow(operand) else arithmetic.load
        move(self.m, operand.dtype, register, self._at_pixel(operand, pixel), lanes)


class _Weights:
    """Products with the weights of a block, in registers as long as taps need them, if there are enough."""

    def __init__(self, code: _Code, registers: Sequence[Vector], spare: Vector, lanes: Lanes) -> None:
        self.code, self.free, self.spare, self.lanes = code, list(registers), spare, lanes
        self.held: dict[Tap, Vector] = {}

    def drop_all_but(self, rows: Collection[int]) -> None:
        """Free the registers of the taps of other rows, which no later row of x needs."""
        for tap in [tap for tap in self.held if tap[0] not in rows]:
            self.free.append(self.held.pop(tap))

    def multiply(self, total: Vector, x: Vector, tap: Tap) -> None:
        """Append total += x * w[tap]."""
        code, m = self.code, self.code.m
        if tap not in self.held and self.free:
            self.held[tap] = self.free.pop()
            code.factor("w", self.held[tap], code.at_w(tap), self.lanes)
        if tap in self.held:
            m.fma(total, x, self.held[tap], self.lanes)
        elif code.spec.dtypes[1] == code.spec.acc_dtype:
            m.fma_memory(total, x, code.at_w(tap), self.lanes, self.spare)
        else:
            code.factor("w", self.spare, code.at_w(tap), self.lanes)
            m.fma(total, x, self.spare, self.lanes)

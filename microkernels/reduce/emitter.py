"""The base class of the walks of all reductions: pointers, accumulators, and the code that runs on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from ..codegen.long_sums import LongSums, in_blocks
from ..codegen.lowered import LoweredBody
from ..codegen.selection import Constant
from ..contract.machine import Address, General, Lanes, Machine, Slot, Vector
from ..contract.vector_verbs import claimed
from ..dtypes import ELEMENT_BYTES
from ..expr.graph import BITS
from ..operands import RUNTIME
from .accumulators import Accumulators
from .plan import ReducePlan


class Traversal(Accumulators, ABC):
    """A walk over the matrix: its pointers, its accumulators, and the code that runs on them.

    indices     registers of an index search: the indices of the next elements, how far a turn advances them, and the
                indices of the second elements if steps take two
    """

    spare: list[Vector]
    scratch: General | None = None
    long: LongSums | None = None
    blocks_left: General | Slot | None = None

    def __init__(self, m: Machine, plan: ReducePlan, arguments: dict[str, General]) -> None:
        super().__init__(m, plan.arithmetic, plan.spec.compute, plan.outputs, plan.in_masks, plan.narrower)
        self.plan, self.spec = plan, plan.spec
        self.tuning = m.facts.tuning.reduce
        self.pointers = {operand.name: arguments[operand.name] for operand in plan.spec.arguments}
        self.size = ELEMENT_BYTES[plan.spec.dtype]
        runtime = plan.spec.ldx is RUNTIME
        self.stride: int | General = arguments["ldx"] if runtime else plan.spec.ldx * self.size
        self.columns_left = m.general("columns")
        self.indices: list[Vector] = []

    @abstractmethod
    def emit(self) -> None:
        """Emit the loops."""

    @abstractmethod
    def _at(self, row: int, disp: int) -> Address:
        """Return the address `disp` bytes from the start of a row, counted from the first row that is walked now."""

    def _vector_at(self, row: int, disp: int, number: int) -> Address:
        """Return the address of vector `number` of a step at `disp`: its vectors are neighbours in the row."""
        return self._at(row, disp + number * self.plan.vector * self.size)

    # Registers

    def claim_all(self, scope: ExitStack) -> None:
        """All vector and mask registers that stay until the scope ends."""
        scope.enter_context(self.m.predicates())
        self.claim(scope)

    def claim(self, scope: ExitStack) -> None:
        """Claim all registers that are held throughout the walk, before any loop."""
        plan, m = self.plan, self.m
        self._claim_lanes()
        if plan.folds_by_masks:
            scope.enter_context(m.folding())
        self.spare = scope.enter_context(m.vectors(self.arithmetic.spare, "conversions"))
        self.pool = scope.enter_context(m.vectors(max(plan.states, plan.tree), "sums"))
        self.own_masks = list(scope.enter_context(m.masks(plan.own_masks * sum(plan.in_masks))))
        masks, vectors = self.own_masks[::-1] * -(-plan.accumulators // plan.own_masks), list(self.pool)
        self.states = [
            [masks.pop(0) if in_mask else vectors.pop(0) for in_mask in plan.in_masks] for _ in range(plan.accumulators)
        ]
        if plan.index is not None:
            self.indices = scope.enter_context(m.vectors(2 if plan.exact is None else 3, "places"))
            self._set_index(1, plan.index.pace)
        if plan.constants_stay:
            for code in plan.resident:
                self.resident[id(code)] = scope.enter_context(code.constants(m, self.whole))
            for bits, register in zip(plan.starts, scope.enter_context(m.vectors(len(plan.starts), "identities"))):
                self.arithmetic.constant(m, register, self._start_constant(bits), self.whole)
                self.starts[bits] = register

    def _claim_lanes(self) -> None:
        plan, m, stored = self.plan, self.m, self.plan.stored
        loaded = {plan.vector, plan.tail_elements} - {0}  # operations work on whole vectors
        counts = loaded | stored | set(plan.narrower)
        self.lanes = {count: m.lanes(plan.spec.compute, count) for count in sorted(counts)}
        self.whole = self.lanes[plan.vector]
        if self.arithmetic.packed:
            for dtype, element_counts in ((plan.spec.dtype, loaded), (plan.spec.out, stored)):
                if dtype != plan.spec.compute:
                    for count in sorted(element_counts):
                        m.lanes(dtype, count)

    # Elements

    def _load(self, register: Vector, address: Address, dtype: str, lanes: Lanes) -> None:
        self.arithmetic.load(self.m, dtype, register, address, lanes)

    def _set_index(self, number: int, value: int | tuple[int, ...]) -> None:
        """Set a register of an index search: the indices of the next elements (0) or a turn's advance (1)."""
        if self.indices:
            constant = Constant(value, BITS[self.spec.compute])
            self.arithmetic.constant(self.m, self.indices[number], constant, self.whole)
        if self.plan.exact is not None and number == 0:
            beside = claimed(self.plan.index).beside
            further = value + beside if isinstance(value, int) else tuple(index + beside for index in value)
            self._set_index(2, further)

    def _advance_index(self) -> None:
        """Advance the indices to those of the next turn."""
        if self.plan.index is not None:
            here, pace, *following = self.indices
            self._run(self.plan.index.advance, [[index] for index in (here, *following)], self.whole, [pace])

    @contextmanager
    def _again_exactly(self, lanes: Lanes) -> Iterator[None]:
        """Run the body only if a quick search met a NaN: its exact result replaces the quick one."""
        index = claimed(self.plan.index)
        with self.m.unless_all(self.own_masks, lanes):
            self._set_index(1, index.beside)
            yield
            self._set_index(1, index.pace)

    def _accumulate(
        self,
        body: LoweredBody,
        positions: Sequence[tuple[int, int]],
        states: Sequence[Sequence[Any]],
        lanes: Sequence[Lanes],
        loaded: Lanes | None = None,
    ) -> None:
        """Accumulate the vectors of one step, `vectors_per_step` for each accumulator.

        positions   where each accumulator's first vector lies: a row, and the bytes from its start
        loaded      the lanes of the loads of a tail, whose operations work on whole vectors
        """

        def load(name: str, copy: int, register: Vector, copy_lanes: Lanes) -> None:
            row, disp = positions[copy]
            address = self._vector_at(row, disp, int(name[1:]))
            self._load(register, address, self.spec.dtype, loaded or copy_lanes)

        def store(result: int, copy: int, register: Any, copy_lanes: Lanes) -> None:
            if register != states[copy][result]:
                self.arithmetic.move(self.m, states[copy][result], register, copy_lanes)

        given = [register for state in states for register in state]
        body.run(load, store, lanes, given=given, loop_invariant=self.indices[::2])

    # Long sums

    def _claim_scratch(self) -> None:
        """Claim scratch memory, and what the levels of long sums need."""
        m, plan = self.m, self.plan
        self.scratch = m.scratch(plan.bytes_of_scratch) if plan.bytes_of_scratch else None
        if plan.levels is not None:
            base = claimed(self.scratch)
            self.long = LongSums(m, plan.levels, base, plan.bytes_of_lines)
            self.blocks_left = m.counter("blocks of steps")

    def _sums(self, count: int) -> list[Vector]:
        """Return the registers of the first `count` accumulators."""
        return [register for state in self.states[:count] for register in state]

    def _repeat(self, walked: Callable[[int], None], times: int, adds: int, lay_by: Callable[[LongSums], None]) -> None:
        """Emit a loop of `times` steps, each of which adds `adds` terms to each accumulator, in blocks after which long
        sums are laid by. `walked` emits a loop of that many steps, nothing for 0."""
        if self.long is None:
            walked(times)
            return
        long, counter = self.long, claimed(self.blocks_left)
        in_blocks(self.m, max(1, long.levels.steps // adds), counter, times, walked, lambda: lay_by(long))

    # Results

    def _finish(
        self, body: LoweredBody, number: int, registers: Sequence[Vector], lanes: Lanes, column: int = 0
    ) -> None:
        """Combine results with the init and store them; destroys the registers."""
        spec = self.spec
        size = ELEMENT_BYTES[spec.out]

        def load(name: str, copy: int, target: Vector, copy_lanes: Lanes) -> None:
            address = self.m.at(self.pointers[spec.inits[number].name], column * size)
            self._load(target, address, spec.out, copy_lanes)

        def store(result: int, copy: int, source: Vector, copy_lanes: Lanes) -> None:
            address = self.m.at(self.pointers[spec.outputs[number].name], column * size)
            if spec.out == spec.compute or spec.arg_reduction:
                self.m.store(address, source, copy_lanes)
            else:
                self.arithmetic.stores[spec.out, spec.compute](self.m, address, source, copy_lanes, self.spare)

        body.run(load, store, [lanes], given=registers)

    # Pointers

    def _move(self, name: str, count: int) -> None:
        self.m.advance(self.pointers[name], count * (self.size if name == "x" else ELEMENT_BYTES[self.spec.out]))

    def _move_results(self, count: int) -> None:
        for operand in (*self.spec.inits, *self.spec.outputs):
            self._move(operand.name, count)

"""What all walks of reductions share: pointers, accumulators, and the code that runs on them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from ..codegen.linear_scan import Body, Lowered
from ..codegen.selection import Constant
from ..contract.machine import Address, General, Lanes, Machine, Slot, Vector
from ..dtypes import ELEMENT_BYTES
from ..expr.graph import BITS
from ..operands import RUNTIME, parameters
from .plan import Output, ReducePlan


class Walk(ABC):
    """Pointers, accumulators, and the code on them."""

    spare: list[Vector]
    states: list[list[Any]]  # of each accumulator its registers, vectors and masks

    def __init__(self, m: Machine, plan: ReducePlan) -> None:
        self.m, self.plan, self.spec = m, plan, plan.spec
        self.arithmetic = plan.arithmetic
        names = [name for _, name in parameters(plan.spec.arguments)]
        given = dict(zip(names, m.arguments(len(names))))
        self.pointers: dict[str, General] = {each.name: self._register(given[each.name], each.name)
                                             for each in plan.spec.arguments}  # fmt: skip
        self.size = ELEMENT_BYTES[plan.spec.dtype]
        self.stride: int | General
        if plan.spec.ldx is RUNTIME:
            self.stride = self._register(given["ldx"], "ldx")
            m.shift_left(self.stride, self.size.bit_length() - 1)
        else:
            self.stride = plan.spec.ldx * self.size
        self.columns_left = m.general("columns")
        self.counting: list[Vector] = []  # of a search: the place of what comes next, and how far a turn goes on
        self.bodies: dict[int, Body] = {}  # by the identity of the code: those that are held all the time
        self.starts: dict[int, Vector] = {}

    def _register(self, value: General | Slot, role: str) -> General:
        if not isinstance(value, Slot):
            return value
        register = self.m.general(role)
        self.m.copy(register, value)
        return register

    @abstractmethod
    def emit(self) -> None:
        """The loops."""

    @abstractmethod
    def _at(self, row: int, disp: int) -> Address:
        """`disp` bytes from the beginning of a row, counted from the first of those that are walked together."""

    def _next(self, row: int, disp: int, number: int) -> Address:
        """Of the vectors that a step takes together, from there on: the next ones along the row."""
        return self._at(row, disp + number * self.plan.vector * self.size)

    # Registers

    def claim(self, scope: ExitStack) -> None:
        """Everything that stays, before any loop."""
        plan, m = self.plan, self.m
        self._claim_lanes()
        if plan.blends:
            scope.enter_context(m.folding())
        self.spare = scope.enter_context(m.vectors(self.arithmetic.spare, "conversions"))
        self.pool = scope.enter_context(m.vectors(max(plan.states, plan.tree), "sums"))
        masks = list(scope.enter_context(m.masks(plan.accumulators * sum(plan.masked))))
        vectors = list(self.pool)
        self.states = [[masks.pop() if mask else vectors.pop(0) for mask in plan.masked]
                       for _ in range(plan.accumulators)]  # fmt: skip
        if plan.places is not None:
            self.counting = scope.enter_context(m.vectors(2, "places"))
            self._count_from(1, plan.places.pace)
        if plan.held:
            for code in plan.resident:
                self.bodies[id(code)] = scope.enter_context(code.constants(m, self.whole))
            for bits, register in zip(plan.starts, scope.enter_context(m.vectors(len(plan.starts), "identities"))):
                self.arithmetic.constant(m, register, self._identity(bits), self.whole)
                self.starts[bits] = register

    def _claim_lanes(self) -> None:
        plan, m, stored = self.plan, self.m, self.plan.stored
        loaded = {plan.vector, plan.rest} - {0}  # operations have whole vectors
        counts = loaded | stored | set(plan.narrower)
        self.lanes = {count: m.lanes(plan.spec.compute, count) for count in sorted(counts)}
        self.whole = self.lanes[plan.vector]
        if self.arithmetic.packed:
            for dtype, wanted in ((plan.spec.dtype, loaded), (plan.spec.out, stored)):
                if dtype != plan.spec.compute:
                    for count in sorted(wanted):
                        m.lanes(dtype, count)

    @contextmanager
    def _part(self, code: Lowered) -> Iterator[Body]:
        """Code with its registers and constants: those that it has all the time, or for now."""
        if id(code) in self.bodies:
            yield self.bodies[id(code)]
            return
        with code.constants(self.m, self.whole) as body:
            yield body

    # Elements

    def _load(self, register: Vector, place: Address, dtype: str, lanes: Lanes) -> None:
        if dtype == self.spec.compute:
            self.m.load(register, place, lanes)
        else:
            self.arithmetic.loads[dtype, self.spec.compute](self.m, register, place, lanes)

    def _start(self, count: int) -> None:
        """What accumulators begin with."""
        m, plan = self.m, self.plan
        for output in plan.outputs:
            for number, bits in enumerate(output.running.start):
                for state in self.states[:count]:
                    register = state[output.first + number]
                    if bits in self.starts and not plan.masked[output.first + number]:
                        self.arithmetic.move(m, register, self.starts[bits], self.whole)
                    else:
                        self.arithmetic.constant(m, register, self._identity(bits), self.whole)

    def _count_from(self, number: int, places: int | tuple[int, ...]) -> None:
        """The place of what comes next (0), or how far a turn goes on (1)."""
        if self.counting:
            constant = Constant(places, BITS[self.spec.compute])
            self.arithmetic.constant(self.m, self.counting[number], constant, self.whole)

    def _forward(self) -> None:
        """To the place of the next turn."""
        if self.plan.places is not None:
            here, pace = self.counting
            self._run(self.plan.places.forward, [[here]], self.whole, [pace])

    def _identity(self, bits: int) -> Constant:
        """In every place; bits may be -1, all of them."""
        size = BITS[self.spec.compute]
        return Constant(bits & (1 << size) - 1, size)

    def _take(self, body: Body, places: Sequence[tuple[int, int]], states: Sequence[Sequence[Any]],
              lanes: Sequence[Lanes], loaded: Lanes | None = None) -> None:  # fmt: skip
        """Vectors to accumulators, as many for each as the code takes; places: a row, and bytes from its beginning."""

        def load(name: str, copy: int, register: Vector, those: Lanes) -> None:
            place = self._next(*places[copy], int(name[1:]))
            self._load(register, place, self.spec.dtype, loaded or those)

        def store(result: int, copy: int, register: Any, those: Lanes) -> None:
            if register != states[copy][result]:
                self.arithmetic.move(self.m, states[copy][result], register, those)

        given = [register for state in states for register in state]
        body.run(load, store, lanes, given=given, loop_invariant=self.counting[:1])

    def _run(self, code: Lowered, states: Sequence[Sequence[Any]], lanes: Lanes,
             loop_invariant: Sequence[Any] = ()) -> None:  # fmt: skip
        """Code without memory, on registers that its first results go to; for each of these states."""

        def load(name: str, copy: int, register: Any, those: Lanes) -> None:
            raise AssertionError(f"{name} is no register")

        def store(registers: Sequence[Any], result: int, copy: int, register: Any, those: Lanes) -> None:
            if register != registers[result]:
                self.arithmetic.move(self.m, registers[result], register, those)

        with self._part(code) as body:
            for registers in states:
                body.run(load, partial(store, registers), [lanes], given=registers, loop_invariant=loop_invariant)

    def _own(self, output: Output, state: Sequence[Any]) -> Sequence[Any]:
        """The registers of an output."""
        return state[output.first : output.first + len(output.running.types)]

    def _settled(self, output: Output, states: Sequence[Sequence[Any]]) -> list[list[Vector]]:
        """The registers of accumulators that are folded."""
        own = [self._own(output, state) for state in states]
        if output.settle is not None:
            self._run(output.settle, own, self.whole)
        return [list(each[: output.parts]) for each in own]

    def paired(self, code: Lowered | None, held: Sequence[Sequence[Any]], lanes: Lanes | None = None) -> Sequence[Any]:
        """All of them into the first, by halves."""
        while len(held) > 1:
            half = (len(held) + 1) // 2
            assert code is not None
            self._run(code, [[*a, *b] for a, b in zip(held, held[half:])], lanes or self.whole)
            held = held[:half]
        return held[0]

    def _finish(self, body: Body, number: int, registers: Sequence[Vector], lanes: Lanes, column: int = 0) -> None:
        """Results to memory, combined with what they start from; destroys the registers."""
        spec = self.spec
        size = ELEMENT_BYTES[spec.out]

        def load(name: str, copy: int, target: Vector, those: Lanes) -> None:
            self._load(target, self.m.at(self.pointers[spec.inits[number].name], column * size), spec.out, those)

        def store(result: int, copy: int, source: Vector, those: Lanes) -> None:
            place = self.m.at(self.pointers[spec.outputs[number].name], column * size)
            if spec.out == spec.compute or spec.arg_reduction:
                self.m.store(place, source, those)
            else:
                self.arithmetic.stores[spec.out, spec.compute](self.m, place, source, those, self.spare)

        body.run(load, store, [lanes], given=registers)

    def _move(self, name: str, count: int) -> None:
        self.m.advance(self.pointers[name], count * (self.size if name == "x" else ELEMENT_BYTES[self.spec.out]))

    def _move_results(self, count: int) -> None:
        for each in (*self.spec.inits, *self.spec.outputs):
            self._move(each.name, count)

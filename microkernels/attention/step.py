"""Emit the softmax step on a block of scores: maxima, powers and sums (their code is in softmax.py)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from ..codegen.lowered import Lowered
from ..contract.machine import Lanes, Vector
from ..contract.vector_verbs import claimed
from ..dtypes import ELEMENT_BYTES
from .plan import AttentionPlan
from .softmax import LEAST


class SoftmaxStep:
    """One softmax step. `block` claims its general registers."""

    def __init__(self, outer: Any, plan: AttentionPlan) -> None:
        self.m, self.plan, self.outer = outer.m, plan, outer
        self.dtype, self.vector = plan.spec.compute, plan.vector
        self.size = ELEMENT_BYTES[self.dtype]
        self.line = plan.rows * self.size
        self.row_mask = plan.spec.row_mask
        self.code = claimed(plan.softmax)
        self.together = self.code.together
        self.in_place = plan.places.powers == plan.places.scores  # whether each key has a row of powers

    def window(self) -> None:
        """Store a vector of -inf followed by a vector of 0. Loads from within it give the causal mask."""
        m = self.m
        self.outer.reclaim()
        at = self.outer.pointer("scratch", self.plan.places.window)
        with m.predicates():
            lanes = m.lanes(self.dtype, self.vector)
            with m.vectors(1, "mask") as (register,):
                m.constant(register, -inf, lanes)
                m.store(m.at(at, 0), register, lanes)
                m.zero(register, lanes)
                m.store(m.at(at, self.vector * self.size), register, lanes)

    def block(self, rows: int, keys: int, hidden: bool, skipped: int, before: int) -> None:
        """Emit the step for some queries of a block. They begin `skipped` bytes after the first ones in memory. If keys
        are hidden, query i of the block sees the keys up to i, and `before` vectors of queries precede the first one
        here."""
        m = self.m
        m.note("softmax step")
        self.scores = self._pointer("scores", skipped)
        self.powers = self.scores if self.in_place else self._pointer("powers", skipped)
        self.state = self._pointer("largest", skipped)
        self.mask = self.outer.pointer("mask", 0) if self.row_mask else None
        self.hiding = self._pointer("window", 0) if hidden else None
        self.kept = self._pointer("kept", skipped) if self.plan.spec.rate else None
        self.counter = m.general("keys")
        whole, tail = divmod(rows, self.vector)
        with m.predicates():
            counts = [self.vector] * bool(whole) + [tail] * bool(tail)
            lanes = {count: m.lanes(self.dtype, count) for count in counts}
            if hidden:
                for number, count in enumerate([self.vector] * whole + [tail] * bool(tail), before):
                    self._queries(lanes[count], keys, number)
                return
            for count in counts:
                with m.loop(self.outer.at["vectors"], whole if count == self.vector else 1):
                    self._queries(lanes[count], keys, None)
                    self._next()

    def _pointer(self, name: str, skipped: int) -> Any:
        buffer, disp = self.outer.place(name)
        return self.outer.pointer(buffer, disp + skipped)

    def _next(self) -> None:
        for pointer in dict.fromkeys((self.scores, self.powers, self.state, self.kept)):
            if pointer is not None:
                self.m.advance(pointer, self.vector * self.size)

    def _queries(self, lanes: Lanes, keys: int, number: int | None) -> None:
        """Emit the step for one vector of queries. number: its index in a block with the causal mask; pointers then
        advance."""
        m = self.m
        plain = keys if number is None else min(keys, number * self.vector + 1)
        seen = keys if number is None else min(keys, (number + 1) * self.vector)
        self._largest(lanes, plain, seen)
        self._powers(lanes, seen)
        if number is None:
            return
        with m.vectors(1, "zero") as (zero,):
            each = 1 if self.in_place else self.together
            for place in range(-(-seen // each), -(-keys // each)):
                m.zero(zero, lanes)
                m.store(m.at(self.powers, place * self.line), zero, lanes)
        self._next()

    def _state(self, name: str) -> Any:
        places = self.plan.places
        return self.m.at(self.state, getattr(places, name) - places.largest)

    def _largest(self, lanes: Lanes, plain: int, seen: int) -> None:
        """Compute the largest score, and the correction that follows from it."""
        m, steps = self.m, self.code
        count = min(seen, max(steps.largest.unroll, steps.hidden.unroll))
        with m.vectors(1, "largest") as first:
            with m.vectors(count - 1, "largest") as more:
                for register in (registers := [*first, *more]):
                    if steps.anew:
                        m.constant(register, LEAST[self.dtype], lanes)
                    else:
                        m.load(register, self._state("largest"), lanes)
                self._elementwise(steps.largest, lanes, registers, (), 0, plain)
                self._elementwise(steps.hidden, lanes, registers, (), plain, seen)
                self._fold(steps.join, registers, lanes)
            results = ("correction", "largest")
            with steps.correct.constants(m, lanes) as body:
                body.run(
                    lambda name, copy, register, held: m.load(register, self._state("largest"), held),
                    lambda result, copy, register, held: m.store(self._state(results[result]), register, held),
                    [lanes],
                    loop_invariant=first,
                )
            if not steps.anew:
                m.store(self._state("largest"), first[0], lanes)

    def _powers(self, lanes: Lanes, seen: int) -> None:
        """Compute powers in place of scores, and their sum."""
        m, steps = self.m, self.code
        count = min(seen, steps.powers.unroll)
        with m.vectors(1, "sum") as first:
            with m.vectors(1, "largest") as largest, m.vectors(count - 1, "sums") as more:
                m.load(largest[0], self._state("largest"), lanes)
                for register in (sums := [*first, *more]):
                    m.zero(register, lanes)
                whole = seen // self.together
                self._elementwise(steps.powers, lanes, sums, largest, 0, whole, self.together)
                if seen % self.together:
                    self._elementwise(steps.single, lanes, sums, largest, whole, whole + 1, self.together)
                self._fold(steps.add, sums, lanes)
            names = {"before": "total", "correction": "correction"}
            with steps.total.constants(m, lanes) as body:
                body.run(
                    lambda name, copy, register, held: m.load(register, self._state(names[name]), held),
                    self._kept(first, lanes),
                    [lanes],
                    given=first,
                )
            m.store(self._state("total"), first[0], lanes)

    def _fold(self, code: Lowered, registers: Sequence[Vector], lanes: Lanes) -> None:
        """Combine all registers into the first."""
        for other in registers[1:]:
            with code.constants(self.m, lanes) as body:
                body.run(
                    _no_load, self._kept(registers[:1], lanes), [lanes], given=registers[:1], loop_invariant=[other]
                )

    def _kept(self, states: Sequence[Vector], lanes: Lanes) -> Callable[..., None]:
        """Return a store function that keeps the first result in its register."""

        def store(result: int, copy: int, register: Vector, held: Lanes) -> None:
            if register != states[copy]:
                self.code.add.arithmetic.move(self.m, states[copy], register, lanes)

        return store

    def _elementwise(
        self,
        code: Lowered,
        lanes: Lanes,
        states: Sequence[Vector],
        invariant: Sequence[Vector],
        first: int,
        end: int,
        each: int = 1,
    ) -> None:
        """Emit code for steps of `each` keys from `first` to `end`. Several keys run at a time, each with its own
        state."""
        m, together, softmax = self.m, min(code.unroll, len(states)), self.code
        if end <= first:
            return
        loops, rest = divmod(end - first, together)
        with code.constants(m, lanes) as body:

            def run(count: int, start: int) -> None:
                def load(name: str, copy: int, register: Vector, held: Lanes) -> None:
                    key = (start + copy) * each
                    if name.startswith(("score", "kept")):
                        place = self.kept if name.startswith("kept") else self.scores
                        m.load(register, m.at(place, (key + name.endswith("1")) * self.line), held)
                    elif name == "mask":
                        m.broadcast(register, m.at(self.mask, key * self.size), held)
                    else:  # the first queries of the vector do not see the key
                        shown = self.vector - key % self.vector
                        m.load(register, m.at(self.hiding, shown * self.size), held)

                def store(result: int, copy: int, register: Vector, held: Lanes) -> None:
                    place = self.powers if code is softmax.powers or code is softmax.single else self.scores
                    row = (start + copy) * (each if self.in_place else 1) + result - 1
                    if result == 0:
                        self._kept(states, lanes)(result, copy, register, held)
                    else:
                        m.store(m.at(place, row * self.line), register, held)

                body.run(load, store, [lanes] * count, given=states[:count], loop_invariant=invariant)

            if loops > 1 and code is not softmax.hidden:
                with m.loop(self.counter, loops):
                    run(together, first)
                    self._along(together, each)
                if rest:
                    run(rest, first)
                self._along(-together * loops, each)
                return
            for start in range(first, end, together):
                run(min(together, end - start), start)

    def _along(self, steps: int, each: int) -> None:
        """Advance the pointers by `steps` steps of `each` keys."""
        self.m.advance(self.scores, steps * each * self.line)
        if self.kept is not None:
            self.m.advance(self.kept, steps * each * self.line)
        if self.powers is not self.scores:
            self.m.advance(self.powers, steps * self.line)
        if self.mask is not None:
            self.m.advance(self.mask, steps * each * self.size)


def _no_load(name: str, copy: int, register: Vector, lanes: Lanes) -> None:
    raise AssertionError(f"{name} is in a register")

"""The accumulators of a pass, from their initial values to the folded results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from ..codegen.lowered import Waiting
from ..contract.machine import Lanes, Machine, Vector
from ..expr.graph import BITS
from ..reduce.accumulators import Accumulators
from ..reduce.code import Output
from ..reduce.tree import fold_rows
from .compensated import Adder
from .long_sums import long_sums
from .parts import PassPlan
from .plan import FusedPlan


class Sums(Accumulators):
    """The accumulators of a pass. Those of a compensated sum hold the summands that `add` adds to it."""

    def __init__(self, m: Machine, plan: FusedPlan, each: PassPlan, lanes: Mapping[int, Lanes],
                 scope: ExitStack) -> None:  # fmt: skip
        pool, in_masks = each.pool, each.pool.in_masks
        super().__init__(m, plan.arithmetic, plan.spec.compute, each.outputs, in_masks, plan.narrower)
        self.lanes, self.whole = lanes, lanes[plan.vector]
        self.long, self.slot = long_sums(plan, each), plan.slots
        self.pool = scope.enter_context(m.vectors(pool.vectors, "sums"))
        masks = list(scope.enter_context(m.masks(pool.masks)))
        vectors = list(self.pool)
        self.states = [[masks.pop() if in_mask else vectors.pop(0) for in_mask in in_masks]
                       for _ in range(pool.accumulators)]  # fmt: skip
        self.holds_powers = pool.holds_powers
        pairs = iter(vectors[len(vectors) - 2 * len(pool.compensated) :])
        self.totals = {output.first: (next(pairs), next(pairs)) for output in pool.compensated}
        self.adder = Adder(m, plan.arithmetic, plan.spec.compute, self.whole)

    def start(self) -> None:
        """Set every accumulator to the identity of its reduction."""
        held = self.totals if self.holds_powers else {}
        self._start(len(self.states), [output for output in self.outputs if output.first not in held])
        for output in self.outputs:
            self._begin(output, self.totals.get(output.first, ()))

    def add(self, count: int) -> None:
        """Add the first `count` accumulators to the compensated sums, and reset those that hold sums."""
        for output in self.outputs:
            if output.first in self.totals:
                held = [state[output.first] for state in self.states[:count]]
                self.adder.add(*self.totals[output.first], held)
                if not self.holds_powers:
                    self._begin(output, held)

    def _begin(self, output: Output, registers: Sequence[Vector]) -> None:
        """Set the registers of a sum to the identity."""
        for register in registers:
            self.arithmetic.constant(self.m, register, self._start_constant(output.running.start[0]), self.whole)

    def lay_by(self, waiting: Waiting, *, first: bool = False) -> None:
        """Add the accumulators of two-level sums to memory (store them the first time) and reset them."""
        for number, output in enumerate(self.long, self.slot):
            states = [self._own(output, state) for state in self.states]
            assert output.fold is not None
            total = self.combined(output.fold, states)
            if not first:
                waiting.load(number, states[1][0])
                self._run(output.fold, [[*total, *states[1]]], self.whole)
            waiting.store(number, total[0])
            self._begin(output, [register for (register,) in states])

    def bring_back(self, waiting: Waiting) -> None:
        """Load each two-level sum from memory into its first accumulator."""
        for number, output in enumerate(self.long, self.slot):
            waiting.load(number, self._own(output, self.states[0])[0])

    def fold(self, into: Sequence[Vector]) -> None:
        """Fold each reduction and broadcast it to all lanes of its register in `into`."""
        if not self.outputs:
            return
        values = []
        for output in self.outputs:
            if output.first in self.totals:
                total, rest = self.totals[output.first]
                self.adder.settle(total, rest)
                values.append([[total]])
            elif output.join is not None:
                self.combined(output.join, [self._own(output, state) for state in self.states])
                values.append([self._settled(output, self.states[:1])[0]])
            else:
                values.append([list(self.combined(output.fold, self._settled(output, self.states)))])
        taken = [register for rows in values for row in rows for register in row]
        fold_rows(self, self.outputs, values, [register for register in self.pool if register not in taken])
        for output, rows, register in zip(self.outputs, values, into):
            self._run(output.result, rows, self.whole)
            self.arithmetic.splat(self.m, register, rows[0][0], BITS[self.compute], self.whole)

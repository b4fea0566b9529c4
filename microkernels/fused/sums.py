"""The accumulators of a pass, from their initial values to the folded results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from ..codegen.long_sums import LongSums
from ..codegen.lowered import VECTOR, LoweredBody, Waiting
from ..contract.machine import General, Lanes, Machine, Slot, Vector
from ..expr.graph import BITS
from ..reduce.accumulators import Accumulators
from ..reduce.code import Output
from ..reduce.tree import fold_rows
from .compensated import Adder
from .long_sums import levels, long_sums, sums_of
from .parts import PassCode
from .plan import FusedPlan


class PassAccumulators(Accumulators):
    """The accumulators of a pass. Those of a compensated sum hold the summands that `add` adds to it."""

    def __init__(
        self,
        m: Machine,
        plan: FusedPlan,
        each: PassCode,
        lanes: Mapping[int, Lanes],
        scope: ExitStack,
        waiting: Waiting | None,
        taken: Sequence[General | Slot],
    ) -> None:
        """waiting: scratch memory for what is laid by. taken: the counters of levels."""
        pool, in_masks = each.pool, each.pool.in_masks
        super().__init__(m, plan.arithmetic, plan.spec.compute, each.outputs, in_masks, plan.narrower)
        self.lanes, self.whole = lanes, lanes[plan.vector]
        self.waiting, self.slot = waiting, plan.slots
        self.deep: LongSums | None = None
        deep = levels(plan, each)
        self.long = long_sums(plan, each) if deep is None else sums_of(each)
        if deep is not None and waiting is not None:
            offset = waiting.offset + self.slot * waiting.whole.bytes
            self.deep = LongSums(m, deep, waiting.base, offset, taken)
        self.pool = scope.enter_context(m.vectors(pool.vectors, "sums"))
        masks = list(scope.enter_context(m.masks(pool.masks)))
        vectors = list(self.pool)
        self.states = [
            [masks.pop() if in_mask else vectors.pop(0) for in_mask in in_masks] for _ in range(pool.accumulators)
        ]
        self.holds_powers, self.carries = pool.holds_powers, pool.carries
        pairs = iter(vectors[len(vectors) - 2 * len(pool.compensated) :])
        self.totals = {output.first: (next(pairs), next(pairs)) for output in pool.compensated}
        self.adder = Adder(m, plan.arithmetic, plan.spec.compute, self.whole)

    def start(self) -> None:
        """Set every accumulator to the identity of its reduction."""
        held = self.totals if self.holds_powers else {}
        self._start(len(self.states), [output for output in self.outputs if output.first not in held])
        for output in self.outputs:
            self._begin(output, self.totals.get(output.first, ()))
        for number, start in enumerate(reversed(self.carries), 1):
            self.arithmetic.constant(self.m, self.states[0][-number], start, self.whole)
        if self.deep is not None:
            self.deep.clear(self._firsts, self.whole)

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

    # Sums of long rows

    def lay_by(self, body: LoweredBody | None = None, *, first: bool = False) -> None:
        """Add the accumulators to their sums in memory and reset them.

        body    the code of the pass, whose registers are free between two steps
        first   whether sums of two levels are stored instead, because they have none yet
        """
        if self.deep is not None:
            for output in self.long:
                into, *others = (register for state in self.states for register in self._own(output, state))
                for other in others:
                    self.m.add(into, into, other, self.whole)
                self._begin(output, others)
            self.deep.lay_by(self._firsts, self.whole, _free(body))
        elif self.waiting is not None:
            self._lay_by(self.waiting, first)

    def _lay_by(self, waiting: Waiting, first: bool) -> None:
        for number, output in enumerate(self.long, self.slot):
            states = [self._own(output, state) for state in self.states]
            assert output.fold is not None
            total = self.combined(output.fold, states)
            if not first:
                waiting.load(number, states[1][0])
                self._run(output.fold, [[*total, *states[1]]], self.whole)
            waiting.store(number, total[0])
            self._begin(output, [register for (register,) in states])

    @property
    def _firsts(self) -> list[Vector]:
        """The first accumulator of each long sum."""
        return [register for output in self.long for register in self._own(output, self.states[0])]

    def bring_back(self) -> None:
        """Add the accumulators to their sums in memory, and load the sums into the first accumulators."""
        if self.deep is not None:
            self.deep.bring_back(self._firsts, self.whole)
        elif self.long and self.waiting is not None:
            self._lay_by(self.waiting, False)
            for number, output in enumerate(self.long, self.slot):
                self.waiting.load(number, self._own(output, self.states[0])[0])

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


def _free(body: LoweredBody | None) -> list[Vector]:
    """Return the registers of the code that hold nothing between two steps."""
    return [] if body is None else [body.registers[VECTOR][number] for number in body.code.changing]

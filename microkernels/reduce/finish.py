"""The code after the last element: it joins accumulators, folds their lanes, and stores the result."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...encoder.records import cached_property
from ..codegen.fitting import Straight
from ..codegen.lowered import Lowered
from ..codegen.reducer import MaskedFold, Running, State
from ..codegen.selection import arithmetic_of
from ..contract.machine import Facts
from ..expr.conversions import narrowed, widened
from ..expr.graph import Expr, operand
from .code import Output, checked
from .ops import FLOATS, REDUCTIONS, add
from .spec import ReduceSpec


class _PendingCode:
    """An expression of states, whose registers are given, that becomes code once the number of registers is known."""

    def __init__(self, straight: Straight, *states: State) -> None:
        self.straight = straight
        self.given = [register.value for state in states for register in state]

    def code(self, registers: int) -> Lowered | None:
        """Return the code in this many vector registers; None if they do not suffice."""
        return checked(self.straight.allocated(registers, 1, self.given), len(self.given))


class Finish:
    """How the state of one output becomes its result.

    straight    turns expressions into operations. `Straight.of` may return one object for equal code; use it only if
                the registers of code are not looked up by the identity of the code
    """

    def __init__(
        self,
        spec: ReduceSpec,
        facts: Facts,
        name: str,
        running: Running,
        first: int,
        straight: Callable[[Sequence[Expr], Facts], Straight] = Straight,
    ) -> None:
        self.spec, self.facts, self.name, self.running, self.first = spec, facts, name, running, first
        self.straight = straight
        self.state, self.other = running.inputs("a"), running.inputs("b")

    def output(self, registers: int, interleaved: bool) -> Output | None:
        """Return the code for rows or interleaved rows in this many vector registers; None if they do not suffice."""
        if self.spec.axis == 0:
            result = self._column_result.code(registers)
            return None if result is None else Output(self.running, self.first, None, None, None, result)
        if interleaved and self.running.masked_fold is not None:
            return self._output_of_masked_fold(self.running.masked_fold, registers)
        settle = self._settle.code(registers) if self._settle is not None else None
        join = self._join.code(registers) if self._join is not None else None
        fold, result = (part.code(registers) for part in self._fold_and_result)
        missing = (settle is None and self._settle is not None) or (join is None and self._join is not None)
        if fold is None or result is None or missing:
            return None
        adds = not self.spec.arg_reduction and REDUCTIONS[self.name].join is add and self.spec.compute in FLOATS
        return Output(self.running, self.first, join, settle, fold, result, adds)

    def _output_of_masked_fold(self, masked_fold: MaskedFold, registers: int) -> Output | None:
        fold, result = (part.code(registers) for part in self._masked_fold_and_result)
        if fold is None or result is None:
            return None
        return Output(self.running, self.first, None, None, fold, result, masked_fold=masked_fold)

    # Parts

    def _part(self, results: Sequence[Expr], *states: State) -> _PendingCode:
        return _PendingCode(self.straight(results, self.facts), *states)

    @cached_property
    def _column_result(self) -> _PendingCode:
        """The stored value, computed lane by lane from the state."""
        return self._part(self._stored(self.running.value(self.state)), self.state)

    @cached_property
    def _settle(self) -> _PendingCode | None:
        """The code that settles a state; None if the registers that are folded are those of the state."""
        settled = self.running.settle(self.state)
        if all(new is old for new, old in zip(settled, self.state)):
            return None
        return self._part(settled, self.state)

    @cached_property
    def _join(self) -> _PendingCode | None:
        if self.running.join is None:
            return None
        return self._part(self.running.join(self.state, self.other), self.state, self.other)

    @cached_property
    def _fold_and_result(self) -> tuple[_PendingCode, _PendingCode]:
        a, b = self.running.settled("a"), self.running.settled("b")
        fold = self._part(self.running.fold(a, b), a, b)
        return fold, self._part(self._stored(self.running.result(a)), a)

    @cached_property
    def _masked_fold_and_result(self) -> tuple[_PendingCode, _PendingCode]:
        masked_fold = self.running.masked_fold
        assert masked_fold is not None
        a, b = self.state[:1], self.other[:1]
        fold = self._part((masked_fold.fold(a[0], b[0]),), a, b)
        return fold, self._part(self._stored(masked_fold.result(*self.state)), self.state)

    def _stored(self, value: Expr) -> tuple[Expr, ...]:
        """Return a finished value as it is stored: divided for a mean, combined with the init, in the output's type."""
        if self.spec.arg_reduction:
            return (value,)
        if self.spec.divisor > 1:
            value = value / float(self.spec.divisor)
        if self.spec.init:
            first = operand("init", self.spec.compute)
            if self.name == "absmax" and self.spec.compute not in FLOATS:  # joining takes totals, which have no sign
                first = abs(first)
            value = REDUCTIONS[self.name].join(value, first)
        converts = (self.spec.out, self.spec.compute) in arithmetic_of(self.facts).converts
        return widened((narrowed(value, self.spec.out, converts),), {"init": self.spec.out})

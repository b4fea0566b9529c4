"""The accumulator state of a reduction, and how it becomes a result.

The state is a few registers. `step` accumulates one more element (or `together` elements) into each lane of them, and
`value` is the result of each lane. If the lanes are reduced too, `settle` first turns a state into the registers that
`fold` combines pairwise, and `result` is the value of the last one.

A machine may have a state of its own for maximum and minimum (`Arithmetic.running`). Keeping NaN and the order of zeros
beside the greatest number so far costs less at each step than an exact maximum.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ...encoder.records import NamedTuple
from ..expr.graph import Expr, operand

State: TypeAlias = tuple[Expr, ...]
HERE = "here"
NEXT = "next"
"""Inputs of a step of an index search. They hold the indices of the step's elements, in one register for all
accumulators: HERE those of the first element of a step, NEXT those of the second, if a step takes two."""


def _last(state: State) -> Expr:
    return state[-1]


def _unchanged(state: State) -> State:
    return state


class MaskedFold(NamedTuple):
    """How interleaved rows are folded if a state is a register and a mask. The masks are not folded.

    fold     two registers -> one
    rows     (machine, masks, mask, lanes): sets bit i of the mask if all bits of masks[i] are set
    result   (register, that mask) -> the value
    """

    fold: Callable[[Expr, Expr], Expr]
    rows: Callable[[Any, Sequence[Any], Any, Any], None]
    result: Callable[[Expr, Expr], Expr]


class Running(NamedTuple):
    """How a reduction accumulates elements. The optional functions are present if they take less work than the usual
    way.

    types      types of the state's registers: element or mask types
    start      the initial bits of every lane of each register; 0 or -1 for a mask
    step       (state, elements) -> state, for 1 to `together` elements
    settle     state -> the registers that are folded; register i of them takes the place of register i of the state
    fold       two settled states -> one
    result     the last settled state -> the value
    join       two states -> one, instead of settling and folding both
    whole      state -> the value, instead of settling it
    first      `together` elements -> the state that a step from the start would give
    masked_fold  how rows with registers of their own are folded, instead of settling them
    near       state -> the value except for the sign of a zero
    """

    types: tuple[str, ...]
    start: tuple[int, ...]
    step: Callable[[State, Sequence[Expr]], State]
    fold: Callable[[State, State], State]
    settle: Callable[[State], State] = _unchanged
    result: Callable[[State], Expr] = _last
    together: int = 1
    join: Callable[[State, State], State] | None = None
    whole: Callable[[State], Expr] | None = None
    first: Callable[[Sequence[Expr]], State] | None = None
    masked_fold: MaskedFold | None = None
    near: Callable[[State], Expr] | None = None

    def value(self, state: State) -> Expr:
        """The result of each lane."""
        return self.whole(state) if self.whole is not None else self.result(self.settle(state))

    def inputs(self, letter: str) -> State:
        """The state as inputs of an expression, named letter0, letter1..."""
        return tuple(operand(f"{letter}{i}", dtype) for i, dtype in enumerate(self.types))

    def settled(self, letter: str) -> State:
        """The settled state as inputs of an expression."""
        types = [register.dtype for register in self.settle(self.inputs("s"))]
        return tuple(operand(f"{letter}{i}", dtype) for i, dtype in enumerate(types))


def simple(
    dtype: str,
    identity: int,
    step: Callable[[Expr, Expr], Expr],
    join: Callable[[Expr, Expr], Expr],
    first: Callable[[Expr], Expr],
) -> Running:
    """A state of one register that starts with the identity. `first` computes the step from the identity."""

    def accumulated(state: State, elements: Sequence[Expr]) -> State:
        (total,) = state
        for x in elements:
            total = step(total, x)
        return (total,)

    return Running(
        (dtype,),
        (identity,),
        accumulated,
        lambda a, b: (join(a[0], b[0]),),
        first=lambda elements: (first(elements[0]),),
    )

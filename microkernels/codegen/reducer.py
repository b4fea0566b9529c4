"""Accumulator state of a reduction, and how it is finalised.

The state is a few registers. `step` takes one element more (or `together` elements) into each lane of them, and `value`
is the result of each lane. Where the lanes of registers are reduced too, `settle` first turns a state into the
registers that `fold` combines two by two, and `result` is the value of those.

A machine may have a state of its own for maximum and minimum (`Arithmetic.running`): keeping NaN and the order of zeros
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
"""Inputs of a step of an index search that hold the indices of its elements, one register for all accumulators: of the
first element of a step, and of the second where it takes two."""


def _last(state: State) -> Expr:
    return state[-1]


def _unchanged(state: State) -> State:
    return state


class Apart(NamedTuple):
    """How interleaved rows are folded where a state is a register and a mask: the masks are not folded.

    fold     two registers -> one
    rows     (machine, masks, mask, lanes): bit i of the mask says whether all bits of masks[i] are set
    result   (register, that mask) -> the value
    """

    fold: Callable[[Expr, Expr], Expr]
    rows: Callable[[Any, Sequence[Any], Any, Any], None]
    result: Callable[[Expr, Expr], Expr]


class Running(NamedTuple):
    """How a reduction accumulates elements.

    types      of the registers of the state: of elements, or of masks
    start      the bits that every lane of them starts with; of a mask 0 or -1
    step       (state, elements) -> state, for 1 to `together` elements
    settle     state -> the registers that are folded; register i of them takes the place of register i of the state
    fold       two settled states -> one
    result     the settled state that is left -> the value
    join       two states -> one, where that is less work than to settle and fold both
    whole      state -> the value, where that is less work than to settle it
    first      `together` elements -> the state that they make of the start, where that is less work than a step
    apart      how rows with registers of their own are folded, where that is less work than to settle them
    near       state -> the value but for the sign of a zero, where that is less work
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
    apart: Apart | None = None
    near: Callable[[State], Expr] | None = None

    def value(self, state: State) -> Expr:
        """The result of each lane."""
        return self.whole(state) if self.whole is not None else self.result(self.settle(state))

    def inputs(self, letter: str) -> State:
        """The state as inputs of an expression: letter0, letter1..."""
        return tuple(operand(f"{letter}{i}", dtype) for i, dtype in enumerate(self.types))

    def settled(self, letter: str) -> State:
        """The settled state as inputs."""
        types = [register.dtype for register in self.settle(self.inputs("s"))]
        return tuple(operand(f"{letter}{i}", dtype) for i, dtype in enumerate(types))


def simple(dtype: str, identity: int, step: Callable[[Expr, Expr], Expr], join: Callable[[Expr, Expr], Expr],
           first: Callable[[Expr], Expr]) -> Running:  # fmt: skip
    """A state of one register, which starts with the identity; `first` is the step from the identity."""

    def accumulated(state: State, elements: Sequence[Expr]) -> State:
        (total,) = state
        for x in elements:
            total = step(total, x)
        return (total,)

    return Running((dtype,), (identity,), accumulated, lambda a, b: (join(a[0], b[0]),),
                   first=lambda elements: (first(elements[0]),))  # fmt: skip

"""What is kept while many elements go by, and what it becomes at the end.

A running value is a few registers. `step` takes one element more (or `together` elements) into each place of them, and
`value` is what was asked for. Where the places of registers are taken together too, `settle` first makes of a state
what two of them are folded by, and `result` is the value of that. A machine may have its own way for maximum and
minimum (`Arithmetic.running`): keeping NaN and the order of zeros apart from the greatest number so far costs less at
each step than a maximum that cares for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from ..expr.graph import Expr, operand

State: TypeAlias = tuple[Expr, ...]
HERE = "here"
"""The input of a search's steps that is the place of their elements, the same for all states."""


def _alone(state: State) -> Expr:
    return state[-1]


def _as_it_is(state: State) -> State:
    return state


class Apart(NamedTuple):
    """Where the state is a register and a mask, and each row has its own: rows are folded without their masks.

    fold     two registers -> one
    rows     (machine, masks, mask, lanes): bit i of the mask is whether all bits of mask i are set
    result   (register, that mask) -> the value
    """

    fold: Callable[[Expr, Expr], Expr]
    rows: Callable[[Any, Sequence[Any], Any, Any], None]
    result: Callable[[Expr, Expr], Expr]


class Running(NamedTuple):
    """How elements are taken together.

    types      of the registers of the state: of elements, or of masks
    start      the bits that every place of them begins with; of a mask 0 or -1
    step       (state, elements) -> state, for 1 to `together` elements
    settle     state -> what is folded, result i in the place of register i
    fold       two of those -> one
    result     the last of those -> the value
    join       two states -> one, where that is less work than to settle and fold both
    whole      state -> the value, where that is less work than to settle it
    first      `together` elements -> the state that they make of a new one, where that is less work than a step
    apart      how rows with registers of their own are folded, where that is less work than to settle them
    near       state -> the value, but for the sign of a zero, where that is less work
    """

    types: tuple[str, ...]
    start: tuple[int, ...]
    step: Callable[[State, Sequence[Expr]], State]
    fold: Callable[[State, State], State]
    settle: Callable[[State], State] = _as_it_is
    result: Callable[[State], Expr] = _alone
    together: int = 1
    join: Callable[[State, State], State] | None = None
    whole: Callable[[State], Expr] | None = None
    first: Callable[[Sequence[Expr]], State] | None = None
    apart: Apart | None = None
    near: Callable[[State], Expr] | None = None

    def value(self, state: State) -> Expr:
        """What a state comes to, place by place."""
        return self.whole(state) if self.whole is not None else self.result(self.settle(state))

    def inputs(self, letter: str) -> State:
        """The state as inputs: letter0, letter1..."""
        return tuple(operand(f"{letter}{i}", dtype) for i, dtype in enumerate(self.types))

    def settled(self, letter: str) -> State:
        """The same of what is folded."""
        types = [each.dtype for each in self.settle(self.inputs("s"))]
        return tuple(operand(f"{letter}{i}", dtype) for i, dtype in enumerate(types))


def simple(dtype: str, identity: int, step: Callable[[Expr, Expr], Expr], join: Callable[[Expr, Expr], Expr],
           first: Callable[[Expr], Expr]) -> Running:  # fmt: skip
    """One register; `first` is the step from the identity."""

    def taken(state: State, elements: Sequence[Expr]) -> State:
        (so_far,) = state
        for x in elements:
            so_far = step(so_far, x)
        return (so_far,)

    return Running((dtype,), (identity,), taken, lambda a, b: (join(a[0], b[0]),),
                   first=lambda elements: (first(elements[0]),))  # fmt: skip

"""The accumulator states of reductions along rows, and the code after the last element, for rows of any length."""

from __future__ import annotations

from functools import lru_cache

from ..codegen.fitting import Straight
from ..codegen.reducer import Running
from ..codegen.selection import arithmetic_of
from ..contract.machine import Facts
from ..reduce.code import Output
from ..reduce.finish import Finish
from ..reduce.ops import running
from ..reduce.spec import ReduceSpec


@lru_cache(64)
def state_of(name: str, compute: str, facts: Facts, numerics: str) -> Running:
    """Return how a reduction accumulates elements, one vector at a time."""
    return running(name, compute, arithmetic_of(facts, numerics), 1)


@lru_cache(256)
def finished(name: str, compute: str, facts: Facts, numerics: str, first: int, registers: int) -> Output | None:
    """Return the code after the last element, or None if `registers` registers do not suffice.

    The state begins at register `first`. Means have been replaced by sums, so the length of a row does not matter.
    """
    reduction = ReduceSpec(name, 1, 1, 1, compute, compute, compute, False, False, 1)
    state = state_of(name, compute, facts, numerics)
    return Finish(reduction, facts, name, state, first, Straight.of).output(registers, False)

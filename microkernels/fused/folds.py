"""The states of reductions along rows, and the code behind the last element: the same for rows of all lengths."""

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
    """How a reduction accumulates elements, a vector at a time."""
    return running(name, compute, arithmetic_of(facts, numerics), 1)


@lru_cache(256)
def finished(name: str, compute: str, facts: Facts, numerics: str, first: int, registers: int) -> Output | None:
    """What is done behind the last element, where the state begins at register `first`; None where so many registers do
    not suffice. No reduction is a mean here, so the length of a row does not matter."""
    reduction = ReduceSpec(name, 1, 1, 1, compute, compute, compute, False, False, 1)
    state = state_of(name, compute, facts, numerics)
    return Finish(reduction, facts, name, state, first, Straight.of).output(registers, False)

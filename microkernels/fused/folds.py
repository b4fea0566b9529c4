"""Accumulators of reductions along rows: their states, how elements enter them, and the code after the last element."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ..codegen.fitting import Straight
from ..codegen.reducer import Running
from ..codegen.selection import arithmetic_of, own
from ..contract.machine import Facts
from ..expr.graph import BITS, INTEGER_OF, Expr, bits, from_bits, multiply_add
from ..reduce.code import Output
from ..reduce.finish import Finish
from ..reduce.ops import running
from ..reduce.spec import ReduceSpec


@lru_cache(64)
def state_of(name: str, compute: str, facts: Facts, numerics: str) -> Running:
    """Return how a reduction accumulates elements, one vector at a time."""
    return running(name, compute, arithmetic_of(facts, numerics), 1)


def summed(state: Sequence[Expr], x: Expr) -> tuple[Expr, ...]:
    """Return a sum with one more element. A product is added by a fused multiply-add if the machine has one."""
    (total,) = state
    if x.op != "mul":
        return (total + x,)
    a, b = x.args
    return (multiply_add(a, b, total),)


def padded(x: Expr, identity: int, tail: int, vector: int) -> Expr:
    """Return x with the identity of the reduction in the lanes behind the tail, whose contents are undefined."""
    integer = INTEGER_OF[x.dtype]
    keep = own("const", integer, value=(-1 & (1 << BITS[integer]) - 1,) * tail + (0,) * (vector - tail))
    kept = bits(x) & keep
    if identity:
        kept = kept | own("const", integer, value=(0,) * tail + (identity,) * (vector - tail))
    return from_bits(kept)


@lru_cache(256)
def finished(name: str, compute: str, facts: Facts, numerics: str, first: int, registers: int) -> Output | None:
    """Return the code after the last element, or None if `registers` registers do not suffice.

    The state begins at register `first`. Means have been replaced by sums, so the length of a row does not matter.
    """
    reduction = ReduceSpec(name, 1, 1, 1, compute, compute, compute, False, False, 1)
    state = state_of(name, compute, facts, numerics)
    return Finish(reduction, facts, name, state, first, Straight.of).output(registers, False)

"""Elements of a pass on their way into accumulators."""

from __future__ import annotations

from collections.abc import Sequence

from ..codegen.selection import own
from ..expr.graph import BITS, INTEGER_OF, Expr, bits, from_bits, multiply_add


def summed(state: Sequence[Expr], x: Expr) -> tuple[Expr, ...]:
    """A sum with one element more; a product is added to it in one instruction where there is one."""
    (total,) = state
    if x.op != "mul":
        return (total + x,)
    a, b = x.args
    return (multiply_add(a, b, total),)


def padded(x: Expr, identity: int, tail: int, vector: int) -> Expr:
    """x with the identity in the lanes behind the tail, which hold anything."""
    integer = INTEGER_OF[x.dtype]
    keep = own("const", integer, value=(-1 & (1 << BITS[integer]) - 1,) * tail + (0,) * (vector - tail))
    kept = bits(x) & keep
    if identity:
        kept = kept | own("const", integer, value=(0,) * tail + (identity,) * (vector - tail))
    return from_bits(kept)

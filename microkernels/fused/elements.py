"""How the elements of a pass enter accumulators."""

from __future__ import annotations

from collections.abc import Sequence

from ..codegen.selection import own
from ..expr.graph import BITS, INTEGER_OF, Expr, bits, from_bits, multiply_add


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

"""Scans along a row: each element becomes the sum, product, greatest or least of the elements up to it.

    s = x;  s = s + lag(s, 1);  s = s + lag(s, 2);  s = s + lag(s, 4) ...       within a vector
    y = carry + s;  carry = carry + last(s)                                     from vector to vector

lag(s, k) moves each element of a vector k places up, and fills the places below with what changes no element. The carry
holds the reduction of all vectors before in each of its lanes. Only its one operation waits for the vector before.
Source of the steps within a vector: Hillis and Steele, Data parallel algorithms, 1986.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..codegen.selection import LAG, LAST, own
from ..expr.along import SCAN
from ..expr.graph import FLOATS, Expr, constant_bits, operand, ordered, rebuilt, with_args
from .ops import REDUCTIONS, identity_bits

CARRY = "@c"
"""Prefix of the input that holds the carry of a scan; its number follows."""


def start_of(name: str, dtype: str) -> int:
    """Return the bits of the value that changes no element: -0 for a sum of floats, as +0 would change the sign of
    -0."""
    return identity_bits(-0.0 if name == "sum" and dtype in FLOATS else REDUCTIONS[name].identity, dtype)


def scans_of(values: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the scans in these expressions, operands first."""
    return tuple(each for each in ordered(values) if each.op == SCAN)


def with_scans(
    values: Sequence[Expr], scans: Sequence[Expr], vector: int
) -> tuple[tuple[tuple[Expr, Expr], ...], tuple[Expr, ...]]:
    """Return the carry of each scan, before and after a vector of `vector` elements, and the values without scans."""
    carries = {scan: operand(f"{CARRY}{number}", scan.dtype) for number, scan in enumerate(scans)}
    later: dict[Expr, Expr] = {}

    def change(expr: Expr, args: tuple[Expr, ...]) -> Expr:
        if expr not in carries:
            return with_args(expr, args)
        (name, exclusive), (x,) = expr.value, args
        join, carry = REDUCTIONS[name].join, carries[expr]
        neutral = constant_bits(start_of(name, expr.dtype), expr.dtype)
        within, distance = x, 1
        while distance < vector:
            within = join(own(LAG, x.dtype, within, neutral, value=distance), within)
            distance *= 2
        later[expr] = join(carry, own(LAST, x.dtype, within))
        return join(carry, own(LAG, x.dtype, within, neutral, value=1) if exclusive else within)

    made = rebuilt(values, change)
    return tuple((carries[scan], later[scan]) for scan in scans), made

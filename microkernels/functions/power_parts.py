"""Parts of the powers that softmax adds up (`exp_shifted`), such that sums of most parts are exact.

A sum of thousands of equal numbers errs in the same direction with each of them. Parts that are multiples of one number
are added without an error until their sum has more bits than the type.
"""

from __future__ import annotations

from ..dtypes import FRACTION_BITS
from ..expr.graph import Expr, call
from .exp import table_of

PART = "power_part"
FINEST = {"f32": (9, 21), "f64": (27,)}
"""The parts of a power are multiples of 2^-9 and of 2^-21 (f64: of 2^-27), and a remainder. Sums of 8192 multiples are
exact. So many remainders of f32 are at most 2^-9 together; without the second part they would be as large as the sum of
all powers."""
_FACTOR_OF_TABLES = 2.0**64
"""The factor of powers that come from a table (`shifted_by_table`)."""


def power_part(power: Expr, finest: float, *, accuracy: str, tables: int = 0) -> Expr:
    """Return the multiple of `finest`, a power of two, that is next to a power or to what is left of it."""
    by_table = power.dtype == "f32" and table_of(accuracy, tables) is not None
    factor = _FACTOR_OF_TABLES if by_table else 1.0
    cut = 1.5 * 2.0 ** FRACTION_BITS[power.dtype] * finest * factor
    return (power + cut) - cut


def parts(power: Expr) -> list[Expr]:
    """Return numbers whose sum is a power, without an error: multiples, from the coarsest on, and the remainder."""
    found, left = [], power
    for bits in FINEST[power.dtype]:
        found.append(call(PART, left, value=(2.0**-bits,)))
        left = left - found[-1]
    return [*found, left]

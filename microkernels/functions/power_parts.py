"""Parts of the powers that softmax and its logarithm add up, such that sums of most parts are exact.

A sum of thousands of equal numbers errs in the same direction with each of them. Parts that are multiples of one number
are added without an error until their sum has more bits than the type.
"""

from __future__ import annotations

from ..dtypes import FRACTION_BITS
from ..expr.graph import Expr, call
from .exp import table_of

PART = "power_part"
SHIFTED, BELOW = POWERS = "exp_shifted", "exp_below"
"""The functions whose sums are compensated: `exp_shifted`, and e^x of x up to 0. Their results are never infinite."""
FINEST = {"f32": (9, 21), "f64": (27,)}
"""The parts of a power are multiples of 2^-9 and of 2^-21 (f64: of 2^-27), and a remainder. Sums of 8192 multiples are
exact. So many remainders of f32 are at most 2^-9 together; without the second part they would be as large as the sum of
all powers."""
_FACTOR_OF_TABLES = 2.0**64
"""The factor of powers that come from a table (`shifted_by_table`)."""


def power_part(power: Expr, finest: float, shifted: bool, *, accuracy: str, tables: int = 0) -> Expr:
    """Return the multiple of `finest`, a power of two, that is next to a power or to what is left of it. `shifted` says
    that the power is one of `exp_shifted`."""
    by_table = shifted and power.dtype == "f32" and table_of(accuracy, tables) is not None
    factor = _FACTOR_OF_TABLES if by_table else 1.0
    cut = 1.5 * 2.0 ** FRACTION_BITS[power.dtype] * finest * factor
    return (power + cut) - cut


def is_power(expr: Expr) -> bool:
    """Whether an expression, before functions are expanded, is such a power."""
    return expr.op == "call" and expr.value[0] in POWERS


def parts(power: Expr) -> list[Expr]:
    """Return numbers whose sum is a power, without an error: multiples, from the coarsest on, and the remainder."""
    found, left = [], power
    for bits in FINEST[power.dtype]:
        found.append(call(PART, left, value=(2.0**-bits, power.value[0] == SHIFTED)))
        left = left - found[-1]
    return [*found, left]

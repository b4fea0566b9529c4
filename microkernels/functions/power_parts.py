"""Parts of the powers that softmax and its logarithm add up, such that sums of most parts are exact.

A sum of thousands of equal numbers errs in the same direction with each of them. Parts that are multiples of one number
are added without an error until their sum has more bits than the type.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain

from ..dtypes import FRACTION_BITS
from ..expr.graph import Expr, call
from .exp import table_of

SHIFTED, BELOW = POWERS = "exp_shifted", "exp_below"
"""The functions whose sums are compensated: `exp_shifted`, and e^x of x up to 0. Their results are never infinite."""
FEW_ROWS = 16
"""Up to this many rows a plain sum is accurate enough."""
FEW_ADDITIONS = 8192
"""Sums along rows have several accumulators, each of at most about this many additions."""
COUNTED_ROWS = 1 << 17
"""Sums of powers whose number is not known keep their accuracy up to this many rows."""
_FINEST: dict[str, dict[int, tuple[int, ...]]] = {
    "f32": {
        512: (14,),
        FEW_ADDITIONS: (9, 21),
        1 << 15: (8, 18, 28),
        COUNTED_ROWS: (6, 14, 22, 30),
        1 << 18: (5, 12, 19, 26, 33),
        1 << 20: (3, 8, 13, 18, 23, 28, 33, 38),
    },
    "f64": {FEW_ADDITIONS: (27,), COUNTED_ROWS: (34,), 1 << 20: (32, 64)},
}
"""Up to how many rows the parts of a power are multiples of which 2^-bits, and a remainder. N rows of multiples of
2^-bits are added without an error if the fraction has bits for N times the largest of them: the square root of 2, or
for later parts half of the previous multiple. The remainders are at most 2^-(bits + 1), so a plain sum of them errs by
N^2 2^-(bits + 1) u / 2, which is at most 8 u."""
_FACTOR_OF_TABLES = 2.0**64
"""The factor of powers that come from a table (`shifted_by_table`)."""


def _part(power: Expr, *, bits: int, shifted: bool, accuracy: str, tables: int = 0) -> Expr:
    """Return the multiple of 2^-bits that is next to a power, or to what is left of it. `shifted` says that it is a
    power of `exp_shifted`."""
    by_table = shifted and power.dtype == "f32" and table_of(accuracy, tables) is not None
    cut = 1.5 * 2.0 ** (FRACTION_BITS[power.dtype] - bits) * (_FACTOR_OF_TABLES if by_table else 1.0)
    return (power + cut) - cut


def _name(power: str, bits: int) -> str:
    return f"part_{bits}_of_{power}"


FUNCTIONS_OF_PARTS: dict[str, tuple[int, Callable[..., Expr]]] = {
    _name(power, bits): (1, partial(_part, bits=bits, shifted=power == SHIFTED))
    for power in POWERS
    for bits in sorted({*chain(*(each for rows in _FINEST.values() for each in rows.values()))})
}
"""The functions that `parts` calls, with the number of their operands, by name."""


def finest(dtype: str, rows: int) -> tuple[int, ...]:
    """Return the bits of the multiples for this number of rows, or those for most rows."""
    table = _FINEST[dtype]
    return next((bits for most, bits in table.items() if rows <= most), table[max(table)])


def is_power(expr: Expr) -> bool:
    """Whether an expression, before functions are expanded, is such a power."""
    return expr.op == "call" and expr.value[0] in POWERS


def parts(power: Expr, rows: int | None = None) -> list[Expr]:
    """Return numbers whose sum is a power, without an error: multiples, from the coarsest on, and the remainder. `rows`
    is the number of powers that are added up, if it is known."""
    found, left = [], power
    for bits in finest(power.dtype, COUNTED_ROWS if rows is None else rows):
        found.append(call(_name(power.value[0], bits), left))
        left = left - found[-1]
    return [*found, left]

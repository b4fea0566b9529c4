"""Parts of the powers that softmax and its logarithm add up, such that sums of most parts are exact.

A sum of thousands of equal numbers errs in the same direction with each of them. Parts that are multiples of one number
are added without an error until their sum has more bits than the type.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ..dtypes import FRACTION_BITS
from ..expr.graph import Expr, call
from .exp import table_of

SHIFTED, BELOW = POWERS = "exp_shifted", "exp_below"
"""The functions whose sums are compensated: `exp_shifted`, and e^x of x up to 0. Their results are never infinite."""
FEW_ROWS, SEVERAL_ROWS = 16, 512
"""Up to FEW_ROWS a plain sum is accurate enough, and up to SEVERAL_ROWS so is one of multiples beside one of the
rest."""
_FINEST_OF_SEVERAL = {"f32": (14,), "f64": (27,)}
_FINEST = {"f32": (9, 21), "f64": (27,)}
"""The parts of a power are multiples of 2^-9 and of 2^-21 (f64: of 2^-27), and a remainder. Sums of 8192 multiples are
exact. So many remainders of f32 are at most 2^-9 together; without the second part they would be as large as the sum of
all powers."""
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
    for power in POWERS for bits in (9, 14, 21, 27)
}  # fmt: skip
"""The functions that `parts` calls, with the number of their operands, by name."""


def is_power(expr: Expr) -> bool:
    """Whether an expression, before functions are expanded, is such a power."""
    return expr.op == "call" and expr.value[0] in POWERS


def parts(power: Expr, rows: int | None = None) -> list[Expr]:
    """Return numbers whose sum is a power, without an error: multiples, from the coarsest on, and the remainder. `rows`
    is the number of powers that are added up, if it is known."""
    finest = _FINEST if rows is None or rows > SEVERAL_ROWS else _FINEST_OF_SEVERAL
    found, left = [], power
    for bits in finest[power.dtype]:
        found.append(call(_name(power.value[0], bits), left))
        left = left - found[-1]
    return [*found, left]

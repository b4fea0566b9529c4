"""Compensated sums of powers along rows: the rounding error of each addition is added to the next summand.

If thousands of equal powers follow the largest one, every addition of a plain sum errs in the same direction: softmax
of 4096 such columns was off by 16 ulp with vectors of 8 f32. So the vectors of a step are added in pairs, and their
total is added to a sum that is kept in two registers:

    rest = rest + total,  new = sum + rest,  rest = rest + (sum - new)

Small steps (one vector, or few elements) are added up over several steps first.

The powers of a row are at most sqrt(2), or NaN. An infinite summand would leave NaN in `rest`, so other sums are not
compensated. Source: Kahan, Further Remarks on Reducing Truncation Errors, CACM 1965.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..codegen.selection import Arithmetic, Emission
from ..contract.machine import Lanes, Machine, Vector
from ..expr.graph import Expr
from ..functions.power_parts import is_power

FEW = 4
"""Up to this many vectors per accumulator, a plain sum is accurate enough."""
NARROW, ROUNDS = 8, 4
"""A step of at least NARROW elements is added to the compensated sum by itself; TURNS smaller steps are added at
once."""


def is_sum_of_powers(name: str, element: Expr) -> bool:
    """Whether a reduction adds up powers; `element` is the summand before functions are expanded."""
    return name == "sum" and is_power(element)


def rounds_of(columns: int, unroll: int, vector: int, accuracy: str) -> int:
    """Return how many steps of `unroll` vectors are summed plainly before their total goes to the compensated sum.

    0 means a plain sum: the row is short, or accuracy is "fast" and several accumulators keep the error small.
    """
    if columns <= FEW * unroll * vector or (accuracy == "fast" and unroll > 1):
        return 0
    return 1 if unroll > 1 and unroll * vector >= NARROW else ROUNDS


class Adder:
    """Emits compensated additions."""

    def __init__(self, m: Machine, arithmetic: Arithmetic, dtype: str, lanes: Lanes) -> None:
        self.m, self.arithmetic, self.dtype, self.lanes = m, arithmetic, dtype, lanes

    def add(self, total: Vector, rest: Vector, powers: Sequence[Vector]) -> None:
        """Add vectors to a sum in two registers. The registers of the vectors are overwritten."""
        while len(powers) > 1:
            half = (len(powers) + 1) // 2
            for x, y in zip(powers, powers[half:]):
                self._two("add", x, y)
            powers = powers[:half]
        before = powers[0]
        self._two("add", rest, before)
        self.arithmetic.move(self.m, before, total, self.lanes)
        self._two("add", total, rest)
        self._two("sub", before, total)
        self._two("add", rest, before)

    def settle(self, total: Vector, rest: Vector) -> None:
        """Combine the two registers of the sum into `total`."""
        self._two("add", total, rest)

    def _two(self, name: str, x: Vector, y: Vector) -> None:
        """Emit x = x op y."""
        self.arithmetic.rows[name, self.dtype].emit(self.m, Emission(x, (x, y), None, self.lanes, 0))

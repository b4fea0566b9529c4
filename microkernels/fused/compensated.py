"""Sums of powers along rows, compensated: what rounding takes from a sum is added to the next summand.

Where thousands of equal powers follow the largest one, each addition of a plain sum errs in the same direction: softmax
of 4096 such columns was off by 16 ulp on machines of 8 f32. So the vectors of a step are added up in pairs, and their
total goes to a sum in two registers (of steps of one vector, or of few elements, that of some steps):

    rest = rest + total,  new = sum + rest,  rest = rest + (sum - new)

The powers of a row are numbers up to sqrt(2), or NaN. An infinite summand would leave NaN in the rest, so that no other
sums are compensated. Source: Kahan, Further Remarks on Reducing Truncation Errors, CACM 1965.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..codegen.selection import Arithmetic, Emission
from ..contract.machine import Lanes, Machine, Vector
from ..expr.graph import Expr

POWERS = "exp_shifted"
"""The function whose results are never infinite."""
FEW = 4
"""Vectors in an accumulator up to which plain sums lose little."""
NARROW, TURNS = 8, 4
"""Elements of a step that may be added by themselves, and how many smaller steps are added together."""


def is_sum_of_powers(name: str, element: Expr) -> bool:
    """Whether a reduction of an element, which is not expanded, adds up powers."""
    return name == "sum" and element.op == "call" and element.value[0] == POWERS


def turns_of(columns: int, unroll: int, vector: int, accuracy: str) -> int:
    """How many steps of so many vectors are summed up plainly before their total is added to a compensated sum of a
    row; 0 where the row is too short for one, and under "fast" where several accumulators keep plain sums close."""
    if columns <= FEW * unroll * vector or (accuracy == "fast" and unroll > 1):
        return 0
    return 1 if unroll > 1 and unroll * vector >= NARROW else TURNS


class Adder:
    """Appends compensated additions."""

    def __init__(self, m: Machine, arithmetic: Arithmetic, dtype: str, lanes: Lanes) -> None:
        self.m, self.arithmetic, self.dtype, self.lanes = m, arithmetic, dtype, lanes

    def add(self, total: Vector, rest: Vector, powers: Sequence[Vector]) -> None:
        """Add vectors, whose registers are destroyed, to a sum in two registers."""
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
        """The sum in one register."""
        self._two("add", total, rest)

    def _two(self, name: str, x: Vector, y: Vector) -> None:
        """x = x and y."""
        self.arithmetic.rows[name, self.dtype].emit(self.m, Emission(x, (x, y), None, self.lanes, 0))

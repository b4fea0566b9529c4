"""The code of the parts of a fused kernel: passes over a row, and row values between two passes."""

from __future__ import annotations

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..codegen.lowered import Lowered
from ..codegen.selection import Arithmetic
from ..expr.graph import MASKS
from ..reduce.code import Output
from .passes import Pass, RowPart


@dataclass(frozen=True)
class Pool:
    """The registers for the accumulators of a pass, for its compensated sums, and for folding them."""

    outputs: tuple[Output, ...]
    arithmetic: Arithmetic
    accumulators: int
    compensated: tuple[Output, ...] = ()  # each has two more registers, the sum and its rounding error
    holds_powers: bool = False  # whether accumulators of compensated sums hold the powers of a single step

    @cached_property
    def in_masks(self) -> tuple[bool, ...]:
        """For each register of an accumulator, whether it is a mask register."""
        types = (dtype for output in self.outputs for dtype in output.running.types)
        return tuple(dtype in MASKS and self.arithmetic.masks > 0 for dtype in types)

    @property
    def masks(self) -> int:
        """The number of mask registers of all accumulators."""
        return self.accumulators * sum(self.in_masks)

    @cached_property
    def vectors(self) -> int:
        """The number of vector registers for accumulating, or for folding if that needs more."""
        parts = [output.parts for output in self.outputs]
        states = self.accumulators * (len(self.in_masks) - sum(self.in_masks))
        return 2 * len(self.compensated) + max(states, sum(parts) + max(parts, default=0))


class PassPlan(NamedTuple):
    """The code of a pass.

    step    the code of `unroll` vectors
    turns   how often the step is emitted in sequence, for vectors whose mask bits share a byte
    tail    the code of the partial last vector of a row, or None
    """

    cut: Pass
    step: Lowered
    turns: int
    tail: Lowered | None
    outputs: tuple[Output, ...]
    pool: Pool

    @property
    def vectors(self) -> int:
        """The number of vectors between two advances of the pointers."""
        return self.turns * self.step.unroll

    @property
    def operations(self) -> int:
        """Instructions per vector, including the four of each compensated addition, spread over its vectors."""
        return self.step.operations + -(-4 * len(self.pool.compensated) // self.vectors)

    @property
    def states(self) -> int:
        """The number of registers of one accumulator."""
        return len(self.pool.in_masks)


class RowPlan(NamedTuple):
    """The code of row values, on registers that hold the same value in all lanes."""

    cut: RowPart
    code: Lowered

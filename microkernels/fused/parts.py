"""The code of the parts of a fused kernel: of a pass over a row, and of the values of the row between two passes."""

from __future__ import annotations

from ...encoder.records import NamedTuple, cached_property, dataclass
from ..codegen.lowered import Lowered
from ..codegen.selection import Arithmetic
from ..expr.graph import MASKS
from ..reduce.code import Output
from .passes import Pass, RowPart


@dataclass(frozen=True)
class Pool:
    """The registers of the accumulators of a pass, of compensated sums beside them, and of folding them."""

    outputs: tuple[Output, ...]
    arithmetic: Arithmetic
    accumulators: int
    compensated: tuple[Output, ...] = ()  # each has a sum and what rounding left of it beside its accumulators
    holds_powers: bool = False  # accumulators of compensated sums hold the powers of one step, and no sum of several

    @cached_property
    def in_masks(self) -> tuple[bool, ...]:
        """Which of the registers of an accumulator are mask registers."""
        types = (dtype for output in self.outputs for dtype in output.running.types)
        return tuple(dtype in MASKS and self.arithmetic.masks > 0 for dtype in types)

    @property
    def masks(self) -> int:
        """Mask registers of all accumulators."""
        return self.accumulators * sum(self.in_masks)

    @cached_property
    def vectors(self) -> int:
        """Vector registers of all accumulators; of folding, what is left of each output and the spare ones of one."""
        parts = [output.parts for output in self.outputs]
        states = self.accumulators * (len(self.in_masks) - sum(self.in_masks))
        return 2 * len(self.compensated) + max(states, sum(parts) + max(parts, default=0))


class PassPlan(NamedTuple):
    """The code of a pass.

    step    of `unroll` vectors
    turns   how often the step runs one after the other, for vectors whose bits share a byte
    tail    of a row's last elements, which fill no vector
    """

    cut: Pass
    step: Lowered
    turns: int
    tail: Lowered | None
    outputs: tuple[Output, ...]
    pool: Pool

    @property
    def vectors(self) -> int:
        """Vectors between two moves of the pointers."""
        return self.turns * self.step.unroll

    @property
    def operations(self) -> int:
        """Instructions for a vector: a compensated sum takes four more for as many as are added together."""
        return self.step.operations + -(-4 * len(self.pool.compensated) // self.vectors)

    @property
    def states(self) -> int:
        """Registers of an accumulator."""
        return len(self.pool.in_masks)


class RowPlan(NamedTuple):
    """The code of the values of the row, on registers whose lanes are all alike."""

    cut: RowPart
    code: Lowered

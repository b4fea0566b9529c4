"""What becomes of a finished sum of products: C = beta * C + alpha * sum, in the fewest instructions."""

from __future__ import annotations

from collections.abc import Sequence

from ..contract.machine import Address, Lanes, Vector
from .state import KernelState


class Scaling:
    """What becomes of a finished sum: acc = beta * C + alpha * acc, in the fewest instructions."""

    def __init__(self, state: KernelState, *, early_c: bool) -> None:
        self.m, self.alpha, self.beta = state.m, state.plan.spec.alpha, state.plan.spec.beta
        self.early_c = early_c  # the accumulators started as C: nothing is left to do
        self.reads_c = self.beta != 0 and not early_c

    def by_alpha(self, registers: Sequence[tuple[Vector, Lanes]], spare: Vector, widest: Lanes) -> None:
        """Multiply every register by alpha."""
        if self.alpha != 1:
            self.m.constant(spare, self.alpha, widest)
            for register, lanes in registers:
                self.m.mul(register, register, spare, lanes)

    def load_beta(self, work: Sequence[Vector], widest: Lanes) -> None:
        """beta in the first work register, where `add_c` needs it."""
        if self.beta not in (0, 1):
            self.m.constant(work[0], self.beta, widest)

    def add_c(self, acc: Vector, place: Address, lanes: Lanes, work: Sequence[Vector]) -> None:
        """acc += beta * C. With beta = 0 C is not read: it may hold NaN."""
        if self.beta == 1 and not self.early_c:
            self.m.add_memory(acc, place, lanes, work[0])
        elif self.beta not in (0, 1):
            self.m.fma_memory(acc, work[0], place, lanes, work[1])

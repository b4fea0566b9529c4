"""The update of C from finished sums, C = beta * C + alpha * sum, for blocks of every scheme."""

from __future__ import annotations

from collections.abc import Sequence

from ...encoder.records import NamedTuple
from ..contract.dot_and_tile import Result
from ..contract.machine import Address, Lanes, Vector
from .state import KernelState


class UpdateRegisters(NamedTuple):
    """The vector registers of an update. Registers whose values are not needed at the same time may be the same."""

    alpha: Vector
    beta: Vector
    c: Vector


class Update:
    """Emits C = beta * C + alpha * sum in the fewest instructions. With beta = 0, C is not read: it may hold NaN.

    starts_as_c   the accumulators started as C, so that nothing is left to be added
    result        how C is converted from and to its element type; None if C has the type of the sums, so that it can be
                  a memory operand of the arithmetic
    c_first       the order of the factors of beta * C, which determines the result if both are NaN
    """

    def __init__(
        self, state: KernelState, *, starts_as_c: bool, result: Result | None = None, c_first: bool = False
    ) -> None:
        spec = state.plan.spec
        self.m, self.alpha, self.beta = state.m, spec.alpha, spec.beta
        self.starts_as_c, self.result, self.c_first = starts_as_c, result, c_first
        self.reads_c = self.beta != 0 and not starts_as_c
        self.converts = result is not None and bool(result.scaled)
        self.direct = spec.dtype == state.product.dtype and self.alpha == 1 and not self.reads_c
        """Whether a sum is stored unchanged."""
        self.computes = self.alpha != 1 or self.reads_c or self.converts
        """Whether a sum is changed before it is stored."""

    def registers(self, work: Sequence[Vector]) -> UpdateRegisters:
        """Return the registers for sums that are updated one after the other. beta reuses the register of alpha; so
        does C, unless it is loaded beside beta."""
        beside = self.result is not None or self.beta not in (0, 1)
        return UpdateRegisters(work[0], work[0], work[1] if beside else work[0])

    def load_alpha(self, register: Vector, lanes: Lanes) -> None:
        """Load alpha into each element of the register, if it is needed."""
        if self.alpha != 1:
            self.m.constant(register, self.alpha, lanes)

    def load_beta(self, register: Vector, lanes: Lanes) -> None:
        """Load beta into each element of the register, if it is needed."""
        if self.beta not in (0, 1):
            self.m.constant(register, self.beta, lanes)

    def convert(self, acc: Vector, lanes: Lanes) -> None:
        """Convert the sum to the type that it is scaled in."""
        if self.converts and self.result is not None:
            self.result.convert(acc, lanes)

    def scale(self, acc: Vector, alpha: Vector, lanes: Lanes) -> None:
        """acc *= alpha."""
        if self.alpha != 1:
            self.m.mul(acc, acc, alpha, lanes)

    def scale_all(self, sums: Sequence[tuple[Vector, Lanes]], work: UpdateRegisters, widest: Lanes) -> None:
        """Convert and scale every sum. Afterwards beta is in its register."""
        for acc, lanes in sums if self.converts else ():
            self.convert(acc, lanes)
        self.load_alpha(work.alpha, widest)
        for acc, lanes in sums if self.alpha != 1 else ():
            self.scale(acc, work.alpha, lanes)
        self.load_beta(work.beta, widest)

    def add_c(self, acc: Vector, place: Address, of_c: Lanes, lanes: Lanes, work: UpdateRegisters) -> None:
        """acc += beta * C, with beta in its register. of_c: the same elements in C's type."""
        m = self.m
        if not self.reads_c:
            return
        if self.result is None:
            if self.beta == 1:
                m.add_memory(acc, place, lanes, work.c)
            else:
                m.fma_memory(acc, work.beta, place, lanes, work.c)
            return
        self.result.load(work.c, place, of_c, lanes)
        self.add_loaded_c(acc, lanes, work)

    def add_loaded_c(self, acc: Vector, lanes: Lanes, work: UpdateRegisters) -> None:
        """acc += beta * C, with both in their registers."""
        if self.beta == 1:
            self.m.add(acc, acc, work.c, lanes)
        else:
            factors = (work.c, work.beta) if self.c_first else (work.beta, work.c)
            self.m.fma(acc, *factors, lanes)

    def line(self, acc: Vector, place: Address, of_c: Lanes, lanes: Lanes, work: UpdateRegisters) -> None:
        """Convert and scale one register of sums and add C. alpha and beta are in their registers."""
        self.convert(acc, lanes)
        self.scale(acc, work.alpha, lanes)
        self.add_c(acc, place, of_c, lanes, work)


def vectors_together(result: Result, row_vectors: Sequence[Lanes], bits: int) -> list[int]:
    """Return the first of each group of neighbouring row vectors that fill registers and are stored as one."""
    group, first, found = result.together, 0, []
    whole = [lanes.full and lanes.bytes * 8 == bits for lanes in row_vectors]
    while group > 1 and first + group <= len(whole):
        if all(whole[first : first + group]):
            found.append(first)
            first += group
        else:
            first += 1
    return found

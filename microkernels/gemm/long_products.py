"""The levels of the sums of products with a long k, or of many pairs: see codegen/long_sums.py."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from typing import Any

from ..codegen.long_sums import MOST_TERMS, LongSums
from ..contract.machine import General, Lanes, Machine, Vector
from ..contract.vector_verbs import claimed
from .plan import GemmPlan
from .spec import GemmSpec


def in_blocks(product: GemmSpec, terms: int) -> GemmSpec:
    """Return the request of a product that is added to sums of so many terms. If they are many, each block is summed by
    itself first: see codegen/long_sums.py."""
    return replace(product, late=True) if terms > MOST_TERMS else product


class LongProducts:
    """The levels of the sums of a block: see codegen/long_sums.py. `begin` and `end` stand around the sums of a block,
    whose registers are then added to the levels after each block of steps of k, or of pairs."""

    registers: Sequence[Vector] = ()
    lanes: Lanes
    free: Sequence[Vector]
    unit: Any = None

    def __init__(self, m: Machine, plan: GemmPlan, pointer: General) -> None:
        """pointer: that to the current block of C."""
        levels = claimed(plan.levels)
        self.m, self.pointer, self.steps = m, pointer, max(1, levels.steps // plan.depth)
        size = levels.bytes(plan.sums_of_block, m.facts.widths[0] // 8)
        self.base, self.c = m.park(m.scratch(size)), m.counter("C")
        self.blocks, self.pairs = m.counter("blocks of k"), m.counter("pairs")
        self.sums = LongSums(m, levels, pointer)

    def begin(self, registers: Sequence[Vector], lanes: Lanes, free: Vector, unit: Any = None) -> None:
        """Clear the levels of these registers, whose contents are lost. free: a register that is free between steps.
        unit: the unit whose mode additions leave."""
        self.registers, self.lanes, self.free, self.unit = registers, lanes, (free,), unit
        with self._at_levels():
            self.sums.clear(registers, lanes)
        self.m.copy(self.pairs, 0)

    def lay_by(self) -> None:
        """Add the registers to the levels, and set them to 0."""
        with self._at_levels():
            self.sums.lay_by(self.registers, self.lanes, self.free)

    def end(self) -> None:
        """Add the levels to the registers."""
        with self._at_levels():
            self.sums.bring_back(self.registers, self.lanes, self.free)

    @contextmanager
    def _at_levels(self) -> Iterator[None]:
        """A scope in which the pointer to C, which no step of k needs, points to the levels: registers are scarce."""
        m, pointer = self.m, self.pointer
        m.copy(self.c, pointer)
        m.copy(pointer, self.base)
        with nullcontext() if self.unit is None else self.unit.closed():
            yield
        m.copy(pointer, self.c)

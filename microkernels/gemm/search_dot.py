"""The search for the cheapest register blocking of a product on a dot-product unit."""

from __future__ import annotations

from ..contract.dot_and_tile import UnitFacts
from ..operands import RUNTIME
from .blocking import BlockSearch, Estimate, RowVectors, Scheme, in_levels, unroll


class DotSearch(BlockSearch):
    """Row vectors of A times groups of B. Sums are never split into sets, since their order is part of the result."""

    scheme = Scheme.DOT
    groups = False

    @property
    def _unit(self) -> UnitFacts:
        assert self.product.unit is not None
        return self.product.unit

    def _along_k_rows(self) -> set[int]:
        return {0}

    def _held(self) -> int:
        return self._unit.constants

    def _most_columns(self, row_vectors: RowVectors, group: int) -> int:
        """Return the most columns; fewer if multiples of both leading dimensions must be in registers."""
        a, b = self.product.a, self.product.b
        several = a.leading is RUNTIME and a.steps > 2 and b.leading is RUNTIME and b.order == "F"
        return min(super()._most_columns(row_vectors, group), _RUNTIME_COLUMNS if several else self.product.n)

    def _work(self, row_vectors: int, columns: int, group: int) -> int:
        """Count the registers for row vectors of A, a group of B, temporaries of products, and corrections, or later
        for beta, C and stores."""
        unit = self._unit
        product = row_vectors + 1 + unit.temporaries + (row_vectors if unit.corrected else 0)
        return max(product, _UPDATE)

    def _accumulators(self, row_vectors: RowVectors, columns: int, group: int) -> int:
        free = super()._accumulators(row_vectors, columns, group) - self._unit.constants
        return free // (1 + self._unit.phases) if self._unit.block else free

    def _unroll(self, instructions: float, group: int) -> int:
        unit, k = self._unit, self.product.k
        if unit.block:
            return min(k, unit.block)
        steps = unroll(self.tuning, instructions, k)
        return in_levels(k, steps) if self.spec.ordered else steps

    def _estimate(self, held: RowVectors, columns: int, group: int) -> Estimate:
        """Estimate a block. Every phase of a step loads A and B again."""
        facts, unit, p = self.facts, self._unit, self.product
        row_vectors, code = len(held.counts), unit.code
        apart = p.b.order == "C" and p.b.steps > 1
        of_a, of_b = code.plain if p.a.steps > 1 else code.packed, code.strided if apart else code.fetch
        embedded = unit.embeds and row_vectors == 1 and not apart
        products = row_vectors * columns + (row_vectors if unit.corrected else 0)
        pipes = code.product.slots * (products / row_vectors) * held.fma
        loads = (of_a.loads + code.product.loads * columns) * held.load + columns * of_b.loads * facts.broadcast_cycles
        fetched = 0 if embedded else of_b.instructions * columns
        instructions = unit.phases * (code.product.instructions * products + of_a.instructions * row_vectors + fetched)
        step = max(unit.phases * pipes, unit.phases * loads, instructions / facts.issue_width)
        step = max(step, unit.phases * unit.latency * min(1, instructions * p.k / self.tuning.window_instructions))
        update = columns * 2 * held.load + 4
        step += self.tuning.instruction_cycles * instructions
        return Estimate(step * p.k + update, instructions, 1)


_RUNTIME_COLUMNS = 3  # columns addressed by a leading dimension and its double
_UPDATE = 4  # registers for beta, C and a conversion of the result

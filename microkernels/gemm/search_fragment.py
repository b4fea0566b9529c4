"""The search for the cheapest register blocking of a product on a dot-product or MMLA unit.

If a dot-product unit takes its group out of a register of several, a block may load that many groups of B at once: of
the steps of k of one column, each of which then has a register, or of neighbouring columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..contract.dot_and_tile import UnitFacts, VerbCounts
from ..contract.mmla import COLUMNS, halves
from ..operands import RUNTIME
from .blocking import BlockedProduct, BlockSearch, Cut, Estimate, RowVectors, Scheme, in_levels, unroll

_RUNTIME_COLUMNS = 3  # columns addressed by a leading dimension and its double
_SPARE = 2  # registers for loads of an MMLA unit
_UPDATE = 4  # registers for beta, C and a conversion of the result


class DotSearch(BlockSearch):
    """Row vectors of A times groups of B. Sums are never split into sets, since their order is part of the result."""

    scheme = Scheme.DOT
    groups = False

    @property
    def _unit(self) -> UnitFacts:
        assert self.product.unit is not None
        return self.product.unit

    def _begin(self, product: BlockedProduct) -> None:
        super()._begin(product)
        if self._unit.by_element and not self._strided_groups:
            self._groupings = {1, self.facts.group(self.size)}

    @property
    def _strided_groups(self) -> bool:
        """Whether the elements of a group of B are not neighbours."""
        return self.product.b.order == "C" and self.product.b.steps > 1

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
        unit, of_b = self._unit, columns if group > 1 and self.product.b.order == "F" else 1
        temporaries = unit.temporaries + (unit.temporaries_of_rows if self.product.a.steps > 1 else 0)
        return max(row_vectors + of_b + temporaries + (row_vectors if unit.corrected else 0), _UPDATE)

    def _accumulators(self, row_vectors: RowVectors, columns: int, group: int) -> int:
        free = super()._accumulators(row_vectors, columns, group) - self._unit.constants
        return free // (1 + self._unit.phases) if self._unit.block else free

    def _unroll(self, instructions: float, group: int) -> int:
        unit, k = self._unit, self.product.k
        if unit.block:
            return min(k, unit.block)
        steps = unroll(self.tuning, instructions, k, group if self.product.b.order == "F" else 1)
        return in_levels(k, steps) if self.spec.ordered else steps

    def _estimate(self, held: RowVectors, columns: int, group: int) -> Estimate:
        """Estimate a block. Every phase of a step loads A and B again."""
        facts, unit, p = self.facts, self._unit, self.product
        row_vectors, code, strided = len(held.counts), unit.code, self._strided_groups
        of_a, of_b = code.plain if p.a.steps > 1 else code.packed, code.strided if strided else code.fetch
        embedded = unit.embeds and row_vectors == 1 and not strided
        products = row_vectors * columns + (row_vectors if unit.corrected else 0)
        pipes = code.product.slots * (products / row_vectors) * held.fma
        several, single = self._fetches(columns, group)
        if unit.loads_in_slots:
            fetches = several * code.several.slots + single * of_b.slots
            pipes += of_a.slots * held.fma + fetches * facts.fma_cycles(facts.widths[0])
        fetches = several * code.several.loads + single * of_b.loads
        loads = (of_a.loads + code.product.loads * columns) * held.load + fetches * facts.broadcast_cycles
        fetched = 0 if embedded else several * code.several.instructions + single * of_b.instructions
        instructions = unit.phases * (code.product.instructions * products + of_a.instructions * row_vectors + fetched)
        return self._of_step(pipes, loads, instructions, columns * 2 * held.load + 4)

    def _of_step(self, pipes: float, loads: float, instructions: float, update: float) -> Estimate:
        """Estimate a block by what a step of k waits for: the pipes and loads of each phase, issue slots, or the last
        product of an accumulator. update: cycles that C takes."""
        unit, tuning, k = self._unit, self.tuning, self.product.k
        waits = unit.latency * min(1, instructions * k / tuning.window_instructions)
        step = max(unit.phases * max(pipes, loads, waits), instructions / self.facts.issue_width)
        return Estimate((step + tuning.instruction_cycles * instructions) * k + update, instructions, 1)

    def _fetches(self, columns: int, group: int) -> tuple[float, float]:
        """Return how often a step of k loads several groups at once, and how often a single one."""
        if group == 1:
            return 0, columns
        if self.product.b.order == "C":
            return divmod(columns, group)
        whole = self.product.k - (self.product.rest > 0)
        several = whole // group
        return columns * several / self.product.k, columns * (self.product.k - several * group) / self.product.k


class MmlaSearch(DotSearch):
    """Row vectors of A times pairs of columns of B."""

    scheme = Scheme.MMLA
    together = COLUMNS

    def _cuts(self, rows: int) -> Iterator[Cut]:
        """Yield cuts into whole registers. Rows in narrower registers would begin within a block."""
        self.capacities = self.capacities[:1]
        yield from super()._cuts(rows)

    def _work(self, row_vectors: int, columns: int, group: int) -> int:
        """Count two registers for each row vector of A, one for columns of B, spare ones, and half of an odd column."""
        most = max(2 * row_vectors + 1 + max(_SPARE, self._unit.temporaries), _UPDATE)
        return most + (row_vectors if columns % COLUMNS else 0)

    def _alike(self, costs: RowVectors) -> tuple[Any, ...]:
        """Return all rows, on which the registers of A depend."""
        return costs

    def _estimate(self, held: RowVectors, columns: int, group: int) -> Estimate:
        """Estimate a block. Shuffles of rows along the vectors share the pipes with products; there are as many as
        loads."""
        facts, unit, p = self.facts, self._unit, self.product
        row_vectors, pairs, width, code = len(held.counts), -(-columns // COLUMNS), facts.widths[0], unit.code
        registers = sum(halves(count, self.vector) for count in held.counts)
        of_a, of_b = self._loads_of_a(row_vectors, registers), self._columns_of_b()
        shuffles = of_a.loads if p.a.across == 1 else 0
        pipes = (registers * pairs * code.product.slots + shuffles) * facts.fma_cycles(width)
        loads = of_a.loads * facts.load_cycles(width) + pairs * of_b.loads * facts.broadcast_cycles
        instructions = registers * pairs * code.product.instructions + of_a.instructions + pairs * of_b.instructions
        both_ways = 6 * row_vectors * pairs / facts.issue_width  # six instructions split and join a pair
        return self._of_step(pipes, loads, instructions, columns * 2 * held.load + 4 + both_ways)

    def _loads_of_a(self, row_vectors: int, registers: int) -> VerbCounts:
        """Return the code that loads row vectors. The instructions that gather blocks count as their loads."""
        a, unit = self.product.a, self._unit
        if a.across == 1:
            of_rows = unit.code.plain if a.steps == unit.depth else unit.code.rows_of_groups
            return VerbCounts(of_rows.instructions * row_vectors, of_rows.loads * row_vectors)
        if a.order == "C" and unit.gathered > 1:
            return VerbCounts(unit.gathered * registers, unit.gathered * registers)
        return VerbCounts(unit.code.packed.instructions * registers, unit.code.packed.loads * registers)

    def _columns_of_b(self) -> VerbCounts:
        """Return the code that loads two columns."""
        b, unit = self.product.b, self._unit
        if b.across > 1:
            return unit.code.block
        if b.order != "C" or b.steps == 1:
            return unit.code.fetch
        return unit.code.strided if b.steps == unit.depth else unit.code.columns_of_groups

"""The search for the cheapest register blocking of a product on an MMLA unit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..contract.dot_and_tile import VerbCounts
from ..contract.mmla import COLUMNS, halves
from .blocking import Cut, Estimate, RowVectors, Scheme
from .search_dot import DotSearch

_SPARE = 2  # registers for loads
_UPDATE = 4  # for beta, C and a conversion of the result


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
        step = max(pipes, loads, instructions / facts.issue_width)
        step = max(step, unit.latency * min(1, instructions * p.k / self.tuning.window_instructions))
        step += self.tuning.instruction_cycles * instructions
        update = (
            columns * 2 * held.load + 4 + 6 * row_vectors * pairs / facts.issue_width
        )  # six instructions split and join a pair
        return Estimate(step * p.k + update, instructions, 1)

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

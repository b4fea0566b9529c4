"""The search for the cheapest register blocking of a product on an MMLA unit."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from ..contract.mmla import COLUMNS, halves
from .blocking import Block, Cut, Estimate, Panel, RowVectors, Scheme
from .search_dot import DotSearch

_SPARE = 2  # registers for loads
_UPDATE = 4  # for beta, C and a conversion of the result


class MmlaSearch(DotSearch):
    """Row vectors of A times pairs of columns of B."""

    scheme = Scheme.MMLA

    def _cuts(self, rows: int) -> Iterator[Cut]:
        """Yield cuts into whole registers. Rows in narrower registers would begin within a block."""
        self.capacities = self.capacities[:1]
        yield from super()._cuts(rows)

    def _work(self, row_vectors: int, columns: int, group: int) -> int:
        """Count two registers for each row vector of A, one for columns of B, spare ones, and half of an odd column."""
        most = max(2 * row_vectors + 1 + max(_SPARE, self._unit.temporaries), _UPDATE)
        return most + (row_vectors if columns % COLUMNS else 0)

    def _make_fma_panel(self, row_vectors: tuple[int, ...]) -> Panel:
        n, costs = self.product.n, self._costs(row_vectors)
        most = self._most_columns(costs, 1)
        most -= most % COLUMNS if most < n else 0
        groups = -(-n // COLUMNS)
        fewest = -(-n // most) if most else 0
        best: tuple[float, tuple[Block, ...]] = (inf, ())
        for parts in range(fewest, min(fewest + 1, groups) + 1) if most else ():
            blocks = [(self._block(costs, columns, 1), count) for columns, count in _even_blocks(n, parts)]
            cycles = sum(cost * count for (cost, _), count in blocks) + 2 * len(blocks)
            if cycles < best[0]:
                best = cycles, tuple(block._replace(repeat=count) for (_, block), count in blocks)
        return Panel(self.scheme, row_vectors, 1, best[1], best[0], self._held())

    def _block(self, of_a: RowVectors, columns: int, group: int) -> tuple[float, Block]:
        """Return (cycles, block) for one block of a panel."""
        estimate = self._estimate(of_a, columns, group)
        return estimate.cycles, self._made_block(of_a, group, estimate, columns, 1)

    def _estimate(self, held: RowVectors, columns: int, group: int) -> Estimate:
        """Estimate a block. Shuffles of rows along the vectors share the pipes with products."""
        facts, unit, p = self.facts, self._unit, self.product
        row_vectors, pairs, width = len(held.counts), -(-columns // COLUMNS), facts.widths[0]
        registers = sum(halves(count, self.vector) for count in held.counts)
        blocks = registers * (unit.packed if p.a.order == "C" else 1)
        loads_of_a, shuffles = (blocks, 0) if p.a.across > 1 else (p.a.steps * row_vectors, p.a.steps * row_vectors)
        places = p.b.steps if p.b.order == "C" else 1  # places of one column
        loads_of_b, of_b = (1, 1) if p.b.across > 1 else (COLUMNS * places, unit.fetch if places == 1 else 4 * places)
        products = registers * pairs * unit.product
        pipes = (products + shuffles) * facts.fma_cycles(width)
        loads = loads_of_a * facts.load_cycles(width) + pairs * loads_of_b * facts.broadcast_cycles
        instructions = products + loads_of_a + shuffles + of_b * pairs
        step = max(pipes, loads, instructions / facts.issue_width)
        if instructions * p.k > self.tuning.window_instructions:
            step = max(step, unit.latency)
        step += self.tuning.instruction_cycles * instructions
        update = (
            columns * 2 * held.load + 4 + 6 * row_vectors * pairs / facts.issue_width
        )  # six instructions split and join a pair
        return Estimate(step * p.k + update, instructions, 1)


def _even_blocks(columns: int, parts: int) -> Iterator[tuple[int, int]]:
    """Yield (columns of a block, number of blocks), as even as whole pairs allow. If the columns are odd, the last
    block is."""
    narrow, wider = divmod(-(-columns // COLUMNS), parts)
    odd = columns % COLUMNS
    for size, count in ((COLUMNS * (narrow + 1), wider), (COLUMNS * narrow, parts - wider - odd)):
        if count:
            yield size, count
    if odd:
        yield COLUMNS * narrow - 1, 1

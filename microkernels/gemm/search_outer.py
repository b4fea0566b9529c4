"""The grids of a product on outer-product accumulators, which use all accumulators side by side.

    2 x 2 accumulators      two vectors of A and two of B for four products      1 x 4 or 4 x 1 for a single row of them

An operand that is contiguous along k is transposed in an accumulator, which C then cannot use, and its vectors are held
for a whole transposition. The grid is then one accumulator wide on that side, and all other accumulators lie along the
other."""

from __future__ import annotations

from collections.abc import Iterator

from ..contract.dot_and_tile import UnitFacts
from ..tuning.gemm import GemmTuning
from .blocking import BlockedProduct, Panel, ProductBlock, Scheme, cuts, unroll


class OuterProductSearch:
    """The grids of a product."""

    def __init__(self, facts: UnitFacts, tuning: GemmTuning) -> None:
        self.facts, self.tuning = facts, tuning

    def panels(self, product: BlockedProduct) -> tuple[Panel, ...]:
        """Return panels of rows with blocks of columns, each of one grid of accumulators."""
        free, (transposes_x, _) = self._free(product), transposed_sides(product)
        made = []
        for row_vectors, repeat in cuts(product.m, self.facts.side, self._along(product)):
            wide = 1 if transposes_x else free // len(row_vectors)
            made.append(self._panel(product, row_vectors, repeat, cuts(product.n, self.facts.side, wide)))
        return tuple(made)

    def _free(self, product: BlockedProduct) -> int:
        """Return the number of accumulators for C: all except the one that transposes."""
        return self.facts.accumulators - any(transposed_sides(product))

    def _along(self, product: BlockedProduct) -> int:
        """Return the most accumulators along the rows of C. Columns get the others."""
        free, (transposes_x, transposes_y) = self._free(product), transposed_sides(product)
        if transposes_y and not transposes_x:
            return 1
        if transposes_x or product.n <= self.facts.side:
            return min(free, self.tuning.outer_product_rows_alone)
        return self.tuning.outer_product_rows

    def _panel(
        self,
        product: BlockedProduct,
        row_vectors: tuple[int, ...],
        repeat: int,
        blocks: Iterator[tuple[tuple[int, ...], int]],
    ) -> Panel:
        facts, rows = self.facts, len(row_vectors)
        turns = transposed_sides(product)
        made, cycles = [], 0.0
        for columns, times in blocks:
            wide = len(columns)
            loads = 0.0
            for operand, transposes_it, count in ((product.b, turns[0], wide), (product.a, turns[1], rows)):
                # a transposed vector is a row loaded and a column moved; plain elements are loaded and interleaved
                loads += count * (2 if transposes_it else 1 if operand.steps == 1 else 2 * operand.steps - 1)
            products = rows * wide
            step = max(products, loads * facts.load_cycles, facts.latency)
            cycles += times * (step * product.k + 2 * products * facts.side * facts.load_cycles)
            steps = unroll(self.tuning, products + loads, product.k)
            if any(turns):
                steps = min(product.k, facts.transposed)
            made.append(ProductBlock(sum(columns), times, steps, 1, step=products + loads))
        return Panel(Scheme.OUTER_PRODUCT, row_vectors, repeat, tuple(made), repeat * cycles)


def transposed_sides(product: BlockedProduct) -> tuple[bool, bool]:
    """Whether the vectors of B and of A are transposed from elements that are contiguous along k."""
    return product.b.order == "F", product.a.order == "C"

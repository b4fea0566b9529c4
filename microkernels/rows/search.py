"""The search for register blocks of a product whose columns, in column-major terms, the call counts.

Each panel of rows has a widest block of columns, which repeats while columns last, then some narrower ones of a power
of two, and one of a single column: each repeats while what is left suffices for it. Which these are, and which panels
there are, is a choice of few cycles, of several numbers of columns, and little code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import inf
from typing import TypeVar

from ...encoder.records import NamedTuple
from ..gemm.blocking import Block, Panel, Product, RowVectors, Search, cycles_of
from ..gemm.search_dot import DotSearch
from ..gemm.search_mmla import MmlaSearch
from ..gemm.search_outer import OuterProductSearch, cuts, split, turned

T = TypeVar("T")

EXTENTS = (64, 77, 96, 100, 127, 128, 256, 1000)
"""Numbers of columns for which blocks are chosen: multiples of powers of two, as most are, and others."""

OF_A_SUM, OF_A_BLOCK = 2.5, 12
"""Instructions of a block beside its steps of k: of each sum, and of loops and pointers."""

FEW = 4
"""Columns of a grid between a whole accumulator and one column: each further width takes predicates, of which there are
seven for all grids."""


class Price(NamedTuple):
    """What is weighed: cycles, and the instructions of all blocks and of the widest ones."""

    cycles: float
    code: float
    widest: float


class _Made(NamedTuple):
    """A block of some columns, as the widest one of a panel or a narrower one: its cycles and instructions."""

    block: Block
    cycles: float
    code: float


class _Chain(NamedTuple):
    """The blocks of a panel, and their price for one column."""

    blocks: tuple[Block, ...]
    price: Price


_NONE = _Chain((), Price(inf, inf, inf))


class RowsSearch(Search):
    """The search for panels of which each has blocks for any number of columns."""

    step = 1
    """Columns of the widest block are a multiple of it."""

    def _along_k_rows(self) -> set[int]:
        return {0}

    def panels(self, product: Product) -> tuple[Panel, ...]:
        """The best list of panels that covers all rows; none where registers suffice for no block."""
        self._begin(product)
        self._prices: dict[tuple[int, ...], Price] = {}
        covers = [panels for panels in self._covers() if cycles_of(panels) < inf]
        return _best(covers, [self._price(panels) for panels in covers], self.tuning.cycles_for_code_of_panels, ())

    def _price(self, panels: Sequence[Panel]) -> Price:
        prices = [self._prices[panel.row_vectors] for panel in panels]
        return Price(cycles_of(panels), sum([each.code for each in prices]), sum([each.widest for each in prices]))

    def _make_fma_panel(self, row_vectors: tuple[int, ...]) -> Panel:
        costs = self._costs(row_vectors)
        chains = [each for group in self._groupings for each in self._chains(costs, group)]
        best = _best(chains, [each.price for each in chains], self.tuning.cycles_for_code, _NONE)
        self._prices[row_vectors] = best.price
        return Panel(self.scheme, row_vectors, 1, best.blocks, best.price.cycles * self.product.n, self._held())

    def _chains(self, costs: RowVectors, group: int) -> Iterator[_Chain]:
        """Blocks for any number of columns. The widest have three quarters of the most columns at least, since
        estimates of those that have fewer are rough."""
        count = self._most_columns(costs, group)
        both = [self._both(costs, columns, group) for columns in range(1, count + 1)]
        least = min(-(-3 * count // 4), count - count % self.step)
        for columns in range(max(1, least), count + 1):
            if columns % self.step and columns > 1:
                continue
            first = both[columns - 1][0]
            widest = first.block._replace(repeat=max(2, self.product.n // columns))
            for narrower in _narrower(columns):
                rest = [both[each - 1][1] for each in narrower]
                chain = [first, *rest]
                cycles = sum([_cycles(extent, chain) / extent for extent in EXTENTS]) / len(EXTENTS)
                price = Price(cycles, sum([each.code for each in chain]), first.code)
                yield _Chain((widest, *[each.block for each in rest]), price)

    def _both(self, costs: RowVectors, columns: int, group: int) -> tuple[_Made, _Made]:
        """A block of so many columns as the widest one of a panel, and as a narrower one."""
        k, tuning, estimate = self.product.k, self.tuning, self._estimate(costs, columns, group)
        block = self._made_block(costs, group, estimate, columns, 1)
        short = self._short(block, estimate.instructions)
        cycles = max(estimate.cycles, k * costs.lines * tuning.far_line_cycles) + tuning.block_cycles
        alone = max(cycles, estimate.instructions * k / tuning.narrow_instructions_a_cycle) + tuning.block_cycles
        code = [self._instructions(each, estimate.instructions, len(costs.counts)) for each in (block, short)]
        return _Made(block, cycles, code[0]), _Made(short, alone + k / short.unroll, code[1])

    def _instructions(self, block: Block, step: float, row_vectors: int) -> float:
        """Of the code of a block: its steps of k, and what starts and stores sums."""
        k = self.product.k
        steps = k if k <= block.unroll else block.unroll + k % block.unroll
        return step * steps + OF_A_SUM * block.columns * row_vectors * block.split + OF_A_BLOCK

    def _short(self, block: Block, step: float) -> Block:
        """A narrower block in less code: it runs a few times in a panel, so few steps of k are unrolled."""
        if self.product.unit is not None and self.product.unit.block:
            return block  # its steps are those of a block of the sum
        steps = block.split * block.group
        while steps * step < self.tuning.narrow_body_instructions and steps < block.unroll:
            steps *= 2
        return block._replace(unroll=steps) if steps < block.unroll else block


class RowsDotSearch(RowsSearch, DotSearch):
    """On dot-product units."""


class RowsMmlaSearch(RowsSearch, MmlaSearch):
    """On MMLA units, which take columns two by two."""

    step = 2


class RowsOuterSearch(OuterProductSearch):
    """On outer-product accumulators: the widest grid of a panel, and narrower ones."""

    def panels(self, product: Product) -> tuple[Panel, ...]:
        """Each with blocks for any number of columns."""
        made, side = [], self.facts.side
        for row_vectors, repeat in cuts(product.m, side, self._along(product)):
            wide = 1 if turned(product)[0] else self._free(product) // len(row_vectors)
            chain = sorted({side * wide, side, min(side, FEW), 1}, reverse=True)
            grids = [(split(columns, side), max(1, product.n // columns) if columns == chain[0] else 1)
                     for columns in chain]  # fmt: skip
            made.append(self._panel(product, row_vectors, repeat, iter(grids)))
        return tuple(made)


def _best(made: Sequence[T], prices: Sequence[Price], weight: float, none: T) -> T:
    """What takes the least of cycles and code together; code as long as widest blocks is `weight` of the cycles."""
    if not made:
        return none
    least = min(prices)
    costs = [each.cycles / least.cycles + weight * each.code / least.widest for each in prices]
    return made[costs.index(min(costs))]


def _narrower(most: int) -> list[tuple[int, ...]]:
    """Columns of the blocks behind the widest one: some of the powers of two below it, the last one of one column."""
    if most == 1:
        return [()]
    powers = [1 << bit for bit in reversed(range(1, (most - 1).bit_length()))]
    few = [(*each, 1) for count in (0, 1, 2) for each in combinations(powers, count)]
    return few if len(powers) < 3 else [*few, (*powers, 1)]


def _cycles(extent: int, chain: Sequence[_Made]) -> float:
    """What so many columns cost in these blocks."""
    total = 0.0
    for each in chain:
        count, extent = divmod(extent, each.block.columns)
        total += count * each.cycles
    return total
